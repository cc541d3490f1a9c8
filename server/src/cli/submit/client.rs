//! The calls of a running server's API.

use std::time::Duration;

use app::model::problem::Problem;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::{Agent, Body, http::Response};

use crate::cli::Failure;

/// Longest time of one call: a submission may wait a minute for room.
const LONGEST: Duration = Duration::from_secs(90);
/// Longest time until the server is reached.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest pause before a busy server is asked again.
const LONGEST_PAUSE: u64 = 3_600;

/// A server, and the token that is shown to it.
pub(super) struct Client {
    agent: Agent,
    base: String,
    authorization: String,
}

/// Why a call did not bring what was asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// No answer.
    #[error("{0}")]
    Unreachable(String),
    /// 429.
    #[error("{detail}")]
    Busy {
        /// What is full.
        detail: String,
        /// When to come again.
        retry_after: Duration,
    },
    /// Any other refusal, in words.
    #[error("{0}")]
    Said(String),
}

impl Client {
    pub(super) fn new(server: &str, token: &str) -> Result<Self, Failure> {
        let address = url::Url::parse(server).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if address.is_none() {
            return Err(Failure::usage(format!(
                "'{server}' is not the address of a server, such as http://127.0.0.1:3000"
            )));
        }
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Failure::usage("the token is none: make one with 'signalbox token create'"));
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(LONGEST))
            .timeout_connect(Some(CONNECT))
            .max_redirects(0)
            .user_agent(concat!("signalbox/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Ok(Self {
            agent,
            base: server.trim_end_matches('/').to_owned(),
            authorization: format!("Bearer {token}"),
        })
    }

    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Refused> {
        let request =
            self.agent.get(format!("{}{path}", self.base)).header("authorization", &self.authorization);
        self.answer(request.call())
    }

    pub(super) fn post<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, Refused> {
        let request =
            self.agent.post(format!("{}{path}", self.base)).header("authorization", &self.authorization);
        self.answer(request.send_json(body))
    }

    fn answer<T: DeserializeOwned>(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<T, Refused> {
        let unreachable = |why: ureq::Error| {
            Refused::Unreachable(format!(
                "cannot reach the server at {}: {why}; name another one with --server",
                self.base
            ))
        };
        let mut response = answer.map_err(unreachable)?;
        let status = response.status();
        if status.is_success() {
            return response.body_mut().read_json().map_err(unreachable);
        }
        let retry_after =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let problem: Result<Problem, _> = response.body_mut().read_json();
        let words = match problem {
            Ok(problem) => words(&problem),
            Err(_) => format!("the server at {} answered {status}: is that a signalbox?", self.base),
        };
        if status.as_u16() == 429 {
            let pause = retry_after.unwrap_or(5).clamp(1, LONGEST_PAUSE);
            return Err(Refused::Busy { detail: words, retry_after: Duration::from_secs(pause) });
        }
        Err(Refused::Said(words))
    }
}

/// A problem in words: each fault on a line of its own.
fn words(problem: &Problem) -> String {
    if problem.errors.is_empty() {
        return format!("{} ({})", problem.detail, problem.status);
    }
    let faults: Vec<String> = problem.errors.iter().map(ToString::to_string).collect();
    format!("{}:\n  {}", problem.title.to_lowercase(), faults.join("\n  "))
}
