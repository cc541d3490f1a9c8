//! What a person or a program asks of a work order.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{NewConclusion, TasksThen};
use crate::model::rule::NewRule;

/// Claims an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ClaimOrder {
    /// The version that was seen: another one is a conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// A claim's proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ClaimProof {
    /// As the claim gave it.
    pub claim_token: Uuid,
    /// The version that was seen: another one is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

impl ClaimProof {
    /// The proof by a token, whatever the version.
    #[must_use]
    pub fn of(claim_token: Uuid) -> Self {
        Self { claim_token, version: None }
    }
}

/// Something to write about an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewAnnotation {
    /// Markdown.
    pub text: String,
    /// The writer's claim, where it has one: a stale one is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_token: Option<Uuid>,
    /// The version that was seen: another one is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// What the holder has typed so far, to be kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderDraft {
    /// As the claim gave it.
    pub claim_token: Uuid,
    /// Whatever the form holds; at most 64 KiB as JSON.
    #[cfg_attr(feature = "ssr", schema(value_type = Object))]
    pub draft: Value,
    /// The version that was seen: another one is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// The end of an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CloseOrder {
    /// As the claim gave it.
    pub claim_token: Uuid,
    /// The version that was seen: another one is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// What was found.
    pub conclusion: NewConclusion,
    /// What the next attempt is to do. It becomes active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<NewRule>,
    /// What becomes of the tasks that wait; `release` by default.
    #[serde(default)]
    pub tasks: TasksThen,
}

/// Opens a closed order again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ReopenOrder {
    /// Why; becomes an annotation.
    pub reason: String,
    /// The version that was seen: another one is a conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// Names who is to look at an order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AssignOrder {
    /// The name of a person or an API token; nobody where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The version that was seen: another one is a conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// Takes a claim from who holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TakeOver {
    /// Why; becomes an annotation. Not empty.
    pub reason: String,
    /// The version that was seen: another one is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}
