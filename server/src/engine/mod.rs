//! Wires the rooms and implements the control room.
//!
//! - here: starting and stopping;
//! - [`serve`]: the whole server, from lock to last Chrome; [`assets`]: the pages' files;
//! - [`tasks`], [`flows`], [`fleet`] with [`breaker`], [`orders`], [`rules`], [`live`], [`access`]: the areas of
//!   the control room, each authorising its caller once;
//! - [`submit`]: from a submission to a row; [`conclude`]: the end of a work order; [`shown`]: an order as it
//!   is shown.

mod access;
mod assets;
mod breaker;
mod conclude;
mod errors;
mod fleet;
mod flows;
mod live;
mod orders;
mod rules;
mod serve;
mod shown;
mod submit;
mod tasks;

use std::{collections::HashMap, sync::Arc, time::Duration};

use app::model::Timestamp;
use parking_lot::Mutex;

pub use serve::{ServeError, database, serve, start};

use crate::{
    access::Accounts,
    config::Settings,
    evidence::Files,
    gate::Gates,
    live::{Changes, Hub},
    pool::Pool,
    scheduler::{Rooms, Scheduler},
    store::Store,
};

/// Flow versions whose private parameters are remembered.
const MOST_REMEMBERED: usize = 1_024;

/// The engine: what the pages and the API call. Cheap to clone.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    rooms: Rooms,
    scheduler: Scheduler,
    access: Accounts,
    hub: Hub,
    private_names: Mutex<Remembered>,
}

/// The names of private parameters, by flow version: a version never changes.
#[derive(Default)]
struct Remembered(HashMap<(String, i64), Arc<[String]>>);

impl Remembered {
    fn get(&self, key: &(String, i64)) -> Option<&Arc<[String]>> {
        self.0.get(key)
    }

    fn put(&mut self, key: (String, i64), names: Arc<[String]>) {
        if self.0.len() >= MOST_REMEMBERED {
            self.0.clear();
        }
        self.0.insert(key, names);
    }
}

impl Engine {
    /// Starts giving slots and sending states.
    #[must_use]
    pub fn start(rooms: Rooms, access: Accounts) -> Self {
        let scheduler = Scheduler::start(rooms.clone());
        let hub = Hub::default();
        let engine = Self(Arc::new(Inner {
            rooms,
            scheduler,
            access,
            hub,
            private_names: Mutex::new(Remembered::default()),
        }));
        tokio::spawn(live::publish(engine.clone()));
        tokio::spawn(live::watch_pool(engine.clone()));
        engine
    }

    /// Stops claiming, lets running attempts end for a while, puts the rest back and ends every Chrome.
    pub async fn stop(&self, drain: Duration) {
        self.0.scheduler.drain(drain).await;
        self.0.rooms.pool.shutdown().await;
        self.0.scheduler.keep_state().await;
        self.0.rooms.store.close().await;
    }

    fn now(&self) -> Timestamp {
        crate::clock::now()
    }

    fn settings(&self) -> &Settings {
        &self.0.rooms.settings
    }

    fn store(&self) -> &Store {
        &self.0.rooms.store
    }

    fn pool(&self) -> &Pool {
        &self.0.rooms.pool
    }

    fn gates(&self) -> &Gates {
        &self.0.rooms.gates
    }

    fn changes(&self) -> &Changes {
        &self.0.rooms.changes
    }

    fn evidence_store(&self) -> &Files {
        &self.0.rooms.evidence
    }

    fn scheduler(&self) -> &Scheduler {
        &self.0.scheduler
    }

    fn hub(&self) -> &Hub {
        &self.0.hub
    }

    fn access(&self) -> &Accounts {
        &self.0.access
    }

    fn private_names(&self) -> &Mutex<Remembered> {
        &self.0.private_names
    }
}
