//! The pool: Chrome instances and their slots, as the API and the pages show them.

use serde::{Deserialize, Serialize};

/// What an instance is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum InstanceState {
    /// Chrome is starting.
    Warming,
    /// Ready, no context open.
    Idle,
    /// One or more contexts open.
    Busy,
    /// Takes no more contexts; ends when its last one closes.
    Draining,
    /// Being ended and replaced.
    Recycling,
    /// Chrome ended by itself.
    Lost,
}

impl InstanceState {
    /// The state as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warming => "warming",
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Draining => "draining",
            Self::Recycling => "recycling",
            Self::Lost => "lost",
        }
    }
}

/// One Chrome instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct InstanceView {
    /// Short and unique on its node, such as `c7`.
    pub id: String,
    /// The node it runs on.
    pub node: String,
    /// What it is doing.
    pub state: InstanceState,
    /// Contexts open now.
    pub contexts: u32,
    /// Contexts opened since it started.
    pub uses: u32,
    /// Seconds since it started.
    pub age_s: u64,
    /// Memory of its process tree (proportional set size) in MiB, as last measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pss_mib: Option<u64>,
    /// Why it is draining, being recycled or lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The pool as it is now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct PoolView {
    /// Attempts that may run at once.
    pub slots: u32,
    /// Attempts that run now.
    pub busy: u32,
    /// The instances, oldest first.
    pub instances: Vec<InstanceView>,
}

/// A change to the pool; what is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PoolPatch {
    /// How many attempts may run at once; 1 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Instances that shall take no more contexts, by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Vec<String>>,
    /// Instances to end and replace once their contexts are closed, by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recycle: Option<Vec<String>>,
}
