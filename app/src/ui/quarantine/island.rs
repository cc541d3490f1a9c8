//! The rows of the quarantine as they live: who leaves is marked in place, who comes is announced.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use std::collections::BTreeSet;

use leptos::prelude::*;
use uuid::Uuid;

use super::{
    row::{Arrival, Row, arrival},
    words,
};
use crate::{
    model::{Timestamp, event::Topic},
    ui::{
        clock::{Clock, ticking, use_clock},
        code::code,
        live::{self, Handler, use_stream},
        state,
    },
};

/// New tasks that are counted; of more, "that many" says enough.
const MOST_NEW: usize = 999;

/// What the viewer may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct May {
    /// Release, retry and discard.
    pub act: bool,
    /// Look at evidence.
    pub see: bool,
}

/// The rows, the state of the stream, and how many have come. `first_page` where the newest are shown: only
/// there is it told who comes.
#[component]
pub fn QuarantineRows(
    first: Vec<Row>,
    first_page: bool,
    taken: Timestamp,
    back: String,
    may: May,
) -> impl IntoView {
    let clock = use_clock(taken);
    let known: Vec<Uuid> = first.iter().map(|row| row.id).collect();
    let rows = StoredValue::new(first.into_iter().map(RwSignal::new).collect::<Vec<_>>());
    let new = RwSignal::new(BTreeSet::<Uuid>::new());
    let on_task: Handler = Box::new(move |data| {
        let Some(now) = live::read::<Row>(data) else { return };
        match arrival(&known, &now, taken) {
            Arrival::Row(place) => rows.with_value(|rows| {
                let after = rows[place].with_untracked(|before| before.changed(now));
                if rows[place].with_untracked(|before| *before != after) {
                    rows[place].set(after);
                }
            }),
            Arrival::New
                if first_page && new.with_untracked(|new| new.len() < MOST_NEW && !new.contains(&now.id)) =>
            {
                new.update(|new| {
                    new.insert(now.id);
                });
            }
            Arrival::New => {}
            // It came and went.
            Arrival::Elsewhere if new.with_untracked(|new| new.contains(&now.id)) => {
                new.update(|new| {
                    new.remove(&now.id);
                });
            }
            Arrival::Elsewhere => {}
        }
    });
    let stream = use_stream("/api/v1/events?topics=task".to_owned(), clock, vec![(Topic::Task, on_task)]);
    view! {
        <div class="list-head">
            {live::light(stream, clock)}
            <a class="button is-new" href="/quarantine" hidden=move || new.with(BTreeSet::is_empty)>
                {move || new.with(|new| words::new(new.len()))}
            </a>
        </div>
        <table class="list quarantine">
            <thead>
                <tr>
                    <th scope="col">"Task"</th>
                    <th scope="col">"Site"</th>
                    <th scope="col">"Why"</th>
                    <th scope="col">"Attempts"</th>
                    <th scope="col" hidden=!may.see>"Evidence"</th>
                    <th scope="col" class="num">"Since"</th>
                    <th scope="col" hidden=!may.act>"Actions"</th>
                </tr>
            </thead>
            <tbody>
                {rows.with_value(|rows| rows.iter().map(|row| line(*row, clock, &back, may)).collect_view())}
            </tbody>
        </table>
    }
}

fn line(row: RwSignal<Row>, clock: Clock, back: &str, may: May) -> impl IntoView + use<> {
    let (id, name, flow, domain, since) = row.with_untracked(|row| {
        let domain = row.domain.clone().unwrap_or_default();
        (row.id, row.name.clone(), row.flow.to_string(), domain, row.updated_at)
    });
    let no_site = domain.is_empty();
    let is_here = Memo::new(move |_| row.with(Row::is_here));
    let evidence = row.with_untracked(Row::evidence);
    let no_evidence = evidence.is_empty();
    let evidence =
        evidence.into_iter().map(|(href, word)| view! { <li><a href=href>{word}</a></li> }).collect_view();
    view! {
        <tr class:is-gone=move || !is_here.get()>
            <td data-label="Task" class="main-cell">
                <a href=format!("/tasks/{id}")>{name.clone()}</a>
                " "
                <code class="code">{code(id)}</code>
                <span class="of-flow">{flow}</span>
                <span class="left" hidden=move || is_here.get()>
                    {words::LEFT}" "
                    {move || state::badge(state::task(row.with(|row| row.state)))}
                </span>
            </td>
            <td data-label="Site" class="short" class:has-nothing=no_site title=domain.clone()>
                <a href=format!("/gates#site-{domain}") hidden=no_site>{domain.clone()}</a>
            </td>
            <td data-label="Why" class="says" class:has-nothing=move || row.with(|row| row.fault.is_none())>
                <span class="says-cut" title=move || row.with(Row::why)>{move || row.with(Row::why)}</span>
            </td>
            <td data-label="Attempts" class="whole">{move || row.with(Row::tried)}</td>
            <td data-label="Evidence" class="whole" class:has-nothing=no_evidence hidden=!may.see>
                <ul>{evidence}</ul>
            </td>
            <td data-label="Since" class="num">{ticking(clock, since)}</td>
            <td data-label="Actions" class="acts" hidden=!may.act>
                <div class="row-actions" hidden=move || !is_here.get()>{actions(id, name, back.to_owned())}</div>
            </td>
        </tr>
    }
}

fn actions(id: Uuid, name: String, back: String) -> impl IntoView {
    view! {
        <form method="post" action="/fn/release_quarantined">
            <input type="hidden" name="id" value=id.to_string()/>
            <input type="hidden" name="back" value=back.clone()/>
            <button class="button is-small" aria-label=format!("{}: {name}", words::RELEASE)>{words::RELEASE}</button>
        </form>
        <a class="button is-small" href=format!("/tasks/{id}/retry") aria-label=format!("{}: {name}", words::RETRY_EDITS)>
            {words::RETRY_EDITS}
        </a>
        <details class="in-row">
            <summary aria-label=format!("{} {name}", words::DISCARD)>{words::DISCARD}</summary>
            <form method="post" action="/fn/discard_quarantined">
                <p>{words::DISCARD_SAYS}</p>
                <input type="hidden" name="id" value=id.to_string()/>
                <input type="hidden" name="back" value=back/>
                <button class="button is-small is-bad" aria-label=format!("{}: {name}", words::DISCARD_SURE)>
                    {words::DISCARD_SURE}
                </button>
            </form>
        </details>
    }
}
