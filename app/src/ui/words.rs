//! The texts that every page shares.

use super::clock;
use crate::model::Timestamp;

/// The product's name.
pub const PRODUCT: &str = "Signalbox";
/// What the product is.
pub const TAGLINE: &str = "control room for browser jobs";
/// The link past the navigation.
pub const SKIP: &str = "Skip to the content";
/// The navigation's name.
pub const NAVIGATION: &str = "Main";
/// The overview.
pub const OVERVIEW: &str = "Overview";
/// The submit page.
pub const SUBMIT: &str = "Submit";
/// The list of tasks.
pub const TASKS: &str = "Tasks";
/// The list of flows.
pub const FLOWS: &str = "Flows";
/// The pool.
pub const POOL: &str = "Pool";
/// The quarantine.
pub const QUARANTINE: &str = "Quarantine";
/// The gates.
pub const GATES: &str = "Gates";
/// The breaker.
pub const BREAKER: &str = "Breaker";
/// The list of work orders.
pub const ORDERS: &str = "Work orders";
/// The list of rules.
pub const RULES: &str = "Rules";
/// The theme switch's name.
pub const THEME: &str = "Theme";
/// Leaves the session.
pub const SIGN_OUT: &str = "Sign out";
/// The stream is followed.
pub const LINK_LIVE: &str = "Live";

/// What is shown is of this moment, and is not followed.
#[must_use]
pub fn link_still(at: Timestamp) -> String {
    format!("As of {} UTC", clock::of_day(at))
}

/// The stream is lost since the last event.
#[must_use]
pub fn link_lost(last: Timestamp, now: Timestamp) -> String {
    format!("Connection lost: this is what was known {}. Reconnecting…", clock::ago(now, last))
}

/// How many work orders are not closed, for the navigation.
#[must_use]
pub fn open_orders(count: u64) -> String {
    if count == 1 {
        "1 work order is not closed".to_owned()
    } else {
        format!("{count} work orders are not closed")
    }
}
