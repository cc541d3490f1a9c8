//! An escalated task opens an order, or joins the open one of its group.

use app::model::{
    Timestamp,
    fault::Fault,
    flow::{parse, words},
    order::Severity,
};
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{due, severity};
use crate::{
    rules::key,
    store::{
        StoreError, TaskRow, flows,
        orders::{self, Failure, Group},
    },
};

/// Longest words of a step that an order keeps, in characters.
const LONGEST_WORDS: usize = 120;

/// Puts a task that has just escalated into the order of its group, inside the write that escalated it. Returns
/// the order.
///
/// # Errors
/// When the database fails.
pub async fn escalate(
    connection: &mut SqliteConnection,
    row: &TaskRow,
    attempt: Uuid,
    fault: &Fault,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let (step_key, step_words) = match fault.step {
        Some(step) => step_of(connection, row, step).await?,
        None => (None, None),
    };
    let group = Group {
        flow: row.flow_name.clone(),
        step_key: step_key.unwrap_or_default(),
        domain: row.domain.clone(),
        class: fault.class,
    };
    let failure = Failure {
        task: row.task_id()?,
        attempt,
        flow_version: row.flow_version,
        step: fault.step,
        step_words: step_words.map(|text| words::cut(&text, LONGEST_WORDS)),
        fault: fault.clone(),
        at: now,
    };
    let known = orders::open_of(&mut *connection, &group).await?;
    let (id, matters) = match known {
        Some(known) => (known.id, severity(fault.class, known.occurrences + 1).max(known.severity)),
        None => (Uuid::now_v7(), severity(fault.class, 1)),
    };
    let opened = known.map_or(now, |known| known.opened_at);
    put(connection, id, known.is_some(), &group, &failure, matters, due(matters, opened)).await?;
    Ok(id)
}

async fn put(
    connection: &mut SqliteConnection,
    id: Uuid,
    known: bool,
    group: &Group,
    failure: &Failure,
    matters: Severity,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    if known {
        orders::join(connection, id, failure, matters, due_at).await
    } else {
        orders::open(connection, id, group, failure, matters, due_at).await
    }
}

/// The key and the words of a step of the task's flow version. Parameters stay as their places, so that no value
/// of one task stands in the words of a group.
async fn step_of(
    connection: &mut SqliteConnection,
    row: &TaskRow,
    step: u32,
) -> Result<(Option<String>, Option<String>), StoreError> {
    let Some(flow) = flows::version_of(&mut *connection, &row.flow_name, row.flow_version).await? else {
        return Ok((None, None));
    };
    // One that this program reads otherwise than the one that stored it must not keep an attempt from ending.
    let Some(flow) = flow.recording().ok().and_then(|recording| parse::flow(&recording).ok()) else {
        return Ok((None, None));
    };
    let key = key::keys(&flow).into_iter().nth(step as usize);
    Ok((key, flow.steps.get(step as usize).map(words::step)))
}
