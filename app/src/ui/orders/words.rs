//! The texts of the list of work orders.

use crate::{
    model::Timestamp,
    ui::{clock, number},
};

/// The page's title.
pub const TITLE: &str = "Work orders";
/// The states' heading.
pub const STATES: &str = "By state";
/// What is open and held by nobody.
pub const TO_DO: &str = "to do";
/// Every state.
pub const ALL: &str = "all";
/// What the viewer holds or is to look at.
pub const MINE: &str = "mine";
/// Filters.
pub const FIND: &str = "Find";
/// Takes hold of an order.
pub const CLAIM: &str = "Claim";
/// Nothing is to be done.
pub const NONE_TO_DO: &str = "Nothing waits for you here.";
/// What an order is.
pub const WHAT_IT_IS: &str = "A work order is made when tasks fail in a way that the machine cannot mend: it gathers what they have in common with screenshots of the failure and of the last success, and waits for a person to say what has changed.";
/// There is none in this state.
pub const NONE_HERE: &str = "No order is in this state.";
/// None matches.
pub const NONE_MATCH: &str = "No order matches these filters.";
/// Takes all filters off.
pub const CLEAR: &str = "Clear the filters";
/// The next page.
pub const OLDER: &str = "Older";
/// The first page.
pub const NEWEST: &str = "Newest";

/// Orders that have come since.
#[must_use]
pub fn new(count: usize) -> String {
    format!("{}: refresh", number::of(count as u64, "new order", "new orders"))
}

/// By when somebody should have looked, as seen from `now`.
#[must_use]
pub fn due(now: Timestamp, at: Timestamp) -> String {
    let when = clock::ago(now, at);
    match when.strip_suffix(" ago") {
        Some(length) => format!("overdue by {length}"),
        None => format!("due {when}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_and_what_is_overdue_is_said_in_words() {
        let now = Timestamp(1_000_000_000);
        assert_eq!(due(now, now.plus_ms(3 * 3_600_000)), "due in 3 h");
        assert_eq!(due(now, now), "due now");
        assert_eq!(due(now, now.plus_ms(-2 * 60_000)), "overdue by 2 min");
    }
}
