//! The texts of the list of tasks.

use crate::ui::number;

/// The page's title.
pub const TITLE: &str = "Tasks";
/// Every state.
pub const ALL: &str = "all";
/// The states' heading.
pub const STATES: &str = "By state";
/// The search field.
pub const SEARCH: &str = "Name, parameter or key";
/// Searches.
pub const FIND: &str = "Find";
/// There is no task at all.
pub const NONE_AT_ALL: &str = "There is no task yet.";
/// None matches.
pub const NONE_MATCH: &str = "No task matches these filters.";
/// Takes all filters off.
pub const CLEAR: &str = "Clear the filters";
/// The next page.
pub const OLDER: &str = "Older";
/// The first page.
pub const NEWEST: &str = "Newest";

/// Tasks that have come since.
#[must_use]
pub fn new(count: usize) -> String {
    format!("{}: refresh", number::of(count as u64, "new task", "new tasks"))
}
