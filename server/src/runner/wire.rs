//! Events and answers of the protocol as the runner uses them.
//!
//! Only the fields that are used are described, and those leniently: what a newer Chrome adds or renames
//! elsewhere cannot break an attempt.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cdp::Event;
use crate::cdp::ask::{Exception, Remote};

/// The events that an attempt follows on every page and frame.
pub(super) const FOLLOWED: [&str; 16] = [
    "Fetch.requestPaused",
    "Network.loadingFailed",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Page.domContentEventFired",
    "Page.downloadWillBegin",
    "Page.frameAttached",
    "Page.frameDetached",
    "Page.frameNavigated",
    "Page.frameRequestedNavigation",
    "Page.javascriptDialogOpening",
    "Page.loadEventFired",
    "Page.navigatedWithinDocument",
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Runtime.executionContextCreated",
];

/// Reads an event's parameters; one of another shape is dropped.
pub(super) fn read<T: DeserializeOwned>(event: &Event) -> Option<T> {
    serde_json::from_str(event.params())
        .inspect_err(|reason| tracing::debug!(method = event.method(), %reason, "an event is not understood"))
        .ok()
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameAttached {
    pub frame_id: String,
    pub parent_frame_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FrameDetached {
    pub frame_id: String,
    #[serde(default)]
    pub reason: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct FrameNavigated {
    pub frame: NavigatedFrame,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NavigatedFrame {
    pub id: String,
    pub parent_id: Option<String>,
    #[serde(default)]
    pub loader_id: String,
    pub url: String,
    #[serde(default)]
    pub url_fragment: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NavigatedWithin {
    pub frame_id: String,
    pub url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestedNavigation {
    pub frame_id: String,
    pub url: String,
    #[serde(default)]
    pub disposition: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct DialogOpening {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub message: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DownloadBegins {
    pub frame_id: String,
    pub url: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContextCreated {
    pub context: ContextDescription,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextDescription {
    pub id: i64,
    pub aux_data: Option<ContextAux>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContextAux {
    #[serde(default)]
    pub is_default: bool,
    pub frame_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ConsoleCalled {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub args: Vec<Remote>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExceptionThrown {
    pub exception_details: Exception,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestSent {
    pub request_id: String,
    pub request: Request,
    #[serde(rename = "type", default)]
    pub kind: String,
    pub frame_id: Option<String>,
    pub redirect_response: Option<Response>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub url: String,
    #[serde(default)]
    pub url_fragment: String,
    #[serde(default)]
    pub method: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseReceived {
    pub request_id: String,
    pub response: Response,
    #[serde(rename = "type", default)]
    pub kind: String,
    pub frame_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Response {
    pub url: String,
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, Value>,
}

impl Response {
    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .and_then(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFailed {
    pub request_id: String,
    #[serde(default)]
    pub error_text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestPaused {
    pub request_id: String,
    pub request: Request,
    pub frame_id: String,
    pub network_id: Option<String>,
    pub redirected_request_id: Option<String>,
}

/// The answer to `Page.navigate`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Navigated {
    pub loader_id: Option<String>,
    pub error_text: Option<String>,
    #[serde(default)]
    pub is_download: bool,
}
