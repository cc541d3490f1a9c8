//! What can go wrong in talking to Chrome.

use std::borrow::Cow;
use std::time::Duration;

/// Why a call to Chrome, or a wait for it, did not succeed.
///
/// Cheap to clone: one loss is told to every waiting call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CdpError {
    /// The WebSocket could not be opened.
    #[error("cannot connect to Chrome at {url}: {reason}")]
    Connect {
        /// The address that was tried.
        url: String,
        /// What the socket said.
        reason: String,
    },
    /// The WebSocket is closed: the browser ended, or this side closed it.
    #[error("the connection to Chrome is closed: {0}")]
    Closed(Cow<'static, str>),
    /// The target of the session is gone or was detached.
    #[error("the page is gone: its session was detached")]
    Detached,
    /// The renderer of the session's target crashed.
    #[error("the renderer crashed")]
    Crashed,
    /// No answer came within the limit.
    #[error("Chrome did not answer {method} within {limit:?}")]
    TimedOut {
        /// The command.
        method: Cow<'static, str>,
        /// The limit that has passed.
        limit: Duration,
    },
    /// Chrome answered with an error.
    #[error("Chrome refused {method}: {message} ({code})")]
    Refused {
        /// The command.
        method: Cow<'static, str>,
        /// The protocol's error code.
        code: i64,
        /// The protocol's words.
        message: String,
    },
    /// The answer has another shape than the protocol's description says.
    #[error("the answer to {method} is not understood: {reason}")]
    Decode {
        /// The command.
        method: Cow<'static, str>,
        /// What the decoder said.
        reason: String,
    },
    /// The command could not be written as JSON.
    #[error("{method} cannot be encoded: {reason}")]
    Encode {
        /// The command.
        method: Cow<'static, str>,
        /// What the encoder said.
        reason: String,
    },
    /// Chrome does not read: the queue of unsent commands is full.
    #[error("Chrome does not take commands: {waiting} are waiting to be sent")]
    Congested {
        /// Commands that wait to be sent.
        waiting: usize,
    },
}

impl CdpError {
    /// Whether no later call on the same session can succeed.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Closed(_) | Self::Detached | Self::Crashed)
    }
}
