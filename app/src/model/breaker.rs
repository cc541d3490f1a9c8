//! Breakers: one for the fleet and one for each site. Open stops new attempts; half-open lets exactly its
//! probes through to find out whether the trouble is over.

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// Attempts go.
    #[default]
    Closed,
    /// No attempt begins.
    Open,
    /// Only probes go.
    HalfOpen,
}

impl BreakerState {
    /// The state as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// What a breaker has counted in its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BreakerWindow {
    /// Attempts that succeeded or failed in a way that counts here.
    pub total: u32,
    /// Of these, the ones that failed.
    pub failed: u32,
}

/// A breaker as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BreakerView {
    /// The site; absent for the fleet's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Where it stands.
    pub state: BreakerState,
    /// Since when.
    pub since: Timestamp,
    /// When an open one lets its probes through, or a half-open one opens again without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// What tripped it, or what the person said who set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who set it by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What it has counted.
    pub window: BreakerWindow,
    /// Probes that are out now.
    pub probes: u32,
}

/// A site's breaker in a word, as its gate shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct BreakerBrief {
    /// Where it stands.
    pub state: BreakerState,
    /// When it changes by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Which way a person sets a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BreakerSetting {
    /// No new attempt begins, for the time that an open one lasts.
    Open,
    /// Attempts go, and the count begins anew.
    Closed,
}

/// A breaker set by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetBreaker {
    /// The site; the fleet's where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Which way.
    pub state: BreakerSetting,
    /// Why, for whoever looks at it next. Not empty.
    pub reason: String,
}
