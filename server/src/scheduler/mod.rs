//! Gives slots to tasks: looks who is next, leases, runs, and puts what became of it on record.
//!
//! - [`choose`]: which site's first task is next, or what holds it: pure;
//! - [`claim`]: choosing and leasing in one transaction;
//! - [`breakers`]: what claims, ends and people do to the breakers, inside their writes;
//! - [`lease`]: heartbeats, and stopping in time when one does not come through;
//! - [`work`]: what an attempt is to do, with the rules in it;
//! - [`attempt`]: one attempt from lease to result;
//! - [`aftermath`]: what its end sets going: work orders, the rules' figures, baselines;
//! - [`running`]: what runs now;
//! - here: the loop, and what others may ask of it.
//!
//! The loop only looks at gates; tokens are spent at the site's door by the attempt itself.

mod aftermath;
mod attempt;
mod breakers;
mod choose;
mod claim;
mod devtools;
mod door;
mod drain_rate;
mod housekeeping;
mod lease;
mod running;
mod work;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use app::model::Timestamp;
use futures::FutureExt;
use parking_lot::Mutex;
use tokio::{sync::Notify, task::JoinSet, time::Instant};
use uuid::Uuid;

pub(crate) use breakers::set_breaker;
#[cfg(test)]
pub(crate) use claim::bucket;
pub(crate) use claim::bucket_ms;
pub use devtools::DevtoolsPorts;
pub use running::{Progress, Running};

use crate::{
    config::Settings,
    egress::Egress,
    evidence::Files,
    gate::Gates,
    live::Changes,
    pool::Pool,
    queue::order::LaneTurn,
    store::{Store, StoreError, claim as sql},
};
use drain_rate::DrainRate;
use lease::Leases;

/// Longest sleep of the loop when nothing is known to happen: a net under the notices.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);
/// How long the loop rests after the store failed.
const REST: Duration = Duration::from_secs(1);

/// The rooms that an attempt needs.
#[derive(Clone)]
pub struct Rooms {
    /// All settings.
    pub settings: Arc<Settings>,
    /// The database.
    pub store: Store,
    /// The Chrome instances.
    pub pool: Pool,
    /// The rate gates.
    pub gates: Gates,
    /// The filtering proxy.
    pub egress: Egress,
    /// The ports that it refuses because an instance's DevTools listens there.
    pub devtools: DevtoolsPorts,
    /// Where evidence is kept.
    pub evidence: Files,
    /// Where changes are said.
    pub changes: Changes,
    /// This node's name.
    pub node: Arc<str>,
}

/// The scheduler. Cheap to clone.
#[derive(Clone)]
pub struct Scheduler(Arc<Inner>);

struct Inner {
    rooms: Rooms,
    running: Running,
    leases: Leases,
    wake: Notify,
    room_made: Notify,
    draining: AtomicBool,
    turn: Mutex<LaneTurn>,
    drain_rate: Mutex<DrainRate>,
    started: Timestamp,
}

impl Scheduler {
    /// Takes over from the run before: its gates' state, its breakers, and every lease, because the data folder's lock
    /// proves that no other holder lives. Returns how many attempts were lost.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn recover(rooms: &Rooms) -> Result<usize, StoreError> {
        housekeeping::seed_gates(rooms).await?;
        let lost = housekeeping::take_back(rooms, i64::MAX).await?;
        breakers::recover(rooms).await?;
        Ok(lost)
    }

    /// Starts giving slots.
    #[must_use]
    pub fn start(rooms: Rooms) -> Self {
        let scheduler = Self(Arc::new(Inner {
            running: Running::default(),
            leases: Leases::default(),
            wake: Notify::new(),
            room_made: Notify::new(),
            draining: AtomicBool::new(false),
            turn: Mutex::new(LaneTurn::default()),
            drain_rate: Mutex::new(DrainRate::default()),
            started: crate::clock::now(),
            rooms,
        }));
        tokio::spawn(scheduler.clone().run());
        tokio::spawn(lease::beat(scheduler.clone()));
        tokio::spawn(housekeeping::run(scheduler.clone()));
        scheduler
    }

    /// Something may be claimable now.
    pub fn wake(&self) {
        self.0.wake.notify_one();
    }

    /// When this run began.
    #[must_use]
    pub fn started(&self) -> Timestamp {
        self.0.started
    }

    /// What runs now.
    #[must_use]
    pub fn running(&self) -> &Running {
        &self.0.running
    }

    /// How far a task's attempt on this node is.
    #[must_use]
    pub fn progress(&self, task: Uuid) -> Option<Progress> {
        self.0.running.progress(task)
    }

    /// Stops a task's attempt, where one runs here.
    pub fn cancel(&self, task: Uuid) {
        self.0.running.cancel(task);
        self.0.room_made.notify_waiters();
    }

    /// Waits until the queue has got shorter.
    pub fn room_made(&self) -> impl Future<Output = ()> + Send + 'static {
        let this = self.clone();
        async move { this.0.room_made.notified().await }
    }

    /// Seconds after which a refused submission is worth trying again: by the measured drain; while nothing
    /// drains, the known end of what holds, else 60.
    pub async fn retry_after_s(&self) -> u64 {
        let now = self.now();
        if let Some(seconds) = self.0.drain_rate.lock().seconds_per_task(now) {
            return (seconds.ceil() as u64).clamp(1, 3_600);
        }
        let held = sql::next_event(self.0.rooms.store.read()).await.ok().flatten();
        match held.map(|at| at.since(now)).filter(|ms| *ms > 0) {
            Some(ms) => (ms as u64).div_ceil(1_000).clamp(1, 3_600),
            None => 60,
        }
    }

    /// Stops claiming, lets what runs end for a while, then puts the rest back at no cost to it.
    pub async fn drain(&self, limit: Duration) {
        self.0.draining.store(true, Ordering::Relaxed);
        self.wake();
        let until = Instant::now() + limit;
        if self.0.running.emptied(until).await {
            return;
        }
        tracing::info!(running = self.0.running.len(), "the time to drain is over: putting back what runs");
        self.0.running.stop_all();
        // Stopping an attempt is bounded by the limits of its own calls.
        self.0.running.emptied(Instant::now() + Duration::from_secs(10)).await;
    }

    /// Keeps what must outlive the process. The last thing before the store closes.
    pub async fn keep_state(&self) {
        if let Err(error) = housekeeping::keep_gates(&self.0.rooms, true).await {
            tracing::error!(%error, "the gates' state could not be kept");
        }
    }

    fn now(&self) -> Timestamp {
        crate::clock::now()
    }

    fn rooms(&self) -> &Rooms {
        &self.0.rooms
    }

    fn draining(&self) -> bool {
        self.0.draining.load(Ordering::Relaxed)
    }

    async fn run(self) {
        let mut attempts = JoinSet::new();
        loop {
            while attempts.try_join_next().is_some() {}
            if self.draining() {
                while attempts.join_next().await.is_some() {}
                return;
            }
            let free = self.0.rooms.pool.slots().saturating_sub(self.0.running.len() as u32);
            // While Chrome cannot be started, tasks wait where they are; the pool goes on trying.
            let able = free > 0 && self.0.rooms.pool.trouble().is_none();
            let wait = if able { self.fill(free, &mut attempts).await } else { LONGEST_SLEEP };
            tokio::select! {
                () = self.0.wake.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Claims up to so many tasks and starts them. Returns how long there is nothing to look for.
    async fn fill(&self, free: u32, attempts: &mut JoinSet<()>) -> Duration {
        let claimed = match self.claim(free).await {
            Ok(claimed) => claimed,
            Err(error) => {
                tracing::error!(%error, "cannot claim tasks; trying again in {} s", REST.as_secs());
                return REST;
            }
        };
        for (row, lease) in claimed.taken {
            let this = self.clone();
            self.0.room_made.notify_waiters();
            let attempt = self.admit(&row, &lease);
            attempts.spawn(async move {
                let Some(attempt) = attempt else { return };
                this.run_attempt(row, lease, attempt).await;
            });
        }
        let next = sql::next_event(self.0.rooms.store.read()).await.ok().flatten();
        let at = [next, claimed.look_again].into_iter().flatten().min();
        let ms = at.map_or(i64::MAX, |at| at.since(self.now()).max(1));
        Duration::from_millis(ms as u64).min(LONGEST_SLEEP)
    }

    async fn claim(&self, free: u32) -> Result<claim::Claimed, StoreError> {
        let request = claim::Request {
            free,
            slots: self.0.rooms.pool.slots(),
            lease: Duration::from_secs(self.0.rooms.settings.queue.lease_s),
            node: self.0.rooms.node.to_string(),
            turn: *self.0.turn.lock(),
            approaching: self.0.running.approaching(),
            gate: self.0.rooms.settings.gate.clone(),
            gates: self.0.rooms.gates.clone(),
            breaker: self.0.rooms.settings.breaker.clone(),
        };
        let claimed = self
            .0
            .rooms
            .store
            .write(move |connection| async move { claim::claim(connection, request).await }.boxed())
            .await?;
        *self.0.turn.lock() = claimed.turn;
        breakers::tell(self.rooms(), &claimed.breakers);
        Ok(claimed)
    }
}
