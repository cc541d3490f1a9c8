//! Attempts and their evidence, for reading.

use app::model::{
    Timestamp,
    attempt::{Attempt, Outcome},
    evidence::EvidenceKind,
};
use sqlx::SqlitePool;
use uuid::Uuid;

use super::{
    StoreError,
    rows::{id, json, named},
};

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    number: i64,
    started_at: i64,
    ended_at: Option<i64>,
    instance: Option<String>,
    node: String,
    outcome: Option<String>,
    fault: Option<String>,
    rules: String,
    timing: String,
    steps: String,
    rescues: i64,
    critical_step: Option<i64>,
    kinds: String,
}

/// Most attempts of one task that are shown; the newest are.
const MOST: i64 = 200;

/// The attempts of a task, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn of_task(read: &SqlitePool, task: Uuid) -> Result<Vec<Attempt>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT * FROM (SELECT a.id, a.number, a.started_at, a.ended_at, a.instance, a.node, a.outcome, a.fault, \
         a.rules, a.timing, a.steps, a.rescues, a.critical_step, \
         (SELECT json_group_array(kind) FROM evidence e WHERE e.attempt = a.id) AS kinds \
         FROM attempts a WHERE a.task = $1 ORDER BY a.number DESC LIMIT $2) ORDER BY number",
    )
    .bind(task.to_string())
    .bind(MOST)
    .fetch_all(read)
    .await?;
    rows.into_iter().map(Row::into_attempt).collect()
}

impl Row {
    fn into_attempt(self) -> Result<Attempt, StoreError> {
        let outcome =
            self.outcome.as_deref().map(|text| json::<Outcome>("an outcome", &format!("\"{text}\"")));
        let kinds: Vec<String> = json("kinds of evidence", &self.kinds)?;
        let mut evidence = kinds
            .iter()
            .map(|kind| named("a kind of evidence", kind))
            .collect::<Result<Vec<EvidenceKind>, _>>()?;
        evidence.sort_unstable();
        Ok(Attempt {
            id: id("an attempt's id", &self.id)?,
            number: self.number as u32,
            started_at: Timestamp(self.started_at),
            ended_at: self.ended_at.map(Timestamp),
            instance: self.instance,
            node: self.node,
            outcome: outcome.transpose()?,
            fault: self.fault.as_deref().map(|text| json("a fault", text)).transpose()?,
            rules: json("an attempt's rules", &self.rules)?,
            timing: json("an attempt's timing", &self.timing)?,
            steps: json("an attempt's steps", &self.steps)?,
            rescues: self.rescues as u32,
            evidence,
            at_step: None,
            critical_step: self.critical_step.map(|step| step as u32),
        })
    }
}

/// Where an attempt's evidence of a kind is kept.
///
/// # Errors
/// When the database fails.
pub async fn evidence(
    read: &SqlitePool,
    attempt: Uuid,
    kind: EvidenceKind,
) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT digest FROM evidence WHERE attempt = $1 AND kind = $2")
        .bind(attempt.to_string())
        .bind(kind.as_str())
        .fetch_optional(read)
        .await?)
}

/// The kinds of evidence that are kept of an attempt.
///
/// # Errors
/// When the database fails.
pub async fn kinds(read: &SqlitePool, attempt: Uuid) -> Result<Vec<EvidenceKind>, StoreError> {
    let kinds: Vec<String> = sqlx::query_scalar("SELECT kind FROM evidence WHERE attempt = $1")
        .bind(attempt.to_string())
        .fetch_all(read)
        .await?;
    let mut kinds =
        kinds.iter().map(|kind| named("a kind of evidence", kind)).collect::<Result<Vec<_>, _>>()?;
    kinds.sort_unstable();
    Ok(kinds)
}
