//! The texts of the flows' pages.

/// The list's title.
pub const TITLE: &str = "Flows";
/// There is none.
pub const NONE: &str =
    "No flow is kept under a name yet. Save a recording below, and tasks can ask for it by its name.";
/// The form's heading.
pub const SAVE: &str = "Save a recording as a flow";
/// The form's heading on a flow's page.
pub const SAVE_NEXT: &str = "Save the next version";
/// What saving does.
pub const SAVE_SAYS: &str = "The next version of its name. Tasks that ask for the name run the newest; those accepted before keep theirs.";
/// Runs it.
pub const RUN: &str = "Run this flow";
/// Downloads it.
pub const DOWNLOAD: &str = "Download as JSON";
/// The tasks that ran it.
pub const TASKS: &str = "Its tasks";
/// No steps.
pub const NO_STEPS: &str = "This flow has no steps.";
/// No parameters.
pub const NO_PARAMETERS: &str = "It asks for no parameters.";
/// One that came with a task.
pub const UNLISTED: &str = "came with a task, not saved by name";
