//! Pages that say why there is nothing else to show.

use leptos::prelude::*;

use super::note;
use crate::model::problem::AppError;

/// An error in the place of a page, with the status that says it.
pub fn view(error: AppError) -> AnyView {
    if error == AppError::Unauthorized {
        leptos_axum::redirect("/sign-in");
    } else if let (Some(response), Ok(status)) =
        (use_context::<leptos_axum::ResponseOptions>(), http::StatusCode::from_u16(error.status()))
    {
        response.set_status(status);
    }
    let (shape, title, what_now) = words(&error);
    let errors = match &error {
        AppError::BadInput { errors } => errors.clone(),
        _ => Vec::new(),
    };
    let said = if errors.is_empty() { error.to_string() } else { String::new() };
    view! {
        <section class="problem">
            <p class="problem-shape" aria-hidden="true">{shape}</p>
            <h1>{title}</h1>
            <p>{said}</p>
            {note::faults(errors)}
            <p class="quiet">{what_now}</p>
            <p><a class="button" href="/">"To the overview"</a></p>
        </section>
    }
    .into_any()
}

fn words(error: &AppError) -> (&'static str, &'static str, &'static str) {
    match error {
        AppError::BadInput { .. } => {
            ("✕", "This address asks for something impossible", "Check the filters in it.")
        }
        AppError::Unauthorized => ("▲", "Not signed in", "Sign in first."),
        AppError::Forbidden { .. } => {
            ("▲", "Your role does not allow this", "An admin can change your role.")
        }
        AppError::NotFound { .. } => {
            ("○", "Not found", "It may have been removed, or the address is not complete.")
        }
        AppError::Conflict { .. } | AppError::Stale { .. } => {
            ("◆", "Not possible now", "Go back and look at its state.")
        }
        AppError::Busy { .. } => ("◆", "Too much at once", "Try again a little later."),
        AppError::Unavailable { .. } => ("◆", "Not available", "Try again in a moment."),
        AppError::Internal { .. } => {
            ("✕", "Something failed inside", "Give the number to whoever runs this server.")
        }
    }
}

/// Nothing is at this address.
#[component]
pub fn NotFound() -> impl IntoView {
    super::frame::page(super::frame::Nav::None, "Not found", async {
        Err(AppError::not_found("page at this address"))
    })
}
