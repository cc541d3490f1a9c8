//! Reading: lists, an order's tasks and attempts, what was written about it, and the desk at a glance.

use app::model::{
    Timestamp,
    order::{Annotation, Desk, OrderFilter, OrderState},
    page::{Page, PageQuery},
};
use sqlx::{QueryBuilder, Sqlite, SqlitePool};
use uuid::Uuid;

use super::OrderRow;
use crate::store::{
    StoreError,
    rows::{TaskRow, id},
    tasks as task_rows,
};

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
        items.extend(task_rows::get(read, id("a task's id", task)?).await?);
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

/// The newest orders that are not closed.
///
/// # Errors
/// When the database fails.
pub async fn newest_open(read: &SqlitePool, most: u32) -> Result<Vec<Uuid>, StoreError> {
    let rows: Vec<String> =
        sqlx::query_scalar("SELECT id FROM orders WHERE closed = 0 ORDER BY seq DESC LIMIT $1")
            .bind(i64::from(most))
            .fetch_all(read)
            .await?;
    rows.iter().map(|text| id("an order's id", text)).collect()
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
