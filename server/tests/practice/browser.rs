//! A browser without scripts: sends requests straight into the router, keeps cookies, follows redirects.

use std::collections::BTreeMap;

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode, header},
};
use http_body_util::BodyExt;
use server::practice::{State, router};
use tower::ServiceExt;

/// Redirects that are followed before it is called a loop.
const MOST_REDIRECTS: usize = 10;

/// An answer.
pub struct Answer {
    /// The address that was answered, after redirects.
    pub path: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    /// Whether an element of this id is in the markup.
    #[must_use]
    pub fn has_id(&self, id: &str) -> bool {
        self.body.contains(&format!(" id=\"{id}\""))
    }

    /// The text between a mark and the next tag.
    #[must_use]
    pub fn text_after(&self, mark: &str) -> &str {
        let rest = self.body.split_once(mark).unwrap_or_else(|| panic!("{mark} is not in {}", self.path)).1;
        let rest = &rest[rest.find('>').map_or(0, |end| end + 1)..];
        &rest[..rest.find('<').unwrap_or(rest.len())]
    }
}

/// One visitor.
pub struct Browser {
    router: Router,
    cookies: BTreeMap<String, String>,
    pub follow: bool,
}

impl Browser {
    /// A new visitor of a site.
    #[must_use]
    pub fn new(state: &State) -> Self {
        Self { router: router(state.clone()), cookies: BTreeMap::new(), follow: true }
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    pub async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        self.send("POST", path, Some(body)).await
    }

    /// Signs the practice user in.
    pub async fn sign_in(&mut self) -> Answer {
        self.post("/sign-in", &[("email", server::practice::USER), ("password", server::practice::PASSWORD)])
            .await
    }

    async fn send(&mut self, method: &str, path: &str, form: Option<String>) -> Answer {
        let mut answer = self.once(method, path, form).await;
        for _ in 0..MOST_REDIRECTS {
            let Some(to) = answer.headers.get(header::LOCATION).filter(|_| self.follow) else {
                return answer;
            };
            let to = to.to_str().expect("an address").to_owned();
            answer = self.once("GET", &to, None).await;
        }
        answer
    }

    async fn once(&mut self, method: &str, path: &str, form: Option<String>) -> Answer {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "127.0.0.1:8123")
            .header(header::COOKIE, cookies.join("; "))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.map_or_else(Body::empty, Body::from))
            .expect("a request");
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(header::SET_COOKIE) {
            let (pair, attributes) = cookie.to_str().expect("text").split_once(';').expect("attributes");
            let (name, value) = pair.split_once('=').expect("a pair");
            if attributes.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let bytes = body.collect().await.expect("a body").to_bytes();
        Answer {
            path: path.to_owned(),
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(bytes.to_vec()).expect("text"),
        }
    }
}
