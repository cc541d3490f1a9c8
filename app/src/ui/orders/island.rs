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
    model::{Timestamp, event::Topic, order::OrderState},
    ui::{
        clock::{Clock, local, ticking, use_clock},
        code::code,
        live::{self, Handler, use_stream},
        number, state,
    },
};

/// New orders that are counted; of more, "that many or more" says enough.
const MOST_NEW: usize = 999;

/// The rows, the state of the stream, and how many are new.
#[component]
pub fn OrderRows(
    first: Vec<Row>,
    narrow: Narrow,
    taken: Timestamp,
    here: String,
    can_act: bool,
) -> impl IntoView {
    let clock = use_clock(taken);
    let rows = StoredValue::new(first.into_iter().map(RwSignal::new).collect::<Vec<_>>());
    let new = RwSignal::new(BTreeSet::<Uuid>::new());
    let on_order: Handler = Box::new(move |data| {
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
    let stream = use_stream("/api/v1/events?topics=order".to_owned(), clock, vec![(Topic::Order, on_order)]);
    view! {
        <div class="list-head">
            {live::light(stream, clock)}
            <a class="button is-new" href=here hidden=move || new.with(BTreeSet::is_empty)>
                {move || new.with(|new| words::new(new.len()))}
            </a>
        </div>
        <table class="list orders">
            <thead>
                <tr>
                    <th scope="col">"Severity"</th>
                    <th scope="col">"Order"</th>
                    <th scope="col" class="num">"Waiting"</th>
                    <th scope="col" class="num">"Failures"</th>
                    <th scope="col" class="num">"Opened"</th>
                    <th scope="col">"Due"</th>
                    <th scope="col">"State"</th>
                    <th scope="col"><span class="unseen">"Actions"</span></th>
                </tr>
            </thead>
            <tbody>{rows.with_value(|rows| rows.iter().map(|row| line(*row, clock, can_act)).collect_view())}</tbody>
        </table>
    }
}

fn line(row: RwSignal<Row>, clock: Clock, can_act: bool) -> impl IntoView {
    let (id, title, opened_at) = row.with_untracked(|row| (row.id, row.title.clone(), row.opened_at));
    let at = Memo::new(move |_| row.with(|row| row.state_at(clock.now.get())));
    let overdue =
        Memo::new(move |_| at.get() != OrderState::Closed && row.with(|row| row.due_at < clock.now.get()));
    let person = move || row.with(|row| row.person(clock.now.get()));
    let claim = words::CLAIM;
    let claims = format!("{claim}: {title}");
    view! {
        <tr>
            <td data-label="Severity">{move || state::badge(state::severity(row.with(|row| row.severity)))}</td>
            <td data-label="Order" class="main-cell">
                <a href=format!("/orders/{id}")>{title}</a>
                " "
                <code class="code">{code(id)}</code>
            </td>
            <td data-label="Waiting" class="num">{move || number::count(row.with(|row| row.waiting))}</td>
            <td data-label="Failures" class="num">{move || number::count(row.with(|row| row.occurrences))}</td>
            <td data-label="Opened" class="num">{ticking(clock, opened_at)}</td>
            <td data-label="Due" class="due" class:is-overdue=move || overdue.get()>
                {move || due(row, at.get(), clock)}
            </td>
            <td data-label="State">
                <span>
                    {move || state::badge(state::order(at.get()))}
                    <span class="second-line">{person}</span>
                </span>
            </td>
            <td class="row-actions">
                <form method="post" action="/fn/claim_order" hidden=move || !can_act || at.get() != OrderState::Open>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <button class="button is-small" aria-label=claims data-key="c">{claim}</button>
                </form>
            </td>
        </tr>
    }
}

/// By when it is due, or when it was closed.
fn due(row: RwSignal<Row>, at: OrderState, clock: Clock) -> AnyView {
    let (due_at, closed_at) = row.with(|row| (row.due_at, row.closed_at));
    match (at, closed_at) {
        (OrderState::Closed, Some(closed_at)) => view! { "closed "{ticking(clock, closed_at)} }.into_any(),
        (OrderState::Closed, None) => ().into_any(),
        _ => {
            let exact =
                move || if clock.here.get() { local(due_at) } else { crate::ui::clock::exact(due_at) };
            view! {
                <time datetime=due_at.rfc3339() title=exact>{move || words::due(clock.now.get(), due_at)}</time>
            }
            .into_any()
        }
    }
}
