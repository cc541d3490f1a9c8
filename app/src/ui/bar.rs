//! What the bar around every page shows of the fleet: its counts, and the breaker's alarm. The server renders
//! it with the page; an island that follows the fleet keeps it as it is now.

use crate::model::breaker::BreakerState;

/// The name of the work orders' count.
pub const ORDERS: &str = "orders";
/// The name of the quarantine's count.
pub const QUARANTINE: &str = "quarantine";

/// What the alarm says; none while the breaker is closed.
#[must_use]
pub fn alarm(state: BreakerState) -> Option<&'static str> {
    match state {
        BreakerState::Closed => None,
        BreakerState::Open => Some("breaker open"),
        BreakerState::HalfOpen => Some("breaker half-open"),
    }
}

/// Keeps a count of the bar, which is outside of the island, as it is here.
#[cfg(feature = "hydrate")]
pub fn tell_count(name: &str, count: u64, says: &str) {
    use leptos::prelude::document;
    let Ok(Some(link)) = document().query_selector(&format!(".bar [data-count={name}]")) else { return };
    link.set_text_content(Some(&count.to_string()));
    let _ = link.toggle_attribute_with_force("hidden", count == 0);
    for name in ["title", "aria-label"] {
        let _ = link.set_attribute(name, says);
    }
}

/// Keeps the breaker's alarm as it is here.
#[cfg(feature = "hydrate")]
pub fn tell_breaker(state: BreakerState) {
    use leptos::prelude::document;
    let Ok(Some(link)) = document().query_selector(".bar .alarm") else { return };
    let says = alarm(state);
    link.set_text_content(Some(says.unwrap_or_default()));
    let _ = link.toggle_attribute_with_force("hidden", says.is_none());
    let _ = link.set_attribute("data-breaker", state.as_str());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_breaker_raises_no_alarm() {
        assert_eq!(alarm(BreakerState::Closed), None);
        assert_eq!(alarm(BreakerState::Open), Some("breaker open"));
        assert!(alarm(BreakerState::HalfOpen).is_some());
    }
}
