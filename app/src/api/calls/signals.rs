//! The server functions of the signals: what the forms of the breaker's page and of the quarantine post to.
//! As those of [`forms`](super::forms), each answers with a redirect and a word.

#![expect(missing_docs, reason = "what the server macro makes cannot be documented")]

use leptos::prelude::*;
use uuid::Uuid;

use super::{caller, forms::settle, room};
use crate::{
    model::{
        breaker::BreakerSetting,
        problem::AppError,
        task::{Task, TaskState},
    },
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

/// Gives a task of the quarantine attempts afresh.
///
/// # Errors
/// None of its own: they are told on the quarantine's page.
#[server(prefix = "/fn", endpoint = "release_quarantined")]
pub async fn release_quarantined(id: Uuid, #[server(default)] back: String) -> Result<(), AppError> {
    let (room, caller) = (room()?, caller()?);
    let done = match held(room.task(&caller, id).await) {
        Ok(()) => room.release(&caller, id).await,
        Err(error) => Err(error),
    };
    let back = place(&back);
    settle(
        done.map(|task| (back.to_owned(), format!("“{}” is queued again, with attempts afresh.", task.name))),
        back,
    )
}

/// Ends a task of the quarantine for good.
///
/// # Errors
/// None of its own: they are told on the quarantine's page.
#[server(prefix = "/fn", endpoint = "discard_quarantined")]
pub async fn discard_quarantined(id: Uuid, #[server(default)] back: String) -> Result<(), AppError> {
    let (room, caller) = (room()?, caller()?);
    let done = match held(room.task(&caller, id).await) {
        Ok(()) => room.cancel(&caller, id).await,
        Err(error) => Err(error),
    };
    let back = place(&back);
    settle(
        done.map(|task| (back.to_owned(), format!("“{}” is discarded: it ended as cancelled.", task.name))),
        back,
    )
}

/// The page of the quarantine that a form came from.
fn place(back: &str) -> &str {
    let path = note::local_path(back);
    if path.starts_with("/quarantine") { path } else { "/quarantine" }
}

/// A page may be old: what its form says holds only for a task that is in quarantine still.
fn held(task: Result<Task, AppError>) -> Result<(), AppError> {
    let task = task?;
    if task.state == TaskState::Quarantined {
        return Ok(());
    }
    let detail = format!("“{}” has left quarantine: it is {} now", task.name, task.state.as_str());
    Err(AppError::Conflict { detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_of_the_quarantine_goes_back_to_the_quarantine_only() {
        assert_eq!(place("/quarantine?after=abc"), "/quarantine?after=abc");
        assert_eq!(place("//else.test/"), "/quarantine");
        assert_eq!(place("/tasks"), "/quarantine");
        assert_eq!(place(""), "/quarantine");
    }
}
