//! The texts of the gates.

use crate::ui::number;

/// The page's title.
pub const TITLE: &str = "Gates";
/// No site has a gate.
pub const NONE: &str = "No site has been asked for yet. A site's gate is here from the first task for it on.";
/// Past the last site.
pub const NO_MORE: &str = "There are no more sites.";
/// The next page.
pub const MORE: &str = "More sites";
/// The first page.
pub const FIRST: &str = "First sites";
/// The next one is let through at once.
pub const NOW: &str = "now";

/// What the fleet's gate lets through.
#[must_use]
pub fn fleet(per_s: f64, burst: u32) -> String {
    format!(
        "A document of a site is asked for when the fleet's gate ({}) and then the site's own let it through.",
        quota(per_s, burst)
    )
}

/// A rate with its burst.
#[must_use]
pub fn quota(per_s: f64, burst: u32) -> String {
    format!("{}, burst {}", number::rate(per_s), number::count(burst.into()))
}

/// How many run of how many that may.
#[must_use]
pub fn running(running: u64, most: u32) -> String {
    format!("{} of {}", number::count(running), number::count(most.into()))
}

/// Sites that have come since.
#[must_use]
pub fn new(count: usize) -> String {
    format!("{}: refresh", number::of(count as u64, "new site", "new sites"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_has_its_rate_and_its_burst() {
        assert_eq!(quota(0.05, 1), "3/min, burst 1");
        assert_eq!(quota(50.0, 1_000), "50/s, burst 1\u{202f}000");
    }
}
