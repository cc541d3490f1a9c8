//! Flows and their versions.

use std::collections::BTreeMap;

use app::model::{
    Timestamp,
    flow::{Environment, FlowVersion, ParameterSpec, parse, words},
    page::{Page, PageQuery},
};
use sqlx::{SqliteConnection, SqlitePool};

use super::{
    StoreError,
    rows::{json, to_json},
};

/// A flow version's row.
#[derive(Clone, Debug, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns are described in the migration")]
pub struct FlowRow {
    pub name: String,
    pub version: i64,
    pub title: String,
    pub listed: i64,
    pub recording: String,
    pub parameters: String,
    pub environment: String,
    pub domain: Option<String>,
    pub created_at: i64,
}

const COLUMNS: &str = "name, version, title, listed, recording, parameters, environment, domain, created_at";

impl FlowRow {
    /// The recording as it came.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no JSON.
    pub fn recording(&self) -> Result<serde_json::Value, StoreError> {
        json("a recording", &self.recording)
    }

    /// What is said of its parameters.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is none.
    pub fn parameters(&self) -> Result<BTreeMap<String, ParameterSpec>, StoreError> {
        json("a flow's parameters", &self.parameters)
    }

    /// The surroundings it asks for.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is none.
    pub fn environment(&self) -> Result<Environment, StoreError> {
        json("a flow's environment", &self.environment)
    }

    /// The model's flow version, with or without the recording.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`], naming the column.
    pub fn to_version(&self, whole: bool) -> Result<FlowVersion, StoreError> {
        let recording = self.recording()?;
        // A recording that a later version of this program reads otherwise is still shown.
        let steps = parse::flow(&recording).map(|flow| words::steps(&flow)).unwrap_or_default();
        Ok(FlowVersion {
            name: self.name.clone(),
            version: self.version as u32,
            title: self.title.clone(),
            listed: self.listed != 0,
            flow: whole.then_some(recording),
            steps,
            parameters: self.parameters()?,
            environment: self.environment()?,
            domain: self.domain.clone(),
            created_at: Timestamp(self.created_at),
        })
    }
}

/// A flow version to keep.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The slug.
    pub name: String,
    /// The recording's title.
    pub title: String,
    /// Whether it is saved by name, or came with a task.
    pub listed: bool,
    /// Hash of recording, parameters and environment.
    pub content_hash: String,
    /// The recording as canonical JSON.
    pub recording: String,
    /// What is said of its parameters.
    pub parameters: BTreeMap<String, ParameterSpec>,
    /// The surroundings it asks for.
    pub environment: Environment,
    /// The site of its first navigate step.
    pub domain: Option<String>,
    /// Now.
    pub now: Timestamp,
}

/// Keeps a flow version once by content: the one that is there already, or the next of its name. Saving by
/// name makes it the newest listed one.
///
/// # Errors
/// When the database fails.
pub async fn keep(connection: &mut SqliteConnection, new: &NewVersion) -> Result<FlowRow, StoreError> {
    let same: Option<i64> =
        sqlx::query_scalar("SELECT max(version) FROM flows WHERE name = $1 AND content_hash = $2")
            .bind(&new.name)
            .bind(&new.content_hash)
            .fetch_one(&mut *connection)
            .await?;
    let newest_listed: Option<i64> =
        sqlx::query_scalar("SELECT newest_listed FROM flow_names WHERE name = $1")
            .bind(&new.name)
            .fetch_optional(&mut *connection)
            .await?
            .flatten();
    // A version that is saved must be the newest listed one after it, so an older one is not reused.
    let reusable = same.filter(|same| !new.listed || newest_listed.is_none_or(|listed| *same >= listed));
    let version = match reusable {
        Some(version) => version,
        None => insert(connection, new).await?,
    };
    if new.listed && newest_listed != Some(version) {
        sqlx::query("UPDATE flows SET listed = 1 WHERE name = $1 AND version = $2")
            .bind(&new.name)
            .bind(version)
            .execute(&mut *connection)
            .await?;
        sqlx::query("UPDATE flow_names SET newest_listed = $2, listed_at = $3 WHERE name = $1")
            .bind(&new.name)
            .bind(version)
            .bind(new.now.0)
            .execute(&mut *connection)
            .await?;
    }
    let row = version_of(&mut *connection, &new.name, version).await?;
    row.ok_or(StoreError::Unreadable {
        what: "a flow",
        why: "it was just stored and is not there".to_owned(),
    })
}

async fn insert(connection: &mut SqliteConnection, new: &NewVersion) -> Result<i64, StoreError> {
    let version: i64 = sqlx::query_scalar(
        "INSERT INTO flow_names (name, newest) VALUES ($1, 1) \
         ON CONFLICT (name) DO UPDATE SET newest = newest + 1 RETURNING newest",
    )
    .bind(&new.name)
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO flows (name, version, title, listed, content_hash, recording, parameters, environment, domain, \
         created_at) VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&new.name)
    .bind(version)
    .bind(&new.title)
    .bind(&new.content_hash)
    .bind(&new.recording)
    .bind(to_json("a flow's parameters", &new.parameters)?)
    .bind(to_json("a flow's environment", &new.environment)?)
    .bind(&new.domain)
    .bind(new.now.0)
    .execute(connection)
    .await?;
    Ok(version)
}

/// One version.
///
/// # Errors
/// When the database fails.
pub async fn version_of<'c, E>(executor: E, name: &str, version: i64) -> Result<Option<FlowRow>, StoreError>
where
    E: sqlx::Executor<'c, Database = sqlx::Sqlite>,
{
    let sql = sqlx::AssertSqlSafe(format!("SELECT {COLUMNS} FROM flows WHERE name = $1 AND version = $2"));
    Ok(sqlx::query_as(sql).bind(name).bind(version).fetch_optional(executor).await?)
}

/// The newest listed version, and the newest of any kind.
///
/// # Errors
/// When the database fails.
pub async fn newest<'c, E>(executor: E, name: &str) -> Result<Option<(Option<i64>, i64)>, StoreError>
where
    E: sqlx::Executor<'c, Database = sqlx::Sqlite>,
{
    Ok(sqlx::query_as("SELECT newest_listed, newest FROM flow_names WHERE name = $1")
        .bind(name)
        .fetch_optional(executor)
        .await?)
}

/// The newest listed version of every flow, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(read: &SqlitePool, page: &PageQuery) -> Result<Page<FlowRow>, StoreError> {
    let limit = page.bounded_limit();
    let (at, after) = page
        .after
        .as_deref()
        .and_then(|cursor| cursor.split_once('.'))
        .map_or((i64::MAX, String::new()), |(at, name)| (at.parse().unwrap_or(i64::MAX), name.to_owned()));
    let mut rows: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT name, newest_listed, listed_at FROM flow_names WHERE newest_listed IS NOT NULL \
         AND (listed_at < $1 OR (listed_at = $1 AND name > $2)) ORDER BY listed_at DESC, name LIMIT $3",
    )
    .bind(at)
    .bind(after)
    .bind(i64::from(limit) + 1)
    .fetch_all(read)
    .await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(|(name, _, at)| format!("{at}.{name}"));
    let mut items = Vec::with_capacity(rows.len());
    for (name, version, _) in &rows {
        items.extend(version_of(read, name, *version).await?);
    }
    Ok(Page { items, next })
}

/// Most versions of one flow that are shown; the newest are.
const MOST_VERSIONS: i64 = 200;

/// Every version of a flow, newest first.
///
/// # Errors
/// When the database fails.
pub async fn versions(read: &SqlitePool, name: &str) -> Result<Vec<FlowRow>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!(
        "SELECT {COLUMNS} FROM flows WHERE name = $1 ORDER BY version DESC LIMIT $2"
    ));
    Ok(sqlx::query_as(sql).bind(name).bind(MOST_VERSIONS).fetch_all(read).await?)
}
