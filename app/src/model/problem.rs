//! What goes wrong, as a caller sees it: typed here, RFC 9457 `application/problem+json` outside.
//!
//! Which error for what:
//! - the input is at fault: [`AppError::BadInput`], with every place named;
//! - nobody said who asks: [`AppError::Unauthorized`]; they may not: [`AppError::Forbidden`];
//! - there is no such thing: [`AppError::NotFound`]; it is not in a state for this: [`AppError::Conflict`];
//!   somebody else was faster: [`AppError::Stale`];
//! - the queue is full: [`AppError::Busy`]; a part of the machine is away: [`AppError::Unavailable`];
//! - all else is ours: [`AppError::Internal`], logged in full where it happened, told by its number only.

use serde::{Deserialize, Serialize};

/// One fault in an input, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[error("{pointer}: {message}")]
pub struct FieldError {
    /// A JSON pointer (RFC 6901) to the place, such as `/flow/steps/3/selectors`.
    pub pointer: String,
    /// What is wrong there and what would be right.
    pub message: String,
}

impl FieldError {
    /// A fault at a place.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}

/// What a call of the control room can answer besides its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AppError {
    /// 422: the input is at fault, here.
    #[error("{}", words(.errors))]
    BadInput {
        /// The faults, one or more.
        errors: Vec<FieldError>,
    },
    /// 401: no key, or none that is known.
    #[error("sign in, or send a token that is known")]
    Unauthorized,
    /// 403: the caller may not.
    #[error("{detail}")]
    Forbidden {
        /// What role it takes.
        detail: String,
    },
    /// 404: there is no such thing.
    #[error("there is no {what}")]
    NotFound {
        /// The thing in words, such as `task 0190…`.
        what: String,
    },
    /// 409: the thing is not in a state for this.
    #[error("{detail}")]
    Conflict {
        /// Why not.
        detail: String,
    },
    /// 409: somebody else was faster; with what is there now.
    #[error("{detail}")]
    Stale {
        /// Who, or what has changed.
        detail: String,
        /// The thing as it is now.
        current: Box<serde_json::Value>,
    },
    /// 429: over a bound, with when to come again.
    #[error("{detail}")]
    Busy {
        /// What is full, and why.
        detail: String,
        /// Seconds until it is worth trying again.
        retry_after_s: u64,
    },
    /// 503: a part is away; trying again later may help.
    #[error("{detail}")]
    Unavailable {
        /// Which part.
        detail: String,
    },
    /// 500: ours. The log has the rest under this number.
    #[error("something failed inside; the log has it under {incident}")]
    Internal {
        /// The number in the log.
        incident: String,
    },
}

fn words(errors: &[FieldError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl AppError {
    /// A single fault of an input.
    pub fn bad_input(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::BadInput { errors: vec![FieldError::new(pointer, message)] }
    }

    /// There is no such thing.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::NotFound { what: what.into() }
    }

    /// Not in a state for this.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::Conflict { detail: detail.into() }
    }

    /// The HTTP status that says it.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::BadInput { .. } => 422,
            Self::Unauthorized => 401,
            Self::Forbidden { .. } => 403,
            Self::NotFound { .. } => 404,
            Self::Conflict { .. } | Self::Stale { .. } => 409,
            Self::Busy { .. } => 429,
            Self::Unavailable { .. } => 503,
            Self::Internal { .. } => 500,
        }
    }

    /// The body that says it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (slug, title) = match self {
            Self::BadInput { .. } => ("bad-input", "The input is at fault"),
            Self::Unauthorized => ("unauthorized", "Not signed in"),
            Self::Forbidden { .. } => ("forbidden", "Not allowed"),
            Self::NotFound { .. } => ("not-found", "Not found"),
            Self::Conflict { .. } | Self::Stale { .. } => ("conflict", "Not possible now"),
            Self::Busy { .. } => ("busy", "Too much at once"),
            Self::Unavailable { .. } => ("unavailable", "Not available"),
            Self::Internal { .. } => ("internal", "Failed inside"),
        };
        Problem {
            r#type: format!("urn:signalbox:problem:{slug}"),
            title: title.to_owned(),
            status: self.status(),
            detail: self.to_string(),
            errors: match self {
                Self::BadInput { errors } => errors.clone(),
                _ => Vec::new(),
            },
            current: match self {
                Self::Stale { current, .. } => Some(current.clone()),
                _ => None,
            },
        }
    }
}

/// The body of an error answer (RFC 9457).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Problem {
    /// A name of the kind of problem, as a URN.
    pub r#type: String,
    /// The kind in words.
    pub title: String,
    /// The HTTP status again.
    pub status: u16,
    /// What happened here, and what to do.
    pub detail: String,
    /// The faults of an input, each with its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// The thing as it is now, where somebody else was faster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ssr", schema(value_type = Option<Object>))]
    pub current: Option<Box<serde_json::Value>>,
}
