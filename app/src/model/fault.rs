//! A fault: why an attempt failed, by class.

use serde::{Deserialize, Serialize};

use super::message::Message;

/// The kinds of fault; what follows from each is the design's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FaultClass {
    /// The data is wrong: an assertText is false.
    Business,
    /// The element of a step is missing, one of several, or unusable.
    Selector,
    /// 401, 407 or a sign-in page.
    Auth,
    /// A navigation became a download.
    Download,
    /// A critical step had begun: whether it took effect is not known.
    Uncertain,
    /// No document: DNS, connection, TLS, redirect loop.
    Navigation,
    /// Something awaited did not come, or the task's own time passed.
    Timeout,
    /// The document's status is 400 or more.
    HttpStatus,
    /// The site refuses us: 429, 503 with Retry-After, 403, captcha.
    Blocked,
    /// The page's renderer crashed.
    RendererCrash,
    /// The Chrome instance ended.
    InstanceLost,
    /// Ours.
    Internal,
    /// An address that a job may not reach.
    Policy,
    /// The task's deadline passed.
    Deadline,
}

impl FaultClass {
    /// Every class, in the order of the design's table.
    pub const ALL: [FaultClass; 14] = [
        Self::Business,
        Self::Selector,
        Self::Auth,
        Self::Download,
        Self::Uncertain,
        Self::Navigation,
        Self::Timeout,
        Self::HttpStatus,
        Self::Blocked,
        Self::RendererCrash,
        Self::InstanceLost,
        Self::Internal,
        Self::Policy,
        Self::Deadline,
    ];

    /// The class as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Business => "business",
            Self::Selector => "selector",
            Self::Auth => "auth",
            Self::Download => "download",
            Self::Uncertain => "uncertain",
            Self::Navigation => "navigation",
            Self::Timeout => "timeout",
            Self::HttpStatus => "http_status",
            Self::Blocked => "blocked",
            Self::RendererCrash => "renderer_crash",
            Self::InstanceLost => "instance_lost",
            Self::Internal => "internal",
            Self::Policy => "policy",
            Self::Deadline => "deadline",
        }
    }
}

impl std::str::FromStr for FaultClass {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no class of fault"))
    }
}

/// Why an attempt failed. Its JSON has the sentence beside code and parameters; reading it back words it
/// anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Wire", from = "Wire")]
pub struct Fault {
    /// The kind.
    pub class: FaultClass,
    /// The step it happened at, counted from 0.
    pub step: Option<u32>,
    /// What happened.
    pub what: Message,
    /// The document's HTTP status where the site answered.
    pub status: Option<u16>,
}

impl Fault {
    /// A fault that belongs to no step.
    #[must_use]
    pub fn new(class: FaultClass, what: Message) -> Self {
        Self { class, step: None, what, status: None }
    }

    /// The fault at a step, counted from 0.
    #[must_use]
    pub fn at(mut self, step: u32) -> Self {
        self.step = Some(step);
        self
    }

    /// The fault with the status that the site answered.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// What happened, in English.
    #[must_use]
    pub fn message(&self) -> String {
        self.what.english()
    }
}

/// Why an attempt failed.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
struct Wire {
    /// The kind.
    class: FaultClass,
    /// The step it happened at, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<u32>,
    /// What happened, in English.
    #[serde(default)]
    message: String,
    /// The document's HTTP status where the site answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(flatten)]
    what: Message,
}

#[cfg(feature = "ssr")]
impl utoipa::PartialSchema for Fault {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        <Wire as utoipa::PartialSchema>::schema()
    }
}

#[cfg(feature = "ssr")]
impl utoipa::ToSchema for Fault {
    fn name() -> std::borrow::Cow<'static, str> {
        "Fault".into()
    }

    fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>)>) {
        <Wire as utoipa::ToSchema>::schemas(schemas);
    }
}

impl From<Fault> for Wire {
    fn from(fault: Fault) -> Self {
        Self {
            class: fault.class,
            step: fault.step,
            message: fault.message(),
            status: fault.status,
            what: fault.what,
        }
    }
}

impl From<Wire> for Fault {
    fn from(wire: Wire) -> Self {
        Self { class: wire.class, step: wire.step, what: wire.what, status: wire.status }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_carries_the_sentence_and_survives_the_way_back() {
        let fault =
            Fault::new(FaultClass::Navigation, Message::new("navigation.dns").with("host", "nowhere")).at(2);
        let json = serde_json::to_value(&fault).expect("json");
        assert_eq!(json["class"], "navigation");
        assert_eq!(json["step"], 2);
        assert_eq!(json["message"], "The name nowhere cannot be found");
        assert_eq!(serde_json::from_value::<Fault>(json).expect("back"), fault);
    }
}
