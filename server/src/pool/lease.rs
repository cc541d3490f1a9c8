//! A lease: one browser context, for one attempt.

use std::sync::Arc;
use std::time::Duration;

use super::error::Lost;
use super::inner::{Inner, Place};
use super::instance::Instance;
use super::slots::Slot;
use crate::cdp::protocol::browser_protocol::browser::BrowserContextId;
use crate::cdp::protocol::browser_protocol::target::{CreateTargetParams, DisposeBrowserContextParams};
use crate::cdp::{Attached, CdpError, Connection, Targets};

/// How long closing a context may take; `beforeunload` is not asked, so it takes milliseconds.
const CLOSES_WITHIN: Duration = Duration::from_secs(5);

/// What one attempt wants of its context.
#[derive(Debug, Clone)]
pub struct ContextOptions {
    /// The proxy that everything the context asks for goes through, loopback too, such as
    /// `http://127.0.0.1:4711`. `None` is no proxy at all: only for the pool's own checks and tests.
    pub proxy: Option<String>,
    /// Alone in its instance while it lives.
    pub exclusive: bool,
    /// Over the slot beyond the pool, for an order's proof.
    pub proof: bool,
    /// How long slot, instance and context may take together.
    pub limit: Duration,
}

impl Default for ContextOptions {
    /// No proxy, beside others, over an ordinary slot, within 60 s.
    fn default() -> Self {
        Self { proxy: None, exclusive: false, proof: false, limit: Duration::from_secs(60) }
    }
}

/// How long each part of opening took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timings {
    /// Waiting for a slot.
    pub slot: Duration,
    /// Waiting for an instance with room, a launch included.
    pub instance: Duration,
    /// Making the context.
    pub context: Duration,
}

/// One browser context and the slot that it runs in.
///
/// [`ContextLease::close`] ends it and waits for that; dropping it ends it in the background. Either way the slot
/// comes back, at the latest when the closing has taken 5 s.
#[derive(Debug)]
pub struct ContextLease {
    context: BrowserContextId,
    /// None once they were handed to somebody.
    targets: Option<Targets>,
    timings: Timings,
    instance: Arc<Instance>,
    held: Option<Held>,
}

/// What a lease occupies. The place is given back before the slot, so that who gets the slot finds the place.
#[derive(Debug)]
pub(super) struct Held {
    pub place: Place,
    pub slot: Option<Slot>,
    pub inner: Arc<Inner>,
}

impl ContextLease {
    pub(super) fn new(context: BrowserContextId, timings: Timings, held: Held) -> Self {
        let instance = held.place.instance.clone();
        let targets = Some(instance.connection.follow_context(context.as_ref()));
        Self { context, targets, timings, instance, held: Some(held) }
    }

    /// The browser context's id.
    pub fn context_id(&self) -> &BrowserContextId {
        &self.context
    }

    /// The connection to the context's browser. It is shared with other contexts of the instance.
    pub fn connection(&self) -> &Connection {
        &self.instance.connection
    }

    /// The instance's id, such as `c7`.
    pub fn instance_id(&self) -> &str {
        &self.instance.id
    }

    /// How long opening took.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// The context's pages, popups, frames and workers as they appear, each paused until it is resumed.
    pub fn targets(&mut self) -> &mut Targets {
        let follow = || self.instance.connection.follow_context(self.context.as_ref());
        self.targets.get_or_insert_with(follow)
    }

    /// The same, handed over: the lease no longer looks at them.
    pub fn take_targets(&mut self) -> Targets {
        let follow = || self.instance.connection.follow_context(self.context.as_ref());
        self.targets.take().unwrap_or_else(follow)
    }

    /// Opens a page and gives it paused, before it has asked for anything, also for `url`. What is enabled on it
    /// before [`Attached::resume`] holds from its first script; Chrome answers such commands only after it.
    ///
    /// Interception (`Fetch.enable`) holds the document of a page opened at its address in headless shell, but in
    /// full Chrome only what follows it: open `about:blank` and navigate where it must be held in either.
    ///
    /// # Errors
    /// Chrome refuses the address, or the connection is closed.
    pub async fn open_page(&mut self, url: &str) -> Result<Attached, CdpError> {
        let mut create = CreateTargetParams::new(url);
        create.browser_context_id = Some(self.context.clone());
        let root = self.instance.connection.root();
        let mut made = std::pin::pin!(root.send(create)?.answer());
        let attached = tokio::select! {
            biased;
            attached = self.targets().next() => attached,
            answer = &mut made => {
                answer?;
                self.targets().next().await
            }
        };
        attached.ok_or_else(|| self.instance.connection.is_closed().unwrap_or(CdpError::Detached))
    }

    /// Why the instance was lost, when it was.
    pub fn is_lost(&self) -> Option<Lost> {
        self.instance.is_lost()
    }

    /// Resolves, with the reason, when the instance is lost. Calls may fail with [`CdpError::Closed`] up to half
    /// a second before that.
    pub async fn lost(&self) -> Lost {
        self.instance.lost().await
    }

    /// Ends the context and gives slot and room back, within 5 s.
    pub async fn close(mut self) {
        if let Some(held) = self.held.take() {
            let tasks = held.inner.tasks.clone();
            let closing = tasks.track_future(dispose(held, self.context.clone()));
            // In a task of its own, so that it goes on when this wait is given up.
            if let Err(reason) = tokio::spawn(closing).await {
                tracing::error!(%reason, "the task that closes a context failed");
            }
        }
    }
}

impl Drop for ContextLease {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            let inner = held.inner.clone();
            inner.tasks.spawn_on(dispose(held, self.context.clone()), &inner.runtime);
        }
    }
}

async fn dispose(held: Held, context: BrowserContextId) {
    let instance = held.place.instance.clone();
    if instance.is_lost().is_none() {
        let root = instance.connection.root();
        let closed = root.call_within(CLOSES_WITHIN, DisposeBrowserContextParams::new(context)).await;
        if let Err(error) = closed
            && !error.is_final()
        {
            tracing::warn!(instance = instance.id, %error, "a context could not be closed");
            held.inner.fleet.lock().drain(&instance.id, "a context in it could not be closed");
        }
    }
    let Held { place, slot, inner: _ } = held;
    drop(place);
    drop(slot);
}
