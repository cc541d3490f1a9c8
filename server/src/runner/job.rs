//! What an attempt is given and what it hands back.

use std::sync::Arc;
use std::time::Duration;

use app::model::Timestamp;
use app::model::attempt::StepRecord;
use app::model::fault::Fault;
use app::model::flow::{Environment, Flow};
use async_trait::async_trait;
use url::Url;
use uuid::Uuid;

use crate::cdp::{Connection, Targets};
use crate::evidence::Captured;
use crate::pool::ContextLease;

/// Where a step comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The step of the recording that it is, or stands before; counted from 0. Faults and records go by it.
    pub index: u32,
    /// The rule that it follows, or that has put it in.
    pub rule: Option<Uuid>,
}

/// One attempt's work.
#[derive(Clone, Debug)]
pub struct Job {
    /// What to do; its parameters are filled already.
    pub flow: Flow,
    /// Where each step comes from. Empty where the steps are those of the recording.
    pub marks: Vec<Mark>,
    /// The surroundings it asks for.
    pub environment: Environment,
    /// The longest time of the attempt, gate waits not counted.
    pub timeout: Duration,
    /// Values that are masked wherever they would be written.
    pub secrets: Vec<String>,
    /// Names of query and fragment fields whose values are masked in addresses.
    pub mask: Vec<String>,
    /// Whether evidence is taken of a success too.
    pub baseline: bool,
}

/// Where an attempt runs: a fresh browser context, and the targets that appear in it. Who made the context
/// disposes of it.
#[derive(Debug)]
pub struct Stage {
    /// The connection to the Chrome instance, with auto-attach on.
    pub connection: Connection,
    /// The browser context's id.
    pub context: String,
    /// The context's targets, followed since before its first page.
    pub targets: Targets,
}

impl Stage {
    /// The stage in a leased context. Its targets are followed from here on, no more through the lease.
    #[must_use]
    pub fn in_context(lease: &ContextLease) -> Self {
        let connection = lease.connection().clone();
        let context: String = lease.context_id().as_ref().to_owned();
        let targets = connection.follow_context(&context);
        Self { connection, context, targets }
    }
}

/// How the egress proxy judged a host of this attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Let through, or never asked for.
    Allowed,
    /// A job may not go there.
    Refused {
        /// Why, in words.
        why: String,
    },
    /// The name is not known.
    DnsFailed,
    /// No connection came about.
    ConnectFailed {
        /// What the network said.
        why: String,
    },
    /// No connection came about in time.
    ConnectTimeout,
}

/// A site's gate held longer than an attempt may wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The site.
    pub domain: String,
    /// How long it was waited.
    pub waited: Duration,
    /// When the gate is clear, where that is known.
    pub until: Option<Timestamp>,
}

/// The site's door: gates before it, the egress proxy behind it.
#[async_trait]
pub trait Door: Send + Sync {
    /// Waits until a main-frame document request may go to this address. Called for the first request of every
    /// navigation and for each hop that leaves the site.
    ///
    /// # Errors
    /// When it would take too long: the attempt then ends and goes back at no cost.
    async fn pass(&self, url: &Url) -> Result<Duration, Held>;

    /// Whether a redirect from one address to another stays at one site.
    fn same_site(&self, from: &Url, to: &Url) -> bool {
        from.host_str() == to.host_str() && from.port_or_known_default() == to.port_or_known_default()
    }

    /// Tells what a document answered; gives back until when the site is to be left alone, for 429 and for 503
    /// with Retry-After.
    fn answered(&self, url: &Url, status: u16, retry_after: Option<&str>) -> Option<Timestamp>;

    /// How the egress proxy judged a host.
    fn reach(&self, host: &str, port: u16) -> Reach;
}

/// Why a critical step's beginning could not be recorded.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the beginning of a critical step could not be recorded: {0}")]
pub struct NotRecorded(pub String);

/// Who is told how far an attempt is.
#[async_trait]
pub trait Progress: Send + Sync {
    /// A step begins, counted from 0.
    fn at_step(&self, index: u32);

    /// Records durably that a critical step begins. Its input follows only when this has returned.
    ///
    /// # Errors
    /// When it could not be recorded: the step's input is not sent then.
    async fn critical(&self, index: u32) -> Result<(), NotRecorded>;
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// Every step was done.
    Succeeded {
        /// `{name: value}` of what the flow extracted.
        result: serde_json::Map<String, serde_json::Value>,
    },
    /// With a fault.
    Failed(Fault),
    /// The cancel token was triggered.
    Cancelled,
    /// A gate wait went past its limit.
    Returned(Held),
}

/// A picture that a screenshot step took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The name that the step gives it.
    pub name: Option<String>,
    /// The step, counted from 0.
    pub step: u32,
    /// PNG; secrets hidden.
    pub png: Vec<u8>,
}

/// What an attempt hands back. Everything in it is masked.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub outcome: Ended,
    /// What each step did that was begun.
    pub steps: Vec<StepRecord>,
    /// How many L1 rescues it used.
    pub rescues: u32,
    /// Milliseconds at gates.
    pub gate_ms: u64,
    /// Milliseconds running, gate waits not counted.
    pub run_ms: u64,
    /// The first critical step that had begun, counted from 0.
    pub critical_step: Option<u32>,
    /// Until when the site asked to be left alone.
    pub retry_at: Option<Timestamp>,
    /// What screenshot steps took.
    pub pictures: Vec<Picture>,
    /// Evidence of a failure, or of a success where it was asked for.
    pub evidence: Option<Captured>,
}

/// The two that an attempt talks to beside its page.
#[derive(Clone)]
pub(super) struct Outside {
    pub door: Arc<dyn Door>,
    pub progress: Arc<dyn Progress>,
}
