//! What was asked for with a task: all that does not change while it runs, rendered on the server once.

use leptos::prelude::*;

use crate::{
    model::{Timestamp, task::Task},
    ui::{clock::stamp, code::code},
};

/// What was asked for.
pub fn view(task: &Task, now: Timestamp) -> impl IntoView + use<> {
    let flow = task.flow.to_string();
    let site = task.domain.clone();
    let facts = [
        ("Lane", Some(task.lane.as_str().to_owned())),
        ("Priority", Some(task.priority.to_string())),
        ("Time of one attempt", Some(format!("{} s", task.timeout_s))),
        ("Account", task.account.clone()),
        ("Key", task.key.clone()),
    ];
    let facts = facts
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }))
        .collect_view();
    let times = [("Not before", task.not_before), ("Deadline", task.deadline)]
        .into_iter()
        .filter_map(|(name, at)| at.map(|at| view! { <div><dt>{name}</dt><dd>{stamp(now, at)}</dd></div> }))
        .collect_view();
    let parameters = task
        .parameters
        .iter()
        .map(
            |(name, value)| view! { <div><dt><code>{name.clone()}</code></dt><dd>{value.clone()}</dd></div> },
        )
        .collect_view();
    let first = task.retry_of.map(|id| {
        view! { <div><dt>"Repeats"</dt><dd><a href=format!("/tasks/{id}")>{code(id)}</a></dd></div> }
    });
    view! {
        <dl class="facts">
            <div><dt>"Flow"</dt><dd><a href=format!("/flows/{flow}")>{flow.clone()}</a></dd></div>
            {site.map(|site| view! { <div><dt>"Site"</dt><dd><a href=format!("/tasks?domain={site}")>{site.clone()}</a></dd></div> })}
            {facts}
            {times}
            {first}
            {parameters}
        </dl>
    }
}
