//! A task: one request to run a flow version with parameters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{Timestamp, attempt::Attempt, fault::Fault, flow::FlowRef, message::Message};

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Waits for its turn.
    Queued,
    /// An attempt of it runs.
    Running,
    /// An end: it has its result.
    Succeeded,
    /// An end: policy, internal, a passed deadline, or a person said so.
    Failed,
    /// Waits on a person.
    Escalated,
    /// Set aside: it crashed its contexts again and again.
    Quarantined,
    /// An end: a person or program took it back.
    Cancelled,
}

impl TaskState {
    /// Every state, as a task meets them.
    pub const ALL: [TaskState; 7] = [
        Self::Queued,
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::Escalated,
        Self::Quarantined,
        Self::Cancelled,
    ];

    /// The state as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Escalated => "escalated",
            Self::Quarantined => "quarantined",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more happens to the task by itself or by a person, but a retry.
    #[must_use]
    pub fn is_end(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

impl std::str::FromStr for TaskState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| {
            format!("'{text}' is no state: queued, running, succeeded, failed, escalated, quarantined or cancelled")
        })
    }
}

/// A track of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// What is submitted.
    #[default]
    Main,
    /// What a closed order released.
    Rerun,
    /// Runs of a failed task with a draft rule.
    Proof,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Lane; 3] = [Self::Main, Self::Rerun, Self::Proof];

    /// The lane as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Rerun => "rerun",
            Self::Proof => "proof",
        }
    }
}

impl std::str::FromStr for Lane {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|lane| lane.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no lane: main, rerun or proof"))
    }
}

/// What a queued task waits on, the first that binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// The fleet or its scope is paused.
    Pause,
    /// Its `not_before`.
    Schedule,
    /// The time of its next try.
    Retry,
    /// The fleet's breaker.
    Breaker,
    /// Its site's breaker.
    SiteBreaker,
    /// Its account is in use.
    Account,
    /// Its site has as many running as it may.
    DomainConcurrency,
    /// The fleet's rate.
    GateGlobal,
    /// Its site's rate.
    GateDomain,
    /// A downstream limiter.
    Limiter,
    /// Its turn in the lane.
    Turn,
}

/// What a queued task waits on and until when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct WaitingOn {
    /// The kind of wait.
    pub kind: WaitKind,
    /// In words; for a turn the place, exact to 500, then `500+`.
    pub detail: String,
    /// When it ends, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// A task as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Task {
    /// UUIDv7.
    pub id: Uuid,
    /// For people; by default the flow's title.
    pub name: String,
    /// The version that runs, pinned at submission.
    pub flow: FlowRef,
    /// Values for the flow's `{{parameters}}`. Private ones are shown as `•••`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Where it stands.
    pub state: TaskState,
    /// Its track.
    pub lane: Lane,
    /// 0 (first) to 9.
    pub priority: u8,
    /// The site whose gate it waits on: that of its first navigate step unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The account it signs in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The submitter's own key: unique while the task is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Attempts it may spend.
    pub max_attempts: u32,
    /// Attempts it has spent since it was last given a fresh set.
    pub attempts_spent: u32,
    /// Longest time of one attempt, gate waits not counted, in seconds.
    pub timeout_s: u64,
    /// Not started before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// Fails when it has not succeeded by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// What a queued task waits on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<WaitingOn>,
    /// `{name: value}` of what the flow extracted, once it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub result: Option<Value>,
    /// Why it last failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// The work order it waits on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Uuid>,
    /// The task that this one repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<Uuid>,
    /// The batch it came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Uuid>,
    /// Its attempts, oldest first. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Vec<Attempt>>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it came to an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Goes up by one with every change.
    pub version: i64,
}

/// The flow of a submission: a recording, or the name of one that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum FlowInput {
    /// `name` (its newest listed version) or `name@version`.
    Name(String),
    /// A recording of Chrome DevTools' Recorder panel.
    #[cfg_attr(feature = "ssr", schema(value_type = Object))]
    Recording(Value),
}

/// A value for a `{{parameter}}`: text, or a number or truth value that is written as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum ParameterValue {
    /// As it stands.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
    /// In JSON's writing.
    #[cfg_attr(feature = "ssr", schema(value_type = f64))]
    Number(serde_json::Number),
}

impl ParameterValue {
    /// What stands in the flow's place.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl From<&str> for ParameterValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTask {
    /// What to run.
    pub flow: FlowInput,
    /// Values for its `{{parameters}}`.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterValue>,
    /// For people; by default the flow's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only `main` may be asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    /// 0 (first) to 9; 5 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The site whose gate it waits on, where it is not that of the first navigate step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The account it signs in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// A key of the submitter's: the same key with the same body is the same task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Not started before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Timestamp>,
    /// Fails when it has not succeeded by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Attempts it may spend; 1 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Longest time of one attempt in seconds; 1 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    /// How long to wait for room when the queue is full, in seconds; to 60.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_s: Option<u64>,
}

impl NewTask {
    /// A submission of a flow with nothing else said.
    #[must_use]
    pub fn of(flow: FlowInput) -> Self {
        Self {
            flow,
            parameters: BTreeMap::new(),
            name: None,
            lane: None,
            priority: None,
            domain: None,
            account: None,
            key: None,
            not_before: None,
            deadline: None,
            attempts: None,
            timeout_s: None,
            wait_s: None,
        }
    }
}

/// What a submission became.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submitted {
    /// The task.
    pub task: Task,
    /// False where the key was known and this is the first one's task.
    pub created: bool,
}

/// Which changes to make when a task is run again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RetryEdits {
    /// Other values for some of the parameters; the rest stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<BTreeMap<String, ParameterValue>>,
    /// Another flow version of the same or another flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowInput>,
    /// Another priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
}

impl RetryEdits {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Which tasks of the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskFilter {
    /// In this state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<TaskState>,
    /// Of this flow, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// Of this site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Whose last fault is of this class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// On this lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    /// Of this batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Uuid>,
    /// With these words in name, parameters or key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
}

/// The sentence that says what a queued task waits on.
#[must_use]
pub fn waiting(kind: WaitKind, detail: &Message, until: Option<Timestamp>) -> WaitingOn {
    WaitingOn { kind, detail: detail.english(), until }
}
