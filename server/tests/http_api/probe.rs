//! Requests to the front, and what came back.

use std::sync::Arc;

use app::api::room::ControlRoom;
use async_trait::async_trait;
use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode},
};
use http_body_util::BodyExt;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;
use server::{
    config::HttpSettings,
    http::{Options, health::Readiness, router},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::fake::Room;

/// Store well, pool not.
struct HalfReady;

#[async_trait]
impl Readiness for HalfReady {
    async fn store(&self) -> Result<(), String> {
        Ok(())
    }

    async fn pool(&self) -> Result<(), String> {
        Err("no context was opened lately".to_owned())
    }
}

pub fn options() -> Options {
    Options {
        public_url: "http://127.0.0.1:3000".to_owned(),
        limits: HttpSettings::default(),
        metrics: PrometheusBuilder::new().build_recorder().handle(),
        readiness: Arc::new(HalfReady),
        drain: CancellationToken::new(),
    }
}

pub fn front() -> Router {
    front_of(Room::new())
}

pub fn front_of(room: Arc<dyn ControlRoom>) -> Router {
    router(room, options())
}

/// An answer that was read to its end.
#[derive(Debug)]
pub struct Seen {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Seen {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Checks that this is a whole problem, and gives its status with the places it names.
    pub fn problem(&self) -> (u16, Vec<String>) {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem = self.json();
        for name in ["type", "title", "detail"] {
            assert!(problem[name].as_str().is_some_and(|text| !text.is_empty()), "{name}: {problem}");
        }
        assert_eq!(problem["status"], self.status, "{problem}");
        let errors = problem["errors"].as_array().cloned().unwrap_or_default();
        (self.status, errors.iter().map(|e| e["pointer"].as_str().expect("a pointer").to_owned()).collect())
    }
}

/// A request in the making.
pub struct Ask {
    builder: axum::http::request::Builder,
    body: Body,
}

pub fn ask(method: &str, path: &str) -> Ask {
    Ask {
        builder: Request::builder().method(method).uri(path).header("host", "127.0.0.1:3000"),
        body: Body::empty(),
    }
}

impl Ask {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.builder = self.builder.header(name, value);
        self
    }

    pub fn token(self, role: &str) -> Self {
        self.header("authorization", &format!("Bearer {role}"))
    }

    pub fn session(self, role: &str) -> Self {
        self.header("cookie", &format!("signalbox_session={role}"))
    }

    pub fn json(self, body: impl Into<String>) -> Self {
        let mut ask = self.header("content-type", "application/json");
        ask.body = Body::from(body.into());
        ask
    }

    pub fn form(self, body: &str) -> Self {
        let mut ask = self.header("content-type", "application/x-www-form-urlencoded");
        ask.body = Body::from(body.to_owned());
        ask
    }

    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// The answer before its body is read.
    pub async fn open(self, front: &Router) -> axum::http::Response<Body> {
        let request = self.builder.body(self.body).expect("a request");
        front.clone().oneshot(request).await.expect("an answer")
    }

    pub async fn of(self, front: &Router) -> Seen {
        let response = self.open(front).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let body = String::from_utf8(body.to_vec()).expect("text");
        Seen { status: StatusCode::as_u16(&parts.status), headers: parts.headers, body }
    }
}
