//! The pool's clock: ages, idle times, memory, and whether Chrome still opens contexts.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::chrome::memory_mib;
use super::inner::Inner;
use super::instance::Instance;
use crate::cdp::CdpError;
use crate::cdp::protocol::browser_protocol::target::{
    CreateBrowserContextParams, DisposeBrowserContextParams,
};

/// How often ages and idle times are looked at.
const TICK: Duration = Duration::from_secs(1);

/// Memory is read every so many ticks: it walks the page tables of every process of an instance.
const MEASURE_EVERY: u64 = 5;

/// A context is opened in every instance every so many ticks (it costs about 14 ms of Chrome's time).
const CHECK_EVERY: u64 = 10;

/// An instance that does not open a context within this is given up as hung.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// Runs until the pool is shut down or forgotten.
pub(super) async fn keep(inner: Weak<Inner>) {
    let mut clock = tokio::time::interval(TICK);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for tick in 1_u64.. {
        clock.tick().await;
        let Some(inner) = inner.upgrade() else { return };
        if inner.stop.is_cancelled() {
            return;
        }
        if tick.is_multiple_of(MEASURE_EVERY) {
            measure(&inner).await;
        }
        if tick.is_multiple_of(CHECK_EVERY) {
            for instance in running(&inner) {
                inner.tasks.spawn(check(inner.clone(), instance));
            }
        }
        inner.tend_by_clock();
    }
}

fn running(inner: &Inner) -> Vec<Arc<Instance>> {
    inner.fleet.lock().handles().map(|(_, instance)| instance.clone()).collect()
}

async fn measure(inner: &Inner) {
    let groups: Vec<_> =
        running(inner).into_iter().map(|instance| (instance.id.clone(), instance.group)).collect();
    let read = move || groups.into_iter().map(|(id, group)| (id, memory_mib(group))).collect::<Vec<_>>();
    let measured = tokio::task::spawn_blocking(read).await.unwrap_or_default();
    for (id, mib) in measured {
        inner.fleet.lock().measured(&id, mib);
    }
    inner.changed();
}

/// Opens a context and closes it again; an instance that does not is hung.
async fn check(inner: Arc<Inner>, instance: Arc<Instance>) {
    let began = Instant::now();
    match open_and_close(&instance).await {
        Ok(()) => inner.note_opened(),
        // What ends the connection is seen by those who watch over the instance.
        Err(error) if error.is_final() => {}
        Err(error) => instance.lose(&format!("did not open a context for {:?}: {error}", began.elapsed())),
    }
}

/// Opens a context in an instance and closes it again.
pub(super) async fn open_and_close(instance: &Instance) -> Result<(), CdpError> {
    let root = instance.connection.root().with_limit(ANSWERS_WITHIN);
    let context = root.call(CreateBrowserContextParams::default()).await?.browser_context_id;
    root.call(DisposeBrowserContextParams::new(context)).await.map(drop)
}
