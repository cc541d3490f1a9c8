//! The close form as it is typed: all as text, as a form sends it.

use serde::{Deserialize, Serialize};

/// What the form holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CloseForm {
    /// The claim that the page was made with.
    pub claim_token: String,
    /// What was found: a kind of conclusion.
    pub kind: String,
    /// In words, as Markdown.
    pub text: String,
    /// What becomes of the tasks that wait.
    pub tasks: String,
    /// New selectors: one chain a line.
    pub selectors: String,
    /// `on` where the recorded selectors are tried after them.
    pub keep_recorded: String,
    /// `site` where the rule is for every flow of the site.
    pub scope: String,
    /// The beginning of the address that is no longer right.
    pub from: String,
    /// What stands there instead.
    pub to: String,
}

/// What the rule of a form would be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previewed {
    /// The rule in words; none where the conclusion makes none, or nothing is typed yet.
    pub words: Option<String>,
    /// Why there is none, each with its place in words.
    pub faults: Vec<String>,
}
