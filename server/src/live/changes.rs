//! What has changed since the last rendering.

use std::{collections::HashSet, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::Notify;
use uuid::Uuid;

/// Tasks remembered between two renderings. Beyond it single tasks are dropped from the stream: whoever
/// watches one is told by the overview's next state that lists have changed.
const MOST_TASKS: usize = 4_096;

/// Things that have changed.
#[derive(Debug, Default)]
pub struct Dirty {
    /// These tasks.
    pub tasks: HashSet<Uuid>,
    /// These sites' gates.
    pub gates: HashSet<String>,
    /// These work orders.
    pub orders: HashSet<Uuid>,
    /// These sites' breakers; none is the fleet's.
    pub breakers: HashSet<Option<String>>,
    /// The pool.
    pub pool: bool,
    /// Anything at all: the overview is to be rendered anew.
    pub overview: bool,
}

impl Dirty {
    fn is_empty(&self) -> bool {
        !self.overview
    }
}

#[derive(Debug, Default)]
struct Shared {
    dirty: Mutex<Dirty>,
    changed: Notify,
}

/// Where rooms say what has changed. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<Shared>);

impl Changes {
    /// A task has changed.
    pub fn task(&self, id: Uuid) {
        self.note(|dirty| {
            if dirty.tasks.len() < MOST_TASKS {
                dirty.tasks.insert(id);
            }
        });
    }

    /// A site's gate has changed.
    pub fn gate(&self, domain: &str) {
        self.note(|dirty| {
            if dirty.gates.len() < MOST_TASKS {
                dirty.gates.insert(domain.to_owned());
            }
        });
    }

    /// A work order has changed.
    pub fn order(&self, id: Uuid) {
        self.note(|dirty| {
            if dirty.orders.len() < MOST_TASKS {
                dirty.orders.insert(id);
            }
        });
    }

    /// A site's breaker has changed, or the fleet's where none is named.
    pub fn breaker(&self, domain: Option<&str>) {
        self.note(|dirty| {
            if dirty.breakers.len() < MOST_TASKS {
                dirty.breakers.insert(domain.map(str::to_owned));
            }
        });
    }

    /// The pool has changed.
    pub fn pool(&self) {
        self.note(|dirty| dirty.pool = true);
    }

    fn note(&self, change: impl FnOnce(&mut Dirty)) {
        let mut dirty = self.0.dirty.lock();
        change(&mut dirty);
        dirty.overview = true;
        drop(dirty);
        self.0.changed.notify_one();
    }

    /// Waits until something has changed and takes it.
    pub async fn take(&self) -> Dirty {
        loop {
            {
                let mut dirty = self.0.dirty.lock();
                if !dirty.is_empty() {
                    return std::mem::take(&mut *dirty);
                }
            }
            self.0.changed.notified().await;
        }
    }
}
