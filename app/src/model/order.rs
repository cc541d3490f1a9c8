//! A work order: what the machine cannot finish, for a person: grouped failures with their evidence. What a
//! person asks of one is in [`ask`].

mod ask;

pub use ask::{
    AssignOrder, ClaimOrder, ClaimProof, CloseOrder, NewAnnotation, OrderDraft, ReopenOrder, TakeOver,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Timestamp,
    evidence::EvidenceKind,
    fault::{Fault, FaultClass},
    flow::Chain,
};

/// Where an order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OrderState {
    /// Waits for somebody.
    Open,
    /// Somebody works on it.
    Claimed,
    /// Has its conclusion.
    Closed,
}

impl OrderState {
    /// Every state.
    pub const ALL: [OrderState; 3] = [Self::Open, Self::Claimed, Self::Closed];

    /// The state as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Claimed => "claimed",
            Self::Closed => "closed",
        }
    }
}

impl std::str::FromStr for OrderState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no state of an order: open, claimed or closed"))
    }
}

/// How much an order matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Can wait some days.
    Low,
    /// Today or tomorrow.
    Medium,
    /// Now.
    High,
}

impl Severity {
    /// Every severity, the least first.
    pub const ALL: [Severity; 3] = [Self::Low, Self::Medium, Self::High];

    /// The severity as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl std::str::FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|severity| severity.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no severity: low, medium or high"))
    }
}

/// What the failures of an order have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OrderGroup {
    /// The flow's name.
    pub flow: String,
    /// The step of the newest failure, counted from 0, for showing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The step's key, by which failures are grouped over versions of the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_key: Option<String>,
    /// The site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The class of fault.
    pub class: FaultClass,
}

/// An attempt whose evidence is worth looking at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct OrderEvidence {
    /// The attempt: `/api/v1/attempts/{attempt}/evidence/{kind}`.
    pub attempt: Uuid,
    /// Its task.
    pub task: Uuid,
    /// When the attempt ended.
    pub at: Timestamp,
    /// What is kept of it.
    pub kinds: Vec<EvidenceKind>,
}

/// What somebody wrote about an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Annotation {
    /// UUIDv7.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub author: String,
    /// Markdown, as it was written.
    pub text: String,
    /// The same as HTML in which nothing runs and nothing is loaded.
    pub html: String,
}

/// What a person may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConclusionKind {
    /// The site names its elements otherwise.
    SelectorChanged,
    /// The page is at another address.
    EntryMoved,
    /// The site wants a sign-in.
    NeedsSignIn,
    /// The site is away.
    SiteDown,
    /// The task's data is wrong.
    WrongData,
    /// The task itself does harm.
    Poison,
    /// It has passed.
    Transient,
    /// Something else.
    Other,
}

impl ConclusionKind {
    /// Every kind.
    pub const ALL: [ConclusionKind; 8] = [
        Self::SelectorChanged,
        Self::EntryMoved,
        Self::NeedsSignIn,
        Self::SiteDown,
        Self::WrongData,
        Self::Poison,
        Self::Transient,
        Self::Other,
    ];

    /// The kind as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SelectorChanged => "selector_changed",
            Self::EntryMoved => "entry_moved",
            Self::NeedsSignIn => "needs_sign_in",
            Self::SiteDown => "site_down",
            Self::WrongData => "wrong_data",
            Self::Poison => "poison",
            Self::Transient => "transient",
            Self::Other => "other",
        }
    }
}

impl std::str::FromStr for ConclusionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no kind of conclusion"))
    }
}

/// What a person found, to close an order with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewConclusion {
    /// Of which kind.
    pub kind: ConclusionKind,
    /// In words, as Markdown.
    #[serde(default)]
    pub text: String,
}

/// What a person found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Conclusion {
    /// Of which kind.
    pub kind: ConclusionKind,
    /// In words, as Markdown.
    pub text: String,
    /// The same as HTML in which nothing runs and nothing is loaded.
    pub html: String,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What became of the tasks that waited.
    pub tasks: TasksThen,
}

/// What becomes of the tasks that wait on an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TasksThen {
    /// They run again, with attempts afresh, through the lane `rerun`.
    #[default]
    Release,
    /// They are taken back.
    Cancel,
    /// They fail.
    Fail,
}

impl TasksThen {
    /// Every one of them.
    pub const ALL: [TasksThen; 3] = [Self::Release, Self::Cancel, Self::Fail];

    /// As the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Cancel => "cancel",
            Self::Fail => "fail",
        }
    }
}

impl std::str::FromStr for TasksThen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|then| then.as_str() == text)
            .ok_or_else(|| format!("'{text}' is none of release, cancel or fail"))
    }
}

/// A work order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Order {
    /// UUIDv7.
    pub id: Uuid,
    /// Where it stands. A claim that has run out counts as none.
    pub state: OrderState,
    /// What its failures have in common.
    pub group: OrderGroup,
    /// In words: what does not work, and where.
    pub title: String,
    /// How much it matters.
    pub severity: Severity,
    /// By when somebody should have looked.
    pub due_at: Timestamp,
    /// Failures that came together in it.
    pub occurrences: u64,
    /// Tasks that wait on it now.
    pub waiting: u64,
    /// The flow's version of the newest failure.
    pub flow_version: u32,
    /// The step in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_words: Option<String>,
    /// The step's recorded selector chains, where it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selectors: Option<Vec<Chain>>,
    /// The address of a navigate step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The newest failure.
    pub fault: Fault,
    /// The newest failed attempts with evidence, the newest first. Empty in lists.
    #[serde(default)]
    pub evidence: Vec<OrderEvidence>,
    /// The newest success of the flow with evidence, to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good: Option<OrderEvidence>,
    /// Who is to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<String>,
    /// The name of who works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The person's or token's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by_id: Option<Uuid>,
    /// When the claim runs out unless it is kept alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_until: Option<Timestamp>,
    /// What writes to the claim are proven by: told to its holder only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_token: Option<Uuid>,
    /// What was written about it, the oldest first. Empty in lists.
    #[serde(default)]
    pub annotations: Vec<Annotation>,
    /// What the holder has typed so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub draft: Option<Value>,
    /// What was found, once it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Conclusion>,
    /// The rule that came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Uuid>,
    /// When its first failure came.
    pub opened_at: Timestamp,
    /// When its newest failure came.
    pub last_at: Timestamp,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// Goes up by one with every change.
    pub version: i64,
}

/// Which orders of the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderFilter {
    /// In this state.
    pub state: Option<OrderState>,
    /// Of this severity.
    pub severity: Option<Severity>,
    /// Of this flow.
    pub flow: Option<String>,
    /// Of this site.
    pub domain: Option<String>,
    /// Of this class of fault.
    pub class: Option<FaultClass>,
    /// Held by or assigned to the caller.
    pub mine: bool,
}

/// A claim that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Claim {
    /// What writes are proven by.
    pub claim_token: Uuid,
    /// When it runs out unless it is kept alive.
    pub claim_until: Timestamp,
}

/// The desk at a glance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Desk {
    /// Orders that are not closed.
    pub open: u64,
    /// Of these, the ones that somebody works on.
    pub claimed: u64,
    /// When the oldest of them was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<Timestamp>,
}
