//! The texts of a work order's page. Those that only the server needs are in functions of their own.

use crate::ui::number;

/// The page's title, until the order's is known.
pub const TITLE: &str = "Work order";
/// Takes hold of it.
pub const CLAIM: &str = "Claim";
/// Takes hold of it for longer.
pub const EXTEND: &str = "Extend my claim";
/// Lets go of it.
pub const GIVE_BACK: &str = "Give back";
/// Takes it from its holder.
pub const TAKE_OVER: &str = "Take over";
/// Opens it again.
pub const REOPEN: &str = "Reopen";
/// Puts the viewer's name on it.
pub const ASSIGN: &str = "Assign to me";
/// Takes the name off it.
pub const UNASSIGN: &str = "Assign to nobody";
/// Why it is taken over; needed.
pub const WHY_TAKE: &str = "Why you take it over";
/// Why it is opened again.
pub const WHY_REOPEN: &str = "Why (optional)";
/// Who may act.
pub const REVIEWERS: &str = "Claiming, annotating and closing take the role reviewer.";
/// Nobody holds it.
pub const FREE: &str = "Nobody holds it.";
/// The claim was made on another page.
pub const ELSEWHERE: &str = "You have claimed it on another page: claim it here, too, to go on here.";
/// The claim is kept alive.
pub const KEPT_ALIVE: &str = "It is kept alive while you work here.";
/// Somebody closed it.
pub const CLOSED_MEANWHILE: &str = "It has been closed since this page was made.";
/// Somebody opened it.
pub const REOPENED_MEANWHILE: &str = "It has been opened again since this page was made.";
/// Shows the page afresh.
pub const REFRESH: &str = "Show it as it is now";
/// What was typed is not lost.
pub const STAYS: &str =
    "What you have typed here stays until you leave this page; review the conclusion before, and it is kept.";
/// The viewer's claim is over.
pub const RUN_OUT: &str = "Your claim has run out: claim the order again to go on.";
/// The rule in words.
pub const RULE: &str = "The rule in words";
/// Before anything is typed.
pub const RULE_LATER: &str = "It is said here before it is saved.";

/// Somebody else took it.
#[must_use]
pub fn taken_over(holder: &str) -> String {
    format!("{holder} has taken this order over: it is no longer yours.")
}

/// More failures came.
#[must_use]
pub fn joined(count: u64) -> String {
    number::of(count, "more failure has joined it", "more failures have joined it")
}

/// Tasks that wait.
#[must_use]
pub fn waiting(count: u64) -> String {
    number::of(count, "task waits", "tasks wait")
}

/// Failures so far.
#[must_use]
pub fn failures(count: u64) -> String {
    number::of(count, "failure", "failures")
}

/// Who is to look at it.
#[must_use]
pub fn assigned(name: &str) -> String {
    format!("for {name}")
}

#[cfg(feature = "ssr")]
pub use served::*;

#[cfg(feature = "ssr")]
mod served {
    use crate::{
        model::order::{ConclusionKind, TasksThen},
        ui::number,
    };

    /// The evidence's heading.
    pub const EVIDENCE: &str = "Evidence";
    /// Who may see evidence.
    pub const EVIDENCE_ROLE: &str = "Screenshots, snapshots and traces take the role reviewer.";
    /// The last success.
    pub const GOOD: &str = "Last success";
    /// There is none.
    pub const NO_GOOD: &str = "No success of this flow has been kept yet.";
    /// The newest failure.
    pub const BAD: &str = "Newest failure";
    /// There is none.
    pub const NO_BAD: &str = "No evidence of a failure is kept.";
    /// An attempt without a picture.
    pub const NO_SCREENSHOT: &str = "No screenshot was kept of this attempt.";
    /// The snapshot's link.
    pub const SNAPSHOT: &str = "DOM snapshot";
    /// The trace's link.
    pub const TRACE: &str = "Trace";
    /// The screenshot's link.
    pub const SCREENSHOT: &str = "Screenshot";
    /// More of them.
    pub const OLDER: &str = "Older failures";
    /// What failed.
    pub const FAILED: &str = "What failed";
    /// The recorded selectors' heading.
    pub const RECORDED: &str = "Recorded selectors";
    /// The step has none.
    pub const NO_SELECTORS: &str = "The step has no selectors.";
    /// The tasks' heading.
    pub const TASKS: &str = "Tasks";
    /// None is kept.
    pub const NO_TASKS: &str = "None of its tasks is kept any more.";
    /// There are more.
    pub const MORE_TASKS: &str = "Only the newest are shown here.";
    /// The annotations' heading.
    pub const ANNOTATIONS: &str = "Annotations";
    /// There is none.
    pub const NO_ANNOTATIONS: &str = "Nobody has written anything yet.";
    /// The annotation's field.
    pub const ANNOTATE: &str = "Write an annotation";
    /// How it is written.
    pub const MARKDOWN: &str =
        "Markdown: **bold**, `code`, - list, [text](address). Images and HTML are not shown.";
    /// Saves it.
    pub const ANNOTATE_SAVE: &str = "Annotate";
    /// The conclusion's heading.
    pub const CONCLUSION: &str = "Conclusion";
    /// The rule of a conclusion that stands no longer.
    pub const EARLIER: &str = "The rule of its conclusion before";
    /// The close form's heading.
    pub const CLOSE: &str = "Close with a conclusion";
    /// One must hold it.
    pub const CLAIM_FIRST: &str = "Claim the order to close it.";
    /// What was typed is still there.
    pub const CLAIM_AGAIN: &str =
        "You do not hold this order now. Nothing you typed is lost: claim it, then review it again.";
    /// It was closed meanwhile.
    pub const TYPED: &str = "What you typed was not saved:";
    /// The kind's legend.
    pub const KIND: &str = "What did you find?";
    /// The text's field.
    pub const TEXT: &str = "In your words (optional)";
    /// The chains' field.
    pub const SELECTORS: &str = "New selectors";
    /// How they are written.
    pub const SELECTORS_SAYS: &str = "One chain a line, tried in order. Parts of a chain are joined by >> between spaces: each is looked for inside what the one before it found, shadow roots included. Kinds: CSS as it is, aria/name, text/words, xpath/path, pierce/css.";
    /// The recorded ones, too.
    pub const KEEP: &str = "Try the recorded selectors after them";
    /// The scope's legend.
    pub const SCOPE: &str = "Where does it apply?";
    /// The old address.
    pub const FROM: &str = "Address that is no longer right";
    /// What it is.
    pub const FROM_SAYS: &str = "Its beginning, up to a /, ?, # or its end; what follows stays.";
    /// The new address.
    pub const TO: &str = "Address instead";
    /// The tasks' legend.
    pub const THEN: &str = "What becomes of its tasks?";
    /// Shows what will be saved.
    pub const REVIEW: &str = "Review";
    /// What that does.
    pub const REVIEW_SAYS: &str = "Nothing is saved yet: the next page says what will happen.";
    /// The review's heading.
    pub const REVIEW_TITLE: &str = "Close this order?";
    /// The rule was not tried.
    pub const UNPROVEN: &str = "This rule is unproven: it was not tried on a failed task before. It is active from the moment you close the order, and stays marked as unproven.";
    /// No rule.
    pub const NO_RULE: &str = "This conclusion makes no rule: the next run does what it did before.";
    /// Saves.
    pub const CLOSE_IT: &str = "Close the order";
    /// Goes back to the form.
    pub const CHANGE: &str = "Change";
    /// Without words.
    pub const NO_TEXT: &str = "Without a text.";
    /// To the list.
    pub const TO_ORDERS: &str = "To the work orders";

    /// A kind of conclusion, and when to choose it.
    #[must_use]
    pub fn kind(kind: ConclusionKind) -> (&'static str, &'static str) {
        match kind {
            ConclusionKind::SelectorChanged => {
                ("Selector changed", "The element is there, but goes by other names. Makes a rule.")
            }
            ConclusionKind::EntryMoved => ("Entry moved", "The page is at another address. Makes a rule."),
            ConclusionKind::NeedsSignIn => ("Needs a sign-in", "The site wants to know who asks."),
            ConclusionKind::SiteDown => {
                ("Site is down", "The site is away or broken; nothing is wrong here.")
            }
            ConclusionKind::WrongData => ("Wrong data", "What the tasks were given is wrong."),
            ConclusionKind::Poison => ("Poison", "The task itself does harm wherever it runs."),
            ConclusionKind::Transient => ("It has passed", "A passing trouble; trying again is enough."),
            ConclusionKind::Other => ("Something else", "Say in your words what it is."),
        }
    }

    /// What can become of tasks, in words for a choice.
    #[must_use]
    pub fn then(then: TasksThen) -> (&'static str, &'static str) {
        match then {
            TasksThen::Release => ("Run them again", "With attempts afresh, beside the usual load."),
            TasksThen::Cancel => ("Cancel them", "They are taken back."),
            TasksThen::Fail => ("Let them fail", "They end as failed."),
        }
    }

    /// What will become of so many tasks.
    #[must_use]
    pub fn goes(then: TasksThen, count: u64) -> String {
        if count == 0 {
            return "No task waits on it now.".to_owned();
        }
        let one = count == 1;
        let does = match then {
            TasksThen::Release if one => "runs again, with attempts afresh",
            TasksThen::Release => "run again, with attempts afresh",
            TasksThen::Cancel if one => "is cancelled",
            TasksThen::Cancel => "are cancelled",
            TasksThen::Fail if one => "fails",
            TasksThen::Fail => "fail",
        };
        format!("{} {does}.", number::of(count, "task that waits", "tasks that wait"))
    }

    /// What became of the tasks.
    #[must_use]
    pub fn went(then: TasksThen) -> &'static str {
        match then {
            TasksThen::Release => "The tasks that waited were released to run again.",
            TasksThen::Cancel => "The tasks that waited were cancelled.",
            TasksThen::Fail => "The tasks that waited were let fail.",
        }
    }

    /// Said once it is closed.
    #[must_use]
    pub fn closed(then: TasksThen, rule: bool) -> String {
        format!("Closed. {}{}", went(then), if rule { " Its rule is active." } else { "" })
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::model::order::TasksThen;

    #[test]
    fn what_becomes_of_the_tasks_is_said_with_their_number() {
        assert_eq!(goes(TasksThen::Release, 1), "1 task that waits runs again, with attempts afresh.");
        assert_eq!(goes(TasksThen::Fail, 3), "3 tasks that wait fail.");
        assert_eq!(goes(TasksThen::Cancel, 0), "No task waits on it now.");
    }
}
