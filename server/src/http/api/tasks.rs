//! Tasks, their attempts and evidence.

use std::sync::Arc;

use app::{
    api::room::allow,
    model::{
        caller::{Caller, Role},
        evidence::EvidenceKind,
        fault::FaultClass,
        page::Page,
        problem::AppError,
        task::{Lane, NewTask, RetryEdits, Submitted, Task, TaskFilter, TaskState},
    },
};
use axum::{
    Json as Answer, Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use uuid::Uuid;

use crate::http::{
    Shared, headers,
    input::{Id, Json, Nothing, Params, Who, checked, id},
    problem::Refusal,
};

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v1/tasks", get(list).post(submit))
        .route("/api/v1/tasks/{id}", get(one))
        .route("/api/v1/tasks/{id}/cancel", post(cancel))
        .route("/api/v1/tasks/{id}/release", post(release))
        .route("/api/v1/tasks/{id}/retry", post(retry))
        .route("/api/v1/attempts/{id}/evidence/{kind}", get(evidence))
}

/// Submits a task
///
/// When this answers 201 the task is stored durably. With a `key` that is known and the same body the
/// answer is 200 with the first one's task.
#[utoipa::path(post, path = "/api/v1/tasks", tag = "tasks", request_body = NewTask,
    responses((status = 201, body = Task, description = "Accepted"),
        (status = 200, body = Task, description = "The key is known, and this is the first one's task"),
        (status = 409, description = "The key is taken by another body"),
        (status = 429, description = "The queue is full")))]
pub(in crate::http) async fn submit(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Json(body): Json<NewTask>,
) -> Result<Response, Refusal> {
    let new = checked(body, &caller, Role::Operator)?;
    Ok(submitted(shared.room.submit(&caller, new).await?))
}

/// 201 with the address of what is new, else 200.
fn submitted(Submitted { task, created }: Submitted) -> Response {
    if !created {
        return Answer(task).into_response();
    }
    let location = format!("/api/v1/tasks/{}", task.id);
    (StatusCode::CREATED, [(header::LOCATION, location)], Answer(task)).into_response()
}

/// Lists tasks, newest first, without their attempts
#[utoipa::path(get, path = "/api/v1/tasks", tag = "tasks",
    params(("state" = Option<TaskState>, Query, description = "In this state"),
        ("flow" = Option<String>, Query, description = "Of this flow, by name"),
        ("domain" = Option<String>, Query, description = "Of this site"),
        ("class" = Option<FaultClass>, Query, description = "Whose last fault is of this class"),
        ("lane" = Option<Lane>, Query, description = "On this lane"),
        ("batch" = Option<Uuid>, Query, description = "Of this batch"),
        ("q" = Option<String>, Query, description = "With these words in name, parameters or key"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items in the page; 50 by default"),
        ("after" = Option<String>, Query, description = "The `next` of the page before")),
    responses((status = 200, body = Page<Task>)))]
pub(in crate::http) async fn list(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    mut query: Params,
) -> Result<Answer<Page<Task>>, Refusal> {
    let filter = TaskFilter {
        state: query.parsed("state"),
        flow: query.text("flow"),
        domain: query.text("domain"),
        class: query.parsed::<FaultClass>("class").map(|class| class.as_str().to_owned()),
        lane: query.parsed("lane"),
        batch: query.id("batch"),
        q: query.text("q"),
    };
    let page = query.page();
    query.done()?;
    Ok(Answer(shared.room.tasks(&caller, filter, page).await?))
}

/// One task with its attempts
#[utoipa::path(get, path = "/api/v1/tasks/{id}", tag = "tasks", params(("id" = Uuid, Path)),
    responses((status = 200, body = Task)))]
pub(in crate::http) async fn one(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(task): Id,
) -> Result<Answer<Task>, Refusal> {
    Ok(Answer(shared.room.task(&caller, task?).await?))
}

/// Takes a task back
///
/// One that runs is stopped. One that is cancelled already stays so, and the answer is the same.
#[utoipa::path(post, path = "/api/v1/tasks/{id}/cancel", tag = "tasks", params(("id" = Uuid, Path)),
    responses((status = 200, body = Task), (status = 409, description = "It came to another end")))]
pub(in crate::http) async fn cancel(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(task): Id,
    Json(body): Json<Nothing>,
) -> Result<Answer<Task>, Refusal> {
    let (task, Nothing {}) = of_task(&shared, &caller, task, body).await?;
    Ok(Answer(shared.room.cancel(&caller, task).await?))
}

/// Queues an escalated or quarantined task with attempts afresh
#[utoipa::path(post, path = "/api/v1/tasks/{id}/release", tag = "tasks", params(("id" = Uuid, Path)),
    responses((status = 200, body = Task), (status = 409, description = "It is in another state")))]
pub(in crate::http) async fn release(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(task): Id,
    Json(body): Json<Nothing>,
) -> Result<Answer<Task>, Refusal> {
    let (task, Nothing {}) = of_task(&shared, &caller, task, body).await?;
    Ok(Answer(shared.room.release(&caller, task).await?))
}

/// Runs an ended task again
///
/// A failed or cancelled one without edits is queued again as the same task, with attempts afresh. One
/// that succeeded, or any with edits, becomes a new task with `retry_of`.
#[utoipa::path(post, path = "/api/v1/tasks/{id}/retry", tag = "tasks", params(("id" = Uuid, Path)),
    request_body(content = Option<RetryEdits>),
    responses((status = 200, body = Task, description = "The same task, queued again"),
        (status = 201, body = Task, description = "A new task"),
        (status = 409, description = "It has not ended")))]
pub(in crate::http) async fn retry(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(task): Id,
    Json(body): Json<RetryEdits>,
) -> Result<Response, Refusal> {
    let (task, edits) = of_task(&shared, &caller, task, body).await?;
    Ok(submitted(shared.room.retry(&caller, task, edits).await?))
}

/// Takes an action's input; what is wrong with its body is told only of a task that is there.
async fn of_task<T>(
    shared: &Shared,
    caller: &Caller,
    task: Result<Uuid, Refusal>,
    body: Result<T, Refusal>,
) -> Result<(Uuid, T), Refusal> {
    let task = checked(task, caller, Role::Operator)?;
    match body {
        Ok(body) => Ok((task, body)),
        Err(fault) => {
            allow(caller, Role::Operator)?;
            shared.room.task(caller, task).await?;
            Err(fault)
        }
    }
}

/// Evidence of an attempt
///
/// The screenshot is `image/png`, the DOM snapshot `text/html` under a policy with which nothing in it can
/// run or call out, the trace `application/json`.
#[utoipa::path(get, path = "/api/v1/attempts/{id}/evidence/{kind}", tag = "tasks",
    params(("id" = Uuid, Path), ("kind" = EvidenceKind, Path)),
    responses((status = 200, description = "The bytes",
        content((Vec<u8> = "image/png"), (String = "text/html"), (Object = "application/json")))))]
pub(in crate::http) async fn evidence(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    path: Result<Path<(String, String)>, axum::extract::rejection::PathRejection>,
) -> Result<Response, Refusal> {
    let (attempt, kind) = path.map(|Path(parts)| parts).unwrap_or_default();
    let attempt = checked(id(&attempt), &caller, Role::Reviewer)?;
    let kind = kind.parse::<EvidenceKind>().map_err(|_| {
        Refusal::from(AppError::not_found(format!("kind of evidence '{kind}': screenshot, dom or trace")))
    });
    let kind = checked(kind, &caller, Role::Reviewer)?;
    let bytes = shared.room.evidence(&caller, attempt, kind).await?;
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind.content_type()));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(headers::EVIDENCE_POLICY));
    Ok((headers, bytes).into_response())
}
