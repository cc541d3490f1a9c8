//! Counts of what the server answers, and `/metrics` that shows all counts. A handler that panics is
//! answered with 500 here, and takes nothing else with it.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use app::model::problem::AppError;
use axum::{
    Router,
    extract::{MatchedPath, Request, State},
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
    routing::get,
};
use futures::FutureExt;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use uuid::Uuid;

use super::{Shared, problem::Refusal};

/// Name of the count of answers, by method, route and status.
const ANSWERS: &str = "signalbox_http_answers_total";
/// Name of the histogram of the time to an answer's head, by route, in seconds.
const SECONDS: &str = "signalbox_http_answer_seconds";
/// Bounds of that histogram: from a cached page to a submission that waits for room.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 60.0];

/// How often samples that nobody has asked for are gathered up, so that they do not pile up.
const UPKEEP: Duration = Duration::from_secs(5);

/// What this process's metrics go to, and `/metrics` shows. The first call makes it and starts its upkeep,
/// in the asynchronous runtime that it is called in.
///
/// # Panics
/// Where there is no such runtime.
#[must_use]
pub fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER
        .get_or_init(|| {
            let recorder = PrometheusBuilder::new()
                .set_buckets_for_metric(Matcher::Full(SECONDS.to_owned()), &BOUNDS)
                .expect("the bounds are not empty")
                .build_recorder();
            let handle = recorder.handle();
            if metrics::set_global_recorder(recorder).is_err() {
                tracing::warn!("metrics go elsewhere in this process: /metrics stays empty");
            }
            let upkeep = handle.clone();
            tokio::spawn(async move {
                let mut pause = tokio::time::interval(UPKEEP);
                loop {
                    pause.tick().await;
                    upkeep.run_upkeep();
                }
            });
            handle
        })
        .clone()
}

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/metrics", get(metrics))
}

/// Prometheus metrics
#[utoipa::path(get, path = "/metrics", tag = "health",
    responses((status = 200, description = "In Prometheus's text format", body = String, content_type = "text/plain")))]
pub(super) async fn metrics(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], shared.options.metrics.render())
}

/// Counts an answer and stops a panic.
pub async fn guard(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let route = request.extensions().get::<MatchedPath>().map_or("page", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let response = match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            let incident = Uuid::now_v7().to_string();
            tracing::error!(%incident, %method, route, "a handler panicked");
            Refusal::from(AppError::Internal { incident }).into_response()
        }
    };
    let status = response.status().as_u16();
    let took = started.elapsed();
    tracing::debug!(%method, route, status, ms = took.as_millis(), "answered");
    metrics::counter!(ANSWERS, "method" => name(&method), "route" => route.clone(), "status" => status.to_string())
        .increment(1);
    metrics::histogram!(SECONDS, "route" => route).record(took.as_secs_f64());
    response
}

/// The method, if it is a common one: the series must stay few whatever strangers send.
fn name(method: &axum::http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}
