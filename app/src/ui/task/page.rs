//! A task's page on the server.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use uuid::Uuid;

use super::{facts, island::LiveTask, shown::TaskShown, trace, words};
use crate::{
    api::calls::{caller, room},
    model::{
        caller::Role,
        evidence::{EvidenceKind, Trace},
        problem::AppError,
        task::Task,
    },
    ui::{
        clock::server_now,
        frame::{Nav, may, page},
    },
};

/// The task that the address names.
pub(super) fn named() -> Result<Uuid, AppError> {
    let id = use_params_map().with_untracked(|params| params.get("id")).unwrap_or_default();
    id.parse().map_err(|_| AppError::not_found(format!("task {id}")))
}

/// `/tasks/{id}?trace={attempt}`
#[component]
pub fn TaskPage() -> impl IntoView {
    let id = named();
    let asked =
        use_query_map().with_untracked(|query| query.get("trace")).and_then(|id| id.parse::<Uuid>().ok());
    page(Nav::Tasks, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let task = room.task(&caller, id?).await?;
        // A task's flow is pinned: it is there, and without it the steps go by their types.
        let steps =
            room.flow(&caller, &task.flow.to_string()).await.map(|flow| flow.steps).unwrap_or_default();
        let can_see = may(Role::Reviewer);
        let trace = if can_see { trace_of(&task, asked).await } else { None };
        let name = task.name.clone();
        let now = server_now();
        let facts = facts::view(&task, now);
        let first = TaskShown::from(&task).bounded();
        Ok(view! {
            <Title text=name/>
            <LiveTask first steps now can_act=may(Role::Operator) can_see>{facts}</LiveTask>
            {trace.map(|(number, trace)| trace::view(number, trace))}
        }
        .into_any())
    })
}

/// The trace of the attempt that is asked for, else of the newest that has one.
async fn trace_of(task: &Task, asked: Option<Uuid>) -> Option<(u32, Trace)> {
    let attempts = task.attempts.as_deref()?;
    let has = |kind| move |attempt: &&crate::model::attempt::Attempt| attempt.evidence.contains(&kind);
    let attempt = attempts
        .iter()
        .rev()
        .filter(has(EvidenceKind::Trace))
        .find(|attempt| asked.is_none_or(|asked| asked == attempt.id))?;
    let bytes = room().ok()?.evidence(&caller().ok()?, attempt.id, EvidenceKind::Trace).await.ok()?;
    Some((attempt.number, serde_json::from_slice(&bytes).ok()?))
}
