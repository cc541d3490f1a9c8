//! Gates: the token buckets before the target sites, as the API shows them.

use serde::{Deserialize, Serialize};

use super::{Timestamp, breaker::BreakerBrief};

/// Why a site is not touched for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Cooldown {
    /// Until when.
    pub until: Timestamp,
    /// What the site answered.
    pub why: String,
}

/// One site's gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct GateView {
    /// The canonical key of the site.
    pub domain: String,
    /// Main-frame documents a second.
    pub per_s: f64,
    /// How many at once after a rest.
    pub burst: u32,
    /// Attempts at once.
    pub concurrency: u32,
    /// When the next one is let through; absent when it would be now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_clear_at: Option<Timestamp>,
    /// Tasks that are queued for this site.
    pub waiting: u64,
    /// Attempts that run on this site now.
    pub running: u64,
    /// A pause that the site asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooldown: Option<Cooldown>,
    /// The site's breaker.
    #[serde(default)]
    pub breaker: BreakerBrief,
}
