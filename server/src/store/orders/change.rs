//! Writing: opening and joining, claims, what is written about an order, and its end.

use app::model::{
    Timestamp,
    order::{Severity, TasksThen},
};
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{Failure, Group, Holding, KeptConclusion, Known, severity};
use crate::store::{
    StoreError,
    rows::{id, to_json},
};

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
        "UPDATE orders SET closed = 1, closed_at = $2, conclusion = $3, rule = coalesce($4, rule), draft = NULL, claim_token = NULL, \
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
             WHERE order_id = $1 AND state = 'escalated' RETURNING id, domain"
        }
        TasksThen::Fail => {
            "UPDATE tasks SET state = 'failed', ended_at = $2, updated_at = $2, version = version + 1 \
             WHERE order_id = $1 AND state = 'escalated' RETURNING id, domain"
        }
    };
    let query = sqlx::query_as(sql).bind(order.to_string()).bind(now.0);
    let query = if then == TasksThen::Release { query.bind(age_step_ms) } else { query };
    Ok(query.fetch_all(connection).await?)
}
