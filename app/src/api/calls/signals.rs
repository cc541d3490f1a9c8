//! The server functions of the signals: what the forms of the breaker's page post to.
//! As those of [`forms`](super::forms), each answers with a redirect and a word.

#![expect(missing_docs, reason = "what the server macro makes cannot be documented")]

use leptos::prelude::*;

use super::{caller, forms::settle, room};
use crate::{
    model::{breaker::BreakerSetting, problem::AppError},
    ui::{
        breaker::{form, words},
        note,
    },
};

/// Opens the fleet's or a site's breaker by hand. What is refused comes back as it was typed.
///
/// # Errors
/// None of its own: they are told on the breaker's page.
#[server(prefix = "/fn", endpoint = "open_breaker")]
pub async fn open_breaker(
    #[server(default)] whose: String,
    #[server(default)] site: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let back = if whose == form::SITE {
        format!("/breaker?site={}&reason={}", note::segment(&site), note::segment(&reason))
    } else {
        "/breaker".to_owned()
    };
    set(form::setting(BreakerSetting::Open, &whose, &site, &reason, false), &back).await
}

/// Closes the fleet's or a site's breaker by hand.
///
/// # Errors
/// None of its own: they are told on the breaker's page.
#[server(prefix = "/fn", endpoint = "close_breaker")]
pub async fn close_breaker(
    #[server(default)] whose: String,
    #[server(default)] site: String,
    #[server(default)] reason: String,
    #[server(default)] sure: String,
) -> Result<(), AppError> {
    set(form::setting(BreakerSetting::Closed, &whose, &site, &reason, sure == "yes"), "/breaker").await
}

async fn set(asked: Result<crate::model::breaker::SetBreaker, AppError>, back: &str) -> Result<(), AppError> {
    let done = match asked {
        Ok(asked) => room()?.set_breaker(&caller()?, asked).await,
        Err(error) => Err(error),
    };
    settle(
        done.map(|now| {
            ("/breaker".to_owned(), format!("{}. {}", words::stands(&now), words::means(now.state)))
        }),
        back,
    )
}
