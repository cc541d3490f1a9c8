//! What a browser is told to refuse.
//!
//! An answer that brings a header of its own keeps it: the pages bring a content policy with their nonce
//! ([`page_policy`]), evidence brings one under which nothing in it can run or call out
//! ([`EVIDENCE_POLICY`]).

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};

/// The policy of an answer that brings none: no script, nothing from elsewhere, in nobody's frame.
pub const STRICT_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The policy of a DOM snapshot: it may show what it brings along and do nothing at all.
pub const EVIDENCE_POLICY: &str = "sandbox allow-same-origin; default-src 'none'; img-src data:; \
     font-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'";

/// The policy of the pages: scripts of our own or with this answer's nonce, WebAssembly, frames and
/// connections to ourselves alone.
#[must_use]
pub fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'self'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; \
         style-src 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
}

/// What stands on every answer that does not say otherwise.
///
/// The referrer is kept for our own pages, because without one a form's post carries no origin.
const DEFAULTS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, STRICT_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Adds what an answer lacks.
pub async fn guard(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in DEFAULTS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
