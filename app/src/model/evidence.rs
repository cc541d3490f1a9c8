//! Evidence: what a failed attempt leaves for a person to look at.

use serde::{Deserialize, Serialize};

/// The kinds of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// What the page looked like: image/png.
    Screenshot,
    /// The page's DOM, inert: text/html.
    Dom,
    /// Steps, selector tries, console and network: application/json.
    Trace,
}

impl EvidenceKind {
    /// Every kind.
    pub const ALL: [EvidenceKind; 3] = [Self::Screenshot, Self::Dom, Self::Trace];

    /// The kind as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Screenshot => "screenshot",
            Self::Dom => "dom",
            Self::Trace => "trace",
        }
    }

    /// The media type it is served as.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Screenshot => "image/png",
            Self::Dom => "text/html; charset=utf-8",
            Self::Trace => "application/json",
        }
    }
}

impl std::str::FromStr for EvidenceKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no kind of evidence: screenshot, dom or trace"))
    }
}

/// The trace of an attempt: its JSON is the evidence of kind `trace`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// What each step tried, in order.
    pub steps: Vec<TraceStep>,
    /// What the pages wrote to their consoles, the newest last; bounded.
    pub console: Vec<ConsoleLine>,
    /// What the pages asked of the network, the newest last; bounded.
    pub network: Vec<NetworkLine>,
    /// Dialogs that the pages opened and that were dismissed.
    pub dialogs: Vec<DialogLine>,
    /// How many lines were left out because a bound was reached.
    pub dropped: u32,
    /// True where the screenshot does not show the whole page, and what it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_note: Option<String>,
}

/// One step in the trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Counted from 0.
    pub index: u32,
    /// What it does, in words.
    pub words: String,
    /// Milliseconds from the attempt's start.
    pub at_ms: u64,
    /// Its selector chains with what each matched last.
    pub tries: Vec<SelectorTry>,
}

/// What one selector chain matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectorTry {
    /// The chain, its parts joined by ` >> `.
    pub chain: String,
    /// How many elements it matched at the last look.
    pub matched: u32,
    /// Why what it matched could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// One line of a page's console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    /// Milliseconds from the attempt's start.
    pub at_ms: u64,
    /// `log`, `warning`, `error`, `exception`, …
    pub level: String,
    /// The text, cut at a bound.
    pub text: String,
}

/// One request of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkLine {
    /// Milliseconds from the attempt's start.
    pub at_ms: u64,
    /// The HTTP method.
    pub method: String,
    /// The address, secrets masked.
    pub url: String,
    /// The answer's status, where one came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why none came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialogLine {
    /// Milliseconds from the attempt's start.
    pub at_ms: u64,
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// Its text, cut at a bound.
    pub text: String,
}
