//! The handlers of the REST API, one file per area. Each reads its input, calls the control room and
//! writes the answer; what is decided is decided there.

pub(super) mod breaker;
pub(super) mod events;
pub(super) mod fleet;
pub(super) mod flows;
pub(super) mod orders;
pub(super) mod rules;
pub(super) mod tasks;

use std::sync::Arc;

use axum::{Router, routing::any};

use super::{Shared, problem};

/// The addresses under `/api/v1`. What is under `/api` and is none of them is answered with a problem,
/// whatever page stands beside.
pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .merge(tasks::routes())
        .merge(flows::routes())
        .merge(fleet::routes())
        .merge(orders::routes())
        .merge(rules::routes())
        .merge(breaker::routes())
        .merge(events::routes())
        .route("/api", any(problem::not_found))
        .route("/api/", any(problem::not_found))
        .route("/api/{*rest}", any(problem::not_found))
}
