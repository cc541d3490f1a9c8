//! The REST API, the sign-in page and what stands in front of every page: who asks, may they come from
//! there, how fast, and with which headers the answer leaves.
//!
//! - [`Http`]: the room's front; [`Http::routes`] are its own addresses, [`Http::protect`] puts the guards
//!   around any router, so that the pages and server functions stand behind the same ones;
//! - `api`: the handlers, one file per area, thin over the control room's traits;
//! - [`problem`]: every error as RFC 9457; [`input`]: bodies, queries and path parts, with faults named;
//! - [`identify`]: the caller of a request; [`origin`]: whether a browser's request comes from our own
//!   pages; [`rate`]: how fast a caller may ask; [`headers`]: what a browser is told to refuse;
//! - [`sign_in`]: the sign-in page; [`openapi`] and [`docs`]: the API's description, made from the code;
//! - [`serve`]: the connections, bounded in number and patience;
//! - [`health`] and [`observe`]: whether the server is well, and counts of what it answers.
//!
//! Who may do what is decided in the control room and not here.

mod api;
mod body_limit;
pub mod docs;
pub mod headers;
pub mod health;
mod html;
pub mod identify;
pub mod input;
pub mod observe;
pub mod openapi;
pub mod origin;
pub mod problem;
pub mod rate;
pub mod serve;
pub mod sign_in;

use std::sync::Arc;

use app::api::room::ControlRoom;
use axum::{Router, extract::DefaultBodyLimit, middleware};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

use crate::config::HttpSettings;
use health::Readiness;
use rate::Rates;

/// Most bytes in a request's body.
pub const BODY_LIMIT: usize = 5 * 1024 * 1024;

/// What the front needs besides the control room.
#[derive(Clone)]
pub struct Options {
    /// The address that people use, such as `https://signalbox.example`. Over https the session's cookie
    /// is `Secure`.
    pub public_url: String,
    /// The API's own limits.
    pub limits: HttpSettings,
    /// What `/metrics` shows.
    pub metrics: PrometheusHandle,
    /// Whether store and pool are well.
    pub readiness: Arc<dyn Readiness>,
    /// Cancelled when the server drains: live streams end then.
    pub drain: CancellationToken,
}

/// What every handler shares.
pub(crate) struct Shared {
    pub(crate) room: Arc<dyn ControlRoom>,
    pub(crate) options: Options,
    pub(crate) rates: Rates,
    pub(crate) origin: Option<String>,
}

impl Shared {
    /// Whether people reach the server over https.
    pub(crate) fn secure(&self) -> bool {
        self.options.public_url.starts_with("https://")
    }
}

/// The front of the control room.
#[derive(Clone)]
pub struct Http {
    shared: Arc<Shared>,
}

impl Http {
    /// The front of a control room.
    #[must_use]
    pub fn new(room: Arc<dyn ControlRoom>, options: Options) -> Self {
        let rates = Rates::new(&options.limits);
        let origin = origin::of_url(&options.public_url);
        Self { shared: Arc::new(Shared { room, options, rates, origin }) }
    }

    /// The front's own addresses, without guards and without a fallback: to be merged with the pages and
    /// then protected.
    pub fn routes(&self) -> Router {
        Router::new()
            .merge(api::routes())
            .merge(openapi::routes())
            .merge(docs::routes())
            .merge(health::routes())
            .merge(observe::routes())
            .merge(sign_in::routes())
            .method_not_allowed_fallback(problem::method_not_allowed)
            .with_state(Arc::clone(&self.shared))
    }

    /// Puts the guards around a router: from the inside out the body's limit, who asks, the security
    /// headers, and counting. Behind them every request but those of the open addresses carries its
    /// [`Caller`](app::model::caller::Caller) as an extension.
    pub fn protect(&self, router: Router) -> Router {
        router
            .layer(DefaultBodyLimit::disable())
            .layer(middleware::from_fn(body_limit::guard))
            .layer(middleware::from_fn_with_state(Arc::clone(&self.shared), identify::guard))
            .layer(middleware::from_fn(headers::guard))
            .layer(middleware::from_fn(observe::guard))
    }
}

/// The whole front without pages.
pub fn router(room: Arc<dyn ControlRoom>, options: Options) -> Router {
    let http = Http::new(room, options);
    http.protect(http.routes().fallback(problem::not_found))
}
