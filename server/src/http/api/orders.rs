//! Work orders.

use std::sync::Arc;

use app::{
    api::room::allow,
    model::{
        caller::{Caller, Role},
        fault::FaultClass,
        order::{
            Annotation, AssignOrder, Claim, ClaimOrder, ClaimProof, CloseOrder, NewAnnotation, Order,
            OrderDraft, OrderFilter, OrderState, ReopenOrder, Severity, TakeOver,
        },
        page::Page,
        task::Task,
    },
};
use axum::{
    Json as Answer, Router,
    extract::State,
    http::StatusCode,
    routing::{get, post},
};
use uuid::Uuid;

use crate::http::{
    Shared,
    input::{Id, Json, Params, Who, checked},
    problem::Refusal,
};

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v1/orders", get(list))
        .route("/api/v1/orders/{id}", get(one))
        .route("/api/v1/orders/{id}/tasks", get(tasks))
        .route("/api/v1/orders/{id}/claim", post(claim))
        .route("/api/v1/orders/{id}/heartbeat", post(heartbeat))
        .route("/api/v1/orders/{id}/release", post(release))
        .route("/api/v1/orders/{id}/annotations", post(annotate))
        .route("/api/v1/orders/{id}/draft", post(draft))
        .route("/api/v1/orders/{id}/close", post(close))
        .route("/api/v1/orders/{id}/reopen", post(reopen))
        .route("/api/v1/orders/{id}/assign", post(assign))
        .route("/api/v1/orders/{id}/takeover", post(take_over))
}

/// The order that the path names and the body. Who may not call this is told that first, then that there is no
/// such order, then what is wrong with the body.
async fn given<T>(
    shared: &Shared,
    caller: &Caller,
    least: Role,
    id: Result<Uuid, Refusal>,
    body: Result<T, Refusal>,
) -> Result<(Uuid, T), Refusal> {
    allow(caller, least)?;
    let id = id?;
    if body.is_err() {
        shared.room.order(caller, id).await?;
    }
    Ok((id, checked(body, caller, least)?))
}

/// Lists work orders, newest first, without annotations and evidence
#[utoipa::path(get, path = "/api/v1/orders", tag = "orders",
    params(("state" = Option<OrderState>, Query, description = "In this state"),
        ("severity" = Option<Severity>, Query, description = "Of this severity"),
        ("flow" = Option<String>, Query, description = "Of this flow, by name"),
        ("domain" = Option<String>, Query, description = "Of this site"),
        ("class" = Option<FaultClass>, Query, description = "Of this class of fault"),
        ("mine" = Option<bool>, Query, description = "Held by or assigned to the caller"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items in the page; 50 by default"),
        ("after" = Option<String>, Query, description = "The `next` of the page before")),
    responses((status = 200, body = Page<Order>)))]
pub(in crate::http) async fn list(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    mut query: Params,
) -> Result<Answer<Page<Order>>, Refusal> {
    let filter = OrderFilter {
        state: query.parsed("state"),
        severity: query.parsed("severity"),
        flow: query.text("flow"),
        domain: query.text("domain"),
        class: query.parsed("class"),
        mine: query.flag("mine"),
    };
    let page = query.page();
    query.done()?;
    Ok(Answer(shared.room.orders(&caller, filter, page).await?))
}

/// One work order, whole
#[utoipa::path(get, path = "/api/v1/orders/{id}", tag = "orders", params(("id" = Uuid, Path)),
    responses((status = 200, body = Order)))]
pub(in crate::http) async fn one(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
) -> Result<Answer<Order>, Refusal> {
    Ok(Answer(shared.room.order(&caller, order?).await?))
}

/// The tasks that came together in an order, newest first, without their attempts
#[utoipa::path(get, path = "/api/v1/orders/{id}/tasks", tag = "orders",
    params(("id" = Uuid, Path),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items in the page; 50 by default"),
        ("after" = Option<String>, Query, description = "The `next` of the page before")),
    responses((status = 200, body = Page<Task>)))]
pub(in crate::http) async fn tasks(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    mut query: Params,
) -> Result<Answer<Page<Task>>, Refusal> {
    let order = order?;
    let page = query.page();
    query.done()?;
    Ok(Answer(shared.room.order_tasks(&caller, order, page).await?))
}

/// Claims an order
///
/// The holder's own again extends the claim and returns the same token. Another holder is named in the refusal,
/// with the order as it is.
#[utoipa::path(post, path = "/api/v1/orders/{id}/claim", tag = "orders", params(("id" = Uuid, Path)),
    request_body(content = Option<ClaimOrder>),
    responses((status = 200, body = Claim), (status = 409, description = "Somebody else holds it, or it is closed")))]
pub(in crate::http) async fn claim(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<ClaimOrder>,
) -> Result<Answer<Claim>, Refusal> {
    let (order, claim) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.claim_order(&caller, order, claim).await?))
}

/// Keeps a claim alive
#[utoipa::path(post, path = "/api/v1/orders/{id}/heartbeat", tag = "orders", params(("id" = Uuid, Path)),
    request_body = ClaimProof,
    responses((status = 200, body = Claim), (status = 409, description = "The claim is no longer the caller's")))]
pub(in crate::http) async fn heartbeat(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<ClaimProof>,
) -> Result<Answer<Claim>, Refusal> {
    let (order, proof) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.heartbeat_order(&caller, order, proof).await?))
}

/// Gives a claim back
#[utoipa::path(post, path = "/api/v1/orders/{id}/release", tag = "orders", params(("id" = Uuid, Path)),
    request_body = ClaimProof,
    responses((status = 200, body = Order), (status = 409, description = "The claim is no longer the caller's")))]
pub(in crate::http) async fn release(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<ClaimProof>,
) -> Result<Answer<Order>, Refusal> {
    let (order, proof) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.release_order(&caller, order, proof).await?))
}

/// Writes something about an order, as Markdown
#[utoipa::path(post, path = "/api/v1/orders/{id}/annotations", tag = "orders", params(("id" = Uuid, Path)),
    request_body = NewAnnotation,
    responses((status = 201, body = Annotation), (status = 409, description = "The claim that was named is no longer the caller's")))]
pub(in crate::http) async fn annotate(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<NewAnnotation>,
) -> Result<(StatusCode, Answer<Annotation>), Refusal> {
    let (order, new) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok((StatusCode::CREATED, Answer(shared.room.annotate_order(&caller, order, new).await?)))
}

/// Keeps what the holder has typed so far
#[utoipa::path(post, path = "/api/v1/orders/{id}/draft", tag = "orders", params(("id" = Uuid, Path)),
    request_body = OrderDraft,
    responses((status = 200, body = Order), (status = 409, description = "The claim is no longer the caller's")))]
pub(in crate::http) async fn draft(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<OrderDraft>,
) -> Result<Answer<Order>, Refusal> {
    let (order, draft) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.draft_order(&caller, order, draft).await?))
}

/// Closes an order with a conclusion
///
/// Its rule, where one is sent, becomes active and is marked as unproven where no proof has run. The tasks that
/// wait are released into the lane `rerun`, cancelled or failed. All of it or nothing.
#[utoipa::path(post, path = "/api/v1/orders/{id}/close", tag = "orders", params(("id" = Uuid, Path)),
    request_body = CloseOrder,
    responses((status = 200, body = Order),
        (status = 409, description = "The claim is no longer the caller's, or the version is not the newest")))]
pub(in crate::http) async fn close(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<CloseOrder>,
) -> Result<Answer<Order>, Refusal> {
    let (order, close) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.close_order(&caller, order, close).await?))
}

/// Opens a closed order again
///
/// Its rule and the tasks that went on stay as they are.
#[utoipa::path(post, path = "/api/v1/orders/{id}/reopen", tag = "orders", params(("id" = Uuid, Path)),
    request_body(content = Option<ReopenOrder>),
    responses((status = 200, body = Order), (status = 409, description = "It is not closed, or its group has an open order")))]
pub(in crate::http) async fn reopen(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<ReopenOrder>,
) -> Result<Answer<Order>, Refusal> {
    let (order, reopen) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.reopen_order(&caller, order, reopen).await?))
}

/// Names who is to look at an order
#[utoipa::path(post, path = "/api/v1/orders/{id}/assign", tag = "orders", params(("id" = Uuid, Path)),
    request_body(content = Option<AssignOrder>), responses((status = 200, body = Order)))]
pub(in crate::http) async fn assign(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<AssignOrder>,
) -> Result<Answer<Order>, Refusal> {
    let (order, assign) = given(&shared, &caller, Role::Reviewer, order, body).await?;
    Ok(Answer(shared.room.assign_order(&caller, order, assign).await?))
}

/// Takes a claim from who holds it
#[utoipa::path(post, path = "/api/v1/orders/{id}/takeover", tag = "orders", params(("id" = Uuid, Path)),
    request_body = TakeOver,
    responses((status = 200, body = Claim), (status = 409, description = "It is closed")))]
pub(in crate::http) async fn take_over(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(order): Id,
    Json(body): Json<TakeOver>,
) -> Result<Answer<Claim>, Refusal> {
    let (order, take) = given(&shared, &caller, Role::Operator, order, body).await?;
    Ok(Answer(shared.room.take_over_order(&caller, order, take).await?))
}
