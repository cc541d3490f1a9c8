//! The submit page's texts.

use crate::ui::number;

/// The page's title.
pub const TITLE: &str = "Submit";
/// The way of a recording.
pub const WAY_RECORDING: &str = "Recording";
/// The way of a quick check.
pub const WAY_QUICK: &str = "Quick check";
/// The way of a kept flow.
pub const WAY_FLOW: &str = "Kept flow";
/// The recording's field.
pub const RECORDING: &str = "Recording";
/// What goes into it.
pub const RECORDING_SAYS: &str = "A user flow that Chrome DevTools' Recorder panel exported as JSON. Paste it, drop the file, or choose it.";
/// While a file is over the field.
pub const DROP: &str = "Drop it here";
/// Chooses a file.
pub const CHOOSE: &str = "Choose a file";
/// Nothing was typed yet.
pub const EMPTY: &str = "Its steps will be shown here in words before anything runs.";
/// It is being read.
pub const READING: &str = "Reading…";
/// It cannot run.
pub const BAD: &str = "This recording cannot run yet:";
/// The parameters' heading.
pub const PARAMETERS: &str = "Parameters";
/// Parameters as lines, for when there is no script.
pub const MORE: &str = "Parameters, one a line: name=value";
/// The examples' heading.
pub const EXAMPLES: &str = "Or start with an example";
/// Takes an example.
pub const USE: &str = "Use this one";
/// The options' heading.
pub const OPTIONS: &str = "Options";
/// Submits.
pub const SEND: &str = "Submit the task";
/// Only reads.
pub const CHECK: &str = "Check only";
/// The file is too large.
pub const TOO_LARGE: &str = "This file is larger than 2 MiB: it is hardly a recording.";
/// The caller may not submit.
pub const MAY_NOT: &str = "Submitting takes the role operator. You can still have a recording checked here.";
/// Nothing typed is lost.
pub const KEPT: &str = "Nothing you typed is lost.";
/// No kept flows.
pub const NO_FLOWS: &str = "No flow is kept yet. Save a recording under a name on the flows' page.";

/// What a good recording has.
#[must_use]
pub fn good(title: &str, steps: usize) -> String {
    format!("“{title}”: {}", number::of(steps as u64, "step", "steps"))
}
