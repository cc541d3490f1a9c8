//! Rules and what they have done, and the baselines of successes.

use app::model::{
    Timestamp,
    fault::FaultClass,
    page::{Page, PageQuery},
    rule::{Rule, RuleAction, RuleFilter, RuleMatch, RuleState, sentence},
};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::{
    StoreError,
    rows::{id, json, named, optional_id, to_json},
};
use crate::rules::{
    Active,
    judge::{Did, Use},
};

/// A rule's row.
#[derive(Clone, Debug, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns are described in the migration")]
pub struct RuleRow {
    pub seq: i64,
    pub id: String,
    pub state: String,
    pub unproven: i64,
    pub domain: String,
    pub flow: String,
    pub step: Option<i64>,
    pub class: Option<String>,
    pub step_key: Option<String>,
    pub action: String,
    pub canary: f64,
    pub origin_order: Option<String>,
    pub author: String,
    pub changed: Option<String>,
    pub hits: i64,
    pub successes: i64,
    pub failures: i64,
    pub last_used_at: Option<i64>,
    pub created_at: i64,
    pub version: i64,
}

/// A rule to make.
#[derive(Clone, Debug)]
pub struct NewRuleRow {
    /// UUIDv7.
    pub id: Uuid,
    /// Whether it is applied.
    pub state: RuleState,
    /// Whether it becomes active without a proof.
    pub unproven: bool,
    /// Where it applies, in canonical form.
    pub place: RuleMatch,
    /// The key of its step.
    pub step_key: Option<String>,
    /// What it does.
    pub action: RuleAction,
    /// The share of tasks.
    pub canary: f64,
    /// The order that it comes from.
    pub origin_order: Option<Uuid>,
    /// Who made it.
    pub author: String,
    /// Now.
    pub now: Timestamp,
}

impl RuleRow {
    fn place(&self) -> Result<RuleMatch, StoreError> {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Ok(RuleMatch {
            domain: some(&self.domain),
            flow: some(&self.flow),
            step: self.step.map(|step| step as u32),
            class: self
                .class
                .as_deref()
                .map(|class| named::<FaultClass>("a rule's class", class))
                .transpose()?,
        })
    }

    /// The model's rule. Whether it is stale is for whoever knows the flow.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`], naming the column.
    pub fn to_rule(&self, stale: bool) -> Result<Rule, StoreError> {
        let (place, action) = (self.place()?, json("a rule's action", &self.action)?);
        Ok(Rule {
            id: id("a rule's id", &self.id)?,
            version: self.version,
            state: named("a rule's state", &self.state)?,
            unproven: self.unproven != 0,
            stale,
            words: sentence(&place, &action),
            r#match: place,
            step_key: self.step_key.clone(),
            action,
            canary: self.canary,
            origin_order: optional_id("a rule's order", self.origin_order.as_ref())?,
            author: self.author.clone(),
            changed: self.changed.clone(),
            hits: self.hits as u64,
            successes: self.successes as u64,
            failures: self.failures as u64,
            last_used_at: self.last_used_at.map(Timestamp),
            created_at: Timestamp(self.created_at),
        })
    }

    fn to_active(&self) -> Result<Active, StoreError> {
        Ok(Active {
            id: id("a rule's id", &self.id)?,
            place: self.place()?,
            step_key: self.step_key.clone(),
            action: json("a rule's action", &self.action)?,
            canary: self.canary,
            created_at: Timestamp(self.created_at),
        })
    }
}

/// The active rules that may be meant for a flow on a site.
///
/// # Errors
/// When the database fails.
pub async fn active(read: &SqlitePool, flow: &str, domain: &str) -> Result<Vec<Active>, StoreError> {
    let rows: Vec<RuleRow> = sqlx::query_as(
        "SELECT * FROM rules WHERE state = 'active' AND flow IN ('', $1) AND (domain = $2 OR domain LIKE '*.%')",
    )
    .bind(flow)
    .bind(domain)
    .fetch_all(read)
    .await?;
    // One that cannot be read is applied nowhere, and keeps no attempt from running.
    let read = |row: &RuleRow| {
        row.to_active()
            .inspect_err(|error| tracing::error!(rule = %row.id, %error, "a rule is left out"))
            .ok()
    };
    Ok(rows.iter().filter_map(read).collect())
}

/// Stores a rule.
///
/// # Errors
/// When the database fails.
pub async fn insert(connection: &mut SqliteConnection, new: &NewRuleRow) -> Result<RuleRow, StoreError> {
    Ok(sqlx::query_as(
        "INSERT INTO rules (id, state, unproven, domain, flow, step, class, step_key, action, canary, origin_order, \
         author, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING *",
    )
    .bind(new.id.to_string())
    .bind(new.state.as_str())
    .bind(i64::from(new.unproven))
    .bind(new.place.domain.as_deref().unwrap_or_default())
    .bind(new.place.flow.as_deref().unwrap_or_default())
    .bind(new.place.step.map(i64::from))
    .bind(new.place.class.map(FaultClass::as_str))
    .bind(&new.step_key)
    .bind(to_json("a rule's action", &new.action)?)
    .bind(new.canary)
    .bind(new.origin_order.map(|order| order.to_string()))
    .bind(&new.author)
    .bind(new.now.0)
    .fetch_one(connection)
    .await?)
}

/// One rule.
///
/// # Errors
/// When the database fails.
pub async fn get<'c, E>(executor: E, rule: Uuid) -> Result<Option<RuleRow>, StoreError>
where
    E: sqlx::Executor<'c, Database = Sqlite>,
{
    Ok(sqlx::query_as("SELECT * FROM rules WHERE id = $1")
        .bind(rule.to_string())
        .fetch_optional(executor)
        .await?)
}

/// A page of rules, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(
    read: &SqlitePool,
    filter: &RuleFilter,
    page: &PageQuery,
) -> Result<Page<RuleRow>, StoreError> {
    let limit = page.bounded_limit();
    let mut sql = QueryBuilder::<Sqlite>::new("SELECT * FROM rules WHERE 1 = 1");
    if let Some(state) = filter.state {
        sql.push(" AND state = ").push_bind(state.as_str());
    }
    for (column, value) in [("flow", &filter.flow), ("domain", &filter.domain)] {
        if let Some(value) = value {
            sql.push(format_args!(" AND {column} = ")).push_bind(value);
        }
    }
    if let Some(order) = filter.order {
        sql.push(" AND origin_order = ").push_bind(order.to_string());
    }
    if let Some(after) = page.after.as_deref().and_then(|after| after.parse::<i64>().ok()) {
        sql.push(" AND seq < ").push_bind(after);
    }
    sql.push(" ORDER BY seq DESC LIMIT ").push_bind(i64::from(limit) + 1);
    let mut items: Vec<RuleRow> = sql.build_query_as().fetch_all(read).await?;
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(|last| last.seq.to_string());
    Ok(Page { items, next })
}

/// Changes a rule's state and share, and says who did and why.
///
/// # Errors
/// When the database fails.
pub async fn change(
    connection: &mut SqliteConnection,
    rule: Uuid,
    state: RuleState,
    unproven: bool,
    canary: f64,
    changed: &str,
) -> Result<RuleRow, StoreError> {
    Ok(sqlx::query_as(
        "UPDATE rules SET state = $2, unproven = $3, canary = $4, changed = $5, version = version + 1 \
         WHERE id = $1 RETURNING *",
    )
    .bind(rule.to_string())
    .bind(state.as_str())
    .bind(i64::from(unproven))
    .bind(canary)
    .bind(changed)
    .fetch_one(connection)
    .await?)
}

/// Counts how rules did in an attempt.
///
/// # Errors
/// When the database fails.
pub async fn count(
    connection: &mut SqliteConnection,
    uses: &[Use],
    now: Timestamp,
) -> Result<(), StoreError> {
    for one in uses {
        sqlx::query(
            "UPDATE rules SET hits = hits + 1, successes = successes + $2, failures = failures + $3, \
             last_used_at = $4 WHERE id = $1",
        )
        .bind(one.rule.to_string())
        .bind(i64::from(one.did == Did::Success))
        .bind(i64::from(one.did == Did::Failure))
        .bind(now.0)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Puts the rules of a plan on its attempt.
///
/// # Errors
/// When the database fails.
pub async fn put_on_attempt(
    connection: &mut SqliteConnection,
    attempt: Uuid,
    rules: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query("UPDATE attempts SET rules = $2 WHERE id = $1 AND outcome IS NULL")
        .bind(attempt.to_string())
        .bind(to_json("an attempt's rules", &rules)?)
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds a rule that has ended a task to its attempt, where it is not on it yet.
///
/// # Errors
/// When the database fails.
pub async fn add_to_attempt(
    connection: &mut SqliteConnection,
    attempt: Uuid,
    rule: Uuid,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE attempts SET rules = json_insert(rules, '$[#]', $2) WHERE id = $1 \
         AND NOT EXISTS (SELECT 1 FROM json_each(attempts.rules) WHERE value = $2)",
    )
    .bind(attempt.to_string())
    .bind(rule.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// A flow version and the rules of a plan, as baselines are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The flow's name.
    pub flow: String,
    /// Its version.
    pub version: i64,
    /// The rules, in order.
    pub rules: Vec<Uuid>,
}

/// When the newest baseline of a plan was taken.
///
/// # Errors
/// When the database fails.
pub async fn baseline_at(read: &SqlitePool, planned: &Planned) -> Result<Option<Timestamp>, StoreError> {
    let at: Option<i64> =
        sqlx::query_scalar("SELECT at FROM baselines WHERE flow = $1 AND version = $2 AND rules = $3")
            .bind(&planned.flow)
            .bind(planned.version)
            .bind(to_json("the rules of a plan", &planned.rules)?)
            .fetch_optional(read)
            .await?;
    Ok(at.map(Timestamp))
}

/// Keeps an attempt as the baseline of its plan.
///
/// # Errors
/// When the database fails.
pub async fn keep_baseline(
    connection: &mut SqliteConnection,
    planned: &Planned,
    attempt: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO baselines (flow, version, rules, attempt, at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (flow, version, rules) DO UPDATE SET attempt = $4, at = $5",
    )
    .bind(&planned.flow)
    .bind(planned.version)
    .bind(to_json("the rules of a plan", &planned.rules)?)
    .bind(attempt.to_string())
    .bind(now.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// The newest baseline of a flow: attempt, task, when.
///
/// # Errors
/// When the database fails.
pub async fn newest_baseline(
    read: &SqlitePool,
    flow: &str,
) -> Result<Option<(Uuid, Uuid, Timestamp)>, StoreError> {
    let row: Option<(String, String, i64)> = sqlx::query_as(
        "SELECT b.attempt, a.task, b.at FROM baselines b JOIN attempts a ON a.id = b.attempt \
         WHERE b.flow = $1 ORDER BY b.at DESC LIMIT 1",
    )
    .bind(flow)
    .fetch_optional(read)
    .await?;
    row.map(|(attempt, task, at)| {
        Ok((id("an attempt's id", &attempt)?, id("a task's id", &task)?, Timestamp(at)))
    })
    .transpose()
}
