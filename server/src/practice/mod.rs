//! The practice site: a believable web shop for demonstrations, tests, benchmarks and new users.
//!
//! - [`router`] and [`serve`]: the site, all in memory, nothing outside its own address;
//! - [`State`]: sessions, orders, the design of now and the log of what came in, all bounded;
//! - [`design`]: what a redesign changes, so that a recording can be seen to break;
//! - [`EXAMPLES`]: recordings of it that ship with the program.
//!
//! The shop works without JavaScript; the pages under `/trouble` are the awkward ones. It knows nothing of
//! the rest of Signalbox, and keeps no data: a restart is a new shop.

mod access_log;
mod catalog;
mod control;
pub mod design;
mod examples;
mod html;
mod picture;
mod session;
mod shop;
mod state;
mod trouble;
mod visit;

use std::{future::Future, io, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    http::header,
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;

pub use access_log::Entry;
pub use examples::{EXAMPLES, Example, Parameter};
pub use state::State;

/// The practice user's address; shown on the sign-in page.
pub const USER: &str = "ada@example.com";
/// The practice user's password; shown on the sign-in page.
pub const PASSWORD: &str = "practice";

/// Longest body of a request: the forms are small.
const BODY_LIMIT: usize = 64 * 1024;
/// How long open answers are waited for once the site is told to stop.
const LINGER: Duration = Duration::from_secs(2);

const STYLE: &str = include_str!("style.css");
const ICON: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' \
                    rx='7' fill='#1f3a34'/><path d='M9 18 13 8h6l4 10z' fill='#f2c14e'/><path d='M15 18h2v6h4v2H11v-2h4z' \
                    fill='#fff'/></svg>";

/// The site.
pub fn router(state: State) -> Router {
    Router::new()
        .merge(shop::routes())
        .merge(trouble::routes())
        .merge(control::routes())
        .route("/style.css", get(|| async { ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE) }))
        .route("/icon.svg", get(|| async { ([(header::CONTENT_TYPE, "image/svg+xml")], ICON) }))
        .fallback(shop::not_found)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn_with_state(state.clone(), log))
        .with_state(state)
}

/// Serves the site on a listener until `shutdown` is ready. Answers that never end by design are ended
/// then; others are given two seconds.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let state = State::default();
    let closing = state.closing().clone();
    let told = closing.clone();
    let server = axum::serve(listener, router(state)).with_graceful_shutdown(async move {
        shutdown.await;
        told.cancel();
    });
    tokio::select! {
        ended = server.into_future() => ended,
        () = async { closing.cancelled().await; tokio::time::sleep(LINGER).await } => Ok(()),
    }
}

/// Writes every request into the log as it comes in, and its status once it is answered. The control
/// pages are left out: they are the instrument.
async fn log(
    axum::extract::State(state): axum::extract::State<State>,
    request: Request,
    next: Next,
) -> Response {
    if request.uri().path().starts_with("/control") {
        return next.run(request).await;
    }
    let number = state.log_request(&request);
    let response = next.run(request).await.into_response();
    state.log_status(number, response.status().as_u16());
    response
}
