//! What a connection knows of its sessions: who waits for which answer, who listens, and what is gone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chromiumoxide::types::Command;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};

use super::error::CdpError;
use super::event::{Event, Subscriber};
use super::targets::Routes;
use super::wire::{Outgoing, Refusal};

/// Commands that may wait to be sent. Every caller waits for its answer, so a full queue means that Chrome does
/// not read.
const OUTBOX: usize = 1024;

/// An answer as it came: the result's JSON text.
pub(super) type Answer = Result<Box<str>, AnswerError>;

/// Why a pending call got no result.
#[derive(Debug)]
pub(super) enum AnswerError {
    Refused(Refusal),
    Gone(CdpError),
}

/// Shared by the pump and every handle of one connection.
#[derive(Debug)]
pub(super) struct Registry {
    next_id: AtomicU64,
    outbox: mpsc::Sender<String>,
    pub root: Arc<SessionState>,
    sessions: Mutex<HashMap<Arc<str>, Arc<SessionState>>>,
    pub routes: Routes,
}

/// One session: its identity, its waiting calls and its listeners.
#[derive(Debug)]
pub(super) struct SessionState {
    /// `None` for the browser itself.
    pub id: Option<Arc<str>>,
    pub parent: Option<Arc<str>>,
    pub target: Box<str>,
    live: Mutex<Live>,
    gone: watch::Sender<Option<CdpError>>,
}

#[derive(Debug, Default)]
struct Live {
    pending: HashMap<u64, oneshot::Sender<Answer>>,
    subscribers: Vec<Subscriber>,
}

impl Registry {
    /// A registry, and the commands that are to be sent.
    pub(super) fn new() -> (Self, mpsc::Receiver<String>) {
        let (outbox, unsent) = mpsc::channel(OUTBOX);
        let registry = Self {
            next_id: AtomicU64::new(1),
            outbox,
            root: Arc::new(SessionState::new(None, None, "")),
            sessions: Mutex::default(),
            routes: Routes::default(),
        };
        (registry, unsent)
    }

    /// Adds a session that Chrome has announced; the one known already when it is announced twice.
    pub(super) fn attach(&self, id: &str, parent: Option<Arc<str>>, target: &str) -> Arc<SessionState> {
        let id: Arc<str> = id.into();
        let mut sessions = self.sessions.lock();
        let fresh = || Arc::new(SessionState::new(Some(id.clone()), parent, target));
        sessions.entry(id.clone()).or_insert_with(fresh).clone()
    }

    /// The session `id`; `None` is the browser itself.
    pub(super) fn session(&self, id: Option<&str>) -> Option<Arc<SessionState>> {
        match id {
            None => Some(self.root.clone()),
            Some(id) => self.sessions.lock().get(id).cloned(),
        }
    }

    /// Forgets a session and those attached through it, and fails what waits on them.
    pub(super) fn detach(&self, id: &str) {
        let mut lost = Vec::new();
        let mut sessions = self.sessions.lock();
        lost.extend(sessions.remove(id));
        let mut next = 0;
        while let Some(parent) = lost.get(next).and_then(|session| session.id.clone()) {
            let below: Vec<_> =
                sessions.values().filter(|s| s.parent.as_ref() == Some(&parent)).cloned().collect();
            for session in below {
                sessions.retain(|_, other| !Arc::ptr_eq(other, &session));
                lost.push(session);
            }
            next += 1;
        }
        drop(sessions);
        for session in lost {
            session.end(CdpError::Detached);
        }
    }

    /// Fails what waits on the sessions of a target whose renderer crashed.
    pub(super) fn crash(&self, target: &str) {
        let hit: Vec<_> =
            self.sessions.lock().values().filter(|s| s.target.as_ref() == target).cloned().collect();
        for session in hit {
            session.end(CdpError::Crashed);
        }
    }

    /// Fails everything: the connection is closed.
    pub(super) fn close(&self, reason: CdpError) {
        let all: Vec<_> = self.sessions.lock().drain().map(|(_, session)| session).collect();
        // The root last: whoever sees the connection closed finds every session ended.
        for session in all.iter().chain([&self.root]) {
            session.end(reason.clone());
        }
        self.routes.clear();
    }

    /// Queues a command on `session`; the answer is awaited by nobody.
    pub(super) fn tell<C: Command>(&self, session: &SessionState, command: &C) -> Result<(), CdpError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.queue(id, session, command)
    }

    /// Queues a command on `session`; the answer comes through the receiver.
    pub(super) fn ask<C: Command>(
        &self,
        session: &SessionState,
        command: &C,
    ) -> Result<(u64, oneshot::Receiver<Answer>), CdpError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, waiting) = oneshot::channel();
        session.await_answer(id, answer)?;
        match self.queue(id, session, command) {
            Ok(()) => Ok((id, waiting)),
            Err(error) => {
                session.forget(id);
                Err(error)
            }
        }
    }

    fn queue<C: Command>(&self, id: u64, session: &SessionState, command: &C) -> Result<(), CdpError> {
        if let Some(gone) = session.gone() {
            return Err(gone);
        }
        let method = command.identifier();
        let outgoing = Outgoing { id, session: session.id.as_deref(), method: &method, params: command };
        let text = serde_json::to_string(&outgoing)
            .map_err(|e| CdpError::Encode { method: method.clone(), reason: e.to_string() })?;
        self.outbox.try_send(text).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => CdpError::Congested { waiting: OUTBOX },
            mpsc::error::TrySendError::Closed(_) => CdpError::Closed("its pump has ended".into()),
        })
    }
}

impl SessionState {
    fn new(id: Option<Arc<str>>, parent: Option<Arc<str>>, target: &str) -> Self {
        Self { id, parent, target: target.into(), live: Mutex::default(), gone: watch::Sender::new(None) }
    }

    /// A session that is gone already: asked for after its end.
    pub(super) fn ended(id: &str) -> Self {
        let session = Self::new(Some(id.into()), None, "");
        session.end(CdpError::Detached);
        session
    }

    /// Why the session is gone, when it is.
    pub(super) fn gone(&self) -> Option<CdpError> {
        self.gone.borrow().clone()
    }

    /// Told when the session is gone.
    pub(super) fn watch_gone(&self) -> watch::Receiver<Option<CdpError>> {
        self.gone.subscribe()
    }

    fn await_answer(&self, id: u64, answer: oneshot::Sender<Answer>) -> Result<(), CdpError> {
        let mut live = self.live.lock();
        if let Some(gone) = self.gone() {
            return Err(gone);
        }
        live.pending.insert(id, answer);
        Ok(())
    }

    /// Stops waiting for an answer.
    pub(super) fn forget(&self, id: u64) {
        self.live.lock().pending.remove(&id);
    }

    /// Hands an answer to the call that waits for it, if one still does.
    pub(super) fn answer(&self, id: u64, answer: Answer) {
        let waiting = self.live.lock().pending.remove(&id);
        if let Some(waiting) = waiting {
            // The caller may have stopped waiting meanwhile.
            let _ = waiting.send(answer);
        }
    }

    /// Hands an event to those who subscribed to it.
    pub(super) fn publish(&self, method: &str, params: &str) {
        let mut live = self.live.lock();
        let mut event = None;
        live.subscribers.retain(|subscriber| !subscriber.is_closed());
        for subscriber in live.subscribers.iter().filter(|s| s.wants(method)) {
            let event = event.get_or_insert_with(|| Event::new(self.id.clone(), method, params));
            subscriber.offer(event.clone());
        }
    }

    /// Adds a listener; one on a session that is gone ends at once.
    pub(super) fn subscribe(&self, subscriber: Subscriber) {
        let mut live = self.live.lock();
        if self.gone().is_none() {
            live.subscribers.push(subscriber);
        }
    }

    /// Ends the session: the first reason stands; waiting calls fail, listeners end.
    pub(super) fn end(&self, reason: CdpError) {
        let mut live = self.live.lock();
        let first = self.gone.send_if_modified(|gone| match gone {
            Some(_) => false,
            None => {
                *gone = Some(reason.clone());
                true
            }
        });
        let ended = std::mem::take(&mut *live);
        drop(live);
        if first {
            for waiting in ended.pending.into_values() {
                // The caller may have stopped waiting meanwhile.
                let _ = waiting.send(Err(AnswerError::Gone(reason.clone())));
            }
        }
    }
}
