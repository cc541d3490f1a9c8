//! The overview's texts.

use crate::{model::order::Desk, ui::number};

/// The page's title.
pub const TITLE: &str = "Overview";
/// The drawing's name.
pub const DIAGRAM: &str = "The fleet as a line diagram";
/// The drawing's description.
pub const DIAGRAM_SAYS: &str = "Submissions enter at the left, wait in the lanes of the queue, pass the breaker and the fleet's gate, \
     run in a berth of the pool and go to the sites at the right. The table below says the same in words.";
/// The companion table's summary.
pub const IN_WORDS: &str = "The same in words";
/// Where submissions enter.
pub const ENTRY: &str = "Submit";
/// The main signal.
pub const BREAKER: &str = "Breaker";
/// The fleet's gate.
pub const GATE: &str = "fleet's gate";
/// The sites' heading.
pub const SITES: &str = "Sites";
/// There are no sites yet.
pub const NO_SITES: &str = "No site has been asked for yet";
/// The pool's heading.
pub const POOL: &str = "Pool";
/// No instance runs.
pub const NO_INSTANCES: &str = "no Chrome runs";
/// The quarantine's siding.
pub const QUARANTINE: &str = "Quarantine";
/// The reviewers' desk.
pub const DESK: &str = "Reviewers' desk";
/// What goes back from the desk to the start.
pub const FEED: &str = "rules";
/// What needs a person.
pub const NEEDS: &str = "Needs a person";
/// Nothing does.
pub const NEEDS_NOTHING: &str = "Nothing needs a person.";
/// The last hour's heading.
pub const LAST_HOUR: &str = "The last hour";
/// The faults' heading.
pub const FAULTS: &str = "Faults by class";
/// No faults.
pub const NO_FAULTS: &str = "No attempt failed in the last hour.";
/// Before the first task.
pub const FIRST: &str = "No task yet";
/// What to do before the first task.
pub const FIRST_SAYS: &str = "Drop a recording from Chrome DevTools, or start with one of the examples.";
/// The link to it.
pub const FIRST_LINK: &str = "Submit the first one";

/// The lane's load.
#[must_use]
pub fn load(ready: u64, held: u64) -> String {
    match (ready, held) {
        (0, 0) => "empty".to_owned(),
        (_, 0) => format!("{} ready", number::count(ready)),
        (0, _) => format!("{} held", number::count(held)),
        _ => format!("{} ready · {} held", number::count(ready), number::count(held)),
    }
}

/// How many slots are busy.
#[must_use]
pub fn slots((slots, busy): (u32, u32)) -> String {
    format!("{busy} of {slots} busy")
}

/// What happens at a site.
#[must_use]
pub fn site(running: u64, waiting: u64, per_s: f64) -> String {
    format!("{running} running · {} waiting · {}", number::count(waiting), number::rate(per_s))
}

/// The berths without a row.
#[must_use]
pub fn more_berths(busy: usize, all: usize) -> String {
    format!("{all} more, {busy} busy")
}

/// What is on the reviewers' desk, shortly.
#[must_use]
pub fn desk(desk: Desk) -> String {
    match (desk.open, desk.claimed) {
        (0, _) => "nothing open".to_owned(),
        (open, 0) => format!("{} open", number::count(open)),
        (open, claimed) => format!("{} open, {} claimed", number::count(open), number::count(claimed)),
    }
}

/// What is on the reviewers' desk.
#[must_use]
pub fn orders(desk: Desk) -> String {
    let open = number::of(desk.open, "work order is open", "work orders are open");
    if desk.claimed == 0 { open } else { format!("{open}, {} claimed", number::count(desk.claimed)) }
}

/// The fleet's breaker stops attempts.
pub const BREAKER_OPEN: &str = "The breaker is open: no attempt begins";
/// The fleet's breaker lets probes go.
pub const BREAKER_HALF_OPEN: &str = "The breaker is half-open: only probes go";

/// Tasks that escalated.
#[must_use]
pub fn escalated(count: u64) -> String {
    number::of(count, "task has escalated", "tasks have escalated")
}

/// Tasks in quarantine.
#[must_use]
pub fn quarantined(count: u64) -> String {
    number::of(count, "task is in quarantine", "tasks are in quarantine")
}
