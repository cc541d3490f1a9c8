//! Heartbeats and ends of attempts: each conditional on the task and its lease token, so that what comes
//! late changes nothing.

use app::model::{
    Timestamp,
    attempt::{Outcome, StepRecord, Timing},
    evidence::EvidenceKind,
    fault::Fault,
};
use serde_json::Value;
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{
    StoreError,
    rows::{TaskRow, to_json},
};
use crate::queue::decide::{Next, Spent};

/// A held lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The task.
    pub task: Uuid,
    /// Its lease's token.
    pub token: Uuid,
}

/// Extends leases. Returns the tasks whose lease is no longer this holder's.
///
/// # Errors
/// When the database fails.
pub async fn heartbeat(
    connection: &mut SqliteConnection,
    held: &[Held],
    until: Timestamp,
) -> Result<Vec<Uuid>, StoreError> {
    let mut lost = Vec::new();
    for lease in held {
        let done = sqlx::query(
            "UPDATE tasks SET lease_until = $3 WHERE id = $1 AND lease_token = $2 AND state = 'running'",
        )
        .bind(lease.task.to_string())
        .bind(lease.token.to_string())
        .bind(until.0)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() == 0 {
            lost.push(lease.task);
        }
    }
    Ok(lost)
}

/// Records durably that a critical step is about to be done. False where the lease is no longer held.
///
/// # Errors
/// When the database fails.
pub async fn begin_critical(
    connection: &mut SqliteConnection,
    held: Held,
    attempt: Uuid,
    step: u32,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE attempts SET critical_step = $3 WHERE id = $1 AND outcome IS NULL AND EXISTS \
         (SELECT 1 FROM tasks WHERE id = attempts.task AND lease_token = $2 AND state = 'running')",
    )
    .bind(attempt.to_string())
    .bind(held.token.to_string())
    .bind(i64::from(step))
    .execute(connection)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// What an attempt leaves when it is over.
#[derive(Clone, Debug)]
pub struct Over {
    /// The attempt.
    pub attempt: Uuid,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed.
    pub fault: Option<Fault>,
    /// The Chrome instance it ran in.
    pub instance: Option<String>,
    /// Where its time went; the time in the queue is already stored and kept.
    pub timing: Timing,
    /// What each step did.
    pub steps: Vec<StepRecord>,
    /// L1 rescues.
    pub rescues: u32,
    /// Evidence that is already stored: kind, digest, bytes.
    pub evidence: Vec<(EvidenceKind, String, u64)>,
}

impl Over {
    /// What is left of an attempt whose holder is gone.
    #[must_use]
    pub fn lost(attempt: Uuid) -> Self {
        Self {
            attempt,
            outcome: Outcome::Lost,
            fault: None,
            instance: None,
            timing: Timing::default(),
            steps: Vec::new(),
            rescues: 0,
            evidence: Vec::new(),
        }
    }
}

/// The counters that decide what becomes of a running task, read under its lease.
///
/// # Errors
/// When the database fails.
pub async fn spent(connection: &mut SqliteConnection, held: Held) -> Result<Option<Spent>, StoreError> {
    type Row = (i64, i64, i64, i64, i64, i64, Option<i64>, Option<i64>);
    let row: Option<Row> = sqlx::query_as(
        "SELECT t.attempts_spent, t.max_attempts, t.lost, t.crashes, t.alone, t.cancel, t.deadline, a.critical_step \
         FROM tasks t JOIN attempts a ON a.id = t.attempt \
         WHERE t.id = $1 AND t.lease_token = $2 AND t.state = 'running'",
    )
    .bind(held.task.to_string())
    .bind(held.token.to_string())
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|(attempts, max, lost, crashes, alone, cancel, deadline, critical)| Spent {
        attempts: attempts as u32,
        max_attempts: max as u32,
        lost: lost as u32,
        crashes: crashes as u32,
        alone: alone != 0,
        cancel: cancel != 0,
        deadline: deadline.map(Timestamp),
        critical_step: critical.map(|step| step as u32),
    }))
}

/// Ends an attempt and moves its task on, both or neither. None where the lease is no longer held: then
/// nothing has changed.
///
/// # Errors
/// When the database fails.
pub async fn finish(
    connection: &mut SqliteConnection,
    held: Held,
    over: &Over,
    next: &Next,
    now: Timestamp,
) -> Result<Option<TaskRow>, StoreError> {
    let Some(row) = advance(connection, held, next, now).await? else { return Ok(None) };
    close_attempt(connection, over, now).await?;
    for (kind, digest, size) in &over.evidence {
        sqlx::query(
            "INSERT INTO evidence (attempt, kind, digest, size, created_at) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(over.attempt.to_string())
        .bind(kind.as_str())
        .bind(digest)
        .bind(*size as i64)
        .bind(now.0)
        .execute(&mut *connection)
        .await?;
    }
    Ok(Some(row))
}

async fn close_attempt(
    connection: &mut SqliteConnection,
    over: &Over,
    now: Timestamp,
) -> Result<(), StoreError> {
    let fault = over.fault.as_ref().map(|fault| to_json("a fault", fault)).transpose()?;
    sqlx::query(
        "UPDATE attempts SET ended_at = $2, outcome = $3, fault = $4, instance = $5, \
         timing = json_patch($6, json_object('queued_ms', json_extract(timing, '$.queued_ms'))), steps = $7, \
         rescues = $8 WHERE id = $1 AND outcome IS NULL",
    )
    .bind(over.attempt.to_string())
    .bind(now.0)
    .bind(over.outcome.as_str())
    .bind(fault)
    .bind(&over.instance)
    .bind(to_json("a timing", &over.timing)?)
    .bind(to_json("the steps", &over.steps)?)
    .bind(i64::from(over.rescues))
    .execute(connection)
    .await?;
    Ok(())
}

/// Moves a task to what was decided, under its lease.
async fn advance(
    connection: &mut SqliteConnection,
    held: Held,
    next: &Next,
    now: Timestamp,
) -> Result<Option<TaskRow>, StoreError> {
    let (state, fault, result): (&str, Option<&Fault>, Option<&Value>) = match next {
        Next::Succeeded { result } => ("succeeded", None, Some(result)),
        Next::Queued { fault, .. } => ("queued", fault.as_ref(), None),
        Next::Escalated { fault } => ("escalated", Some(fault), None),
        Next::Quarantined { fault, .. } => ("quarantined", Some(fault), None),
        Next::Failed { fault } => ("failed", Some(fault), None),
        Next::Cancelled => ("cancelled", None, None),
    };
    let counters = next.counters();
    let (ready, run_at, wait) = match next {
        Next::Queued { at, .. } => (i64::from(*at <= now), Some(at.0), (*at > now).then_some("retry")),
        _ => (0, None, None),
    };
    let ended = matches!(state, "succeeded" | "failed" | "cancelled").then_some(now.0);
    let fault_text = fault.map(|fault| to_json("a fault", fault)).transpose()?;
    Ok(sqlx::query_as(
        "UPDATE tasks SET state = $3, ready = $4, run_at = coalesce($5, run_at), wait = $6, result = $7, \
         fault = $8, fault_class = $9, \
         attempts_spent = attempts_spent + $10, lost = lost + $11, \
         crashes = CASE WHEN $12 < 0 THEN 0 ELSE crashes + $12 END, alone = $13, \
         attempt = NULL, lease_token = NULL, lease_until = NULL, node = NULL, ended_at = $14, updated_at = $15, \
         version = version + 1 \
         WHERE id = $1 AND lease_token = $2 AND state = 'running' RETURNING *",
    )
    .bind(held.task.to_string())
    .bind(held.token.to_string())
    .bind(state)
    .bind(ready)
    .bind(run_at)
    .bind(wait)
    .bind(result.map(|result| to_json("a result", result)).transpose()?)
    .bind(fault_text)
    .bind(fault.map(|fault| fault.class.as_str()))
    .bind(counters.attempts)
    .bind(counters.lost)
    .bind(counters.crashes)
    .bind(counters.alone)
    .bind(ended)
    .bind(now.0)
    .fetch_optional(connection)
    .await?)
}

/// A lease that is over: its holder is gone.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// The task and the token it was held by.
    pub held: Held,
    /// The attempt that was lost.
    pub attempt: Uuid,
}

/// The leases that ended before `before`, oldest first, a bounded number.
///
/// # Errors
/// When the database fails.
pub async fn orphans(connection: &mut SqliteConnection, before: i64) -> Result<Vec<Orphan>, StoreError> {
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT id, lease_token, attempt FROM tasks WHERE state = 'running' AND lease_until <= $1 \
         AND lease_token IS NOT NULL AND attempt IS NOT NULL ORDER BY lease_until LIMIT 500",
    )
    .bind(before)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|(task, token, attempt)| {
            Ok(Orphan {
                held: Held {
                    task: super::rows::id("a task's id", task)?,
                    token: super::rows::id("a lease's token", token)?,
                },
                attempt: super::rows::id("an attempt's id", attempt)?,
            })
        })
        .collect()
}
