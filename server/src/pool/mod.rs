//! The pool: Chrome instances, the slots that attempts run in, and one browser context for each attempt.
//!
//! [`Pool::open_context`] waits (in the order of asking) for a slot, for an instance with room, and for the
//! context; what it gives is a [`ContextLease`]. A slot comes back whatever happened: the lease closed, dropped,
//! its request given up half-way, its instance dead. An instance that dies marks all its leases lost, and says
//! why to each ([`ContextLease::lost`]).
//!
//! Instances are started when they are missing and `warm` ones ahead of that; they are replaced after so many
//! contexts, so much time or so much memory, always by draining first. Everything that is started is ended: by
//! [`Pool::shutdown`], by the kernel when this process dies, and what even that leaves by the next start.
//!
//! | file | what it does |
//! |---|---|
//! | `slots` | counted, fair, resizable |
//! | `fleet` | the instances and what is decided about them, pure |
//! | `inner`, `keeper` | carry it out: on every change, and by the clock |
//! | `chrome`, `spawn`, `folder`, `proc`, `find` | one process tree, its folder, and the traces of earlier ones |
//!
//! What runs in a context is the runner's, whose turn it is the scheduler's, and where its traffic may go the
//! proxy's (`egress`). It needs Linux: `/proc` and the parent-death signal.

mod chrome;
mod error;
mod find;
mod fleet;
mod folder;
mod inner;
mod instance;
mod keeper;
mod lease;
mod proc;
mod slots;
mod spawn;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use app::model::pool::PoolView;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use error::{Awaited, Lost, PoolError};
pub use find::find_chrome;
pub use lease::{ContextLease, ContextOptions, Timings};

use crate::cdp::CdpError;
use crate::cdp::protocol::browser_protocol::target::CreateBrowserContextParams;
use crate::config::PoolSettings;
use fleet::{Company, Fleet};
use inner::{Inner, Place};
use lease::Held;
use slots::{Slot, Slots};
use spawn::Spawner;

/// How long Chrome may take to make a context: a thousand times what it takes on a quiet machine.
const CONTEXT_WITHIN: Duration = Duration::from_secs(10);

/// How often a request is tried again when the instance it was given to dies under it.
const TRIES: u32 = 3;

/// The longest that [`Pool::shutdown`] takes: a polite close, the kill, the removal, and room for a slow disk.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// How fresh the last real opening must be for [`Pool::probe`] to rely on it.
const FRESH: Duration = Duration::from_secs(30);

/// Chrome instances and slots. Cheap to clone; [`Pool::shutdown`] ends it for all clones.
#[derive(Debug, Clone)]
pub struct Pool {
    inner: Arc<Inner>,
    /// One probe at a time, however many ask.
    probing: Arc<tokio::sync::Mutex<()>>,
}

impl Pool {
    /// Ends what earlier servers left in `<data>/chrome/` and starts the warm instances in the background. From
    /// then on orphans of this process's descendants fall to it, and the pool reaps Chrome's. Whoever calls this holds the lock of `data`. A missing Chrome is not an error here but in
    /// [`Pool::open_context`], so that the rest of the server runs without it. Remote endpoints
    /// (`settings.remote`) are not used.
    ///
    /// # Errors
    /// The folder cannot be read, or the thread that starts Chrome cannot be.
    pub async fn start(settings: &PoolSettings, data: &Path, node: &str) -> Result<Self, PoolError> {
        let files = |reason: String| PoolError::Files { path: data.display().to_string(), reason };
        let data = std::path::absolute(data).map_err(|e| files(e.to_string()))?;
        folder::inherit_orphans();
        let swept = {
            let data = data.clone();
            tokio::task::spawn_blocking(move || folder::sweep(&data))
                .await
                .map_err(|e| files(e.to_string()))??
        };
        if swept > 0 {
            tracing::info!(swept, "what an earlier server left of Chrome was ended and removed");
        }
        if !settings.remote.is_empty() {
            tracing::warn!("pool.remote is set, but only Chrome on this machine is used");
        }
        let changes = watch::Sender::new(0);
        let inner = Arc::new(Inner {
            data,
            node: node.to_owned(),
            binary: Mutex::new(settings.binary.clone()),
            slots: Slots::new(settings.slots, changes.clone()),
            proofs: Slots::new(1, changes.clone()),
            fleet: Mutex::new(Fleet::new(settings.into())),
            trouble: Mutex::default(),
            opened: Mutex::new(None),
            changes,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            runtime: tokio::runtime::Handle::current(),
            spawner: Spawner::start().map_err(|e| files(e.to_string()))?,
        });
        inner.tend();
        tokio::spawn(keeper::keep(Arc::downgrade(&inner)));
        Ok(Self { inner, probing: Arc::default() })
    }

    /// Opens a browser context for one attempt. Dropping the wait gives everything back.
    ///
    /// # Errors
    /// [`PoolError::TimedOut`] names what was waited for; a Chrome that does not start fails everyone who waits
    /// for it at once, and those who come shortly after.
    pub async fn open_context(&self, options: ContextOptions) -> Result<ContextLease, PoolError> {
        let slots = if options.proof { &self.inner.proofs } else { &self.inner.slots };
        let deadline = Deadline::new(options.limit);
        let slot = deadline.within(Awaited::Slot, slots.take()).await?.ok_or(PoolError::Closed)?;
        let timings = Timings { slot: deadline.elapsed(), ..Timings::default() };
        self.open_in(Some(slot), &options, deadline, timings).await
    }

    /// How long ago a context was last really opened; when that is longer than 30 s (or never), one is opened
    /// now, over no slot, within `limit`. For `/readyz/pool`.
    ///
    /// # Errors
    /// As [`Pool::open_context`].
    pub async fn probe(&self, limit: Duration) -> Result<Duration, PoolError> {
        let _one = self.probing.lock().await;
        if let Some(ago) = self.last_opened().filter(|ago| *ago <= FRESH) {
            return Ok(ago);
        }
        let options = ContextOptions { limit, ..ContextOptions::default() };
        let lease = self.open_in(None, &options, Deadline::new(limit), Timings::default()).await?;
        lease.close().await;
        Ok(Duration::ZERO)
    }

    /// How long ago a context was last really opened; idle instances are tried every 10 s.
    pub fn last_opened(&self) -> Option<Duration> {
        self.inner.opened.lock().map(|at| at.elapsed())
    }

    /// Why Chrome cannot be started, while that is so.
    pub fn trouble(&self) -> Option<PoolError> {
        self.inner.trouble.lock().last()
    }

    /// Slots and instances as they are now. `busy` counts ordinary slots and the one for proofs.
    pub fn view(&self) -> PoolView {
        let ((slots, busy), (_, proofs)) = (self.inner.slots.count(), self.inner.proofs.count());
        let instances = self.inner.fleet.lock().view(&self.inner.node, Instant::now());
        PoolView { slots, busy: busy + proofs, instances }
    }

    /// Changes whenever [`Pool::view`] may have.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// How many attempts may run at once.
    pub fn slots(&self) -> u32 {
        self.inner.slots.count().0
    }

    /// The DevTools ports of the running instances, which no page may reach.
    pub fn devtools_addresses(&self) -> Vec<SocketAddr> {
        self.inner.fleet.lock().handles().filter_map(|(_, instance)| instance.address).collect()
    }

    /// Follows changed settings. Fewer slots take effect as they come back, a new binary at the next launch.
    pub fn configure(&self, settings: &PoolSettings) {
        self.inner.slots.resize(settings.slots);
        self.inner.binary.lock().clone_from(&settings.binary);
        self.inner.fleet.lock().set_bounds(settings.into());
        self.inner.tend();
    }

    /// Changes how many attempts may run at once.
    pub fn resize(&self, slots: u32) {
        self.inner.slots.resize(slots);
    }

    /// Lets an instance take no more contexts; it ends with its last one.
    ///
    /// # Errors
    /// [`PoolError::UnknownInstance`], also for one that is not running.
    pub fn drain(&self, id: &str) -> Result<(), PoolError> {
        self.retire(id, "drained by hand")
    }

    /// Replaces an instance once its contexts are closed.
    ///
    /// # Errors
    /// [`PoolError::UnknownInstance`], also for one that is not running.
    pub fn recycle(&self, id: &str) -> Result<(), PoolError> {
        self.retire(id, "recycled by hand")
    }

    /// Ends everything: requests that wait fail, leases are lost, every Chrome is closed or killed and its
    /// profile removed. Takes 15 s at most.
    pub async fn shutdown(&self) {
        self.inner.slots.close();
        self.inner.proofs.close();
        self.inner.stop.cancel();
        self.inner.changed();
        for (_, instance) in self.inner.fleet.lock().handles() {
            instance.end();
        }
        self.inner.tasks.close();
        if tokio::time::timeout(ENDS_WITHIN, self.inner.tasks.wait()).await.is_err() {
            tracing::warn!("a Chrome did not end within {ENDS_WITHIN:?}; the next start will clear it away");
        }
    }

    fn retire(&self, id: &str, why: &str) -> Result<(), PoolError> {
        let known = self.inner.fleet.lock().drain(id, why);
        self.inner.tend();
        if known { Ok(()) } else { Err(PoolError::UnknownInstance(id.to_owned())) }
    }

    async fn open_in(
        &self,
        mut slot: Option<Slot>,
        options: &ContextOptions,
        deadline: Deadline,
        mut timings: Timings,
    ) -> Result<ContextLease, PoolError> {
        let company = if options.exclusive { Company::Alone } else { Company::Shared };
        for attempt in 1.. {
            let asked = Instant::now();
            let place = deadline.within(Awaited::Instance, self.inner.place(company)).await??;
            timings.instance += asked.elapsed();
            let opening = open(self.inner.clone(), place, slot.take(), options.proxy.clone(), timings);
            // In a task of its own: when the wait is given up, the context that is just being made becomes a
            // lease all the same, and is closed as that lease is dropped.
            let opening = tokio::spawn(opening);
            let opened = deadline.within(Awaited::Context, opening).await?;
            match opened.unwrap_or_else(|reason| Err((CdpError::Closed(reason.to_string().into()), None))) {
                Ok(lease) => return Ok(lease),
                Err((error, held)) if error.is_final() && attempt < TRIES && held.is_some() => slot = held,
                Err((error, _)) => return Err(error.into()),
            }
        }
        Err(PoolError::Closed)
    }
}

/// Makes the context in its instance; a failure gives the slot back to try again with.
async fn open(
    inner: Arc<Inner>,
    place: Place,
    slot: Option<Slot>,
    proxy: Option<String>,
    mut timings: Timings,
) -> Result<ContextLease, (CdpError, Option<Slot>)> {
    let began = Instant::now();
    let mut create = CreateBrowserContextParams { dispose_on_detach: Some(true), ..Default::default() };
    // Without `<-loopback>` Chrome goes to loopback and link-local addresses past the proxy.
    create.proxy_bypass_list = proxy.is_some().then(|| "<-loopback>".to_owned());
    create.proxy_server = proxy;
    let made = place.instance.connection.root().call_within(CONTEXT_WITHIN, create).await;
    match made {
        Ok(answer) => {
            timings.context = began.elapsed();
            inner.note_opened();
            Ok(ContextLease::new(answer.browser_context_id, timings, Held { place, slot, inner }))
        }
        Err(error) => {
            if matches!(error, CdpError::TimedOut { .. }) {
                place.instance.lose(&error.to_string());
            }
            Err((error, slot))
        }
    }
}

/// A limit over several waits.
#[derive(Clone, Copy)]
struct Deadline {
    began: Instant,
    limit: Duration,
}

impl Deadline {
    fn new(limit: Duration) -> Self {
        Self { began: Instant::now(), limit }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    async fn within<T>(&self, awaited: Awaited, wait: impl Future<Output = T>) -> Result<T, PoolError> {
        let left = self.limit.saturating_sub(self.elapsed());
        let timed_out = |_| PoolError::TimedOut { awaited, limit: self.limit };
        tokio::time::timeout(left, wait).await.map_err(timed_out)
    }
}
