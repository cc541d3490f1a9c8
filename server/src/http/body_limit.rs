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
    if length(&request).is_some_and(|length| length > BODY_LIMIT as u64) {
        discard(request).await;
        return Refusal::too_large().into_response();
    }
    next.run(request.map(|body| Body::new(Limited::new(body, BODY_LIMIT)))).await
}

fn length(request: &Request) -> Option<u64> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads and throws away the body of a request that is refused. Who asks before sending is answered
/// before sending.
pub(super) async fn discard(request: Request) {
    let length = length(&request).unwrap_or(0);
    if length == 0 || length > DISCARD || request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut rest = request.into_body().into_data_stream();
    let reading = async { while let Some(Ok(_)) = rest.next().await {} };
    let _late = tokio::time::timeout(PATIENCE, reading).await;
}
