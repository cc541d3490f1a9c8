//! The limit of a request's body.

use std::time::Duration;

use axum::{
    body::Body,
    extract::Request,
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use http_body_util::Limited;

use super::{BODY_LIMIT, problem::Refusal};

/// Most bytes of a body over the limit that are read and thrown away, so that its sender gets to read the
/// answer instead of a broken connection.
const DISCARD: u64 = 64 * 1024 * 1024;
/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Refuses a body that says it is over the limit, and cuts off one that turns out to be.
pub async fn guard(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let length = parts.headers.get(header::CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|value| value.to_str().ok()?.parse().ok());
    if let Some(length) = length.filter(|length| *length > BODY_LIMIT as u64) {
        // Who asks before sending is answered before sending.
        if length <= DISCARD && !parts.headers.contains_key(header::EXPECT) {
            let mut rest = body.into_data_stream();
            let discard = async { while let Some(Ok(_)) = rest.next().await {} };
            let _late = tokio::time::timeout(PATIENCE, discard).await;
        }
        return Refusal::too_large().into_response();
    }
    next.run(Request::from_parts(parts, Body::new(Limited::new(body, BODY_LIMIT)))).await
}
