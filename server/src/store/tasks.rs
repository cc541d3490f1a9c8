//! Tasks: accepting, reading, listing, and what a person does with one.

use app::model::{
    Timestamp,
    page::{Page, PageQuery},
    task::{TaskFilter, TaskState},
};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::{
    StoreError,
    rows::{TaskRow, to_json},
};
use crate::queue::decide::deadline_fault;

/// A task to accept, every default already taken.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// UUIDv7.
    pub id: Uuid,
    /// For people.
    pub name: String,
    /// The flow's slug.
    pub flow_name: String,
    /// The flow's version.
    pub flow_version: u32,
    /// The values of the parameters as a JSON object of texts.
    pub parameters: String,
    /// Words for the search.
    pub words: String,
    /// The lane, as the API writes it.
    pub lane: &'static str,
    /// 0 to 9.
    pub priority: u8,
    /// The site's key; empty for none.
    pub domain: String,
    /// The account it signs in with.
    pub account: Option<String>,
    /// The submitter's key.
    pub key: Option<String>,
    /// Hash of the canonical body, to tell a repeat from another task under the same key.
    pub body_hash: String,
    /// The order in its lane.
    pub order_key: i64,
    /// When it may start.
    pub run_at: Timestamp,
    /// Asked for by the submitter.
    pub not_before: Option<Timestamp>,
    /// Fails when it has not succeeded by then.
    pub deadline: Option<Timestamp>,
    /// Attempts it may spend.
    pub max_attempts: u32,
    /// Longest time of an attempt in seconds.
    pub timeout_s: u64,
    /// The task that this one repeats.
    pub retry_of: Option<Uuid>,
    /// When it was accepted.
    pub now: Timestamp,
}

/// Stores a task.
///
/// # Errors
/// When the database fails.
pub async fn insert(connection: &mut SqliteConnection, new: &NewRow) -> Result<TaskRow, StoreError> {
    let ready = i64::from(new.run_at <= new.now);
    let row: TaskRow = sqlx::query_as(
        "INSERT INTO tasks (id, name, flow_name, flow_version, parameters, lane, priority, domain, account, key, \
         body_hash, state, ready, order_key, run_at, wait, deadline, max_attempts, timeout_s, retry_of, not_before, \
         created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'queued', $12, $13, $14, $15, $16, $17, $18, $19, $20, \
         $21, $21) RETURNING *",
    )
    .bind(new.id.to_string())
    .bind(&new.name)
    .bind(&new.flow_name)
    .bind(i64::from(new.flow_version))
    .bind(&new.parameters)
    .bind(new.lane)
    .bind(i64::from(new.priority))
    .bind(&new.domain)
    .bind(&new.account)
    .bind(&new.key)
    .bind(&new.body_hash)
    .bind(ready)
    .bind(new.order_key)
    .bind(new.run_at.0)
    .bind((ready == 0).then_some("schedule"))
    .bind(new.deadline.map(|at| at.0))
    .bind(i64::from(new.max_attempts))
    .bind(new.timeout_s as i64)
    .bind(new.retry_of.map(|id| id.to_string()))
    .bind(new.not_before.map(|at| at.0))
    .bind(new.now.0)
    .fetch_one(&mut *connection)
    .await?;
    sqlx::query("INSERT INTO task_words (rowid, words) VALUES ($1, $2)")
        .bind(row.seq)
        .bind(&new.words)
        .execute(connection)
        .await?;
    Ok(row)
}

/// How many tasks are queued.
///
/// # Errors
/// When the database fails.
pub async fn queued(connection: &mut SqliteConnection) -> Result<u64, StoreError> {
    let n: i64 =
        sqlx::query_scalar("SELECT n FROM task_counts WHERE state = 'queued'").fetch_one(connection).await?;
    Ok(n as u64)
}

/// The task under a submitter's key.
///
/// # Errors
/// When the database fails.
pub async fn by_key(connection: &mut SqliteConnection, key: &str) -> Result<Option<TaskRow>, StoreError> {
    Ok(sqlx::query_as("SELECT * FROM tasks WHERE key = $1").bind(key).fetch_optional(connection).await?)
}

/// One task, inside a write.
///
/// # Errors
/// When the database fails.
pub async fn find(connection: &mut SqliteConnection, id: Uuid) -> Result<Option<TaskRow>, StoreError> {
    Ok(sqlx::query_as("SELECT * FROM tasks WHERE id = $1")
        .bind(id.to_string())
        .fetch_optional(connection)
        .await?)
}

/// One task.
///
/// # Errors
/// When the database fails.
pub async fn get(read: &SqlitePool, id: Uuid) -> Result<Option<TaskRow>, StoreError> {
    Ok(sqlx::query_as("SELECT * FROM tasks WHERE id = $1").bind(id.to_string()).fetch_optional(read).await?)
}

/// A page of tasks, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(
    read: &SqlitePool,
    filter: &TaskFilter,
    page: &PageQuery,
) -> Result<Page<TaskRow>, StoreError> {
    let limit = page.bounded_limit();
    let mut sql = QueryBuilder::<Sqlite>::new("SELECT t.* FROM tasks t");
    let words = filter.q.as_deref().map(match_expression).filter(|words| !words.is_empty());
    if let Some(words) = &words {
        sql.push(" JOIN task_words w ON w.rowid = t.seq WHERE w.words MATCH ").push_bind(words);
    } else {
        sql.push(" WHERE 1 = 1");
    }
    if let Some(state) = filter.state {
        sql.push(" AND t.state = ").push_bind(state.as_str());
    }
    if let Some(flow) = &filter.flow {
        sql.push(" AND t.flow_name = ").push_bind(flow);
    }
    if let Some(domain) = &filter.domain {
        sql.push(" AND t.domain = ").push_bind(domain);
    }
    if let Some(class) = &filter.class {
        sql.push(" AND t.fault_class = ").push_bind(class);
    }
    if let Some(lane) = filter.lane {
        sql.push(" AND t.lane = ").push_bind(lane.as_str());
    }
    if let Some(batch) = filter.batch {
        sql.push(" AND t.batch = ").push_bind(batch.to_string());
    }
    if let Some(after) = page.after.as_deref().and_then(|after| after.parse::<i64>().ok()) {
        sql.push(" AND t.seq < ").push_bind(after);
    }
    sql.push(" ORDER BY t.seq DESC LIMIT ").push_bind(i64::from(limit) + 1);
    let mut items: Vec<TaskRow> = sql.build_query_as().fetch_all(read).await?;
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(|last| last.seq.to_string());
    Ok(Page { items, next })
}

/// Every word of a search must stand at the beginning of a word of the task.
fn match_expression(q: &str) -> String {
    let words = q.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(16);
    words.map(|word| format!("\"{word}\"*")).collect::<Vec<_>>().join(" ")
}

/// The order keys of the first tasks that are ready in a lane, in order: where a task's key stands among
/// them is its place.
///
/// # Errors
/// When the database fails.
pub async fn front(read: &SqlitePool, lane: &str, most: i64) -> Result<Vec<i64>, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT order_key FROM tasks WHERE ready = 1 AND lane = $1 ORDER BY order_key LIMIT $2",
    )
    .bind(lane)
    .bind(most)
    .fetch_all(read)
    .await?)
}

/// Why the tasks of a site are held in a lane now, and until when.
///
/// # Errors
/// When the database fails.
pub async fn hold_of(
    read: &SqlitePool,
    lane: &str,
    domain: &str,
) -> Result<Option<(String, i64)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT coalesce(s.held_by, ''), h.clear_at FROM heads h JOIN sites s ON s.domain = h.domain \
         WHERE h.lane = $1 AND h.domain = $2 AND h.held = 1",
    )
    .bind(lane)
    .bind(domain)
    .fetch_optional(read)
    .await?)
}

/// Puts a task back in the queue with attempts afresh; numbering goes on.
///
/// # Errors
/// When the database fails.
pub async fn requeue_afresh(
    connection: &mut SqliteConnection,
    id: Uuid,
    lane: &str,
    order_key: i64,
    now: Timestamp,
) -> Result<TaskRow, StoreError> {
    Ok(sqlx::query_as(
        "UPDATE tasks SET state = 'queued', ready = 1, lane = $2, order_key = $3, run_at = $4, wait = NULL, \
         attempts_spent = 0, lost = 0, crashes = 0, alone = 0, cancel = 0, fault = NULL, fault_class = NULL, \
         order_id = NULL, ended_at = NULL, updated_at = $4, version = version + 1 WHERE id = $1 RETURNING *",
    )
    .bind(id.to_string())
    .bind(lane)
    .bind(order_key)
    .bind(now.0)
    .fetch_one(connection)
    .await?)
}

/// Takes a task back that does not run.
///
/// # Errors
/// When the database fails.
pub async fn cancel_idle(
    connection: &mut SqliteConnection,
    id: Uuid,
    now: Timestamp,
) -> Result<TaskRow, StoreError> {
    Ok(sqlx::query_as(
        "UPDATE tasks SET state = 'cancelled', ready = 0, wait = NULL, cancel = 1, ended_at = $2, updated_at = $2, \
         version = version + 1 WHERE id = $1 AND state <> 'running' RETURNING *",
    )
    .bind(id.to_string())
    .bind(now.0)
    .fetch_one(connection)
    .await?)
}

/// Notes that a running task shall be taken back; its holder ends it.
///
/// # Errors
/// When the database fails.
pub async fn ask_cancel(
    connection: &mut SqliteConnection,
    id: Uuid,
    now: Timestamp,
) -> Result<TaskRow, StoreError> {
    Ok(sqlx::query_as(
        "UPDATE tasks SET cancel = 1, updated_at = $2, version = version + 1 WHERE id = $1 RETURNING *",
    )
    .bind(id.to_string())
    .bind(now.0)
    .fetch_one(connection)
    .await?)
}

/// How many queued tasks have passed their deadline, to 500.
///
/// # Errors
/// When the database fails.
pub async fn overdue(read: &SqlitePool, now: Timestamp) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT 1 FROM tasks INDEXED BY tasks_deadline WHERE state = 'queued' AND deadline IS NOT NULL AND deadline <= $1 \
         LIMIT 500)",
    )
    .bind(now.0)
    .fetch_one(read)
    .await?)
}

/// Ends queued tasks whose deadline has passed, a bounded number.
///
/// # Errors
/// When the database fails.
pub async fn fail_overdue(
    connection: &mut SqliteConnection,
    now: Timestamp,
) -> Result<Vec<TaskRow>, StoreError> {
    let due: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT seq, deadline FROM tasks INDEXED BY tasks_deadline WHERE state = 'queued' AND deadline IS NOT NULL AND deadline <= $1 \
         ORDER BY deadline LIMIT 500",
    )
    .bind(now.0)
    .fetch_all(&mut *connection)
    .await?;
    let mut rows = Vec::with_capacity(due.len());
    for (seq, deadline) in due {
        let fault = to_json("a fault", &deadline_fault(Timestamp(deadline)))?;
        let row = sqlx::query_as(
            "UPDATE tasks SET state = 'failed', ready = 0, wait = NULL, fault = $2, fault_class = 'deadline', \
             ended_at = $3, updated_at = $3, version = version + 1 WHERE seq = $1 RETURNING *",
        )
        .bind(seq)
        .bind(fault)
        .bind(now.0)
        .fetch_one(&mut *connection)
        .await?;
        rows.push(row);
    }
    Ok(rows)
}

/// The ids of this node's running tasks that shall be taken back.
///
/// # Errors
/// When the database fails.
pub async fn cancels(read: &SqlitePool) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT id FROM tasks WHERE state = 'running' AND cancel = 1")
        .fetch_all(read)
        .await?)
}

/// How many tasks are in each state.
///
/// # Errors
/// When the database fails.
pub async fn counts(read: &SqlitePool) -> Result<Vec<(TaskState, u64)>, StoreError> {
    let rows: Vec<(String, i64)> = sqlx::query_as("SELECT state, n FROM task_counts").fetch_all(read).await?;
    rows.into_iter().map(|(state, n)| Ok((super::rows::named("a state", &state)?, n.max(0) as u64))).collect()
}
