//! One request as the pages see it: who, in which design, with which query; and the answers.

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};

use super::{
    design::{Design, Look},
    html::{self, Page},
    session::Session,
    state::State,
};

/// The cookie that tells visitors apart.
const SESSION_COOKIE: &str = "halden_visitor";
/// The cookie that keeps a design that was chosen by address.
const DESIGN_COOKIE: &str = "halden_design";

/// One request.
#[derive(Debug)]
pub(super) struct Visit {
    pub state: State,
    pub design: Design,
    pub host: String,
    query: Vec<(String, String)>,
    cookies: Vec<(String, String)>,
    key: Option<String>,
    set_cookies: Vec<String>,
}

impl FromRequestParts<State> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Infallible> {
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let query: Vec<_> = pairs(parts.uri.query().unwrap_or_default()).collect();
        let cookies: Vec<(String, String)> = text(header::COOKIE)
            .unwrap_or_default()
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let asked = find(&query, "design");
        let mut set_cookies = Vec::new();
        // An address may choose a design, which then stays; `?design=shop` goes back to the shop's own.
        let design = match asked.map(|asked| (asked, Design::parse(asked))) {
            Some((_, Some(design))) => {
                set_cookies.push(format!("{DESIGN_COOKIE}={design}; Path=/; SameSite=Lax"));
                design
            }
            Some(("shop", None)) => {
                set_cookies.push(format!("{DESIGN_COOKIE}=; Path=/; Max-Age=0; SameSite=Lax"));
                state.design()
            }
            _ => find(&cookies, DESIGN_COOKIE).and_then(Design::parse).unwrap_or_else(|| state.design()),
        };
        let key = find(&cookies, SESSION_COOKIE).filter(|key| key.len() <= 64).map(str::to_owned);
        let host = text(header::HOST).unwrap_or("127.0.0.1").to_owned();
        Ok(Self { state: state.clone(), design, host, query, cookies, key, set_cookies })
    }
}

impl Visit {
    pub(super) fn look(&self) -> &'static Look {
        self.design.look()
    }

    /// A value of the query, trimmed; empty where it is not there.
    pub(super) fn query(&self, name: &str) -> &str {
        find(&self.query, name).unwrap_or_default().trim()
    }

    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        find(&self.cookies, name)
    }

    /// The visitor as remembered; a stranger is an empty one.
    pub(super) fn session(&self) -> Session {
        let key = self.key.as_deref();
        key.and_then(|key| self.state.sessions().lock().get(key).cloned()).unwrap_or_default()
    }

    /// Changes what is remembered of the visitor, who gets a cookie with the answer if he has none.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Session) -> T) -> T {
        let key = self.key.get_or_insert_with(|| {
            let key = format!("{:032x}", rand::random::<u128>());
            self.set_cookies.push(format!("{SESSION_COOKIE}={key}; Path=/; HttpOnly; SameSite=Lax"));
            key
        });
        change(self.state.sessions().lock().entry(key))
    }

    pub(super) fn set_cookie(&mut self, cookie: String) {
        self.set_cookies.push(cookie);
    }

    /// Answers a page of the shop.
    pub(super) fn page(self, page: Page) -> Response {
        let body = html::document(&self, &page);
        self.finish((page.status, axum::response::Html(body)).into_response())
    }

    /// Sends the browser on with a GET.
    pub(super) fn see(self, address: &str) -> Response {
        self.go(StatusCode::SEE_OTHER, address)
    }

    /// Answers with a status and an address to go to. An address that no header can hold is 400.
    pub(super) fn go(self, status: StatusCode, address: &str) -> Response {
        let response = match HeaderValue::from_str(address) {
            Ok(address) => (status, [(header::LOCATION, address)]).into_response(),
            Err(_) => StatusCode::BAD_REQUEST.into_response(),
        };
        self.finish(response)
    }

    /// Adds the cookies of this visit to an answer.
    pub(super) fn finish(self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        for cookie in self.set_cookies {
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                headers.append(header::SET_COOKIE, cookie);
            }
        }
        response
    }
}

fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// The names and values of a query or of a form's body.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    url::form_urlencoded::parse(text.as_bytes()).map(|(name, value)| (name.into_owned(), value.into_owned()))
}
