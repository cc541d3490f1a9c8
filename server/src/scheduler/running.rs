//! What runs now on this node.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use app::model::Timestamp;
use parking_lot::Mutex;
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How far an attempt is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The task.
    pub task: Uuid,
    /// Its name.
    pub name: String,
    /// Its site.
    pub domain: Option<String>,
    /// When the attempt began.
    pub since: Timestamp,
    /// The step it is at, counted from 0, and how many there are.
    pub step: Option<(u32, u32)>,
}

/// Why an attempt is being stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The task was taken back.
    Cancel,
    /// The server stops.
    Drain,
    /// The lease is about to end.
    Lease,
}

/// What others may do to a running attempt, and what it tells of itself.
#[derive(Debug)]
pub(super) struct Entry {
    progress: Mutex<Progress>,
    /// Set while the attempt has a slot and has not yet come to its site's door.
    approaching: AtomicBool,
    /// 0 while nobody has stopped it; else 1 + the reason.
    stopped: AtomicU64,
    pub(super) cancel: CancellationToken,
}

impl Entry {
    pub(super) fn new(progress: Progress) -> Self {
        let approaching = AtomicBool::new(progress.domain.is_some());
        Self {
            progress: Mutex::new(progress),
            approaching,
            stopped: AtomicU64::new(0),
            cancel: CancellationToken::new(),
        }
    }

    pub(super) fn at_step(&self, step: u32, of: u32) {
        self.progress.lock().step = Some((step, of));
    }

    /// The attempt has come to its site's door.
    pub(super) fn arrived(&self) -> bool {
        self.approaching.swap(false, Ordering::Relaxed)
    }

    /// Stops the attempt; the first reason stands.
    pub(super) fn stop(&self, why: Stop) {
        let code = match why {
            Stop::Cancel => 1,
            Stop::Drain => 2,
            Stop::Lease => 3,
        };
        let _first = self.stopped.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
        self.cancel.cancel();
    }

    pub(super) fn stopped(&self) -> Option<Stop> {
        match self.stopped.load(Ordering::Relaxed) {
            1 => Some(Stop::Cancel),
            2 => Some(Stop::Drain),
            3 => Some(Stop::Lease),
            _ => None,
        }
    }
}

/// What runs now. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Running(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    entries: Mutex<HashMap<Uuid, Arc<Entry>>>,
    emptied: Notify,
}

impl Running {
    /// How many attempts run.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.entries.lock().len()
    }

    /// Whether nothing runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What runs, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Progress> {
        let mut all: Vec<_> =
            self.0.entries.lock().values().map(|entry| entry.progress.lock().clone()).collect();
        all.sort_by_key(|progress| (progress.since, progress.task));
        all
    }

    /// How far a task's attempt is.
    #[must_use]
    pub fn progress(&self, task: Uuid) -> Option<Progress> {
        self.0.entries.lock().get(&task).map(|entry| entry.progress.lock().clone())
    }

    /// Attempts that have a slot and have not yet come to their site's door, by site.
    pub(super) fn approaching(&self) -> HashMap<String, u32> {
        let mut by_site = HashMap::new();
        for entry in self.0.entries.lock().values() {
            if entry.approaching.load(Ordering::Relaxed)
                && let Some(domain) = &entry.progress.lock().domain
            {
                *by_site.entry(domain.clone()).or_default() += 1;
            }
        }
        by_site
    }

    pub(super) fn cancel(&self, task: Uuid) {
        if let Some(entry) = self.0.entries.lock().get(&task) {
            entry.stop(Stop::Cancel);
        }
    }

    pub(super) fn stop_all(&self) {
        for entry in self.0.entries.lock().values() {
            entry.stop(Stop::Drain);
        }
    }

    pub(super) fn enter(&self, task: Uuid, entry: Arc<Entry>) {
        self.0.entries.lock().insert(task, entry);
    }

    /// Takes an attempt out; only the one that was put in, for a task may have begun anew meanwhile.
    pub(super) fn leave(&self, task: Uuid, entry: &Arc<Entry>) {
        let mut entries = self.0.entries.lock();
        if entries.get(&task).is_some_and(|known| Arc::ptr_eq(known, entry)) {
            entries.remove(&task);
        }
        if entries.is_empty() {
            self.0.emptied.notify_waiters();
        }
    }

    /// Waits until nothing runs; false where the time was over first.
    pub(super) async fn emptied(&self, until: Instant) -> bool {
        loop {
            let emptied = self.0.emptied.notified();
            if self.is_empty() {
                return true;
            }
            if tokio::time::timeout_at(until, emptied).await.is_err() {
                return self.is_empty();
            }
        }
    }
}
