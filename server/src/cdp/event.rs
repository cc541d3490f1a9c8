//! Events: what a session says unasked, and bounded subscriptions to it.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chromiumoxide::types::MethodType;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::session::Session;

/// One event; its parameters stay undecoded until [`Event::get`] asks for them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Event {
    session: Option<Arc<str>>,
    body: Arc<Body>,
}

#[derive(Debug)]
struct Body {
    method: Box<str>,
    params: Box<str>,
}

impl Event {
    pub(super) fn new(session: Option<Arc<str>>, method: &str, params: &str) -> Self {
        Self { session, body: Arc::new(Body { method: method.into(), params: params.into() }) }
    }

    /// The session that the event came from; `None` is the browser itself.
    pub fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The event's name, such as `Page.loadEventFired`.
    pub fn method(&self) -> &str {
        &self.body.method
    }

    /// The parameters as JSON text.
    pub fn params(&self) -> &str {
        &self.body.params
    }

    /// The event as `E`; `None` when it is another event, or (logged at debug) not of the described shape.
    pub fn get<E: MethodType + DeserializeOwned>(&self) -> Option<E> {
        if E::method_id() != self.body.method.as_ref() {
            return None;
        }
        match serde_json::from_str(&self.body.params) {
            Ok(event) => Some(event),
            Err(reason) => {
                tracing::debug!(method = self.method(), %reason, "an event was not understood and is dropped");
                None
            }
        }
    }
}

/// One subscription, on the sending side.
#[derive(Debug)]
pub(super) struct Subscriber {
    methods: Vec<Cow<'static, str>>,
    queue: mpsc::Sender<Event>,
    missed: Arc<AtomicU64>,
}

impl Subscriber {
    pub(super) fn wants(&self, method: &str) -> bool {
        self.methods.iter().any(|wanted| wanted == method)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    pub(super) fn offer(&self, event: Event) {
        if let Err(mpsc::error::TrySendError::Full(event)) = self.queue.try_send(event) {
            self.missed.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(method = event.method(), "a subscriber is behind and misses an event");
        }
    }
}

/// A bounded stream of the chosen events of one or several sessions, in the order in which Chrome sent them.
///
/// When the buffer is full the newest event is dropped and counted. The stream ends when every session in it is
/// gone. Dropping it unsubscribes.
#[derive(Debug)]
pub struct Events {
    queue: mpsc::Receiver<Event>,
    // Weak, so that the stream ends with its sessions though more may be added while one lives.
    sender: mpsc::WeakSender<Event>,
    missed: Arc<AtomicU64>,
}

impl Events {
    pub(super) fn subscribe(session: &Session, methods: Vec<Cow<'static, str>>, capacity: usize) -> Self {
        let (sender, queue) = mpsc::channel(capacity.max(1));
        let events = Self { queue, sender: sender.downgrade(), missed: Arc::default() };
        session.register(Subscriber { methods, queue: sender, missed: events.missed.clone() });
        events
    }

    /// Adds the events `methods` of another session to this stream; nothing happens once the stream has ended.
    pub fn also<M: Into<Cow<'static, str>>>(&self, session: &Session, methods: impl IntoIterator<Item = M>) {
        if let Some(queue) = self.sender.upgrade() {
            let methods = methods.into_iter().map(Into::into).collect();
            session.register(Subscriber { methods, queue, missed: self.missed.clone() });
        }
    }

    /// The next event; `None` when every session in the stream is gone.
    ///
    /// Cancel-safe: a dropped wait loses no event.
    pub async fn next(&mut self) -> Option<Event> {
        self.queue.recv().await
    }

    /// The next event if it is already here.
    pub fn try_next(&mut self) -> Option<Event> {
        self.queue.try_recv().ok()
    }

    /// How many events were dropped because the buffer was full.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}

/// A bounded stream of one kind of event.
#[derive(Debug)]
pub struct TypedEvents<E> {
    events: Events,
    kind: PhantomData<fn() -> E>,
}

impl<E: MethodType + DeserializeOwned> TypedEvents<E> {
    pub(super) fn new(events: Events) -> Self {
        Self { events, kind: PhantomData }
    }

    /// The next event; `None` when the session is gone. One that is not understood is skipped.
    ///
    /// Cancel-safe: a dropped wait loses no event.
    pub async fn next(&mut self) -> Option<E> {
        loop {
            if let Some(event) = self.events.next().await?.get() {
                return Some(event);
            }
        }
    }

    /// How many events were dropped because the buffer was full.
    pub fn missed(&self) -> u64 {
        self.events.missed()
    }
}
