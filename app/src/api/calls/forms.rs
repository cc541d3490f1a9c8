//! What the pages' forms post to. Each does one thing and answers with a redirect: forward when it is
//! done, back with a note (and all that was typed) when it is not. So they work without JavaScript, and a
//! reload repeats nothing.

#![expect(missing_docs, reason = "what the server macro makes cannot be documented")]

use std::collections::BTreeMap;

use leptos::prelude::*;
use uuid::Uuid;

use super::{caller, room};
use crate::{
    model::{
        flow::NewFlow,
        pool::PoolPatch,
        problem::AppError,
        task::{FlowInput, ParameterValue, RetryEdits},
    },
    ui::{
        note,
        submit::draft::{self, Draft},
    },
};

/// Goes forward with a word of what was done, or back with the reason why it was not.
pub(super) fn settle(done: Result<(String, String), AppError>, back: &str) -> Result<(), AppError> {
    let caller = caller()?;
    let to = match done {
        Ok((to, said)) => note::with(&to, caller.id, note::Note::done(said)),
        Err(AppError::Unauthorized) => return Err(AppError::Unauthorized),
        Err(error) => note::with(back, caller.id, note::Note::refused(&error)),
    };
    leptos_axum::redirect(&to);
    Ok(())
}

/// Keeps the theme in a cookie for a year: `light`, `dark`, or none for the system's.
///
/// # Errors
/// None of its own.
#[server(prefix = "/fn", endpoint = "set_theme")]
pub async fn set_theme(theme: String, #[server(default)] back: String) -> Result<(), AppError> {
    let (value, age) = match theme.as_str() {
        "light" => ("light", 31_536_000),
        "dark" => ("dark", 31_536_000),
        _ => ("", 0),
    };
    let cookie = format!("theme={value}; Path=/; Max-Age={age}; SameSite=Lax; HttpOnly");
    if let (Some(response), Ok(cookie)) =
        (use_context::<leptos_axum::ResponseOptions>(), http::HeaderValue::from_str(&cookie))
    {
        response.append_header(http::header::SET_COOKIE, cookie);
    }
    leptos_axum::redirect(note::local_path(&back));
    Ok(())
}

/// Takes a task back.
///
/// # Errors
/// None of its own: they are told on the task's page.
#[server(prefix = "/fn", endpoint = "cancel_task")]
pub async fn cancel_task(id: Uuid) -> Result<(), AppError> {
    let done = room()?.cancel(&caller()?, id).await;
    let to = format!("/tasks/{id}");
    settle(done.map(|_| (to.clone(), "Cancelled.".to_owned())), &to)
}

/// Gives an escalated or quarantined task attempts afresh.
///
/// # Errors
/// None of its own: they are told on the task's page.
#[server(prefix = "/fn", endpoint = "release_task")]
pub async fn release_task(id: Uuid) -> Result<(), AppError> {
    let done = room()?.release(&caller()?, id).await;
    let to = format!("/tasks/{id}");
    settle(done.map(|_| (to.clone(), "Released: it is queued again, with attempts afresh.".to_owned())), &to)
}

/// Runs an ended task again as it is.
///
/// # Errors
/// None of its own: they are told on the task's page.
#[server(prefix = "/fn", endpoint = "retry_task")]
pub async fn retry_task(id: Uuid) -> Result<(), AppError> {
    let done = room()?.retry(&caller()?, id, RetryEdits::default()).await;
    settle(done.map(again), &format!("/tasks/{id}"))
}

fn again(submitted: crate::model::task::Submitted) -> (String, String) {
    let said = if submitted.created { "Queued as a new task." } else { "Queued again." };
    (format!("/tasks/{}", submitted.task.id), said.to_owned())
}

/// Runs an ended task again with other values. A value that was left as it was shown is not an edit.
///
/// # Errors
/// None of its own: they are told on the form's page.
#[server(prefix = "/fn", endpoint = "retry_edited")]
pub async fn retry_edited(
    id: Uuid,
    #[server(default)] p: BTreeMap<String, String>,
    #[server(default)] flow: String,
    #[server(default)] priority: String,
) -> Result<(), AppError> {
    let (room, caller) = (room()?, caller()?);
    let task = match room.task(&caller, id).await {
        Ok(task) => task,
        Err(error) => return settle(Err(error), &format!("/tasks/{id}")),
    };
    let parameters: BTreeMap<String, ParameterValue> = p
        .into_iter()
        .filter(|(name, value)| task.parameters.get(name) != Some(value))
        .map(|(name, value)| (name, ParameterValue::Text(value)))
        .collect();
    let flow = flow.trim();
    let edits = RetryEdits {
        parameters: (!parameters.is_empty()).then_some(parameters),
        flow: (!flow.is_empty() && flow != task.flow.to_string()).then(|| FlowInput::Name(flow.to_owned())),
        priority: priority.trim().parse().ok().filter(|priority| *priority != task.priority),
    };
    settle(room.retry(&caller, id, edits).await.map(again), &format!("/tasks/{id}/retry"))
}

/// Submits what the submit page's form holds, or only reads it where `only` is `check`. What is refused
/// comes back with all that was typed.
///
/// # Errors
/// None of its own: they are told on the submit page.
#[server(prefix = "/fn", endpoint = "submit_recording")]
pub async fn submit_recording(
    #[server(flatten)] draft: Draft,
    #[server(default)] only: String,
) -> Result<(), AppError> {
    let (room, caller) = (room()?, caller()?);
    let done = match draft.task() {
        Ok(_) if only == "check" => Err(None),
        Ok(task) => room.submit(&caller, task).await.map_err(Some),
        Err(errors) => Err(Some(AppError::BadInput { errors })),
    };
    match done {
        Ok(submitted) => {
            let said = if submitted.created {
                "Accepted.".to_owned()
            } else {
                "This key was known: here is the task that it named.".to_owned()
            };
            settle(Ok((format!("/tasks/{}", submitted.task.id), said)), "/submit")
        }
        Err(error) => {
            let way = draft.way().as_str();
            let kept = draft::keep(caller.id, draft, error);
            leptos_axum::redirect(&format!("/submit?way={way}&draft={kept}"));
            Ok(())
        }
    }
}

/// Keeps a recording as the next listed version of a name.
///
/// # Errors
/// None of its own: they are told on the flows' page.
#[server(prefix = "/fn", endpoint = "save_flow")]
pub async fn save_flow(
    recording: String,
    #[server(default)] name: String,
    #[server(default)] back: String,
) -> Result<(), AppError> {
    let (room, caller) = (room()?, caller()?);
    let done = match draft::recording(&recording) {
        Ok(flow) => {
            let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            let new = NewFlow { flow, name, parameters: BTreeMap::new(), environment: Default::default() };
            room.save_flow(&caller, new).await
        }
        Err(error) => Err(error),
    };
    match done {
        Ok(kept) => {
            let said = format!("Saved as version {}.", kept.version);
            settle(Ok((format!("/flows/{}", note::segment(&kept.name)), said)), "/flows")
        }
        Err(error) => {
            let draft = Draft { recording, name, ..Draft::default() };
            let kept = draft::keep(caller.id, draft, Some(error));
            let back = note::local_path(&back);
            leptos_axum::redirect(&format!("{back}?draft={kept}#save"));
            Ok(())
        }
    }
}

/// Sets how many attempts may run at once.
///
/// # Errors
/// None of its own: they are told on the pool's page.
#[server(prefix = "/fn", endpoint = "set_slots")]
pub async fn set_slots(slots: String) -> Result<(), AppError> {
    let done = match slots.trim().parse() {
        Ok(slots) => {
            let patch = PoolPatch { slots: Some(slots), ..PoolPatch::default() };
            room()?.patch_pool(&caller()?, patch).await
        }
        Err(_) => Err(AppError::bad_input("/slots", "must be a whole number, 1 or more")),
    };
    settle(done.map(|pool| ("/pool".to_owned(), format!("{} slots from now on.", pool.slots))), "/pool")
}

/// Lets an instance take no more contexts.
///
/// # Errors
/// None of its own: they are told on the pool's page.
#[server(prefix = "/fn", endpoint = "drain_instance")]
pub async fn drain_instance(id: String) -> Result<(), AppError> {
    let patch = PoolPatch { drain: Some(vec![id.clone()]), ..PoolPatch::default() };
    let done = room()?.patch_pool(&caller()?, patch).await;
    settle(done.map(|_| ("/pool".to_owned(), format!("{id} takes no more contexts."))), "/pool")
}

/// Ends an instance once its contexts are closed, and replaces it.
///
/// # Errors
/// None of its own: they are told on the pool's page.
#[server(prefix = "/fn", endpoint = "recycle_instance")]
pub async fn recycle_instance(id: String) -> Result<(), AppError> {
    let patch = PoolPatch { recycle: Some(vec![id.clone()]), ..PoolPatch::default() };
    let done = room()?.patch_pool(&caller()?, patch).await;
    settle(
        done.map(|_| ("/pool".to_owned(), format!("{id} is replaced once its contexts are closed."))),
        "/pool",
    )
}
