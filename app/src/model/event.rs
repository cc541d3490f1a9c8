//! The live stream: state, not history.

use serde::{Deserialize, Serialize};

/// What an event is about; also the SSE event's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The fleet at a glance: [`Overview`](super::overview::Overview).
    Overview,
    /// A task, without its attempts in the general stream, whole where `task=` names it.
    Task,
    /// A work order.
    Order,
    /// The pool: [`PoolView`](super::pool::PoolView).
    Pool,
    /// A site's gate: [`GateView`](super::gate::GateView).
    Gate,
    /// A breaker.
    Breaker,
    /// An alert.
    Alert,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Topic; 7] =
        [Self::Overview, Self::Task, Self::Order, Self::Pool, Self::Gate, Self::Breaker, Self::Alert];

    /// The topic as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Task => "task",
            Self::Order => "order",
            Self::Pool => "pool",
            Self::Gate => "gate",
            Self::Breaker => "breaker",
            Self::Alert => "alert",
        }
    }
}

impl std::str::FromStr for Topic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|topic| topic.as_str() == text).ok_or_else(|| {
            format!("'{text}' is no topic: overview, task, order, pool, gate, breaker or alert")
        })
    }
}
