//! What the gates promise, under a clock that moves only when told to.
//!
//! - here: the stage on which it is played;
//! - `promises`: one promise each;
//! - `properties`: at random.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use super::{
    GateError, Gates,
    clock::{Clock as _, ManualClock, ticks},
};
use crate::{config::GateSettings, gate::Binding};
use app::model::Timestamp;
use futures::{
    executor::LocalPool,
    future::{AbortHandle, Abortable},
    task::LocalSpawnExt as _,
};

mod promises;
mod properties;

const START: Timestamp = Timestamp(1_796_030_100_000);
const LONG: Duration = Duration::from_secs(100_000);

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

fn settings(global: (f64, u32), domain: (f64, u32)) -> GateSettings {
    GateSettings {
        global_per_s: global.0,
        global_burst: global.1,
        domain_per_s: domain.0,
        domain_burst: domain.1,
        ..GateSettings::default()
    }
}

/// Gates, their time, and documents that want through.
struct Stage {
    clock: ManualClock,
    gates: Gates,
    pool: LocalPool,
    /// (number, domain, milliseconds since the start), as they passed.
    passed: Rc<RefCell<Vec<(usize, String, u64)>>>,
    /// (number, why) of those that were refused.
    refused: Rc<RefCell<Vec<(usize, GateError)>>>,
    documents: Vec<AbortHandle>,
    open: Rc<Cell<usize>>,
}

impl Stage {
    fn new(settings: &GateSettings) -> Self {
        let clock = ManualClock::starting_at(START);
        let gates = Gates::new(settings, clock.clone());
        let (passed, refused) = Default::default();
        Self {
            clock,
            gates,
            pool: LocalPool::new(),
            passed,
            refused,
            documents: Vec::new(),
            open: Rc::default(),
        }
    }

    /// A document wants through; its number.
    fn arrive(&mut self, domain: &str, limit: Duration) -> usize {
        let number = self.documents.len();
        let (abort, registration) = AbortHandle::new_pair();
        let (gates, clock, domain) = (self.gates.clone(), self.clock.clone(), domain.to_owned());
        let (passed, refused, open) = (self.passed.clone(), self.refused.clone(), self.open.clone());
        open.set(open.get() + 1);
        let document = async move {
            let outcome = Abortable::new(gates.pass(&domain, limit), registration).await;
            open.set(open.get() - 1);
            match outcome {
                Ok(Ok(_)) => passed.borrow_mut().push((number, domain, clock.now() / 1_000_000)),
                Ok(Err(error)) => refused.borrow_mut().push((number, error)),
                Err(_) => {}
            }
        };
        self.pool.spawner().spawn_local(document).expect("the pool runs");
        self.documents.push(abort);
        self.pool.run_until_stalled();
        number
    }

    fn leave(&mut self, number: usize) {
        self.documents[number].abort();
        self.pool.run_until_stalled();
    }

    /// Lets time pass, stopping wherever somebody waits for a moment.
    fn advance(&mut self, by: Duration) {
        let end = self.clock.now() + ticks(by);
        self.pool.run_until_stalled();
        while let Some(next) = self.clock.next_wake().filter(|next| *next <= end) {
            self.clock.advance(Duration::from_nanos(next - self.clock.now()));
            self.pool.run_until_stalled();
        }
        self.clock.advance(Duration::from_nanos(end - self.clock.now()));
        self.pool.run_until_stalled();
    }

    fn passed(&self) -> Vec<(usize, u64)> {
        self.passed.borrow().iter().map(|(number, _, at)| (*number, *at)).collect()
    }

    fn clear(&self, domain: &str, ahead: u32) -> (i64, Binding) {
        let clearance = self.gates.clear_at(Some(domain), ahead);
        (clearance.at.since(START), clearance.binds)
    }
}
