//! Who asks: the guard that finds the caller of every request, and turns away those without a key.
//!
//! The order of refusals is the API's: the origin (403), then the key (401), then the caller's rate (429);
//! what follows is the control room's.

use std::sync::Arc;

use app::{
    api::room::Answer,
    model::{caller::Caller, problem::AppError},
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};

use super::{Shared, body_limit, origin, problem::Refusal};

/// The name of the cookie that carries a browser's session.
pub const SESSION_COOKIE: &str = "signalbox_session";

/// By what a caller has proved who it is. An extension of the request beside its `Caller`.
#[derive(Clone)]
pub enum Credential {
    /// An API token.
    Token(String),
    /// A browser's session.
    Session(String),
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token(…)",
            Self::Session(_) => "Session(…)",
        })
    }
}

impl Credential {
    /// The one that a request carries. A token stands above a session.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        match bearer(headers) {
            Some(token) => Some(Self::Token(token.to_owned())),
            None => session(headers).map(Self::Session),
        }
    }

    /// Who that is now.
    pub(crate) async fn caller(&self, shared: &Shared) -> Answer<Option<Caller>> {
        match self {
            Self::Token(token) => shared.room.by_token(token).await,
            Self::Session(session) => shared.room.by_session(session).await,
        }
    }
}

/// The token of an `Authorization` header; empty where the header is there and holds none.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().unwrap_or_default();
    let (scheme, token) = value.split_once(' ').unwrap_or_default();
    Some(if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" })
}

/// The session in the cookies.
pub(crate) fn session(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|cookies| cookies.split(';')).find_map(|cookie| {
        let (name, value) = cookie.split_once('=')?;
        (name.trim() == SESSION_COOKIE).then(|| value.trim().to_owned())
    })
}

/// Whether an address answers without a key.
fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/readyz/pool" | "/sign-in") || path.starts_with("/pkg/")
}

/// Finds the caller, or turns the request away.
pub(super) async fn guard(State(shared): State<Arc<Shared>>, mut request: Request, next: Next) -> Response {
    match admit(&shared, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            // Its sender is to read the answer, and not to break off sending.
            body_limit::discard(request).await;
            *refusal
        }
    }
}

/// Puts the caller into the request's extensions.
async fn admit(shared: &Shared, request: &mut Request) -> Result<(), Box<Response>> {
    let headers = request.headers();
    let credential = Credential::of(headers);
    let by_token = matches!(credential, Some(Credential::Token(_)));
    if !by_token && !origin::allowed(request.method(), headers, shared.origin.as_deref()) {
        let detail = "the request comes from another site than this one".to_owned();
        return Err(refusal(AppError::Forbidden { detail }).into());
    }
    if is_open(request.uri().path()) {
        return Ok(());
    }
    let Some(credential) = credential else { return Err(unauthorized(request).into()) };
    let caller = match credential.caller(shared).await {
        Ok(Some(caller)) => caller,
        Ok(None) if by_token => return Err(refusal(AppError::Unauthorized).into()),
        Ok(None) => return Err(unauthorized(request).into()),
        Err(error) => return Err(refusal(error).into()),
    };
    if let Err(retry_after_s) = shared.rates.take(caller.id) {
        let detail = format!("{} asks more often than it may", caller.name);
        return Err(refusal(AppError::Busy { detail, retry_after_s }).into());
    }
    let extensions = request.extensions_mut();
    extensions.insert(caller);
    extensions.insert(credential);
    Ok(())
}

fn refusal(error: AppError) -> Response {
    Refusal::from(error).into_response()
}

/// A program is told that it needs a key; a person is taken to the sign-in page and back.
fn unauthorized(request: &Request) -> Response {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    let reads = matches!(*method, Method::GET | Method::HEAD);
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let wants_page = accept.contains("text/html");
    let path = uri.path();
    let for_programs = path == "/metrics" || path.starts_with("/api/") || path.starts_with("/fn/");
    if reads && (wants_page || !for_programs) {
        let here = uri.path_and_query().map_or("/", |here| here.as_str());
        if here == "/" {
            return Redirect::to("/sign-in").into_response();
        }
        let next: String = url::form_urlencoded::byte_serialize(here.as_bytes()).collect();
        return Redirect::to(&format!("/sign-in?next={next}")).into_response();
    }
    if !reads && wants_page {
        return Redirect::to("/sign-in").into_response();
    }
    refusal(AppError::Unauthorized)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(k, v)| (k.parse().expect("a name"), v.parse().expect("a value"))).collect()
    }

    #[test]
    fn a_token_stands_above_a_session_even_where_it_is_none() {
        let both = headers(&[("authorization", "bEaRer  abc "), ("cookie", "signalbox_session=xyz")]);
        assert!(matches!(Credential::of(&both), Some(Credential::Token(token)) if token == "abc"));
        let basic = headers(&[("authorization", "Basic abc"), ("cookie", "signalbox_session=xyz")]);
        assert!(matches!(Credential::of(&basic), Some(Credential::Token(token)) if token.is_empty()));
    }

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let cookies = headers(&[("cookie", "a=1; xsignalbox_session=no; signalbox_session=s-1 ; b=2")]);
        assert!(matches!(Credential::of(&cookies), Some(Credential::Session(session)) if session == "s-1"));
        assert!(Credential::of(&headers(&[("cookie", "a=1")])).is_none());
    }

    #[test]
    fn only_the_listed_addresses_are_open() {
        for path in ["/healthz", "/readyz", "/readyz/pool", "/sign-in", "/pkg/main.css"] {
            assert!(is_open(path), "{path}");
        }
        for path in
            ["/", "/metrics", "/pkg", "/sign-in/", "/sign-out", "/api/docs", "/api/openapi.json", "/readyz/"]
        {
            assert!(!is_open(path), "{path}");
        }
    }
}
