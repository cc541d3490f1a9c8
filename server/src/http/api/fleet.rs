//! The fleet: overview, pool and gates.

use std::sync::Arc;

use app::model::{
    caller::Role,
    gate::GateView,
    overview::Overview,
    page::Page,
    pool::{PoolPatch, PoolView},
};
use axum::{Json as Answer, Router, extract::State, routing::get};

use crate::http::{
    Shared,
    input::{Json, Params, Who, checked},
    problem::Refusal,
};

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v1/overview", get(overview))
        .route("/api/v1/pool", get(pool).patch(patch_pool))
        .route("/api/v1/gates", get(gates))
}

/// The fleet at a glance
#[utoipa::path(get, path = "/api/v1/overview", tag = "fleet", responses((status = 200, body = Overview)))]
pub(in crate::http) async fn overview(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
) -> Result<Answer<Overview>, Refusal> {
    Ok(Answer(shared.room.overview(&caller).await?))
}

/// The Chrome instances and their slots
#[utoipa::path(get, path = "/api/v1/pool", tag = "fleet", responses((status = 200, body = PoolView)))]
pub(in crate::http) async fn pool(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
) -> Result<Answer<PoolView>, Refusal> {
    Ok(Answer(shared.room.pool(&caller).await?))
}

/// Resizes the pool, drains or recycles instances; what is not named stays
#[utoipa::path(patch, path = "/api/v1/pool", tag = "fleet", request_body = PoolPatch,
    responses((status = 200, body = PoolView)))]
pub(in crate::http) async fn patch_pool(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Json(body): Json<PoolPatch>,
) -> Result<Answer<PoolView>, Refusal> {
    let patch = checked(body, &caller, Role::Operator)?;
    Ok(Answer(shared.room.patch_pool(&caller, patch).await?))
}

/// Every site's gate, the busiest first
#[utoipa::path(get, path = "/api/v1/gates", tag = "fleet",
    params(("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items in the page; 50 by default"),
        ("after" = Option<String>, Query, description = "The `next` of the page before")),
    responses((status = 200, body = Page<GateView>)))]
pub(in crate::http) async fn gates(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    mut query: Params,
) -> Result<Answer<Page<GateView>>, Refusal> {
    let page = query.page();
    query.done()?;
    Ok(Answer(shared.room.gates(&caller, page).await?))
}
