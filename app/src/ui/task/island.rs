//! A task as it lives.

#![expect(missing_docs, reason = "what the island macro makes cannot be documented")]

use leptos::prelude::*;
use uuid::Uuid;

use super::{
    attempt, bars,
    result::{self, Shown},
    shown::{AttemptShown, TaskShown},
    words,
};
use crate::{
    model::{Timestamp, event::Topic, task::TaskState},
    ui::{
        clock::{Clock, ticking, use_clock},
        code::code,
        live::{self, Handler, use_stream},
        state,
    },
};

/// Header, actions, life, attempts and result. What does not change while it runs are its children, which
/// the server renders.
#[island(lazy)]
pub fn LiveTask(
    first: TaskShown,
    steps: Vec<String>,
    now: Timestamp,
    can_act: bool,
    can_see: bool,
    children: Children,
) -> impl IntoView {
    let clock = use_clock(now);
    let id = first.id;
    let name = first.name.clone();
    let task = RwSignal::new(first);
    let on_task: Handler = Box::new(move |data| {
        let Some(whole) = live::read::<TaskShown>(data) else { return };
        // An event of the general stream has no attempts; this one's has.
        if whole.id != id || task.with_untracked(|task| task.version > whole.version) {
            return;
        }
        task.set(whole.bounded());
    });
    let address = format!("/api/v1/events?topics=task&task={id}");
    let stream = use_stream(address, clock, vec![(Topic::Task, on_task)]);
    let words = StoredValue::new(steps);
    let attempts = Memo::new(move |_| task.with(|task| task.attempts.clone()));
    let scale = Memo::new(move |_| {
        let ends = attempts.with(|attempts| attempts.iter().all(|attempt| attempt.ended_at.is_some()));
        let at = if ends { now } else { clock.now.get() };
        attempts.with(|attempts| bars::scale(attempts, at))
    });
    let newest = Memo::new(move |_| attempts.with(|attempts| attempts.last().map(|attempt| attempt.id)));
    let ids = Memo::new(move |_| {
        attempts.with(|attempts| attempts.iter().rev().map(|attempt| attempt.id).collect::<Vec<_>>())
    });
    let one = move |id: Uuid| {
        let fallback = attempts.with_untracked(|all| all.iter().find(|attempt| attempt.id == id).cloned());
        fallback.map(|fallback| {
            let memo: Memo<AttemptShown> = Memo::new(move |before: Option<&AttemptShown>| {
                attempts
                    .with(|all| all.iter().find(|attempt| attempt.id == id).cloned())
                    .unwrap_or_else(|| before.cloned().unwrap_or_else(|| fallback.clone()))
            });
            let is_newest = newest.get_untracked() == Some(id);
            attempt::view(memo, scale, words, is_newest, can_see, clock)
        })
    };
    view! {
        <div class="page-head">
            <h1>{name}</h1>
            <p class="task-state">
                {move || state::badge(state::task(task.with(|task| task.state)))}
                " "
                <code class="code">{code(id)}</code>
            </p>
            {live::light(stream, clock)}
        </div>
        {move || task.with(|task| actions(task, can_act))}
        {move || task.with(|task| life(task, clock))}
        {move || task.with(|task| outcome(task, clock))}
        {children()}
        {move || task.with(results)}
        <section aria-labelledby="attempts">
            <div class="attempts-head">
                <h2 id="attempts">{words::ATTEMPTS}</h2>
                <p class="quiet">{move || task.with(|task| words::spent(task.attempts_spent, task.max_attempts))}</p>
            </div>
            <p class="nothing" hidden=move || newest.get().is_some()>{words::NO_ATTEMPTS}</p>
            <For each=move || ids.get() key=|id| *id let(id)>{one(id)}</For>
        </section>
    }
}

fn actions(task: &TaskShown, can_act: bool) -> impl IntoView + use<> {
    let id = task.id;
    let state = task.state;
    let action = move |shown: bool, href: &'static str, word: &'static str| {
        view! {
            <form method="post" action=href hidden=!(shown && can_act)>
                <input type="hidden" name="id" value=id.to_string()/>
                <button class="button">{word}</button>
            </form>
        }
    };
    let held = matches!(state, TaskState::Escalated | TaskState::Quarantined);
    let edits = format!("/tasks/{id}/retry");
    view! {
        <div class="actions">
            {action(held, "/fn/release_task", words::RELEASE)}
            {action(state.is_end(), "/fn/retry_task", words::RETRY)}
            <a class="button" href=edits hidden=!(can_act && (held || state.is_end()))>{words::RETRY_EDITS}</a>
            {action(!state.is_end(), "/fn/cancel_task", words::CANCEL)}
            <p class="quiet" hidden=can_act>{words::OPERATORS}</p>
        </div>
    }
}

/// The way of a task through its states; the taken part is lit.
fn life(task: &TaskShown, clock: Clock) -> impl IntoView + use<> {
    let started = task.attempts.first().map(|attempt| attempt.started_at);
    let over = !matches!(task.state, TaskState::Queued | TaskState::Running);
    let end = if over { state::task(task.state).word } else { "ends" };
    let end_at = if over { task.ended_at.or(Some(task.updated_at)) } else { None };
    let stops = [
        ("accepted", true, false, Some(task.created_at)),
        ("queued", true, task.state == TaskState::Queued, None),
        (
            "running",
            started.is_some() || task.state == TaskState::Running,
            task.state == TaskState::Running,
            started,
        ),
        (end, over, over, end_at),
    ];
    let stops = stops
        .into_iter()
        .map(|(word, reached, current, at)| {
            let class = match (reached, current) {
                (_, true) => "stop is-current",
                (true, false) => "stop is-reached",
                _ => "stop",
            };
            view! {
                <li class=class aria-current=current.then_some("step")>
                    <span class="stop-word">{word}</span>
                    <span class="quiet">{at.map(|at| ticking(clock, at))}</span>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="life">{stops}</ol> }
}

/// What it waits on, or why it failed and where a person looks at that.
fn outcome(task: &TaskShown, clock: Clock) -> impl IntoView + use<> {
    let wait = task.waiting_on.clone().filter(|_| task.state == TaskState::Queued).map(|wait| {
        view! {
            <p class="waits">
                <span class="badge tone-wait"><span class="badge-shape" aria-hidden="true">"○"</span>{state::wait(wait.kind)}</span>
                " "
                {(!state::is_only_time(&wait)).then(|| wait.detail.clone())}
                " "
                {wait.until.map(|until| ticking(clock, until))}
            </p>
        }
    });
    let fault = task.fault.as_ref().filter(|_| task.state != TaskState::Succeeded).map(attempt::fault);
    let order = task.order.map(|order| {
        view! { <p><a href=format!("/orders/{order}")>{words::ORDER}" "<code>{code(order)}</code></a></p> }
    });
    view! { {wait} {fault} {order} }
}

fn results(task: &TaskShown) -> impl IntoView + use<> {
    (task.state == TaskState::Succeeded).then(|| {
        let found = task.result.as_ref().map(result::shown).unwrap_or_default();
        let none = found.is_empty();
        let rows = found
            .into_iter()
            .map(|(name, value)| {
                let (one, many, json) = match value {
                    Shown::One(text) => (Some(text), Vec::new(), None),
                    Shown::Many(texts) => (None, texts, None),
                    Shown::Json(text) => (None, Vec::new(), Some(text)),
                };
                let many = (!many.is_empty()).then(|| {
                    view! { <ol class="values" tabindex="0">{many.into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}</ol> }
                });
                view! {
                    <tr>
                        <th scope="row">{name}</th>
                        <td>{one}{many}{json.map(|json| view! { <pre tabindex="0">{json}</pre> })}</td>
                    </tr>
                }
            })
            .collect_view();
        view! {
            <section class="panel result" aria-labelledby="result">
                <h2 id="result">{words::RESULT}</h2>
                <p class="quiet" hidden=!none>{words::NO_RESULT}</p>
                <table class="plain"><tbody>{rows}</tbody></table>
                <p class="quiet" hidden=!task.cut>{words::CUT}</p>
                <p><a href=format!("/api/v1/tasks/{}", task.id) download=format!("task-{}.json", task.id)>{words::DOWNLOAD}</a></p>
            </section>
        }
    })
}
