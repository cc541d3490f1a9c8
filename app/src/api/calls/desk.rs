//! What the forms of the reviewers' desk post to: as [`forms`](super::forms), each answers with a redirect.

#![expect(missing_docs, reason = "what the server macro makes cannot be documented")]

use leptos::prelude::*;
use uuid::Uuid;

use super::{caller, forms::settle, room};
use crate::{
    model::{
        order::{self, ClaimProof, NewAnnotation, TakeOver},
        problem::AppError,
        rule::{RulePatch, RuleState},
    },
    ui::{
        note,
        order::{
            draft::{Kept, Typed, keep},
            form::CloseForm,
            words,
        },
    },
};

fn page(id: Uuid) -> String {
    format!("/orders/{id}")
}

/// A claim's proof from a form. Text that is none proves nothing, as no claim does.
fn proof(text: &str) -> Result<ClaimProof, AppError> {
    let claim_token = text.trim().parse();
    claim_token.map(ClaimProof::of).map_err(|_| AppError::conflict("Claim the order first."))
}

/// Goes back to the order with what was typed, at the close form.
fn back_to_form(owner: Uuid, id: Uuid, form: CloseForm, why: Option<AppError>) -> Result<(), AppError> {
    if why == Some(AppError::Unauthorized) {
        return Err(AppError::Unauthorized);
    }
    let kept = keep(owner, Kept { order: id, typed: Typed::Close(Box::new(form)), why });
    leptos_axum::redirect(&format!("{}?draft={kept}#close", page(id)));
    Ok(())
}

/// Claims an order, and comes back to what was typed before.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "claim_order")]
pub async fn claim_order(id: Uuid, #[server(default)] draft: String) -> Result<(), AppError> {
    let done = room()?.claim_order(&caller()?, id, order::ClaimOrder::default()).await;
    let to = match draft.parse::<Uuid>() {
        Ok(draft) => format!("{}?draft={draft}", page(id)),
        Err(_) => page(id),
    };
    settle(done.map(|_| (to.clone(), "You hold this order now.".to_owned())), &to)
}

/// Gives a claim back.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "release_order")]
pub async fn release_order(id: Uuid, #[server(default)] claim_token: String) -> Result<(), AppError> {
    let done = match proof(&claim_token) {
        Ok(proof) => room()?.release_order(&caller()?, id, proof).await,
        Err(error) => Err(error),
    };
    settle(done.map(|_| (page(id), "Given back: anybody can claim it.".to_owned())), &page(id))
}

/// Takes an order from its holder.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "take_over_order")]
pub async fn take_over_order(id: Uuid, #[server(default)] reason: String) -> Result<(), AppError> {
    let done = room()?.take_over_order(&caller()?, id, TakeOver { reason, version: None }).await;
    settle(done.map(|_| (page(id), "You have taken this order over.".to_owned())), &page(id))
}

/// Names who is to look at an order; nobody where `to` is empty.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "assign_order")]
pub async fn assign_order(id: Uuid, #[server(default)] to: String) -> Result<(), AppError> {
    let to = Some(to.trim().to_owned()).filter(|to| !to.is_empty());
    let said = match &to {
        Some(name) => format!("{name} is to look at it."),
        None => "Nobody in particular is to look at it.".to_owned(),
    };
    let done = room()?.assign_order(&caller()?, id, order::AssignOrder { to, version: None }).await;
    settle(done.map(|_| (page(id), said)), &page(id))
}

/// Opens a closed order again.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "reopen_order")]
pub async fn reopen_order(id: Uuid, #[server(default)] reason: String) -> Result<(), AppError> {
    let done = room()?.reopen_order(&caller()?, id, order::ReopenOrder { reason, version: None }).await;
    settle(done.map(|_| (page(id), "Open again.".to_owned())), &page(id))
}

/// Writes something about an order. What is refused comes back as it was typed.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "annotate_order")]
pub async fn annotate_order(
    id: Uuid,
    #[server(default)] text: String,
    #[server(default)] claim_token: String,
) -> Result<(), AppError> {
    let caller = caller()?;
    let new =
        NewAnnotation { text: text.clone(), claim_token: claim_token.trim().parse().ok(), version: None };
    match room()?.annotate_order(&caller, id, new).await {
        Ok(_) => settle(Ok((page(id), "Annotated.".to_owned())), &page(id)),
        Err(AppError::Unauthorized) => Err(AppError::Unauthorized),
        Err(error) => {
            let kept = keep(caller.id, Kept { order: id, typed: Typed::Annotation(text), why: Some(error) });
            leptos_axum::redirect(&format!("{}?draft={kept}#annotate", page(id)));
            Ok(())
        }
    }
}

/// The first step of closing: reads the form and saves nothing. The order's page shows what would happen,
/// or what is wrong, with all that was typed. The claim is kept alive by it.
///
/// # Errors
/// None of its own: they are told on the order's page.
#[server(prefix = "/fn", endpoint = "review_close")]
pub async fn review_close(id: Uuid, #[server(flatten)] form: CloseForm) -> Result<(), AppError> {
    let why = reviewed(id, &form).await.err();
    back_to_form(caller()?.id, id, form, why)
}

async fn reviewed(id: Uuid, form: &CloseForm) -> Result<(), AppError> {
    let (room, caller) = (room()?, caller()?);
    let order = room.order(&caller, id).await?;
    let close = form.close(&order).map_err(|errors| AppError::BadInput { errors })?;
    let proof = ClaimProof::of(close.claim_token);
    room.heartbeat_order(&caller, id, proof).await.map(drop)
}

/// The second step: closes the order as it was reviewed.
///
/// # Errors
/// None of its own: they are told on the order's page, with all that was typed.
#[server(prefix = "/fn", endpoint = "close_order")]
pub async fn close_order(id: Uuid, #[server(flatten)] form: CloseForm) -> Result<(), AppError> {
    match closed(id, &form).await {
        Ok(order) => settle(Ok((page(id), words::closed(form.then(), order.rule.is_some()))), &page(id)),
        Err(error) => back_to_form(caller()?.id, id, form, Some(error)),
    }
}

async fn closed(id: Uuid, form: &CloseForm) -> Result<order::Order, AppError> {
    let (room, caller) = (room()?, caller()?);
    let order = room.order(&caller, id).await?;
    let close = form.close(&order).map_err(|errors| AppError::BadInput { errors })?;
    room.close_order(&caller, id, close).await
}

/// Enables or disables a rule, and goes back to where that was asked for.
///
/// # Errors
/// None of its own: they are told on the page that it came from.
#[server(prefix = "/fn", endpoint = "set_rule")]
pub async fn set_rule(
    id: Uuid,
    state: String,
    #[server(default)] reason: String,
    #[server(default)] version: String,
    #[server(default)] back: String,
) -> Result<(), AppError> {
    let back = note::local_path(if back.is_empty() { "/rules" } else { &back }).to_owned();
    let done = match state.parse::<RuleState>() {
        Ok(state) => {
            let patch = RulePatch {
                state: Some(state),
                reason: Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty()),
                version: version.trim().parse().ok(),
                canary: None,
            };
            room()?.patch_rule(&caller()?, id, patch).await
        }
        Err(why) => Err(AppError::bad_input("/state", why)),
    };
    let said = |rule: crate::model::rule::Rule| {
        let word = match rule.state {
            RuleState::Active => "Enabled: the next attempts are planned with it.",
            RuleState::Disabled => "Disabled: it is applied nowhere.",
            RuleState::Candidate => "It waits for a yes.",
        };
        (back.clone(), word.to_owned())
    };
    settle(done.map(said), &back)
}
