//! Rules.

use std::sync::Arc;

use app::{
    api::room::allow,
    model::{
        caller::Role,
        page::Page,
        rule::{NewRule, Rule, RuleFilter, RulePatch, RuleState},
    },
};
use axum::{
    Json as Answer, Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

use crate::http::{
    Shared,
    input::{Id, Json, Params, Who, checked},
    problem::Refusal,
};

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/v1/rules", get(list).post(create))
        .route("/api/v1/rules/{id}", get(one).patch(change))
}

/// Lists rules, newest first
#[utoipa::path(get, path = "/api/v1/rules", tag = "rules",
    params(("state" = Option<RuleState>, Query, description = "In this state"),
        ("flow" = Option<String>, Query, description = "For this flow, by name"),
        ("domain" = Option<String>, Query, description = "For this site, as the rule writes it"),
        ("order" = Option<Uuid>, Query, description = "Of this order"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items in the page; 50 by default"),
        ("after" = Option<String>, Query, description = "The `next` of the page before")),
    responses((status = 200, body = Page<Rule>)))]
pub(in crate::http) async fn list(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    mut query: Params,
) -> Result<Answer<Page<Rule>>, Refusal> {
    let filter = RuleFilter {
        state: query.parsed("state"),
        flow: query.text("flow"),
        domain: query.text("domain"),
        order: query.id("order"),
    };
    let page = query.page();
    query.done()?;
    Ok(Answer(shared.room.rules(&caller, filter, page).await?))
}

/// One rule
#[utoipa::path(get, path = "/api/v1/rules/{id}", tag = "rules", params(("id" = Uuid, Path)),
    responses((status = 200, body = Rule)))]
pub(in crate::http) async fn one(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(rule): Id,
) -> Result<Answer<Rule>, Refusal> {
    Ok(Answer(shared.room.rule(&caller, rule?).await?))
}

/// Makes a rule
///
/// A candidate unless `state` says otherwise. The key by which it holds on to its step comes from the order's
/// newest failed attempt where one is named, else from the flow's newest listed version.
#[utoipa::path(post, path = "/api/v1/rules", tag = "rules", request_body = NewRule,
    responses((status = 201, body = Rule)))]
pub(in crate::http) async fn create(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Json(body): Json<NewRule>,
) -> Result<Response, Refusal> {
    let new = checked(body, &caller, Role::Reviewer)?;
    let rule = shared.room.create_rule(&caller, new).await?;
    let location = format!("/api/v1/rules/{}", rule.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Answer(rule)).into_response())
}

/// Enables or disables a rule, or changes its share of tasks; what is not named stays
#[utoipa::path(patch, path = "/api/v1/rules/{id}", tag = "rules", params(("id" = Uuid, Path)),
    request_body = RulePatch,
    responses((status = 200, body = Rule), (status = 409, description = "The version is not the newest")))]
pub(in crate::http) async fn change(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Id(rule): Id,
    Json(body): Json<RulePatch>,
) -> Result<Answer<Rule>, Refusal> {
    allow(&caller, Role::Reviewer)?;
    let rule = rule?;
    if body.is_err() {
        shared.room.rule(&caller, rule).await?;
    }
    let patch = checked(body, &caller, Role::Reviewer)?;
    Ok(Answer(shared.room.patch_rule(&caller, rule, patch).await?))
}
