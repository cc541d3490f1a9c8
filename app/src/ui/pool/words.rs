//! The pool's texts.

/// The page's title.
pub const TITLE: &str = "Pool";
/// No instance runs.
pub const NONE: &str = "No Chrome runs now. One is started when a task needs it.";
/// The slots' field.
pub const SLOTS: &str = "Slots";
/// What a slot is.
pub const SLOTS_SAY: &str = "Attempts that may run at once, each in a browser context of its own.";
/// Sets them.
pub const SET: &str = "Set";
/// Takes no more contexts.
pub const DRAIN: &str = "Drain";
/// Is replaced.
pub const RECYCLE: &str = "Recycle";
/// Who may change it.
pub const OPERATORS: &str = "Changing the pool takes the role operator.";
