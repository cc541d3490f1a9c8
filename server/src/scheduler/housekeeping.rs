//! What happens by the clock: leases and claims that are over, deadlines that have passed, breakers that change,
//! cancels asked for by other processes, and the gates' state for the next start.

use std::time::Duration;

use app::model::Timestamp;
use futures::FutureExt;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Rooms, Scheduler,
    breakers::{self, Breakers},
};
use crate::{
    breaker::Counts,
    gate::{self, KeptGates},
    orders::escalate,
    queue::decide::{self, Ended},
    store::{
        StoreError, claim,
        finish::{self, Over},
        orders, stats, tasks,
    },
};

/// Cancels are looked for this often.
const CANCELS: Duration = Duration::from_millis(500);
/// Metrics are renewed at every so many looks.
const METRICS_EVERY: u64 = 10;
/// Breakers that need no row are forgotten at every so many looks.
const FORGET_EVERY: u64 = 120;
/// The name under which the gates' state is kept.
const GATES: &str = "gates";

pub(super) async fn run(scheduler: Scheduler) {
    let mut tick = tokio::time::interval(CANCELS);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut last_pauses = String::new();
    let mut rounds = 0_u64;
    loop {
        tick.tick().await;
        if rounds.is_multiple_of(METRICS_EVERY) {
            show(&scheduler).await;
        }
        let forget = rounds.is_multiple_of(FORGET_EVERY);
        rounds += 1;
        if let Err(error) = round(&scheduler, &mut last_pauses, forget).await {
            tracing::error!(%error, "housekeeping failed; trying again");
            tokio::time::sleep(super::REST).await;
        }
    }
}

/// Shows queue, breakers and pool to `/metrics`.
async fn show(scheduler: &Scheduler) {
    let rooms = scheduler.rooms();
    // A store that is away is told of by the round itself.
    for (state, n) in tasks::counts(rooms.store.read()).await.unwrap_or_default() {
        metrics::gauge!("signalbox_tasks", "state" => state.as_str()).set(n as f64);
    }
    let _told_of_by_the_round = breakers::show(rooms).await;
    metrics::gauge!("signalbox_pool_slots").set(f64::from(rooms.pool.slots()));
    metrics::gauge!("signalbox_attempts_running").set(scheduler.running().len() as f64);
}

async fn round(scheduler: &Scheduler, last_pauses: &mut String, forget: bool) -> Result<(), StoreError> {
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
    end_claims(rooms, now).await?;
    if breakers::pass_time(rooms, now).await? > 0 {
        scheduler.wake();
    }
    if forget {
        breakers::forget(rooms, now).await?;
    }
    keep_pauses(rooms, last_pauses).await
}

/// Says of work orders whose claim has run out that they are open again.
async fn end_claims(rooms: &Rooms, now: Timestamp) -> Result<(), StoreError> {
    if !orders::has_run_out(rooms.store.read(), now).await? {
        return Ok(());
    }
    let over = rooms
        .store
        .write(move |connection| async move { orders::run_out(connection, now).await }.boxed())
        .await?;
    for order in over {
        rooms.changes.order(order);
    }
    Ok(())
}

/// Ends the attempts whose lease ended before a time, and counts them as lost.
pub(super) async fn take_back(rooms: &Rooms, before: i64) -> Result<usize, StoreError> {
    let mut taken = 0;
    loop {
        let settings = rooms.settings.clone();
        let (rows, changed) = rooms
            .store
            .write(move |connection| {
                async move {
                    let now = crate::clock::now();
                    let mut rows = Vec::new();
                    let mut breakers = Breakers::new(&settings.breaker, now);
                    for orphan in finish::orphans(connection, before).await? {
                        let Some(spent) = finish::spent(connection, orphan.held).await? else { continue };
                        let next =
                            decide::next(spent, Ended::Lost, now, &settings.queue, &settings.quarantine, 0.0);
                        let over = Over::lost(orphan.attempt);
                        let Some(mut row) =
                            finish::finish(connection, orphan.held, &over, &next, now).await?
                        else {
                            continue;
                        };
                        claim::unhold(connection, &row.domain, "domain_concurrency").await?;
                        if let decide::Next::Escalated { fault } = &next {
                            let order =
                                escalate::escalate(connection, &row, orphan.attempt, fault, now).await?;
                            row.order_id = Some(order.to_string());
                        }
                        // A probe that was lost gives its permit back.
                        breakers.over(connection, &row.domain, orphan.attempt, &Counts::default()).await?;
                        rows.push(row);
                    }
                    Ok::<_, StoreError>((rows, breakers.changed()))
                }
                .boxed()
            })
            .await?;
        breakers::tell(rooms, &changed);
        if rows.is_empty() {
            return Ok(taken);
        }
        taken += rows.len();
        for row in rows {
            tracing::warn!(task = %row.id, state = %row.state, "an attempt was lost: its holder is gone");
            rooms.changes.task(row.task_id()?);
            if let Some(order) = row.order_id.as_deref().and_then(|id| Uuid::parse_str(id).ok()) {
                rooms.changes.order(order);
            }
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

/// Keeps the gates' state when a site's pause has changed: pauses must hold after a crash too. How full the
/// buckets are changes with every document and is kept at the end only; after a crash they count as empty.
async fn keep_pauses(rooms: &Rooms, last: &mut String) -> Result<(), StoreError> {
    let state = rooms.gates.export();
    let pauses: Vec<_> =
        state.sites.iter().filter_map(|site| Some((&site.domain, site.cooldown.as_ref()?))).collect();
    let pauses = serde_json::to_string(&pauses).unwrap_or_default();
    if pauses == *last {
        return Ok(());
    }
    keep_gates(rooms, false).await?;
    *last = pauses;
    Ok(())
}

/// Keeps the gates' state, and whether it is the last one of an orderly end.
pub(super) async fn keep_gates(rooms: &Rooms, last: bool) -> Result<(), StoreError> {
    let kept = KeptState { clean: last, gates: rooms.gates.export() };
    let Ok(state) = serde_json::to_string(&kept) else { return Ok(()) };
    rooms
        .store
        .write(move |connection| async move { stats::keep(connection, GATES, &state).await }.boxed())
        .await
}

/// Takes the gates' state over from the run before.
pub(super) async fn seed_gates(rooms: &Rooms) -> Result<(), StoreError> {
    let Some(text) = stats::kept(rooms.store.read(), GATES).await? else { return Ok(()) };
    match serde_json::from_str::<KeptState>(&text) {
        Ok(kept) => {
            let ended = if kept.clean { gate::Ended::Cleanly } else { gate::Ended::Abruptly };
            rooms.gates.seed(&kept.gates, ended);
            // From here on a crash must not find the orderly end of before.
            keep_gates(rooms, false).await
        }
        Err(error) => {
            tracing::warn!(%error, "the gates' state of before cannot be read: they start afresh");
            Ok(())
        }
    }
}

#[derive(Serialize, Deserialize)]
struct KeptState {
    clean: bool,
    gates: KeptGates,
}
