//! The rows of the list as they change: each in its place, and what is new only announced.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use std::collections::BTreeSet;

use leptos::prelude::*;
use uuid::Uuid;

use super::{
    row::{Arrival, Narrow, Row, arrival},
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

/// New tasks that are counted; of more, "that many or more" says enough.
const MOST_NEW: usize = 999;

/// The rows, the state of the stream, and how many are new.
#[component]
pub fn TaskRows(first: Vec<Row>, narrow: Narrow, taken: Timestamp, here: String) -> impl IntoView {
    let clock = use_clock(taken);
    let rows = StoredValue::new(first.into_iter().map(RwSignal::new).collect::<Vec<_>>());
    let new = RwSignal::new(BTreeSet::<Uuid>::new());
    let on_task: Handler = Box::new(move |data| {
        let Some(row) = live::read::<Row>(data) else { return };
        let arrival = rows.with_value(|rows| {
            let known: Vec<Row> = rows.iter().map(|row| row.get_untracked()).collect();
            arrival(&known, &row, &narrow, taken)
        });
        match arrival {
            Arrival::Row(place) => rows.with_value(|rows| {
                if rows[place].with_untracked(|known| *known != row) {
                    rows[place].set(row);
                }
            }),
            Arrival::New if new.with_untracked(|new| new.len() < MOST_NEW && !new.contains(&row.id)) => {
                new.update(|new| {
                    new.insert(row.id);
                });
            }
            Arrival::New | Arrival::Elsewhere => {}
        }
    });
    let stream = use_stream("/api/v1/events?topics=task".to_owned(), clock, vec![(Topic::Task, on_task)]);
    view! {
        <div class="list-head">
            {live::light(stream, clock)}
            <a class="button is-new" href=here hidden=move || new.with(BTreeSet::is_empty)>
                {move || new.with(|new| words::new(new.len()))}
            </a>
        </div>
        <table class="list">
            <thead>
                <tr>
                    <th scope="col">"State"</th>
                    <th scope="col">"Task"</th>
                    <th scope="col">"Flow"</th>
                    <th scope="col">"Site"</th>
                    <th scope="col">"Waits on, or why it failed"</th>
                    <th scope="col" class="num">"Accepted"</th>
                </tr>
            </thead>
            <tbody>{rows.with_value(|rows| rows.iter().map(|row| line(*row, clock)).collect_view())}</tbody>
        </table>
    }
}

fn line(row: RwSignal<Row>, clock: Clock) -> impl IntoView {
    let (id, name, flow, domain, created_at) = row.with_untracked(|row| {
        (row.id, row.name.clone(), row.flow.clone(), row.domain.clone().unwrap_or_default(), row.created_at)
    });
    view! {
        <tr>
            <td data-label="State">{move || state::badge(state::task(row.with(|row| row.state)))}</td>
            <td data-label="Task" class="main-cell">
                <a href=format!("/tasks/{id}")>{name}</a>
                " "
                <code class="code">{code(id)}</code>
            </td>
            <td data-label="Flow" class="short" title=flow.to_string()>{flow.to_string()}</td>
            <td data-label="Site" class="short" title=domain.clone()>{domain.clone()}</td>
            <td
                data-label="Waits on, or why it failed"
                class="says"
                class:has-nothing=move || row.with(|row| row.says().is_empty())
            >
                <span class="says-cut" title=move || row.with(Row::says)>{move || row.with(Row::says)}</span>
                {move || {
                    let until = row.with(Row::until);
                    until.map(|until| view! { " "{ticking(clock, until)} })
                }}
            </td>
            <td data-label="Accepted" class="num">{ticking(clock, created_at)}</td>
        </tr>
    }
}
