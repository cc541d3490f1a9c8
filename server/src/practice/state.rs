//! What the site remembers, all in memory and bounded.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{extract::Request, http::header};
use parking_lot::Mutex;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{
    access_log::{AccessLog, Entry, EntryId},
    design::Design,
    session::Sessions,
    visit::pairs,
};

/// Most orders that are listed on the control page; the number of all is kept beside.
const ORDERS_KEPT: usize = 1_000;
/// Most counters of the trouble pages; past it they start anew.
const COUNTERS_KEPT: usize = 1_000;
/// The number of the first order that is placed.
const FIRST_ORDER: u32 = 500_001;

/// What the site remembers. Cheap to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub struct State(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    design: Mutex<Design>,
    sessions: Mutex<Sessions>,
    log: Mutex<AccessLog>,
    placed: Mutex<Placed>,
    /// How often each trouble page that counts was asked, by its key.
    counters: Mutex<HashMap<String, u32>>,
    order_number: AtomicU32,
    closing: CancellationToken,
}

/// The orders that came in, for a test to count.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Placed {
    /// How many, since the last reset.
    pub count: u64,
    /// The newest of them, oldest first.
    pub orders: Vec<PlacedOrder>,
}

/// One order that came in.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PlacedOrder {
    pub number: String,
    pub name: String,
    pub total: String,
}

impl State {
    /// The design that the shop has for everyone who did not choose another.
    pub(super) fn design(&self) -> Design {
        *self.0.design.lock()
    }

    pub(super) fn set_design(&self, design: Design) {
        *self.0.design.lock() = design;
    }

    pub(super) fn sessions(&self) -> &Mutex<Sessions> {
        &self.0.sessions
    }

    /// Ready when the site is told to stop.
    pub(super) fn closing(&self) -> &CancellationToken {
        &self.0.closing
    }

    pub(super) fn next_order_number(&self) -> String {
        format!("H-{}", FIRST_ORDER + self.0.order_number.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn placed(&self) -> Placed {
        self.0.placed.lock().clone()
    }

    pub(super) fn add_placed(&self, order: PlacedOrder) {
        let mut placed = self.0.placed.lock();
        placed.count += 1;
        if placed.orders.len() == ORDERS_KEPT {
            placed.orders.remove(0);
        }
        placed.orders.push(order);
    }

    /// Counts one more request under a key: how many it were with this one.
    pub(super) fn count(&self, key: &str) -> u32 {
        let mut counters = self.0.counters.lock();
        if counters.len() == COUNTERS_KEPT && !counters.contains_key(key) {
            counters.clear();
        }
        let counter = counters.entry(key.to_owned()).or_default();
        *counter = counter.saturating_add(1);
        *counter
    }

    /// Forgets everything: design, sessions, orders, log and counters.
    pub(super) fn reset(&self) {
        self.set_design(Design::default());
        *self.0.sessions.lock() = Sessions::default();
        *self.0.placed.lock() = Placed::default();
        self.0.log.lock().clear();
        self.0.counters.lock().clear();
        self.0.order_number.store(0, Ordering::Relaxed);
    }

    /// What came in, oldest first, and how many older entries are gone.
    #[must_use]
    pub fn log(&self) -> (Vec<Entry>, u64) {
        self.0.log.lock().read()
    }

    pub(super) fn log_request(&self, request: &Request) -> EntryId {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let host =
            request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let names = pairs(request.uri().query().unwrap_or_default()).map(|(name, _)| name).collect();
        self.0.log.lock().push(Entry {
            at_ms: u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
            method: request.method().to_string(),
            host: host.to_owned(),
            path: request.uri().path().to_owned(),
            query: names,
            status: None,
        })
    }

    pub(super) fn log_status(&self, id: EntryId, status: u16) {
        self.0.log.lock().set_status(id, status);
    }
}
