//! Figures for pages: kept as things happen, never counted by scanning.

use std::collections::BTreeMap;

use app::model::Timestamp;
use sqlx::{SqliteConnection, SqlitePool};

use super::StoreError;

/// Adds to this minute's figures.
///
/// # Errors
/// When the database fails.
pub async fn count(
    connection: &mut SqliteConnection,
    now: Timestamp,
    names: &[String],
) -> Result<(), StoreError> {
    for name in names {
        sqlx::query(
            "INSERT INTO minutes (minute, name, n) VALUES ($1, $2, 1) \
             ON CONFLICT (minute, name) DO UPDATE SET n = n + 1",
        )
        .bind(now.0 / 60_000)
        .bind(name)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The figures since a minute, added up by name.
///
/// # Errors
/// When the database fails.
pub async fn since(read: &SqlitePool, minute: i64) -> Result<BTreeMap<String, u64>, StoreError> {
    let rows: Vec<(String, i64)> =
        sqlx::query_as("SELECT name, sum(n) FROM minutes WHERE minute >= $1 GROUP BY name")
            .bind(minute)
            .fetch_all(read)
            .await?;
    Ok(rows.into_iter().map(|(name, n)| (name, n as u64)).collect())
}

/// Each lane's load: lane, ready, held.
///
/// # Errors
/// When the database fails.
pub async fn lanes(read: &SqlitePool) -> Result<Vec<(String, i64, i64)>, StoreError> {
    Ok(sqlx::query_as("SELECT lane, ready, held FROM lane_counts").fetch_all(read).await?)
}

/// What is stored of a site's load.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct SiteLoad {
    /// The site's key.
    pub domain: String,
    /// Tasks that are ready for it.
    pub waiting: i64,
    /// Attempts that run on it.
    pub running: i64,
}

/// The sites with the most waiting tasks.
///
/// # Errors
/// When the database fails.
pub async fn busiest(read: &SqlitePool, most: i64) -> Result<Vec<SiteLoad>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT h.domain, h.waiting, coalesce(s.running, 0) AS running FROM heads h \
         LEFT JOIN sites s ON s.domain = h.domain WHERE h.lane = 'main' AND h.domain <> '' \
         ORDER BY h.waiting DESC LIMIT $1",
    )
    .bind(most)
    .fetch_all(read)
    .await?)
}

/// Sites by name, after one, with their load over all lanes.
///
/// # Errors
/// When the database fails.
pub async fn sites(read: &SqlitePool, after: &str, most: i64) -> Result<Vec<SiteLoad>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT s.domain, coalesce((SELECT sum(waiting) FROM heads h WHERE h.lane IN ('main', 'rerun', 'proof') AND h.domain = s.domain), 0) AS waiting, \
         s.running FROM sites s WHERE s.domain > $1 AND s.domain <> '' ORDER BY s.domain LIMIT $2",
    )
    .bind(after)
    .bind(most)
    .fetch_all(read)
    .await?)
}

/// The load of these sites.
///
/// # Errors
/// When the database fails.
pub async fn site(read: &SqlitePool, domain: &str) -> Result<SiteLoad, StoreError> {
    Ok(sqlx::query_as(
        "SELECT $1 AS domain, coalesce((SELECT sum(waiting) FROM heads WHERE lane IN ('main', 'rerun', 'proof') AND domain = $1), 0) AS waiting, \
         coalesce((SELECT running FROM sites WHERE domain = $1), 0) AS running",
    )
    .bind(domain)
    .fetch_one(read)
    .await?)
}

/// Keeps a room's state over a restart.
///
/// # Errors
/// When the database fails.
pub async fn keep(connection: &mut SqliteConnection, name: &str, value: &str) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO kept (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2")
        .bind(name)
        .bind(value)
        .execute(connection)
        .await?;
    Ok(())
}

/// A room's state from before the restart.
///
/// # Errors
/// When the database fails.
pub async fn kept(read: &SqlitePool, name: &str) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT value FROM kept WHERE name = $1").bind(name).fetch_optional(read).await?)
}
