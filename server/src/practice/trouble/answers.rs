//! What the server does: statuses, redirects, answers that are late or never end, downloads.

use std::{convert::Infallible, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bytes::Bytes;
use futures::{Stream, stream};
use tokio_util::sync::CancellationToken;

use crate::practice::{
    html::{Page, escape},
    state::State,
    visit::Visit,
};

/// Longest time that a page may be told to take.
const LONGEST_MS: u64 = 120_000;
/// How often an endless answer says something more.
const TICK: Duration = Duration::from_secs(1);

pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/trouble/slow", get(slow))
        .route("/trouble/too-many", get(too_many))
        .route("/trouble/busy", get(busy))
        .route("/trouble/error", get(error))
        .route("/trouble/forbidden", get(forbidden))
        .route("/trouble/gone", get(super::super::shop::not_found))
        .route("/trouble/password", get(password))
        .route("/trouble/never", get(never))
        .route("/trouble/redirect-loop", get(redirect_loop))
        .route("/trouble/redirect-once", get(redirect_once))
        .route("/trouble/redirect", get(redirect))
        .route("/trouble/submit", get(form).post(submit))
        .route("/trouble/submit/half-way", get(half_way))
        .route("/trouble/submit/done", get(done))
        .route("/trouble/submit/json", post(submit_quietly))
        .route("/trouble/file.csv", get(file))
        .route("/trouble/endless.svg", get(endless_image))
        .route("/trouble/events", get(events))
}

/// A number of milliseconds in the query, within the bound.
pub(super) fn milliseconds(visit: &Visit, default: u64) -> u64 {
    visit.query("ms").parse().unwrap_or(default).min(LONGEST_MS)
}

/// Waits, but not past the site's end.
async fn wait(visit: &Visit, time: Duration) {
    tokio::select! {
        () = visit.state.closing().cancelled() => {}
        () = tokio::time::sleep(time) => {}
    }
}

async fn slow(visit: Visit) -> Response {
    let ms = milliseconds(&visit, 2_000);
    wait(&visit, Duration::from_millis(ms)).await;
    visit.page(Page::new("Slow", format!("<h1>Slow</h1><p id=\"answer\">This took {ms} ms.</p>")))
}

async fn never(visit: Visit) -> Response {
    visit.state.closing().cancelled().await;
    StatusCode::SERVICE_UNAVAILABLE.into_response()
}

/// Refuses: always, or the first `times` requests of a `key`, and is a page then.
fn refuse(visit: Visit, path: &str, status: StatusCode) -> Response {
    let times: Option<u32> = visit.query("times").parse().ok();
    if let Some(times) = times {
        let asked = visit.state.count(&format!("{path} {}", visit.query("key")));
        if asked > times {
            let body = format!("<h1>Through</h1><p id=\"answer\">Let through at request {asked}.</p>");
            return visit.page(Page::new("Through", body));
        }
    }
    let after = HeaderValue::from_str(visit.query("after")).ok().filter(|value| !value.is_empty());
    let body = format!(
        "<h1>{status}</h1><p>This page refuses, as it was told to.{}</p>",
        match &after {
            Some(_) => format!(" It asks to come back after: {}", escape(visit.query("after"))),
            None => String::new(),
        }
    );
    let mut response = visit.page(Page::new(status.to_string(), body).status(status));
    if let Some(after) = after {
        response.headers_mut().insert(header::RETRY_AFTER, after);
    }
    response
}

async fn too_many(visit: Visit) -> Response {
    refuse(visit, "too-many", StatusCode::TOO_MANY_REQUESTS)
}

async fn busy(visit: Visit) -> Response {
    refuse(visit, "busy", StatusCode::SERVICE_UNAVAILABLE)
}

async fn error(visit: Visit) -> Response {
    let code = visit.query("code").parse::<u16>().ok().filter(|code| (400..600).contains(code));
    let status =
        code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    refuse(visit, "error", status)
}

async fn forbidden(visit: Visit) -> Response {
    refuse(visit, "forbidden", StatusCode::FORBIDDEN)
}

async fn password(visit: Visit) -> Response {
    let mut response = refuse(visit, "password", StatusCode::UNAUTHORIZED);
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"back office\""));
    response
}

async fn redirect_loop(visit: Visit) -> Response {
    visit.go(StatusCode::FOUND, "/trouble/redirect-loop")
}

async fn redirect_once(mut visit: Visit) -> Response {
    if visit.cookie("halden_seen").is_some() {
        return visit.page(Page::new(
            "Redirected once",
            "<h1>Redirected once</h1><p id=\"answer\">The cookie is there.</p>",
        ));
    }
    visit.set_cookie("halden_seen=1; Path=/trouble; SameSite=Lax".to_owned());
    visit.go(StatusCode::FOUND, "/trouble/redirect-once")
}

async fn redirect(visit: Visit) -> Response {
    let to = visit.query("to").to_owned();
    visit.go(StatusCode::FOUND, if to.is_empty() { "/" } else { &to })
}

async fn form(visit: Visit) -> Response {
    let body = "<div class=\"narrow\"><h1>Form that redirects twice</h1><form action=\"/trouble/submit\" method=\"post\">\
                <label for=\"amount\">Amount</label><input id=\"amount\" name=\"amount\" value=\"1\">\
                <button id=\"send\" type=\"submit\">Send</button></form></div>";
    visit.page(Page::new("Form that redirects twice", body))
}

async fn submit(visit: Visit) -> Response {
    let count = visit.state.count("submit");
    visit.go(StatusCode::SEE_OTHER, &format!("/trouble/submit/half-way?sent={count}"))
}

/// For a script that sends the form without a navigation.
async fn submit_quietly(visit: Visit) -> Response {
    let count = visit.state.count("submit");
    axum::Json(serde_json::json!({ "sent": count })).into_response()
}

async fn half_way(visit: Visit) -> Response {
    let address = format!("/trouble/submit/done?sent={}", visit.query("sent").parse::<u32>().unwrap_or(0));
    visit.go(StatusCode::FOUND, &address)
}

async fn done(visit: Visit) -> Response {
    let body = format!(
        "<h1>Sent</h1><p>This form was sent <span id=\"answer\">{}</span> times so far.</p>",
        visit.query("sent").parse::<u32>().unwrap_or(0)
    );
    visit.page(Page::new("Sent", body))
}

async fn file() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"prices.csv\""),
    ];
    (headers, "product,price\r\nHalden desk lamp,49.00\r\n").into_response()
}

/// A first piece, then one more each second until the site ends.
fn without_end(
    first: &'static str,
    more: &'static str,
    closing: CancellationToken,
) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold((Some(first), closing), move |(first, closing)| async move {
        if let Some(first) = first {
            return Some((Ok(Bytes::from_static(first.as_bytes())), (None, closing)));
        }
        tokio::select! {
            () = closing.cancelled() => None,
            () = tokio::time::sleep(TICK) => Some((Ok(Bytes::from_static(more.as_bytes())), (None, closing))),
        }
    })
}

async fn endless_image(visit: Visit) -> Response {
    let start = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 20'><rect width='40' height='20' fill='#cdd'/>\n";
    let body = without_end(start, "<!-- more -->\n", visit.state.closing().clone());
    ([(header::CONTENT_TYPE, "image/svg+xml")], Body::from_stream(body)).into_response()
}

async fn events(visit: Visit) -> Response {
    let body = without_end("data: begun\n\n", "data: tick\n\n", visit.state.closing().clone());
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}
