//! Circuit breakers: read and changed inside the writes that claim tasks and end attempts.

use std::collections::HashMap;

use app::model::Timestamp;
use sqlx::{SqliteConnection, SqliteExecutor, SqlitePool};
use uuid::Uuid;

use super::{StoreError, rows::to_json};
use crate::{
    breaker::{Breaker, Standing},
    config::BreakerSettings,
};

/// The scope of the fleet's breaker; a site's is its key.
pub const FLEET: &str = "";

/// Most breakers that are looked at in one write.
const AT_ONCE: i64 = 500;

/// A scope's breaker; one that is not stored has never changed and counted nothing lately.
///
/// # Errors
/// When the database fails.
pub async fn get<'e>(from: impl SqliteExecutor<'e>, scope: &str) -> Result<Breaker, StoreError> {
    let machine: Option<String> = sqlx::query_scalar("SELECT machine FROM breakers WHERE scope = $1")
        .bind(scope)
        .fetch_optional(from)
        .await?;
    Ok(machine.map(|text| machine_of(scope, &text)).unwrap_or_default())
}

/// Reads a stored breaker. One that cannot be read begins anew: it must not keep an attempt from ending.
fn machine_of(scope: &str, text: &str) -> Breaker {
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::warn!(scope, %error, "a breaker's state cannot be read: it begins anew");
        Breaker::default()
    })
}

/// Stores a scope's breaker.
///
/// # Errors
/// When the database fails.
pub async fn put(
    connection: &mut SqliteConnection,
    scope: &str,
    breaker: &Breaker,
    rules: &BreakerSettings,
) -> Result<(), StoreError> {
    let standing = breaker.standing(rules);
    sqlx::query(
        "INSERT INTO breakers (scope, state, since, until_at, permits, by_hand, stale_at, machine) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (scope) DO UPDATE SET \
         state = $2, since = $3, until_at = $4, permits = $5, by_hand = $6, stale_at = $7, machine = $8",
    )
    .bind(scope)
    .bind(standing.state().as_str())
    .bind(breaker.since().unwrap_or_default().0)
    .bind(standing.until().map(|at| at.0))
    .bind(i64::from(standing.room().unwrap_or(0)))
    .bind(i64::from(breaker.by_hand()))
    .bind(breaker.stale_at(rules).0)
    .bind(to_json("a breaker", breaker)?)
    .execute(connection)
    .await?;
    Ok(())
}

type Stored = (String, String);

fn read(rows: Vec<Stored>) -> Vec<(String, Breaker)> {
    rows.into_iter()
        .map(|(scope, text)| {
            let breaker = machine_of(&scope, &text);
            (scope, breaker)
        })
        .collect()
}

/// Breakers that change by the clock now, the longest due first, a bounded number.
///
/// # Errors
/// When the database fails.
pub async fn due(
    connection: &mut SqliteConnection,
    now: Timestamp,
) -> Result<Vec<(String, Breaker)>, StoreError> {
    let rows: Vec<Stored> = sqlx::query_as(
        "SELECT scope, machine FROM breakers WHERE until_at IS NOT NULL AND until_at <= $1 \
         ORDER BY until_at LIMIT $2",
    )
    .bind(now.0)
    .bind(AT_ONCE)
    .fetch_all(connection)
    .await?;
    Ok(read(rows))
}

/// Whether a breaker changes by the clock now.
///
/// # Errors
/// When the database fails.
pub async fn any_due(read: &SqlitePool, now: Timestamp) -> Result<bool, StoreError> {
    let due: i64 = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM breakers WHERE until_at IS NOT NULL AND until_at <= $1)",
    )
    .bind(now.0)
    .fetch_one(read)
    .await?;
    Ok(due != 0)
}

/// Sites' breakers that are not closed, those that changed last first.
///
/// # Errors
/// When the database fails.
pub async fn shut<'e>(
    from: impl SqliteExecutor<'e>,
    most: i64,
) -> Result<Vec<(String, Breaker)>, StoreError> {
    let rows: Vec<Stored> = sqlx::query_as(
        "SELECT scope, machine FROM breakers WHERE state <> 'closed' AND scope <> '' \
         ORDER BY since DESC LIMIT $1",
    )
    .bind(most)
    .fetch_all(from)
    .await?;
    Ok(read(rows))
}

/// How many sites' breakers are open because their attempts failed.
///
/// # Errors
/// When the database fails.
pub async fn open_sites(connection: &mut SqliteConnection) -> Result<u32, StoreError> {
    let n: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM breakers WHERE state <> 'closed' AND state = 'open' AND by_hand = 0 AND scope <> ''",
    )
    .fetch_one(connection)
    .await?;
    Ok(n.max(0) as u32)
}

/// How a breaker is stored, to be looked up without reading it whole.
type Columns = (String, String, Option<i64>, i64);

/// Where the breakers of these scopes stand; a scope that is missing has a closed one.
///
/// # Errors
/// When the database fails.
pub async fn standings(read: &SqlitePool, scopes: &[&str]) -> Result<HashMap<String, Standing>, StoreError> {
    let rows: Vec<Columns> = sqlx::query_as(
        "SELECT scope, state, until_at, permits FROM breakers \
         WHERE scope IN (SELECT value FROM json_each($1)) AND state <> 'closed'",
    )
    .bind(to_json("scopes", &scopes)?)
    .fetch_all(read)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(scope, state, until, permits)| (scope, standing(Some(&state), until, permits)))
        .collect())
}

/// Where a breaker stands, by its columns.
pub(super) fn standing(state: Option<&str>, until: Option<i64>, permits: i64) -> Standing {
    let until = until.map(Timestamp);
    match state {
        Some("open") => Standing::Open { until: until.unwrap_or_default() },
        Some("half_open") => Standing::HalfOpen { permits: permits.max(0) as u32, until },
        _ => Standing::Closed,
    }
}

/// When an attempt began.
///
/// # Errors
/// When the database fails.
pub async fn began(connection: &mut SqliteConnection, attempt: Uuid) -> Result<Timestamp, StoreError> {
    let at: Option<i64> = sqlx::query_scalar("SELECT started_at FROM attempts WHERE id = $1")
        .bind(attempt.to_string())
        .fetch_optional(connection)
        .await?;
    Ok(Timestamp(at.unwrap_or_default()))
}

/// Forgets closed breakers that have counted nothing lately, a bounded number.
///
/// # Errors
/// When the database fails.
pub async fn forget(connection: &mut SqliteConnection, now: Timestamp) -> Result<u64, StoreError> {
    let gone = sqlx::query(
        "DELETE FROM breakers WHERE scope IN \
         (SELECT scope FROM breakers WHERE state = 'closed' AND stale_at <= $1 LIMIT $2)",
    )
    .bind(now.0)
    .bind(AT_ONCE)
    .execute(connection)
    .await?;
    Ok(gone.rows_affected())
}
