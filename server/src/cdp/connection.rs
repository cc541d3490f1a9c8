//! One WebSocket to one browser and the task that serves it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use serde_json::value::RawValue;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::error::CdpError;
use super::registry::{AnswerError, Registry, SessionState};
use super::session::Session;
use super::targets::{self, Routes, Targets};
use super::wire::Incoming;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How long the WebSocket's opening may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// The default limit of a call; [`Session::with_limit`] and [`Session::call_within`] give others.
const CALL_LIMIT: Duration = Duration::from_secs(15);

/// The largest message taken: a full-page screenshot or a DOM snapshot comes as one.
const MAX_MESSAGE: usize = 256 << 20;

/// Commands written in one go before the socket is flushed.
const BATCH: usize = 64;

/// One WebSocket to one browser. Cheap to clone; it closes when the last clone and the last [`Session`] on it
/// are dropped, or by [`Connection::close`].
#[derive(Debug, Clone)]
pub struct Connection {
    registry: Arc<Registry>,
    open: Arc<DropGuard>,
}

impl Connection {
    /// Connects to a browser's DevTools address (`ws://host:port/devtools/browser/…`).
    ///
    /// # Errors
    /// [`CdpError::Connect`], also when it takes longer than 10 s.
    pub async fn connect(url: &str) -> Result<Self, CdpError> {
        let failed = |reason: String| CdpError::Connect { url: url.to_owned(), reason };
        let config =
            WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
        let opening = tokio_tungstenite::connect_async_with_config(url, Some(config), true);
        let (socket, _) = tokio::time::timeout(CONNECT_LIMIT, opening)
            .await
            .map_err(|_| failed(format!("no answer within {CONNECT_LIMIT:?}")))?
            .map_err(|e| failed(e.to_string()))?;

        let (registry, unsent) = Registry::new();
        let registry = Arc::new(registry);
        let stop = CancellationToken::new();
        tokio::spawn(pump(socket, registry.clone(), unsent, stop.clone()));
        Ok(Self { registry, open: Arc::new(stop.drop_guard()) })
    }

    /// The browser itself, with the default limit of 15 s for each call.
    pub fn root(&self) -> Session {
        self.session_of(self.registry.root.clone())
    }

    /// The session with this id, such as `Target.attachToTarget` gives. One that is not attached (any more) is
    /// gone: its calls fail at once.
    pub fn session(&self, id: &str) -> Session {
        let state = self.registry.session(Some(id)).unwrap_or_else(|| Arc::new(SessionState::ended(id)));
        self.session_of(state)
    }

    /// Makes Chrome attach every new page and popup to this connection, paused. Those of a followed context go
    /// to its [`Targets`]; others are let run. Once per browser is enough.
    ///
    /// # Errors
    /// Whatever [`Session::call`] says.
    pub async fn auto_attach(&self) -> Result<(), CdpError> {
        self.root().auto_attach().await
    }

    /// Follows the new targets of one browser context. To be called before its first page is made.
    pub fn follow_context(&self, browser_context_id: &str) -> Targets {
        Routes::follow(self, browser_context_id)
    }

    /// Resolves, with the reason, when the connection is closed.
    pub async fn closed(&self) -> CdpError {
        self.root().gone().await
    }

    /// Why the connection is closed, when it is.
    pub fn is_closed(&self) -> Option<CdpError> {
        self.registry.root.gone()
    }

    /// Closes the connection: what waits on it fails at once. The browser itself goes on.
    pub fn close(&self) {
        self.open.token().cancel();
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(super) fn session_of(&self, state: Arc<SessionState>) -> Session {
        Session::new(self.clone(), state, CALL_LIMIT)
    }
}

/// Reads and writes until either ends, then fails everything that waits.
async fn pump(
    socket: Socket,
    registry: Arc<Registry>,
    unsent: mpsc::Receiver<String>,
    stop: CancellationToken,
) {
    let (sink, stream) = socket.split();
    // Reading goes on while a write waits: a Chrome that is itself waiting to write to us would else never read.
    let reason = tokio::select! {
        reason = read(stream, &registry) => reason,
        reason = write(sink, unsent) => reason,
        () = stop.cancelled() => "it was closed on this side".into(),
    };
    tracing::debug!(%reason, "a connection to Chrome ended");
    registry.close(CdpError::Closed(reason));
}

/// Hands every message on; ends with the socket.
async fn read(mut stream: SplitStream<Socket>, registry: &Registry) -> Cow<'static, str> {
    loop {
        match stream.next().await {
            Some(Ok(Message::Text(text))) => dispatch(registry, &text),
            Some(Ok(Message::Close(_))) | None => return "the browser closed it".into(),
            Some(Ok(_)) => {}
            Some(Err(reason)) => return reason.to_string().into(),
        }
    }
}

/// Sends what is queued, in order, a batch at a time.
async fn write(
    mut sink: SplitSink<Socket, Message>,
    mut unsent: mpsc::Receiver<String>,
) -> Cow<'static, str> {
    let mut batch = Vec::with_capacity(BATCH);
    while unsent.recv_many(&mut batch, BATCH).await > 0 {
        for command in batch.drain(..) {
            if let Err(reason) = sink.feed(Message::text(command)).await {
                return reason.to_string().into();
            }
        }
        if let Err(reason) = sink.flush().await {
            return reason.to_string().into();
        }
    }
    "nobody uses it any more".into()
}

/// Hands one message to whom it concerns.
fn dispatch(registry: &Registry, text: &str) {
    let incoming: Incoming<'_> = match serde_json::from_str(text) {
        Ok(incoming) => incoming,
        Err(reason) => {
            tracing::debug!(%reason, bytes = text.len(), "a message was not understood and is dropped");
            return;
        }
    };
    let Some(session) = registry.session(incoming.session) else {
        tracing::debug!(session = incoming.session, "a message of an unknown session is dropped");
        return;
    };
    match (incoming.id, incoming.method) {
        (Some(id), _) => session.answer(
            id,
            match incoming.error {
                Some(refusal) => Err(AnswerError::Refused(refusal)),
                None => Ok(incoming.result.map_or("{}", RawValue::get).into()),
            },
        ),
        (None, Some(method)) => {
            let params = incoming.params.map_or("{}", RawValue::get);
            session.publish(method, params);
            targets::observe(registry, &session, method, params);
        }
        (None, None) => tracing::debug!("a message that is neither answer nor event is dropped"),
    }
}
