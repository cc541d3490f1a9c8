//! The texts of the rules' pages.

/// The list's title.
pub const TITLE: &str = "Rules";
/// One rule's title, before its code.
pub const RULE: &str = "Rule";
/// The states' heading.
pub const STATES: &str = "By state";
/// Every state.
pub const ALL: &str = "all";
/// Filters.
pub const FIND: &str = "Find";
/// There is none.
pub const NONE: &str = "There is no rule yet.";
/// What a rule is.
pub const WHAT_IT_IS: &str = "A rule is a conclusion made executable: when a work order is closed with a selector that changed or an entry that moved, the next attempts are planned with what was found.";
/// None matches.
pub const NONE_MATCH: &str = "No rule matches these filters.";
/// Takes all filters off.
pub const CLEAR: &str = "Clear the filters";
/// The next page.
pub const OLDER: &str = "Older";
/// The first page.
pub const NEWEST: &str = "Newest";
/// Applies it.
pub const ENABLE: &str = "Enable";
/// Applies it no longer.
pub const DISABLE: &str = "Disable";
/// Opens the reason's field.
pub const WITH_REASON: &str = "With a reason";
/// The reason's field.
pub const REASON: &str = "Reason";
/// It was not tried.
pub const UNPROVEN: &str = "Unproven: it became active without a proof.";
/// Its step is gone.
pub const STALE: &str = "Stale: its step stands no longer in the flow's newest version.";
/// It was never used.
pub const UNUSED: &str = "not yet";
/// Who may act.
pub const REVIEWERS: &str = "Enabling and disabling rules takes the role reviewer.";
/// All rules.
pub const TO_RULES: &str = "All rules";
