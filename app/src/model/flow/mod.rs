//! A flow: a user flow recorded in Chrome DevTools' Recorder panel.
//!
//! - here: its typed form, and what is kept of it by name and version;
//! - [`parse`]: from the recording's JSON, naming every fault by step and field;
//! - [`example`]: the recordings that ship with the program;
//! - [`params`]: the `{{parameters}}` in its strings;
//! - [`words`]: its steps in words;
//! - [`slug`]: the name it is kept under.
//!
//! The recording's JSON is kept as it came, with the fields that are unknown here; the typed form is made
//! from it when it is needed.

pub mod example;
pub mod params;
pub mod parse;
pub mod slug;
pub mod words;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Timestamp;

/// Milliseconds a step may take where neither the step nor its flow says.
pub const DEFAULT_STEP_TIMEOUT_MS: u64 = 5_000;

/// A selector chain: each part is looked for inside what the part before it found, shadow roots included.
pub type Chain = Vec<String>;

/// A flow in typed form.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The recording's title.
    pub title: String,
    /// Milliseconds a step may take, where it does not say itself.
    pub timeout_ms: Option<u64>,
    /// The steps, in order. May be empty.
    pub steps: Vec<Step>,
}

impl Flow {
    /// How long a step may take, in milliseconds.
    #[must_use]
    pub fn step_timeout_ms(&self, step: &Step) -> u64 {
        step.timeout_ms.or(self.timeout_ms).unwrap_or(DEFAULT_STEP_TIMEOUT_MS)
    }

    /// The address of the first navigate step.
    #[must_use]
    pub fn first_address(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match &step.action {
            Action::Navigate { url } => Some(url.as_str()),
            _ => None,
        })
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Milliseconds it may take, where it says.
    pub timeout_ms: Option<u64>,
    /// The page or frame it acts in: `main`, or an address; none means the main page.
    pub target: Option<String>,
    /// The way to a frame inside the target: child indices from the top.
    pub frame: Vec<usize>,
    /// What must happen because of the step.
    pub asserted_events: Vec<AssertedNavigation>,
    /// Whether it must not happen twice, where the flow says so itself.
    pub critical: Option<bool>,
}

/// A navigation that a step is expected to bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertedNavigation {
    /// Where to. As recorded; the attempt waits for any navigation to it.
    pub url: Option<String>,
    /// The title there, as recorded. Shown, not enforced: titles carry counters and dates.
    pub title: Option<String>,
}

/// A mouse button, by the names of the recording's format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Button {
    /// Left.
    #[default]
    Primary,
    /// Middle.
    Auxiliary,
    /// Right.
    Secondary,
    /// The fourth.
    Back,
    /// The fifth.
    Forward,
}

/// What a click says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pointer {
    /// Which button.
    pub button: Button,
    /// Whether by touch.
    pub touch: bool,
    /// How long it is held, in milliseconds.
    pub duration_ms: u64,
    /// Where in the element, in CSS pixels from its left upper corner; none means its middle.
    pub offset: Option<(f64, f64)>,
}

/// How a waitForElement compares the count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// At least so many.
    #[default]
    AtLeast,
    /// Exactly so many.
    Exactly,
    /// At most so many.
    AtMost,
}

/// What an assertText compares.
#[derive(Clone, Debug, PartialEq)]
pub enum TextRule {
    /// Holds this text.
    Contains(String),
    /// Is this text.
    Equals(String),
    /// Matches this regular expression (JavaScript's).
    Matches(String),
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the fields are those of the recording's format")]
pub enum Action {
    SetViewport {
        width: u32,
        height: u32,
        scale: f64,
        mobile: bool,
        touch: bool,
        landscape: bool,
    },
    Navigate {
        url: String,
    },
    Click {
        selectors: Vec<Chain>,
        pointer: Pointer,
    },
    DoubleClick {
        selectors: Vec<Chain>,
        pointer: Pointer,
    },
    Hover {
        selectors: Vec<Chain>,
    },
    Change {
        selectors: Vec<Chain>,
        value: String,
    },
    KeyDown {
        key: String,
    },
    KeyUp {
        key: String,
    },
    Scroll {
        selectors: Vec<Chain>,
        x: f64,
        y: f64,
    },
    WaitForElement {
        selectors: Vec<Chain>,
        comparison: Comparison,
        count: u32,
        visible: Option<bool>,
        properties: BTreeMap<String, Value>,
        attributes: BTreeMap<String, String>,
    },
    WaitForExpression {
        expression: String,
    },
    EmulateNetworkConditions {
        download: f64,
        upload: f64,
        latency_ms: f64,
    },
    Close,
    Extract {
        name: String,
        selectors: Vec<Chain>,
        source: ExtractSource,
        all: bool,
    },
    Screenshot {
        name: Option<String>,
        full_page: bool,
        selectors: Vec<Chain>,
    },
    AssertText {
        selectors: Vec<Chain>,
        rule: TextRule,
    },
    ExpectStatus {
        statuses: Vec<u16>,
    },
}

/// What an extract takes from an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtractSource {
    /// Its trimmed text.
    Text,
    /// An attribute.
    Attribute(String),
    /// A property.
    Property(String),
}

impl Action {
    /// The step's selector chains, where it has any.
    #[must_use]
    pub fn selectors(&self) -> Option<&[Chain]> {
        match self {
            Self::Click { selectors, .. }
            | Self::DoubleClick { selectors, .. }
            | Self::Hover { selectors }
            | Self::Change { selectors, .. }
            | Self::Scroll { selectors, .. }
            | Self::WaitForElement { selectors, .. }
            | Self::Extract { selectors, .. }
            | Self::Screenshot { selectors, .. }
            | Self::AssertText { selectors, .. } => Some(selectors),
            _ => None,
        }
    }

    /// The step's type as the recording writes it; for a custom step its name.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::SetViewport { .. } => "setViewport",
            Self::Navigate { .. } => "navigate",
            Self::Click { .. } => "click",
            Self::DoubleClick { .. } => "doubleClick",
            Self::Hover { .. } => "hover",
            Self::Change { .. } => "change",
            Self::KeyDown { .. } => "keyDown",
            Self::KeyUp { .. } => "keyUp",
            Self::Scroll { .. } => "scroll",
            Self::WaitForElement { .. } => "waitForElement",
            Self::WaitForExpression { .. } => "waitForExpression",
            Self::EmulateNetworkConditions { .. } => "emulateNetworkConditions",
            Self::Close => "close",
            Self::Extract { .. } => "extract",
            Self::Screenshot { .. } => "screenshot",
            Self::AssertText { .. } => "assertText",
            Self::ExpectStatus { .. } => "expectStatus",
        }
    }
}

/// A flow's name and version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct FlowRef {
    /// The slug it is kept under.
    pub name: String,
    /// From 1.
    pub version: u32,
}

impl std::fmt::Display for FlowRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// What a flow says of one of its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ParameterSpec {
    /// Masked wherever it would be shown or written.
    pub private: bool,
    /// The value where a submission gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// A regular expression that the whole value must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// The surroundings a flow asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Environment {
    /// Width and height of the window in CSS pixels, before any setViewport.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewport: Option<ViewportSize>,
    /// What the browser says it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// A BCP 47 tag such as `de-CH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// An IANA name such as `Europe/Zurich`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Further headers of every request.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// A window's size in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ViewportSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// A flow to keep under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewFlow {
    /// The recording.
    #[cfg_attr(feature = "ssr", schema(value_type = Object))]
    pub flow: Value,
    /// Its name; by default its title. Kept as a slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is said of its parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterSpec>,
    /// The surroundings it asks for.
    #[serde(default)]
    pub environment: Environment,
}

/// A flow version as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct FlowVersion {
    /// The slug.
    pub name: String,
    /// From 1.
    pub version: u32,
    /// The recording's title.
    pub title: String,
    /// False for one that came with a task and was not saved by name.
    pub listed: bool,
    /// The recording as it came. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub flow: Option<Value>,
    /// Its steps in words.
    pub steps: Vec<String>,
    /// Its parameters and what is said of them.
    pub parameters: BTreeMap<String, ParameterSpec>,
    /// The surroundings it asks for.
    pub environment: Environment,
    /// The site of its first navigate step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// When it was saved.
    pub created_at: Timestamp,
}

/// What checking a recording found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Checked {
    /// The recording's title.
    pub title: String,
    /// The steps in words.
    pub steps: Vec<String>,
    /// The names of its parameters, sorted.
    pub parameters: Vec<String>,
}
