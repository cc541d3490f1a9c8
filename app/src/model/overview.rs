//! The overview: the fleet at a glance, and what needs a person.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Timestamp, breaker::BreakerView, gate::GateView, order::Desk, pool::PoolView, task::TaskState};

/// One lane's load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct LaneLoad {
    /// Tasks that could start now, but for slots and gates.
    pub ready: u64,
    /// Tasks that wait for a time: `not_before` or a retry.
    pub held: u64,
}

/// One slot of the pool that has an attempt in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Berth {
    /// The task.
    pub task: uuid::Uuid,
    /// Its name.
    pub name: String,
    /// Its site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// When the attempt began.
    pub since: Timestamp,
    /// The step it is at, counted from 0, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<(u32, u32)>,
}

/// What happened in the last hour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Recent {
    /// Attempts that ended.
    pub attempts: u64,
    /// Tasks that succeeded.
    pub succeeded: u64,
    /// Tasks that escalated.
    pub escalated: u64,
    /// Tasks that ended in a minute, over the last five minutes.
    pub per_minute: f64,
    /// Median time from ready to start, in milliseconds; absent where nothing started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_p50_ms: Option<u64>,
    /// The 95th percentile of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_p95_ms: Option<u64>,
    /// Attempts that failed, by class of fault.
    pub faults: BTreeMap<String, u64>,
}

/// The fleet at a glance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Overview {
    /// When this was taken.
    pub at: Timestamp,
    /// Tasks by state.
    #[cfg_attr(feature = "ssr", schema(value_type = BTreeMap<String, u64>))]
    pub tasks: BTreeMap<TaskStateKey, u64>,
    /// Load by lane.
    pub lanes: BTreeMap<String, LaneLoad>,
    /// Tasks the queue may hold.
    pub capacity: u64,
    /// The pool.
    pub pool: PoolView,
    /// What runs.
    pub berths: Vec<Berth>,
    /// The fleet's gate: documents a second and burst.
    pub global_per_s: f64,
    /// Its burst.
    pub global_burst: u32,
    /// The busiest sites.
    pub gates: Vec<GateView>,
    /// The fleet's breaker.
    #[serde(default)]
    pub breaker: BreakerView,
    /// The reviewers' desk.
    #[serde(default)]
    pub desk: Desk,
    /// The last hour.
    pub recent: Recent,
}

/// A state as a key of a JSON object.
pub type TaskStateKey = String;

impl Overview {
    /// How many tasks are in a state.
    #[must_use]
    pub fn count(&self, state: TaskState) -> u64 {
        self.tasks.get(state.as_str()).copied().unwrap_or(0)
    }
}
