//! Work orders: opening and joining, claims, and their end.

use app::model::{
    Timestamp,
    fault::{Fault, FaultClass},
    order::{Annotation, Desk, NewConclusion, OrderFilter, OrderState, Severity, TasksThen},
    page::{Page, PageQuery},
};
use serde::{Deserialize, Serialize};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::{
    StoreError,
    rows::{TaskRow, id, json, named, optional_id, to_json},
};

/// What the failures of an order have in common; empty where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The flow's name.
    pub flow: String,
    /// The step's key.
    pub step_key: String,
    /// The site's key.
    pub domain: String,
    /// The class of fault.
    pub class: FaultClass,
}

/// One failure that comes to an order.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The task.
    pub task: Uuid,
    /// Its attempt that failed.
    pub attempt: Uuid,
    /// The version of its flow.
    pub flow_version: i64,
    /// The step, counted from 0.
    pub step: Option<u32>,
    /// The step in words.
    pub step_words: Option<String>,
    /// Why.
    pub fault: Fault,
    /// When.
    pub at: Timestamp,
}

/// The open order of a group, as far as the next failure needs it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its id.
    pub id: Uuid,
    /// Failures so far.
    pub occurrences: u64,
    /// How much it matters so far.
    pub severity: Severity,
    /// When its first failure came.
    pub opened_at: Timestamp,
}

/// A conclusion as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptConclusion {
    /// What was found.
    #[serde(flatten)]
    pub found: NewConclusion,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What became of the tasks.
    pub tasks: TasksThen,
}

/// An order's row.
#[derive(Clone, Debug, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns are described in the migration")]
pub struct OrderRow {
    pub seq: i64,
    pub id: String,
    pub flow: String,
    pub step_key: String,
    pub domain: String,
    pub class: String,
    pub step: Option<i64>,
    pub step_words: Option<String>,
    pub flow_version: i64,
    pub fault: String,
    pub severity: i64,
    pub due_at: i64,
    pub occurrences: i64,
    pub waiting: i64,
    pub closed: i64,
    pub assigned_to: Option<String>,
    pub claim_token: Option<String>,
    pub claim_holder: Option<String>,
    pub claim_name: Option<String>,
    pub claim_until: Option<i64>,
    pub draft: Option<String>,
    pub conclusion: Option<String>,
    pub rule: Option<String>,
    pub opened_at: i64,
    pub last_at: i64,
    pub closed_at: Option<i64>,
    pub version: i64,
}

/// Who holds an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The person's or token's id.
    pub holder: Uuid,
    /// Their name.
    pub name: String,
    /// What writes are proven by.
    pub token: Uuid,
    /// When it runs out.
    pub until: Timestamp,
}

impl OrderRow {
    /// The order's id.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no UUID.
    pub fn order_id(&self) -> Result<Uuid, StoreError> {
        id("an order's id", &self.id)
    }

    /// The class of fault.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text names none.
    pub fn class(&self) -> Result<FaultClass, StoreError> {
        named("an order's class", &self.class)
    }

    /// How much it matters.
    #[must_use]
    pub fn severity(&self) -> Severity {
        severity(self.severity)
    }

    /// Who holds it now; a claim that has run out is none.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where a stored text is no UUID.
    pub fn holding(&self, now: Timestamp) -> Result<Option<Holding>, StoreError> {
        let (Some(until), Some(holder), Some(token)) =
            (self.claim_until, &self.claim_holder, &self.claim_token)
        else {
            return Ok(None);
        };
        if self.closed != 0 || until <= now.0 {
            return Ok(None);
        }
        Ok(Some(Holding {
            holder: id("a claim's holder", holder)?,
            name: self.claim_name.clone().unwrap_or_default(),
            token: id("a claim's token", token)?,
            until: Timestamp(until),
        }))
    }

    /// The newest failure.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is none.
    pub fn fault(&self) -> Result<Fault, StoreError> {
        json("an order's fault", &self.fault)
    }

    /// What was found, once it is closed.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is none.
    pub fn conclusion(&self) -> Result<Option<KeptConclusion>, StoreError> {
        self.conclusion.as_deref().map(|text| json("a conclusion", text)).transpose()
    }

    /// What the holder has typed so far.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no JSON.
    pub fn draft(&self) -> Result<Option<serde_json::Value>, StoreError> {
        self.draft.as_deref().map(|text| json("a draft", text)).transpose()
    }

    /// The rule that came of it.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no UUID.
    pub fn rule(&self) -> Result<Option<Uuid>, StoreError> {
        optional_id("an order's rule", self.rule.as_ref())
    }
}

fn severity(stored: i64) -> Severity {
    match stored {
        0 => Severity::Low,
        1 => Severity::Medium,
        _ => Severity::High,
    }
}

/// The open order of a group.
///
/// # Errors
/// When the database fails.
pub async fn open_of(connection: &mut SqliteConnection, group: &Group) -> Result<Option<Known>, StoreError> {
    let row: Option<(String, i64, i64, i64)> = sqlx::query_as(
        "SELECT id, occurrences, severity, opened_at FROM orders \
         WHERE flow = $1 AND step_key = $2 AND domain = $3 AND class = $4 AND closed = 0",
    )
    .bind(&group.flow)
    .bind(&group.step_key)
    .bind(&group.domain)
    .bind(group.class.as_str())
    .fetch_optional(connection)
    .await?;
    row.map(|(order, occurrences, matters, opened_at)| {
        Ok(Known {
            id: id("an order's id", &order)?,
            occurrences: occurrences as u64,
            severity: severity(matters),
            opened_at: Timestamp(opened_at),
        })
    })
    .transpose()
}

/// Opens an order with its first failure.
///
/// # Errors
/// When the database fails.
pub async fn open(
    connection: &mut SqliteConnection,
    order: Uuid,
    group: &Group,
    failure: &Failure,
    matters: Severity,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO orders (id, flow, step_key, domain, class, step, step_words, flow_version, fault, severity, \
         due_at, opened_at, last_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)",
    )
    .bind(order.to_string())
    .bind(&group.flow)
    .bind(&group.step_key)
    .bind(&group.domain)
    .bind(group.class.as_str())
    .bind(failure.step.map(i64::from))
    .bind(&failure.step_words)
    .bind(failure.flow_version)
    .bind(to_json("a fault", &failure.fault)?)
    .bind(matters as i64)
    .bind(due_at.0)
    .bind(failure.at.0)
    .execute(&mut *connection)
    .await?;
    enter(connection, order, failure).await
}

/// Adds a failure to an open order.
///
/// # Errors
/// When the database fails.
pub async fn join(
    connection: &mut SqliteConnection,
    order: Uuid,
    failure: &Failure,
    matters: Severity,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE orders SET step = $2, step_words = $3, flow_version = $4, fault = $5, severity = $6, \
         due_at = min(due_at, $7), last_at = $8, occurrences = occurrences + 1, version = version + 1 WHERE id = $1",
    )
    .bind(order.to_string())
    .bind(failure.step.map(i64::from))
    .bind(&failure.step_words)
    .bind(failure.flow_version)
    .bind(to_json("a fault", &failure.fault)?)
    .bind(matters as i64)
    .bind(due_at.0)
    .bind(failure.at.0)
    .execute(&mut *connection)
    .await?;
    enter(connection, order, failure).await
}

async fn enter(connection: &mut SqliteConnection, order: Uuid, failure: &Failure) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO order_tasks (order_id, task, attempt, at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (order_id, task) DO UPDATE SET attempt = $3, at = $4",
    )
    .bind(order.to_string())
    .bind(failure.task.to_string())
    .bind(failure.attempt.to_string())
    .bind(failure.at.0)
    .execute(&mut *connection)
    .await?;
    sqlx::query("UPDATE tasks SET order_id = $2 WHERE id = $1")
        .bind(failure.task.to_string())
        .bind(order.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// One order.
///
/// # Errors
/// When the database fails.
pub async fn get<'c, E>(executor: E, order: Uuid) -> Result<Option<OrderRow>, StoreError>
where
    E: sqlx::Executor<'c, Database = Sqlite>,
{
    Ok(sqlx::query_as("SELECT * FROM orders WHERE id = $1")
        .bind(order.to_string())
        .fetch_optional(executor)
        .await?)
}

/// Who asks for "mine": an id and a name.
#[derive(Clone, Debug)]
pub struct Mine {
    /// The person's or token's id.
    pub id: Uuid,
    /// Their name.
    pub name: String,
}

/// A page of orders, newest first. Whether one is claimed is asked of `now`.
///
/// # Errors
/// When the database fails.
pub async fn list(
    read: &SqlitePool,
    filter: &OrderFilter,
    mine: &Mine,
    page: &PageQuery,
    now: Timestamp,
) -> Result<Page<OrderRow>, StoreError> {
    let limit = page.bounded_limit();
    let mut sql = QueryBuilder::<Sqlite>::new("SELECT * FROM orders WHERE 1 = 1");
    match filter.state {
        None => {}
        Some(OrderState::Closed) => {
            sql.push(" AND closed = 1");
        }
        Some(OrderState::Open) => {
            sql.push(" AND closed = 0 AND coalesce(claim_until, 0) <= ").push_bind(now.0);
        }
        Some(OrderState::Claimed) => {
            sql.push(" AND closed = 0 AND claim_until > ").push_bind(now.0);
        }
    }
    if let Some(matters) = filter.severity {
        sql.push(" AND severity = ").push_bind(matters as i64);
    }
    for (column, value) in [("flow", &filter.flow), ("domain", &filter.domain)] {
        if let Some(value) = value {
            sql.push(format_args!(" AND {column} = ")).push_bind(value);
        }
    }
    if let Some(class) = filter.class {
        sql.push(" AND class = ").push_bind(class.as_str());
    }
    if filter.mine {
        sql.push(" AND ((claim_holder = ").push_bind(mine.id.to_string());
        sql.push(" AND claim_until > ").push_bind(now.0);
        sql.push(") OR assigned_to = ").push_bind(&mine.name).push(")");
    }
    if let Some(after) = page.after.as_deref().and_then(|after| after.parse::<i64>().ok()) {
        sql.push(" AND seq < ").push_bind(after);
    }
    sql.push(" ORDER BY seq DESC LIMIT ").push_bind(i64::from(limit) + 1);
    let mut items: Vec<OrderRow> = sql.build_query_as().fetch_all(read).await?;
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(|last| last.seq.to_string());
    Ok(Page { items, next })
}

/// A page of the tasks that came together in an order, the newest failure first.
///
/// # Errors
/// When the database fails.
pub async fn tasks(read: &SqlitePool, order: Uuid, page: &PageQuery) -> Result<Page<TaskRow>, StoreError> {
    let limit = page.bounded_limit();
    let (at, after) = page
        .after
        .as_deref()
        .and_then(|cursor| cursor.split_once('.'))
        .and_then(|(at, task)| Some((at.parse::<i64>().ok()?, task.to_owned())))
        .unwrap_or((i64::MAX, String::new()));
    let mut rows: Vec<(i64, String)> = sqlx::query_as(
        "SELECT at, task FROM order_tasks WHERE order_id = $1 AND (at < $2 OR (at = $2 AND task < $3)) \
         ORDER BY at DESC, task DESC LIMIT $4",
    )
    .bind(order.to_string())
    .bind(at)
    .bind(after)
    .bind(i64::from(limit) + 1)
    .fetch_all(read)
    .await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(|(at, task)| format!("{at}.{task}"));
    let mut items = Vec::with_capacity(rows.len());
    for (_, task) in &rows {
        items.extend(super::tasks::get(read, id("a task's id", task)?).await?);
    }
    Ok(Page { items, next })
}

/// The newest failed attempts of an order: attempt, task, when.
///
/// # Errors
/// When the database fails.
pub async fn attempts(
    read: &SqlitePool,
    order: Uuid,
    most: i64,
) -> Result<Vec<(Uuid, Uuid, Timestamp)>, StoreError> {
    let rows: Vec<(String, String, i64)> = sqlx::query_as(
        "SELECT attempt, task, at FROM order_tasks WHERE order_id = $1 ORDER BY at DESC, task DESC LIMIT $2",
    )
    .bind(order.to_string())
    .bind(most)
    .fetch_all(read)
    .await?;
    rows.iter()
        .map(|(attempt, task, at)| {
            Ok((id("an attempt's id", attempt)?, id("a task's id", task)?, Timestamp(*at)))
        })
        .collect()
}

/// The desk at a glance.
///
/// # Errors
/// When the database fails.
pub async fn desk(read: &SqlitePool, now: Timestamp) -> Result<Desk, StoreError> {
    let (open, claimed, oldest): (i64, i64, Option<i64>) = sqlx::query_as(
        "SELECT (SELECT n FROM order_counts), \
         (SELECT count(*) FROM orders WHERE claim_until > $1 AND closed = 0), \
         (SELECT opened_at FROM orders WHERE closed = 0 ORDER BY seq LIMIT 1)",
    )
    .bind(now.0)
    .fetch_one(read)
    .await?;
    Ok(Desk { open: open.max(0) as u64, claimed: claimed as u64, oldest_at: oldest.map(Timestamp) })
}

/// Gives an order to somebody, or extends what they have.
///
/// # Errors
/// When the database fails.
pub async fn hold(
    connection: &mut SqliteConnection,
    order: Uuid,
    holding: &Holding,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE orders SET claim_token = $2, claim_holder = $3, claim_name = $4, claim_until = $5, \
         version = version + (coalesce(claim_token, '') <> $2) WHERE id = $1",
    )
    .bind(order.to_string())
    .bind(holding.token.to_string())
    .bind(holding.holder.to_string())
    .bind(&holding.name)
    .bind(holding.until.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends a claim.
///
/// # Errors
/// When the database fails.
pub async fn let_go(connection: &mut SqliteConnection, order: Uuid) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE orders SET claim_token = NULL, claim_holder = NULL, claim_name = NULL, claim_until = NULL, \
         version = version + 1 WHERE id = $1",
    )
    .bind(order.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Ends the claims that have run out; gives back which orders that were, a bounded number. What was typed stays.
///
/// # Errors
/// When the database fails.
pub async fn run_out(connection: &mut SqliteConnection, now: Timestamp) -> Result<Vec<Uuid>, StoreError> {
    let rows: Vec<String> = sqlx::query_scalar(
        "UPDATE orders SET claim_token = NULL, claim_holder = NULL, claim_name = NULL, claim_until = NULL, \
         version = version + 1 WHERE seq IN (SELECT seq FROM orders WHERE claim_until <= $1 LIMIT 500) RETURNING id",
    )
    .bind(now.0)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|text| id("an order's id", text)).collect()
}

/// Whether a claim has run out and is still on record.
///
/// # Errors
/// When the database fails.
pub async fn has_run_out(read: &SqlitePool, now: Timestamp) -> Result<bool, StoreError> {
    let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM orders WHERE claim_until <= $1 LIMIT 1")
        .bind(now.0)
        .fetch_optional(read)
        .await?;
    Ok(found.is_some())
}

/// Keeps what the holder has typed so far.
///
/// # Errors
/// When the database fails.
pub async fn draft(connection: &mut SqliteConnection, order: Uuid, text: &str) -> Result<(), StoreError> {
    sqlx::query("UPDATE orders SET draft = $2 WHERE id = $1")
        .bind(order.to_string())
        .bind(text)
        .execute(connection)
        .await?;
    Ok(())
}

/// Writes something about an order. Returns the annotation's id.
///
/// # Errors
/// When the database fails.
pub async fn annotate(
    connection: &mut SqliteConnection,
    order: Uuid,
    author: &str,
    text: &str,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let note = Uuid::now_v7();
    sqlx::query("INSERT INTO order_notes (id, order_id, at, author, text) VALUES ($1, $2, $3, $4, $5)")
        .bind(note.to_string())
        .bind(order.to_string())
        .bind(now.0)
        .bind(author)
        .bind(text)
        .execute(&mut *connection)
        .await?;
    sqlx::query("UPDATE orders SET version = version + 1 WHERE id = $1")
        .bind(order.to_string())
        .execute(connection)
        .await?;
    Ok(note)
}

/// Most annotations of an order that are shown; the newest are.
const MOST_NOTES: i64 = 200;

/// What was written about an order, oldest first; `to_html` words each.
///
/// # Errors
/// When the database fails.
pub async fn notes(
    read: &SqlitePool,
    order: Uuid,
    to_html: fn(&str) -> String,
) -> Result<Vec<Annotation>, StoreError> {
    let rows: Vec<(String, i64, String, String)> = sqlx::query_as(
        "SELECT * FROM (SELECT id, at, author, text FROM order_notes WHERE order_id = $1 \
         ORDER BY id DESC LIMIT $2) ORDER BY id",
    )
    .bind(order.to_string())
    .bind(MOST_NOTES)
    .fetch_all(read)
    .await?;
    rows.into_iter()
        .map(|(note, at, author, text)| {
            let html = to_html(&text);
            Ok(Annotation { id: id("an annotation's id", &note)?, at: Timestamp(at), author, text, html })
        })
        .collect()
}

/// Names who is to look at an order.
///
/// # Errors
/// When the database fails.
pub async fn assign(
    connection: &mut SqliteConnection,
    order: Uuid,
    to: Option<&str>,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE orders SET assigned_to = $2, version = version + 1 WHERE id = $1")
        .bind(order.to_string())
        .bind(to)
        .execute(connection)
        .await?;
    Ok(())
}

/// Closes an order.
///
/// # Errors
/// When the database fails.
pub async fn close(
    connection: &mut SqliteConnection,
    order: Uuid,
    conclusion: &KeptConclusion,
    rule: Option<Uuid>,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE orders SET closed = 1, closed_at = $2, conclusion = $3, rule = $4, draft = NULL, claim_token = NULL, \
         claim_holder = NULL, claim_name = NULL, claim_until = NULL, version = version + 1 WHERE id = $1",
    )
    .bind(order.to_string())
    .bind(conclusion.at.0)
    .bind(to_json("a conclusion", conclusion)?)
    .bind(rule.map(|rule| rule.to_string()))
    .execute(connection)
    .await?;
    Ok(())
}

/// Opens a closed order again.
///
/// # Errors
/// When the database fails.
pub async fn reopen(connection: &mut SqliteConnection, order: Uuid) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE orders SET closed = 0, closed_at = NULL, conclusion = NULL, version = version + 1 WHERE id = $1",
    )
    .bind(order.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Lets the tasks that wait on an order go on, in one statement. Returns them: id and site.
///
/// # Errors
/// When the database fails.
pub async fn let_tasks_go(
    connection: &mut SqliteConnection,
    order: Uuid,
    then: TasksThen,
    age_step_ms: i64,
    now: Timestamp,
) -> Result<Vec<(String, String)>, StoreError> {
    let sql = match then {
        TasksThen::Release => {
            "UPDATE tasks SET state = 'queued', ready = 1, lane = 'rerun', order_key = $2 + priority * $3, run_at = $2, \
             wait = NULL, attempts_spent = 0, lost = 0, crashes = 0, alone = 0, cancel = 0, fault = NULL, \
             fault_class = NULL, order_id = NULL, updated_at = $2, version = version + 1 \
             WHERE order_id = $1 AND state = 'escalated' RETURNING id, domain"
        }
        TasksThen::Cancel => {
            "UPDATE tasks SET state = 'cancelled', cancel = 1, ended_at = $2, updated_at = $2, version = version + 1 \
             WHERE order_id = $1 AND state = 'escalated' AND $3 = $3 RETURNING id, domain"
        }
        TasksThen::Fail => {
            "UPDATE tasks SET state = 'failed', ended_at = $2, updated_at = $2, version = version + 1 \
             WHERE order_id = $1 AND state = 'escalated' AND $3 = $3 RETURNING id, domain"
        }
    };
    Ok(sqlx::query_as(sql)
        .bind(order.to_string())
        .bind(now.0)
        .bind(age_step_ms)
        .fetch_all(connection)
        .await?)
}
