//! Token buckets before the target sites: one over all sites, then one for each.
//!
//! - [`site`]: the one key of a site, by which gates are told apart;
//! - [`retry_after`]: what a site means by `Retry-After`;
//! - [`clock`]: where the gates take their time from;
//! - [`bucket`]: one bucket, by governor's arithmetic, with the time passed in;
//! - [`door`]: who waits and who is next: the whole state, pure;
//! - [`forecast`]: when each of them, and one more, would be let through;
//! - [`Gates`]: what the rest of the server uses: look, pass, cool down, change, keep over a restart.
//!
//! The scheduler only looks ([`Gates::clear_at`]); a token is spent at the site's door ([`Gates::pass`]),
//! by every main-frame document and every hop to another site. How many attempts run on a site at once is
//! the scheduler's to count, and what a breaker holds is the breaker's.
//!
//! What is kept of sites is bounded: one that owes nothing, has no pause and no quota of its own is
//! forgotten, and the global gate bounds how many come new in the time that one takes to rest.

pub mod bucket;
pub mod clock;
pub mod door;
pub mod forecast;
mod gates;
pub mod retry_after;
pub mod site;
#[cfg(test)]
mod tests;

pub use bucket::{Quota, QuotaError};
pub use clock::SystemClock;
pub use gates::{Binding, Clearance, Ended, GateError, Gates, KeptGate, KeptGates, KeptSite, Passed};
pub use site::{canonical_domain, site_key};
