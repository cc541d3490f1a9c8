//! The quarantine's texts.

use crate::ui::number;

/// The page's title.
pub const TITLE: &str = "Quarantine";
/// What it is.
pub const SAYS: &str = "Tasks that crashed their browser again and again are set aside here, so that they harm no others. \
     They stay until a person decides.";
/// It is empty.
pub const NONE: &str = "Nobody is in quarantine. A task comes here when it has crashed its browser several times in a row, or was lost \
     again and again; it stays, and harms no others, until a person releases or discards it.";
/// Past the last task.
pub const NO_MORE: &str = "There are no more tasks in quarantine.";
/// The next page.
pub const OLDER: &str = "Older";
/// The first page.
pub const NEWEST: &str = "Newest";
/// Queues it again.
pub const RELEASE: &str = "Release";
/// Runs it again with other values.
pub const RETRY_EDITS: &str = "Retry with edits";
/// Ends it; the summary before the question.
pub const DISCARD: &str = "Discard…";
/// What discarding does.
pub const DISCARD_SAYS: &str = "It ends as cancelled, unfinished. This cannot be undone: to have it done all the same, it must be run again \
     from its page.";
/// Does so.
pub const DISCARD_SURE: &str = "Discard for good";
/// Who may act.
pub const OPERATORS: &str = "Releasing and discarding take the role operator.";
/// A row whose task is no longer here.
pub const LEFT: &str = "left quarantine";
/// What release does, for the head of the page.
pub const RELEASE_SAYS: &str = "Release queues a task again with attempts afresh; discard ends it for good.";

/// How many of its attempts crashed.
#[must_use]
pub fn crashed(crashed: u32, attempts: u32) -> String {
    format!("{crashed} of {attempts} crashed")
}

/// How many attempts of its present set are spent, where more is not known.
#[must_use]
pub fn spent(spent: u32, most: u32) -> String {
    format!("{spent} of {most} spent")
}

/// A kind of evidence in a few words.
#[must_use]
pub fn evidence(kind: crate::model::evidence::EvidenceKind) -> &'static str {
    use crate::model::evidence::EvidenceKind;
    match kind {
        EvidenceKind::Screenshot => "screenshot",
        EvidenceKind::Dom => "snapshot",
        EvidenceKind::Trace => "trace",
    }
}

/// Tasks that have come since.
#[must_use]
pub fn new(count: usize) -> String {
    format!("{}: refresh", number::of(count as u64, "task has come", "tasks have come"))
}
