//! The circuit breakers: looking, and setting by hand.

use std::sync::Arc;

use app::model::{
    breaker::{BreakerView, SetBreaker},
    caller::Role,
    page::Page,
};
use axum::{Json as Answer, Router, extract::State, routing::get};

use crate::http::{
    Shared,
    input::{Json, Params, Who, checked},
    problem::Refusal,
};

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/v1/breaker", get(one).post(set)).route("/api/v1/breaker/sites", get(sites))
}

/// The fleet's breaker, or a site's
#[utoipa::path(get, path = "/api/v1/breaker", tag = "fleet",
    params(("domain" = Option<String>, Query, description = "The site; the fleet's breaker without it")),
    responses((status = 200, body = BreakerView)))]
pub(in crate::http) async fn one(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    mut query: Params,
) -> Result<Answer<BreakerView>, Refusal> {
    let domain = query.text("domain");
    query.done()?;
    Ok(Answer(shared.room.breaker(&caller, domain).await?))
}

/// Opens or closes the fleet's breaker, or a site's, by hand
#[utoipa::path(post, path = "/api/v1/breaker", tag = "fleet", request_body = SetBreaker,
    responses((status = 200, body = BreakerView, description = "The breaker as it now is")))]
pub(in crate::http) async fn set(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Json(body): Json<SetBreaker>,
) -> Result<Answer<BreakerView>, Refusal> {
    let set = checked(body, &caller, Role::Operator)?;
    Ok(Answer(shared.room.set_breaker(&caller, set).await?))
}

/// The breakers that are not closed: the fleet's first, whatever it is, then sites', the newest first
///
/// All of them in one page, at most 500.
#[utoipa::path(get, path = "/api/v1/breaker/sites", tag = "fleet",
    responses((status = 200, body = Page<BreakerView>)))]
pub(in crate::http) async fn sites(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    query: Params,
) -> Result<Answer<Page<BreakerView>>, Refusal> {
    query.done()?;
    Ok(Answer(Page { items: shared.room.breakers(&caller).await?, next: None }))
}
