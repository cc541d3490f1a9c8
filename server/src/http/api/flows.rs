//! Flows and their versions.

use std::sync::Arc;

use app::model::{
    caller::Role,
    flow::{Checked, FlowVersion, NewFlow},
    page::Page,
    problem::AppError,
};
use axum::{
    Json as Answer, Router,
    extract::{Path, State, rejection::PathRejection},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;
use serde_json::Value;

use crate::http::{
    Shared,
    input::{Json, Params, Who, checked},
    problem::Refusal,
};

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v1/flows", get(list).post(save))
        .route("/api/v1/flows/check", get(called_check).post(check))
        .route("/api/v1/flows/{name}", get(one))
}

/// A recording to read.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct CheckFlow {
    /// The recording of Chrome DevTools' Recorder panel.
    #[schema(value_type = Object)]
    flow: Value,
}

/// Reads a recording without keeping it
#[utoipa::path(post, path = "/api/v1/flows/check", tag = "flows", request_body = CheckFlow,
    responses((status = 200, body = Checked, description = "Its steps in words and its parameters")))]
pub(in crate::http) async fn check(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Json(body): Json<CheckFlow>,
) -> Result<Answer<Checked>, Refusal> {
    let CheckFlow { flow } = checked(body, &caller, Role::Viewer)?;
    Ok(Answer(shared.room.check_flow(&caller, flow).await?))
}

/// Keeps a flow as the next version of its name
#[utoipa::path(post, path = "/api/v1/flows", tag = "flows", request_body = NewFlow,
    responses((status = 201, body = FlowVersion)))]
pub(in crate::http) async fn save(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Json(body): Json<NewFlow>,
) -> Result<Response, Refusal> {
    let new = checked(body, &caller, Role::Operator)?;
    let flow = shared.room.save_flow(&caller, new).await?;
    let name: String = url::form_urlencoded::byte_serialize(flow.name.as_bytes()).collect();
    let location = format!("/api/v1/flows/{name}@{}", flow.version);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Answer(flow)).into_response())
}

/// Lists the newest version of every flow, newest first, without recordings
#[utoipa::path(get, path = "/api/v1/flows", tag = "flows",
    params(("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items in the page; 50 by default"),
        ("after" = Option<String>, Query, description = "The `next` of the page before")),
    responses((status = 200, body = Page<FlowVersion>)))]
pub(in crate::http) async fn list(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    mut query: Params,
) -> Result<Answer<Page<FlowVersion>>, Refusal> {
    let page = query.page();
    query.done()?;
    Ok(Answer(shared.room.flows(&caller, page).await?))
}

/// One flow: its newest version, or `name@version`
#[utoipa::path(get, path = "/api/v1/flows/{name}", tag = "flows",
    params(("name" = String, Path, description = "`name` or `name@version`")),
    responses((status = 200, body = FlowVersion)))]
pub(in crate::http) async fn one(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    name: Result<Path<String>, PathRejection>,
) -> Result<Answer<FlowVersion>, Refusal> {
    let Path(name) = name.map_err(|_| AppError::not_found("flow of this name"))?;
    Ok(Answer(shared.room.flow(&caller, &name).await?))
}

/// The flow whose name is `check`: its address is that of the check, which is a post.
async fn called_check(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
) -> Result<Answer<FlowVersion>, Refusal> {
    Ok(Answer(shared.room.flow(&caller, "check").await?))
}
