//! Errors as they leave the server: RFC 9457 `application/problem+json`.
//!
//! What the control room answers is an [`AppError`] and becomes a [`Refusal`] by `From`. What only HTTP
//! knows has a constructor here: [`Refusal::bad_json`], [`Refusal::too_large`], [`Refusal::media_type`],
//! [`not_found`] and [`method_not_allowed`].

use app::model::problem::{AppError, FieldError, Problem};
use axum::{
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};

/// The media type of every error.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// An answer that says why not.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The body.
    pub problem: Box<Problem>,
    /// Seconds until it is worth trying again.
    pub retry_after_s: Option<u64>,
}

impl Refusal {
    fn new(status: StatusCode, slug: &str, title: &str, detail: impl Into<String>) -> Self {
        Self {
            problem: Box::new(Problem {
                r#type: format!("urn:signalbox:problem:{slug}"),
                title: title.to_owned(),
                status: status.as_u16(),
                detail: detail.into(),
                errors: Vec::new(),
                current: None,
            }),
            retry_after_s: None,
        }
    }

    /// 400: the body is not JSON at all.
    #[must_use]
    pub fn bad_json(why: &str) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "bad-json",
            "The body is not JSON",
            format!("the body is not JSON: {why}"),
        )
    }

    /// 400: the body broke off.
    #[must_use]
    pub fn bad_body(why: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-body", "The body cannot be read", why)
    }

    /// 408: the body did not come in time.
    #[must_use]
    pub fn too_slow() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "too-slow",
            "The body did not come",
            "the body took too long to come in",
        )
    }

    /// 413: the body is over the limit.
    #[must_use]
    pub fn too_large() -> Self {
        let detail = format!("the body must have at most {} bytes", super::BODY_LIMIT);
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "The body is too large", detail)
    }

    /// 415: the body is of another media type than is read here.
    #[must_use]
    pub fn media_type(wanted: &str) -> Self {
        let detail = format!("the body must be sent as {wanted}");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media-type", "Another media type is needed", detail)
    }

    /// 422: the input is at fault at these places.
    #[must_use]
    pub fn bad_input(errors: Vec<FieldError>) -> Self {
        AppError::BadInput { errors }.into()
    }

    /// The status it answers with.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl From<AppError> for Refusal {
    fn from(error: AppError) -> Self {
        let retry_after_s = match &error {
            AppError::Busy { retry_after_s, .. } => Some((*retry_after_s).max(1)),
            _ => None,
        };
        Self { problem: Box::new(error.problem()), retry_after_s }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = self.status();
        let body = serde_json::to_vec(&self.problem).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// 404 for an address that is none.
pub async fn not_found() -> Refusal {
    AppError::not_found("such address").into()
}

/// 405 for a method that an address does not have. The router adds which it has.
pub async fn method_not_allowed(method: Method, uri: Uri) -> Refusal {
    Refusal::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method-not-allowed",
        "Not this method",
        format!("{} does not answer {method}", uri.path()),
    )
}
