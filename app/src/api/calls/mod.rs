//! The server functions that the pages call, and how a page reaches the control room.
//!
//! Thin: they find the room and the caller that the server has put into context, call one method, and say
//! where to go next. Those that islands call are here; [`forms`] and [`signals`] have those that plain forms post
//! to, and [`desk`] those of the reviewers' desk. Pages read through [`room`] and [`caller`] while they are
//! rendered.

#![expect(missing_docs, reason = "what the server macro makes cannot be documented")]

#[cfg(feature = "ssr")]
pub mod desk;
#[cfg(feature = "ssr")]
pub mod forms;
#[cfg(feature = "ssr")]
pub mod signals;

use leptos::{
    prelude::*,
    server_fn::{
        codec::{Json, JsonEncoding},
        error::{FromServerFnError, ServerFnErrorErr},
    },
};

use uuid::Uuid;

use crate::{
    model::{
        flow::Checked,
        order::{Claim, ClaimProof},
        problem::AppError,
    },
    ui::order::form::{CloseForm, Previewed},
};

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Args(why) | ServerFnErrorErr::MissingArg(why) => Self::bad_input("", why),
            ServerFnErrorErr::Request(why) => Self::Unavailable { detail: why },
            other => Self::Unavailable { detail: other.to_string() },
        }
    }
}

/// The control room that the server has put into context.
///
/// # Errors
/// Unavailable where it has put none.
#[cfg(feature = "ssr")]
pub fn room() -> Result<std::sync::Arc<dyn super::room::ControlRoom>, AppError> {
    use_context().ok_or_else(|| AppError::Unavailable { detail: "the control room is not there".to_owned() })
}

/// Who asks.
///
/// # Errors
/// Unauthorized where the server has put nobody into context.
#[cfg(feature = "ssr")]
pub fn caller() -> Result<crate::model::caller::Caller, AppError> {
    use_context().ok_or(AppError::Unauthorized)
}

/// Reads a recording without keeping it: its steps in words and its parameters.
///
/// # Errors
/// Bad input naming steps and fields, also where the text is not JSON.
#[server(prefix = "/fn", endpoint = "check_recording", input = Json)]
pub async fn check_recording(text: String) -> Result<Checked, AppError> {
    with_status(checked(&text).await)
}

/// An answer for an island, with the status that says how it went.
#[cfg(feature = "ssr")]
fn with_status<T>(answer: Result<T, AppError>) -> Result<T, AppError> {
    if let (Err(error), Some(response)) = (&answer, use_context::<leptos_axum::ResponseOptions>())
        && let Ok(status) = http::StatusCode::from_u16(error.status())
    {
        response.set_status(status);
    }
    answer
}

/// The same for a page that is being rendered.
///
/// # Errors
/// As [`check_recording`].
#[cfg(feature = "ssr")]
pub async fn checked(text: &str) -> Result<Checked, AppError> {
    let (room, caller) = (room()?, caller()?);
    room.check_flow(&caller, crate::ui::submit::draft::recording(text)?).await
}

/// Keeps the claim of an order alive.
///
/// # Errors
/// As the control room's; stale where the claim is no longer the caller's.
#[server(prefix = "/fn", endpoint = "heartbeat_order", input = Json)]
pub async fn heartbeat_order(id: Uuid, proof: ClaimProof) -> Result<Claim, AppError> {
    with_status(room()?.heartbeat_order(&caller()?, id, proof).await)
}

/// The rule that a close form would make, in words. Nothing is kept.
///
/// # Errors
/// As the control room's. Faults of the form are part of the answer.
#[server(prefix = "/fn", endpoint = "preview_rule", input = Json)]
pub async fn preview_rule(id: Uuid, form: CloseForm) -> Result<Previewed, AppError> {
    let order = room()?.order(&caller()?, id).await;
    with_status(order.map(|order| form.preview(&order)))
}
