//! Claims: from the first task of each site that is not held to a leased attempt.
//!
//! A claim costs the same however many tasks wait: it reads the heads of the sites, not the tasks.

use app::model::Timestamp;
use sqlx::{SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::{StoreError, breakers, rows::TaskRow};
use crate::breaker::Standing;

/// The first ready task of a site in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The site's key; empty for tasks without one.
    pub domain: String,
    /// Its order key.
    pub head_key: i64,
    /// How many attempts run on the site.
    pub running: i64,
    /// What the site's breaker lets go.
    pub breaker: Standing,
}

/// Held until somebody clears it.
pub const UNTIL_CLEARED: i64 = i64::MAX;

/// Makes tasks ready whose time has come, and clears holds that are over. Returns how many became ready.
///
/// # Errors
/// When the database fails.
pub async fn promote(connection: &mut SqliteConnection, now: Timestamp) -> Result<u64, StoreError> {
    let ready = sqlx::query(
        "UPDATE tasks SET ready = 1, wait = NULL, version = version + 1 WHERE seq IN \
         (SELECT seq FROM tasks WHERE wait IS NOT NULL AND run_at <= $1 ORDER BY run_at LIMIT 1000)",
    )
    .bind(now.0)
    .execute(&mut *connection)
    .await?;
    sqlx::query("UPDATE heads SET held = 0, clear_at = 0 WHERE held = 1 AND clear_at <= $1")
        .bind(now.0)
        .execute(connection)
        .await?;
    Ok(ready.rows_affected())
}

/// The first heads of a lane that nothing holds, in order.
///
/// # Errors
/// When the database fails.
pub async fn heads(
    connection: &mut SqliteConnection,
    lane: &str,
    most: i64,
) -> Result<Vec<Head>, StoreError> {
    type Row = (String, i64, i64, Option<String>, Option<i64>, i64);
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT h.domain, h.head_key, coalesce(s.running, 0), b.state, b.until_at, coalesce(b.permits, 0) \
         FROM heads h LEFT JOIN sites s ON s.domain = h.domain \
         LEFT JOIN breakers b ON b.scope = h.domain AND h.domain <> '' \
         WHERE h.lane = $1 AND h.held = 0 AND h.head_key IS NOT NULL ORDER BY h.head_key LIMIT $2",
    )
    .bind(lane)
    .bind(most)
    .fetch_all(connection)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(domain, head_key, running, state, until, permits)| {
            let breaker = breakers::standing(state.as_deref(), until, permits);
            Head { domain, head_key, running, breaker }
        })
        .collect())
}

/// Holds a site's tasks in every lane until a time, and says why.
///
/// # Errors
/// When the database fails.
pub async fn hold(
    connection: &mut SqliteConnection,
    domain: &str,
    until: i64,
    why: &str,
) -> Result<(), StoreError> {
    // Every lane by its name, so that the rows are found by their key.
    sqlx::query(
        "UPDATE heads SET held = 1, clear_at = $2 WHERE lane IN ('main', 'rerun', 'proof') AND domain = $1",
    )
    .bind(domain)
    .bind(until)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO sites (domain, held_by) VALUES ($1, $2) ON CONFLICT (domain) DO UPDATE SET held_by = $2",
    )
    .bind(domain)
    .bind(why)
    .execute(connection)
    .await?;
    Ok(())
}

/// Lets a site's tasks go again that were held for this reason.
///
/// # Errors
/// When the database fails.
pub async fn unhold(connection: &mut SqliteConnection, domain: &str, why: &str) -> Result<(), StoreError> {
    let held = sqlx::query("UPDATE sites SET held_by = NULL WHERE domain = $1 AND held_by = $2")
        .bind(domain)
        .bind(why)
        .execute(&mut *connection)
        .await?;
    if held.rows_affected() > 0 {
        sqlx::query(
            "UPDATE heads SET held = 0, clear_at = 0 WHERE lane IN ('main', 'rerun', 'proof') AND domain = $1",
        )
        .bind(domain)
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// A lease to be given.
#[derive(Clone, Debug)]
pub struct Lease {
    /// The new attempt's id.
    pub attempt: Uuid,
    /// The lease's token.
    pub token: Uuid,
    /// When the lease ends without a heartbeat.
    pub until: Timestamp,
    /// Who holds it.
    pub node: String,
}

/// Claims the first ready task of a site in a lane and begins its attempt; none where there is none.
///
/// # Errors
/// When the database fails.
pub async fn claim(
    connection: &mut SqliteConnection,
    lane: &str,
    domain: &str,
    lease: &Lease,
    now: Timestamp,
) -> Result<Option<TaskRow>, StoreError> {
    let claimed: Option<TaskRow> = sqlx::query_as(
        "UPDATE tasks SET state = 'running', ready = 0, wait = NULL, attempt = $3, lease_token = $4, lease_until = $5, \
         node = $6, attempt_number = attempt_number + 1, updated_at = $7, version = version + 1 \
         WHERE seq = (SELECT seq FROM tasks WHERE ready = 1 AND lane = $1 AND domain = $2 ORDER BY order_key, seq LIMIT 1) \
         RETURNING *",
    )
    .bind(lane)
    .bind(domain)
    .bind(lease.attempt.to_string())
    .bind(lease.token.to_string())
    .bind(lease.until.0)
    .bind(&lease.node)
    .bind(now.0)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = claimed else { return Ok(None) };
    let queued_ms = now.since(Timestamp(row.run_at)).max(0);
    sqlx::query(
        "INSERT INTO attempts (id, task, number, started_at, node, timing) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(lease.attempt.to_string())
    .bind(&row.id)
    .bind(row.attempt_number)
    .bind(now.0)
    .bind(&lease.node)
    .bind(format!("{{\"queued_ms\":{queued_ms}}}"))
    .execute(connection)
    .await?;
    Ok(Some(row))
}

/// When the next thing happens by itself: a task's time comes, a hold is over, or a breaker changes.
///
/// # Errors
/// When the database fails.
pub async fn next_event(read: &SqlitePool) -> Result<Option<Timestamp>, StoreError> {
    let at: Option<i64> = sqlx::query_scalar(
        "SELECT min(at) FROM (\
         SELECT min(run_at) AS at FROM tasks WHERE wait IS NOT NULL \
         UNION ALL SELECT min(clear_at) FROM heads WHERE held = 1 \
         UNION ALL SELECT min(until_at) FROM breakers WHERE until_at IS NOT NULL \
         UNION ALL SELECT min(deadline) FROM tasks INDEXED BY tasks_deadline \
         WHERE state = 'queued' AND deadline IS NOT NULL)",
    )
    .fetch_one(read)
    .await?;
    Ok(at.filter(|at| *at != UNTIL_CLEARED).map(Timestamp))
}
