//! The texts of a task's page.

/// The page's title, until the task's name is known.
pub const TITLE: &str = "Task";
/// Takes it back.
pub const CANCEL: &str = "Cancel";
/// Gives it attempts afresh.
pub const RELEASE: &str = "Release";
/// Runs it again.
pub const RETRY: &str = "Retry";
/// Runs it again with other values.
pub const RETRY_EDITS: &str = "Retry with edits";
/// Who may act.
pub const OPERATORS: &str = "Acting on a task takes the role operator.";
/// Who may see evidence.
pub const REVIEWERS: &str = "Screenshots, snapshots and traces take the role reviewer.";
/// The attempts' heading.
pub const ATTEMPTS: &str = "Attempts";
/// How many attempts of its present set are spent.
#[must_use]
pub fn spent(spent: u32, most: u32) -> String {
    format!("{spent} of {most} spent")
}

/// None yet.
pub const NO_ATTEMPTS: &str = "It has not started yet.";
/// The result's heading.
pub const RESULT: &str = "Result";
/// Nothing was extracted.
pub const NO_RESULT: &str = "It succeeded; its flow extracts nothing.";
/// Downloads it.
pub const DOWNLOAD: &str = "Download the task as JSON";
/// A text is not shown whole.
pub const CUT: &str = "cut here; the download has it whole";
/// The parameters' heading.
pub const PARAMETERS: &str = "Parameters";
/// The steps' summary.
pub const STEPS: &str = "Steps";
/// The screenshot.
pub const SCREENSHOT: &str = "The page when the attempt failed";
/// The snapshot's summary.
pub const SNAPSHOT: &str = "DOM snapshot";
/// The trace's link and heading.
pub const TRACE: &str = "Console and network";
/// The trace is empty.
pub const NO_TRACE: &str = "No trace is kept.";
/// The retry form's title.
pub const EDIT_TITLE: &str = "Retry with edits";
/// What it does.
pub const EDIT_SAYS: &str = "Makes a new task with these changes and keeps this one. What is left as it is stays; a private value shown as ••• stays, too.";
/// The work order's link.
pub const ORDER: &str = "Work order";
/// A rule planned the step.
pub const BY_RULE: &str = "by a rule";
/// The rules of an attempt.
pub const RULES: &str = "Rules in its plan:";
