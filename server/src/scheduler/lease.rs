//! Heartbeats for every lease of this node in one write, and stopping in time what could not be extended.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures::FutureExt;
use parking_lot::Mutex;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    Scheduler,
    running::{Entry, Stop},
};
use crate::store::{
    StoreError,
    finish::{self, Held},
};

/// A holder stops all input this long before its lease ends, but never more than a quarter of the lease.
const MARGIN: Duration = Duration::from_secs(5);

/// One held lease.
#[derive(Clone, Debug)]
struct Lease {
    held: Held,
    entry: Arc<Entry>,
    /// By this node's monotonic clock, from the sending of the last accepted heartbeat.
    good_until: Instant,
}

/// The leases that this node holds.
#[derive(Debug, Default)]
pub(super) struct Leases(Mutex<HashMap<Uuid, Lease>>);

impl Leases {
    pub(super) fn hold(&self, held: Held, entry: Arc<Entry>, good_until: Instant) {
        self.0.lock().insert(held.token, Lease { held, entry, good_until });
    }

    pub(super) fn let_go(&self, held: Held) {
        self.0.lock().remove(&held.token);
    }

    fn all(&self) -> Vec<Held> {
        self.0.lock().values().map(|lease| lease.held).collect()
    }

    fn extended(&self, held: &[Held], good_until: Instant) {
        let mut leases = self.0.lock();
        for one in held {
            if let Some(lease) = leases.get_mut(&one.token) {
                lease.good_until = good_until;
            }
        }
    }

    /// Stops what is lost, and what is about to end.
    fn stop(&self, now: Instant, margin: Duration, lost: &[Uuid]) {
        for lease in self.0.lock().values() {
            if now + margin >= lease.good_until || lost.contains(&lease.held.task) {
                lease.entry.stop(Stop::Lease);
            }
        }
    }
}

/// The margin of a lease.
fn margin(lease: Duration) -> Duration {
    MARGIN.min(lease / 4)
}

/// Sends heartbeats until the process ends.
pub(super) async fn beat(scheduler: Scheduler) {
    let queue = &scheduler.rooms().settings.queue;
    let (lease, between) = (Duration::from_secs(queue.lease_s), Duration::from_secs(queue.heartbeat_s));
    // The watch is finer than the beat, so that a beat that fails is followed by a stop in time.
    let mut watch = tokio::time::interval((margin(lease) / 5).max(Duration::from_millis(50)));
    let mut last = Instant::now();
    loop {
        watch.tick().await;
        let mut lost = Vec::new();
        if last.elapsed() >= between {
            last = Instant::now();
            match extend(&scheduler, lease).await {
                Ok(gone) => lost = gone,
                Err(error) => tracing::error!(%error, "heartbeats could not be stored"),
            }
        }
        scheduler.0.leases.stop(Instant::now(), margin(lease), &lost);
    }
}

async fn extend(scheduler: &Scheduler, lease: Duration) -> Result<Vec<Uuid>, StoreError> {
    let held = scheduler.0.leases.all();
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let sent = Instant::now();
    let until = scheduler.now().plus_ms(lease.as_millis() as i64);
    let beats = held.clone();
    let lost = scheduler
        .rooms()
        .store
        .write(move |connection| async move { finish::heartbeat(connection, &beats, until).await }.boxed())
        .await?;
    let kept: Vec<Held> = held.into_iter().filter(|one| !lost.contains(&one.task)).collect();
    scheduler.0.leases.extended(&kept, sent + lease);
    Ok(lost)
}
