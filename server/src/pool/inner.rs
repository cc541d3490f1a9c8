//! The pool's state and the work on it that waits for nobody: launching, watching over, ending.

use std::path::PathBuf;
use std::sync::{Arc, atomic::Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::chrome::Chrome;
use super::error::PoolError;
use super::find::find_chrome;
use super::fleet::{Company, Fleet};
use super::instance::Instance;
use super::slots::Slots;
use super::spawn::Spawner;
use crate::cdp::Connection;

/// The first pause after a failed launch; it doubles with each further one up to [`LONGEST_PAUSE`]. Requests in
/// a pause fail at once with the launch's error.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Inner {
    pub data: PathBuf,
    pub node: String,
    /// The setting `pool.binary`.
    pub binary: Mutex<String>,
    pub slots: Arc<Slots>,
    /// The slot beyond the pool, for proofs.
    pub proofs: Arc<Slots>,
    pub fleet: Mutex<Fleet<Arc<Instance>>>,
    pub trouble: Mutex<Trouble>,
    /// When a context was last really opened.
    pub opened: Mutex<Option<Instant>>,
    /// Counts changes of the view.
    pub changes: watch::Sender<u64>,
    pub stop: CancellationToken,
    /// Launches, instances and contexts that are to be ended before the pool is.
    pub tasks: TaskTracker,
    pub runtime: tokio::runtime::Handle,
    pub spawner: Spawner,
}

/// Launches that failed.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    /// How many ever failed.
    pub count: u64,
    row: u32,
    last: Option<(PoolError, Instant)>,
}

impl Trouble {
    fn note(&mut self, error: PoolError, now: Instant) {
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.row)).min(LONGEST_PAUSE);
        self.count += 1;
        self.row += 1;
        self.last = Some((error, now + pause));
    }

    fn over(&mut self) {
        self.row = 0;
        self.last = None;
    }

    /// The last error, while the pause after it lasts.
    pub(super) fn pausing(&self, now: Instant) -> Option<PoolError> {
        self.last.as_ref().filter(|(_, until)| now < *until).map(|(error, _)| error.clone())
    }

    /// The last error, until a launch succeeds.
    pub(super) fn last(&self) -> Option<PoolError> {
        self.last.as_ref().map(|(error, _)| error.clone())
    }
}

/// Room for one context in an instance; dropping it gives the room back.
#[derive(Debug)]
pub(super) struct Place {
    pub instance: Arc<Instance>,
    inner: Arc<Inner>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.instance.contexts.fetch_sub(1, Ordering::Relaxed);
        self.inner.fleet.lock().give_back(&self.instance.id, Instant::now());
        self.inner.tend();
    }
}

/// A request that waits for an instance, as long as it waits.
struct Wanting<'a>(&'a Inner, Company);

impl Drop for Wanting<'_> {
    fn drop(&mut self) {
        self.0.fleet.lock().unwant(self.1);
    }
}

impl Inner {
    /// Tells watchers that the view has changed.
    pub(super) fn changed(&self) {
        self.changes.send_modify(|version| *version += 1);
    }

    /// Notes that a context was really opened.
    pub(super) fn note_opened(&self) {
        *self.opened.lock() = Some(Instant::now());
    }

    /// Applies the bounds, starts what is missing, and tells watchers. To be called after every change.
    pub(super) fn tend(self: &Arc<Self>) {
        self.tend_by_clock();
        self.changed();
    }

    /// As [`Inner::tend`], where only time has passed: watchers are told when something came of it.
    pub(super) fn tend_by_clock(self: &Arc<Self>) {
        let now = Instant::now();
        let holding = self.stop.is_cancelled() || self.trouble.lock().pausing(now).is_some();
        let (ending, launching) = {
            let mut fleet = self.fleet.lock();
            (fleet.settle(now), if holding { Vec::new() } else { fleet.launch(now) })
        };
        if !ending.is_empty() || !launching.is_empty() {
            self.changed();
        }
        for instance in ending {
            instance.end();
        }
        for id in launching {
            self.tasks.spawn_on(self.clone().launch(id), &self.runtime);
        }
    }

    /// Waits for room in an instance.
    ///
    /// # Errors
    /// A launch failed while this waited or just before, or the pool is shutting down.
    pub(super) async fn place(self: &Arc<Self>, company: Company) -> Result<Place, PoolError> {
        let mut changes = self.changes.subscribe();
        let failures = self.trouble.lock().count;
        self.fleet.lock().want(company);
        let _wanting = Wanting(self, company);
        let mut asked = false;
        loop {
            if self.stop.is_cancelled() {
                return Err(PoolError::Closed);
            }
            if let Some((_, instance)) = self.fleet.lock().take(company) {
                instance.contexts.fetch_add(1, Ordering::Relaxed);
                return Ok(Place { instance, inner: self.clone() });
            }
            let now = Instant::now();
            let failed = {
                let trouble = self.trouble.lock();
                trouble.pausing(now).or_else(|| trouble.last().filter(|_| trouble.count > failures))
            };
            if let Some(error) = failed {
                return Err(error);
            }
            if !asked {
                asked = true;
                self.tend();
                continue;
            }
            // The sender lives in `self`.
            let _ = changes.changed().await;
        }
    }

    /// Starts one Chrome, and watches over it to its end.
    async fn launch(self: Arc<Self>, id: String) {
        match self.bring_up(&id).await {
            Ok((instance, chrome)) => {
                self.trouble.lock().over();
                let wanted = self.fleet.lock().ready(&id, instance.clone(), Instant::now());
                if !wanted || self.stop.is_cancelled() {
                    instance.end();
                }
                tracing::info!(instance = id, "a Chrome instance is ready");
                self.changed();
                self.watch_over(&instance, chrome).await;
            }
            Err(error) => {
                self.fleet.lock().remove(&id);
                if !self.stop.is_cancelled() {
                    tracing::error!(instance = id, %error, "a Chrome instance could not be started");
                    self.trouble.lock().note(error, Instant::now());
                }
            }
        }
        self.tend();
    }

    async fn bring_up(&self, id: &str) -> Result<(Arc<Instance>, Chrome), PoolError> {
        let binary = find_chrome(&self.binary.lock().clone())?;
        let chrome = Chrome::launch(&self.spawner, &binary, &self.data, &self.stop).await?;
        let connected = async {
            let connection = Connection::connect(&chrome.url).await?;
            connection.auto_attach().await?;
            Ok(connection)
        };
        match connected.await {
            Ok(connection) => Ok((Arc::new(Instance::new(id.to_owned(), connection, &chrome)), chrome)),
            Err(error) => {
                chrome.end(None).await;
                Err(PoolError::Context(error))
            }
        }
    }

    async fn watch_over(self: &Arc<Self>, instance: &Arc<Instance>, mut chrome: Chrome) {
        let lost = instance.watch(&mut chrome).await;
        if let Some(lost) = &lost {
            tracing::warn!(instance = instance.id, why = lost.why, "a Chrome instance was lost");
            self.fleet.lock().lost(&instance.id, &lost.why, Instant::now());
            self.tend();
        }
        chrome.end(lost.is_none().then_some(&instance.connection)).await;
        // Whoever still holds a lease, at a shutdown, learns it here.
        instance.lose("was ended by the pool");
        instance.connection.close();
        self.fleet.lock().remove(&instance.id);
    }
}
