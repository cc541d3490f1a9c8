//! Why the pool could not give a context, and why one was lost.

use std::time::Duration;

use crate::cdp::CdpError;

/// Why the pool did not do what was asked. Cheap enough to clone: a failed launch is told to all who waited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// No Chrome was found on this machine.
    #[error(
        "no Chrome was found (looked for {}). Install one, e.g. the package chromium-headless-shell, or set \
         pool.binary to its path", looked.join(", ")
    )]
    NoChrome {
        /// The names and paths that were tried.
        looked: Vec<String>,
    },
    /// Chrome was started and did not come up.
    #[error("{binary} did not start: {cause}")]
    Launch {
        /// The program.
        binary: String,
        /// What happened, with the end of what it printed.
        cause: String,
    },
    /// A file or folder of the pool could not be written or read.
    #[error("{path}: {reason}")]
    Files {
        /// The file or folder.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// What was waited for did not come within the limit.
    #[error("no {awaited} within {limit:?}")]
    TimedOut {
        /// What was waited for.
        awaited: Awaited,
        /// The limit that has passed.
        limit: Duration,
    },
    /// Chrome did not make the browser context.
    #[error("no browser context could be opened: {0}")]
    Context(#[from] CdpError),
    /// No instance has this id.
    #[error("there is no instance {0}")]
    UnknownInstance(String),
    /// The pool is being shut down.
    #[error("the pool is shutting down")]
    Closed,
}

/// What a request for a context waits for, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// A free slot.
    Slot,
    /// An instance with room: one in use, or one that starts.
    Instance,
    /// The browser context itself.
    Context,
}

impl std::fmt::Display for Awaited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Slot => "free slot",
            Self::Instance => "Chrome instance with room",
            Self::Context => "browser context",
        })
    }
}

/// The instance of a lease is gone, and every context in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Chrome instance {instance} was lost: {why}")]
pub struct Lost {
    /// The instance's id.
    pub instance: String,
    /// What happened to it, such as `ended by signal 9`.
    pub why: String,
    /// Contexts that were open in it when it was lost: with one, there is nobody else to blame.
    pub contexts: u32,
}
