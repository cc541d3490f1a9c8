//! What happens by the clock: leases that are over, deadlines that have passed, cancels asked for by other
//! processes, and the gates' state for the next start.

use std::time::Duration;

use app::model::Timestamp;
use futures::FutureExt;
use uuid::Uuid;

use super::{Rooms, Scheduler};
use crate::{
    queue::decide::{self, Ended},
    store::{
        StoreError,
        finish::{self, Over},
        stats, tasks,
    },
};

/// Cancels are looked for this often.
const CANCELS: Duration = Duration::from_millis(500);
/// The name under which the gates' state is kept.
pub(super) const GATES: &str = "gates";

pub(super) async fn run(scheduler: Scheduler) {
    let mut tick = tokio::time::interval(CANCELS);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last_gates = String::new();
    loop {
        tick.tick().await;
        if let Err(error) = round(&scheduler, &mut last_gates).await {
            tracing::error!(%error, "housekeeping failed; trying again");
            tokio::time::sleep(super::REST).await;
        }
    }
}

async fn round(scheduler: &Scheduler, last_gates: &mut String) -> Result<(), StoreError> {
    let rooms = scheduler.rooms();
    if !scheduler.running().is_empty() {
        for id in tasks::cancels(rooms.store.read()).await? {
            if let Ok(id) = Uuid::parse_str(&id) {
                scheduler.cancel(id);
            }
        }
    }
    let now = scheduler.now();
    if take_back(rooms, now.0).await? + fail_overdue(rooms, now).await? > 0 {
        scheduler.wake();
        scheduler.0.room_made.notify_waiters();
    }
    keep_gates(rooms, last_gates).await
}

/// Ends the attempts whose lease ended before a time, and counts them as lost.
pub(super) async fn take_back(rooms: &Rooms, before: i64) -> Result<usize, StoreError> {
    let mut taken = 0;
    loop {
        let settings = rooms.settings.clone();
        let rows = rooms
            .store
            .write(move |connection| {
                async move {
                    let now = crate::clock::now();
                    let mut rows = Vec::new();
                    for orphan in finish::orphans(connection, before).await? {
                        let Some(spent) = finish::spent(connection, orphan.held).await? else { continue };
                        let next =
                            decide::next(spent, Ended::Lost, now, &settings.queue, &settings.quarantine, 0.0);
                        let over = Over::lost(orphan.attempt);
                        rows.extend(finish::finish(connection, orphan.held, &over, &next, now).await?);
                    }
                    Ok::<_, StoreError>(rows)
                }
                .boxed()
            })
            .await?;
        if rows.is_empty() {
            return Ok(taken);
        }
        taken += rows.len();
        for row in rows {
            tracing::warn!(task = %row.id, state = %row.state, "an attempt was lost: its holder is gone");
            rooms.changes.task(row.task_id()?);
        }
    }
}

async fn fail_overdue(rooms: &Rooms, now: Timestamp) -> Result<usize, StoreError> {
    let due: i64 = tasks::overdue(rooms.store.read(), now).await?;
    if due == 0 {
        return Ok(0);
    }
    let rows = rooms
        .store
        .write(move |connection| async move { tasks::fail_overdue(connection, now).await }.boxed())
        .await?;
    for row in &rows {
        rooms.changes.task(row.task_id()?);
    }
    Ok(rows.len())
}

/// Keeps the gates' state where it has changed, so that quotas and pauses still hold after a restart.
pub(super) async fn keep_gates(rooms: &Rooms, last: &mut String) -> Result<(), StoreError> {
    let Ok(state) = serde_json::to_string(&rooms.gates.export()) else { return Ok(()) };
    if state == *last {
        return Ok(());
    }
    let stored = state.clone();
    rooms
        .store
        .write(move |connection| async move { stats::keep(connection, GATES, &stored).await }.boxed())
        .await?;
    *last = state;
    Ok(())
}
