//! Sessions: typed commands to one target, each with a limit.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::target::{FilterEntry, SetAutoAttachParams, TargetFilter};
use chromiumoxide::types::{Command, MethodType};
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connection::Connection;
use super::error::CdpError;
use super::event::{Events, Subscriber, TypedEvents};
use super::registry::{Answer, AnswerError, SessionState};

/// One attached target, or the browser itself. Cheap to clone; a clone is the same session.
///
/// Dropping it detaches nothing: the target lives until it is closed or its browser context is disposed of.
#[derive(Debug, Clone)]
pub struct Session {
    connection: Connection,
    state: Arc<SessionState>,
    limit: Duration,
}

impl Session {
    pub(super) fn new(connection: Connection, state: Arc<SessionState>, limit: Duration) -> Self {
        Self { connection, state, limit }
    }

    /// The protocol's id of the session; `None` is the browser itself.
    pub fn id(&self) -> Option<&str> {
        self.state.id.as_deref()
    }

    /// The connection that the session is on.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// How long [`Session::call`] waits for an answer.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// The same session with another default limit.
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sends a command and waits for its answer, within the session's own limit.
    ///
    /// # Errors
    /// Whatever [`CdpError`] names; a call on a session that is gone fails at once.
    pub async fn call<C: Command>(&self, command: C) -> Result<C::Response, CdpError> {
        self.send(command)?.answer().await
    }

    /// Sends a command and waits for its answer, at most for `limit`.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub async fn call_within<C: Command>(
        &self,
        limit: Duration,
        command: C,
    ) -> Result<C::Response, CdpError> {
        let mut sent = self.send(command)?;
        sent.limit = limit;
        sent.answer().await
    }

    /// Queues a command without waiting; the answer can be awaited later. Commands reach Chrome in the order of
    /// these calls, so several can be sent in one go and awaited together.
    ///
    /// # Errors
    /// The session is gone, the command cannot be encoded, or Chrome takes no commands.
    pub fn send<C: Command>(&self, command: C) -> Result<Sent<C>, CdpError> {
        let (id, waiting) = self.connection.registry().ask(&self.state, &command)?;
        Ok(Sent {
            waiting,
            pending: Pending { id, state: self.state.clone() },
            sent_at: Instant::now(),
            limit: self.limit,
            command,
        })
    }

    /// Queues a command whose answer nobody needs.
    ///
    /// # Errors
    /// As [`Session::send`].
    pub fn tell<C: Command>(&self, command: C) -> Result<(), CdpError> {
        self.connection.registry().tell(&self.state, &command)
    }

    /// Subscribes to one kind of event, from now on; at most `capacity` wait unread.
    pub fn subscribe<E: MethodType + DeserializeOwned>(&self, capacity: usize) -> TypedEvents<E> {
        TypedEvents::new(self.events([E::method_id()], capacity))
    }

    /// Subscribes to the events named, from now on, in one stream; at most `capacity` wait unread.
    pub fn events<M: Into<Cow<'static, str>>>(
        &self,
        methods: impl IntoIterator<Item = M>,
        capacity: usize,
    ) -> Events {
        Events::subscribe(self, methods.into_iter().map(Into::into).collect(), capacity)
    }

    /// Makes Chrome attach what belongs to this target (frames of other sites, workers) to the connection,
    /// paused; a followed context's [`Targets`](super::Targets) gives them.
    ///
    /// # Errors
    /// Whatever [`CdpError`] names.
    pub async fn auto_attach(&self) -> Result<(), CdpError> {
        self.call(auto_attach_flat()).await.map(drop)
    }

    /// As [`Session::auto_attach`], without waiting for the answer: for the set-up of a paused target.
    ///
    /// # Errors
    /// As [`Session::send`].
    pub fn tell_auto_attach(&self) -> Result<(), CdpError> {
        self.tell(auto_attach_flat())
    }

    /// Why the session is gone, when it is.
    pub fn is_gone(&self) -> Option<CdpError> {
        self.state.gone()
    }

    /// Resolves, with the reason, when the session is gone: crashed, detached, or its connection closed.
    pub async fn gone(&self) -> CdpError {
        let mut gone = self.state.watch_gone();
        match gone.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(CdpError::Detached),
            Err(_) => CdpError::Detached,
        }
    }

    pub(super) fn register(&self, subscriber: Subscriber) {
        self.state.subscribe(subscriber);
    }
}

/// The kinds of target that a page can have or open. Chrome's own interface is made of targets, too; they are in
/// the context of the window that they belong to, and are left alone.
const KINDS: [&str; 5] = ["page", "iframe", "worker", "shared_worker", "service_worker"];

fn auto_attach_flat() -> SetAutoAttachParams {
    let entry = |kind: &str| FilterEntry { exclude: None, r#type: Some(kind.to_owned()) };
    SetAutoAttachParams {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: Some(true),
        filter: Some(TargetFilter::new(KINDS.map(entry).to_vec())),
    }
}

/// A command that was sent; its answer is still to come. Dropping it drops the answer, not the command.
#[must_use = "the answer is lost unless it is awaited; use `tell` where nobody needs it"]
#[derive(Debug)]
pub struct Sent<C> {
    waiting: oneshot::Receiver<Answer>,
    pending: Pending,
    sent_at: Instant,
    limit: Duration,
    command: C,
}

impl<C: Command> Sent<C> {
    /// Waits for the answer, within the session's limit counted from the sending.
    ///
    /// # Errors
    /// Whatever [`CdpError`] names.
    pub async fn answer(self) -> Result<C::Response, CdpError> {
        let Self { waiting, pending, sent_at, limit, command } = self;
        let answer = tokio::time::timeout_at(sent_at + limit, waiting).await;
        drop(pending);
        let method = || command.identifier();
        match answer {
            Err(_) => Err(CdpError::TimedOut { method: method(), limit }),
            Ok(Err(_)) => Err(CdpError::Closed("its pump has ended".into())),
            Ok(Ok(Err(AnswerError::Gone(reason)))) => Err(reason),
            Ok(Ok(Err(AnswerError::Refused(refusal)))) => {
                Err(CdpError::Refused { method: method(), code: refusal.code, message: refusal.message })
            }
            Ok(Ok(Ok(result))) => serde_json::from_str(&result)
                .map_err(|e| CdpError::Decode { method: method(), reason: e.to_string() }),
        }
    }
}

/// Takes the call off the waiting list however the wait ends.
#[derive(Debug)]
struct Pending {
    id: u64,
    state: Arc<SessionState>,
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.state.forget(self.id);
    }
}
