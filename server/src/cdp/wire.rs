//! The protocol's envelope: what is around every command, answer and event.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A command on its way out; `params` is encoded straight from the typed command.
#[derive(Serialize)]
pub(super) struct Outgoing<'a, P: Serialize> {
    pub id: u64,
    #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
    pub session: Option<&'a str>,
    pub method: &'a str,
    pub params: &'a P,
}

/// A message from Chrome with its payload still undecoded: an answer has `id`, an event has `method`.
#[derive(Deserialize)]
pub(super) struct Incoming<'a> {
    pub id: Option<u64>,
    #[serde(rename = "sessionId")]
    pub session: Option<&'a str>,
    pub method: Option<&'a str>,
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    pub error: Option<Refusal>,
}

/// The protocol's own error.
#[derive(Debug, Deserialize)]
pub(super) struct Refusal {
    pub code: i64,
    pub message: String,
}
