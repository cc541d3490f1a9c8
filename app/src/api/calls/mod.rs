//! The server functions that the pages call, and how a page reaches the control room.
//!
//! Thin: they find the room and the caller that the server has put into context, call one method, and say
//! where to go next. The one that an island calls is here; [`forms`] and [`signals`] have those that plain
//! forms post to. Pages read through [`room`] and [`caller`] while they are rendered.

#![expect(missing_docs, reason = "what the server macro makes cannot be documented")]

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

use crate::model::{flow::Checked, problem::AppError};

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
    let answer = checked(&text).await;
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
