//! The texts of the breakers.

use crate::{
    model::{
        Timestamp,
        breaker::{BreakerState, BreakerView, BreakerWindow},
    },
    ui::{clock, number, state},
};

/// The page's title.
pub const TITLE: &str = "Breaker";
/// The fleet's breaker.
pub const FLEET: &str = "The fleet's breaker";
/// The sites' heading.
pub const SITES: &str = "Sites whose breaker is not closed";
/// All sites' breakers are closed.
pub const NO_SITES: &str = "The breaker of every site is closed.";
/// Nothing is known of it: it was never set nor tripped.
pub const ALWAYS: &str = "always";
/// Opens the fleet's.
pub const OPEN_FLEET: &str = "Open the fleet's breaker";
/// What that does.
pub const OPEN_FLEET_SAYS: &str = "From now on no attempt begins, for as long as an open breaker lasts; then probes find out whether it may \
     close. What runs goes on to its end, and what waits keeps its place.";
/// Closes the fleet's.
pub const CLOSE_FLEET: &str = "Close the fleet's breaker";
/// What that does.
pub const CLOSE_FLEET_SAYS: &str =
    "Attempts begin again, as fast as slots and gates allow, and the count starts anew.";
/// Opens a site's.
pub const OPEN_SITE: &str = "Open a site's breaker";
/// What that does.
pub const OPEN_SITE_SAYS: &str = "From now on no attempt begins for tasks of this site, for as long as an open breaker lasts; then probes \
     find out whether it may close. Other sites go on.";
/// Closes a site's.
pub const CLOSE_SITE: &str = "Close by hand";
/// What that does.
pub const CLOSE_SITE_SAYS: &str =
    "Attempts for this site begin again, as fast as its gate allows, and its count starts anew.";
/// The site's field.
pub const SITE: &str = "Site";
/// What a site is.
pub const SITE_SAYS: &str = "As the gates name it: shop.example, or shop.example:8443.";
/// The reason's field.
pub const REASON: &str = "Reason";
/// Who reads it.
pub const REASON_SAYS: &str = "For whoever looks at it next.";
/// The confirmation of closing.
pub const SURE: &str = "I know that waiting tasks start at once";
/// Who may set it.
pub const OPERATORS: &str = "Opening and closing a breaker takes the role operator.";
/// The explanation's heading.
pub const WHAT: &str = "What a breaker counts, and what opens it";
/// The site's breaker explained.
pub const WHAT_SITE: &str = "A site's breaker counts the latest attempts on that site: those that succeeded, and those that failed because \
     of the site. These are pages that could not be loaded, waits that took too long, answers of 500 and more, \
     and refusals. Wrong data, a changed page, a sign-in, a cancel or a 404 count for nothing.";
/// The fleet's breaker explained.
pub const WHAT_FLEET: &str = "The fleet's breaker counts what is wrong with us: a Chrome that ended, and faults inside. It also opens when \
     several sites fail together.";
/// When one opens.
pub const WHAT_OPENS: &str = "A breaker opens once enough attempts are counted and the share of failed ones reaches its bound. Both stand \
     under [breaker] in the settings.";
/// What follows.
pub const WHAT_THEN: &str = "Open, it lets no attempt begin. After a while it is half-open and lets a few probes go: when they succeed it \
     closes, when one fails it opens again, for longer than before. It stays as it is over a restart.";

/// A breaker in a few words, with the time of day in UTC.
#[must_use]
pub fn brief(breaker: &BreakerView) -> String {
    match (breaker.state, breaker.until) {
        (BreakerState::Closed, _) => "closed".to_owned(),
        (BreakerState::Open, Some(until)) => format!("open until {}", clock::of_day(until)),
        (BreakerState::Open, None) => "open".to_owned(),
        (BreakerState::HalfOpen, _) => format!("half-open, {}", probes(breaker.probes)),
    }
}

/// How many probes are out.
#[must_use]
pub fn probes(out: u32) -> String {
    if out == 0 {
        "no probe out".to_owned()
    } else {
        format!("{} out", number::of(out.into(), "probe", "probes"))
    }
}

/// What a state means.
#[must_use]
pub fn means(state: BreakerState) -> &'static str {
    match state {
        BreakerState::Closed => "Attempts begin as they come.",
        BreakerState::Open => "No attempt begins.",
        BreakerState::HalfOpen => "Only probes go, to find out whether the trouble is over.",
    }
}

/// What happens at the end of a state.
#[must_use]
pub fn until(state: BreakerState) -> &'static str {
    match state {
        BreakerState::HalfOpen => "Opens again without an answer",
        BreakerState::Open | BreakerState::Closed => "Probes go",
    }
}

/// What it has counted.
#[must_use]
pub fn counted(window: BreakerWindow) -> String {
    if window.total == 0 {
        return "nothing yet".to_owned();
    }
    format!("{} of {} failed", number::count(window.failed.into()), number::count(window.total.into()))
}

/// Whose breaker it is and where it stands.
#[must_use]
pub fn stands(breaker: &BreakerView) -> String {
    let whose = match &breaker.domain {
        None => FLEET.to_owned(),
        Some(domain) => format!("The breaker of {domain}"),
    };
    format!("{whose} is {}", state::breaker(breaker.state).word)
}

/// A change, for who listens.
#[must_use]
pub fn said(breaker: &BreakerView) -> String {
    match breaker.reason.as_deref().filter(|_| breaker.state == BreakerState::Open) {
        Some(why) => format!("{}: {why}", stands(breaker)),
        None => stands(breaker),
    }
}

/// Since when, where that is known.
#[must_use]
pub fn since(breaker: &BreakerView) -> Option<Timestamp> {
    (breaker.since > Timestamp::default()).then_some(breaker.since)
}

/// How many tasks wait.
#[must_use]
pub fn waiting(count: u64) -> String {
    if count == 0 {
        "No task waits now.".to_owned()
    } else {
        format!("{} now.", number::of(count, "task waits", "tasks wait"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> BreakerView {
        BreakerView {
            state: BreakerState::Open,
            until: Some(Timestamp(1_796_029_700_250)),
            reason: Some("too many faults".to_owned()),
            ..BreakerView::default()
        }
    }

    #[test]
    fn a_breaker_is_told_in_a_few_words() {
        assert_eq!(brief(&BreakerView::default()), "closed");
        assert_eq!(brief(&open()), "open until 09:08:20");
        let half = BreakerView { state: BreakerState::HalfOpen, probes: 1, ..open() };
        assert_eq!(brief(&half), "half-open, 1 probe out");
    }

    #[test]
    fn a_change_names_whose_it_is_and_why_it_opened() {
        assert_eq!(said(&open()), "The fleet's breaker is open: too many faults");
        let site =
            BreakerView { domain: Some("shop.test".to_owned()), state: BreakerState::Closed, ..open() };
        assert_eq!(said(&site), "The breaker of shop.test is closed");
    }

    #[test]
    fn a_breaker_that_never_changed_has_no_since() {
        assert_eq!(since(&BreakerView::default()), None);
        assert_eq!(since(&BreakerView { since: Timestamp(5), ..open() }), Some(Timestamp(5)));
    }
}
