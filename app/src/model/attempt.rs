//! An attempt: one execution of a task in one fresh browser context. Never rewritten once over.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Timestamp, evidence::EvidenceKind, fault::Fault};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With the result.
    Succeeded,
    /// With a fault.
    Failed,
    /// Its holder or its lease was lost.
    Lost,
    /// By a person or program.
    Cancelled,
    /// Put back at no cost, for a drain or a gate wait past its limit.
    Returned,
}

impl Outcome {
    /// The outcome as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Cancelled => "cancelled",
            Self::Returned => "returned",
        }
    }
}

/// Where an attempt's time went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Timing {
    /// From the time it could have started to its start.
    pub queued_ms: u64,
    /// At the gates, inside the attempt.
    pub gate_ms: u64,
    /// Until its context was there.
    pub context_ms: u64,
    /// Running its steps, gate waits not counted.
    pub run_ms: u64,
}

/// A fallback inside an attempt that found an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rescue {
    /// Another of the recording's own selectors than the first.
    L0,
    /// Structural matching or a model.
    L1,
}

/// What one step did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct StepRecord {
    /// Counted from 0.
    pub index: u32,
    /// The step's type, as in the recording.
    pub r#type: String,
    /// The chain that served, its parts joined by ` >> `.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector_used: Option<String>,
    /// How many chains were tried before one served or the time was over.
    #[serde(default)]
    pub tries: u32,
    /// The fallback that served, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<Rescue>,
    /// The rule that the plan has for this step, or that has put the step in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Uuid>,
    /// How long it took, gate waits not counted.
    pub ms: u64,
    /// Why it failed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One execution of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Attempt {
    /// UUIDv7.
    pub id: Uuid,
    /// From 1; goes on when a task is given attempts afresh.
    pub number: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// The Chrome instance it ran in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// The node it ran on.
    pub node: String,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// The rules that were in its plan.
    #[serde(default)]
    pub rules: Vec<Uuid>,
    /// Where its time went.
    pub timing: Timing,
    /// What each step did.
    #[serde(default)]
    pub steps: Vec<StepRecord>,
    /// How many L1 rescues it used.
    pub rescues: u32,
    /// The kinds of evidence that are kept of it.
    #[serde(default)]
    pub evidence: Vec<EvidenceKind>,
    /// The step that is running, counted from 0; only while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_step: Option<u32>,
    /// The critical step that had begun, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_step: Option<u32>,
}
