//! Whether the server is well: the process, the store, and the pool. These answer without a key, and so
//! tell no more than that.

use std::sync::Arc;

use app::model::problem::AppError;
use async_trait::async_trait;
use axum::{Json, Router, extract::State, routing::get};
use serde::Serialize;

use super::{Shared, problem::Refusal};

/// What stands behind the answers. The reason of an error is shown to everybody.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Whether the store can be read and is up to date.
    ///
    /// # Errors
    /// What is wrong.
    async fn store(&self) -> Result<(), String>;
    /// Whether a context was really opened lately.
    ///
    /// # Errors
    /// What is wrong.
    async fn pool(&self) -> Result<(), String>;
}

/// Well.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `ok`.
    status: &'static str,
}

const OK: Json<Health> = Json(Health { status: "ok" });

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/readyz/pool", get(readyz_pool))
}

/// Whether the process answers
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Health)), security(()))]
pub(super) async fn healthz() -> Json<Health> {
    OK
}

/// Whether the store answers and is up to date
#[utoipa::path(get, path = "/readyz", tag = "health", security(()),
    responses((status = 200, body = Health), (status = 503, description = "Not now")))]
pub(super) async fn readyz(State(shared): State<Arc<Shared>>) -> Result<Json<Health>, Refusal> {
    ready(shared.options.readiness.store().await)
}

/// Whether the pool has really opened a context lately
#[utoipa::path(get, path = "/readyz/pool", tag = "health", security(()),
    responses((status = 200, body = Health), (status = 503, description = "Not now")))]
pub(super) async fn readyz_pool(State(shared): State<Arc<Shared>>) -> Result<Json<Health>, Refusal> {
    ready(shared.options.readiness.pool().await)
}

fn ready(found: Result<(), String>) -> Result<Json<Health>, Refusal> {
    match found {
        Ok(()) => Ok(OK),
        Err(detail) => Err(AppError::Unavailable { detail }.into()),
    }
}
