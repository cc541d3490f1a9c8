//! The gates as they live: each in its row, and a site that is new only announced.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::words;
use crate::{
    model::{Timestamp, breaker::BreakerState, event::Topic, gate::GateView},
    ui::{
        clock::{Clock, ticking, use_clock},
        live::{self, Handler, use_stream},
        number,
        overview::aspect::{self, Aspect},
        state,
    },
};

/// New sites that are counted; of more, "that many" says enough.
const MOST_NEW: usize = 999;

/// The rows, the state of the stream, and how many sites are new. `whole` where the list has every site that
/// there was: only then is it known of another that it is new.
#[component]
pub fn GateRows(first: Vec<GateView>, whole: bool, taken: Timestamp) -> impl IntoView {
    let clock = use_clock(taken);
    let rows = StoredValue::new(first.into_iter().map(RwSignal::new).collect::<Vec<_>>());
    let new = RwSignal::new(BTreeSet::<String>::new());
    let on_gate: Handler = Box::new(move |data| {
        let Some(now) = live::read::<GateView>(data) else { return };
        let row = rows.with_value(|rows| {
            rows.iter().find(|row| row.with_untracked(|known| known.domain == now.domain)).copied()
        });
        match row {
            Some(row) if row.with_untracked(|known| *known != now) => row.set(now),
            Some(_) => {}
            None if whole && new.with_untracked(|new| new.len() < MOST_NEW && !new.contains(&now.domain)) => {
                new.update(|new| {
                    new.insert(now.domain);
                });
            }
            None => {}
        }
    });
    let stream = use_stream("/api/v1/events?topics=gate".to_owned(), clock, vec![(Topic::Gate, on_gate)]);
    view! {
        <div class="list-head">
            {live::light(stream, clock)}
            <a class="button is-new" href="/gates" hidden=move || new.with(BTreeSet::is_empty)>
                {move || new.with(|new| words::new(new.len()))}
            </a>
        </div>
        <table class="list gates">
            <thead>
                <tr>
                    <th scope="col">"Site"</th>
                    <th scope="col">"Shows now"</th>
                    <th scope="col" class="num">"Next clear"</th>
                    <th scope="col" class="num">"Running"</th>
                    <th scope="col" class="num">"Waiting"</th>
                    <th scope="col">"Quota"</th>
                    <th scope="col">"Cool-down"</th>
                    <th scope="col">"Breaker"</th>
                </tr>
            </thead>
            <tbody>{rows.with_value(|rows| rows.iter().map(|row| line(*row, clock)).collect_view())}</tbody>
        </table>
    }
}

fn line(gate: RwSignal<GateView>, clock: Clock) -> impl IntoView {
    let domain = gate.with_untracked(|gate| gate.domain.clone());
    // Once a second at most, and only where what is shown is another than before.
    let aspect = Memo::new(move |_| gate.with(|gate| Aspect::of(gate, clock.now.get())));
    let next = Memo::new(move |_| gate.with(|gate| gate.next_clear_at).filter(|at| *at > clock.now.get()));
    let is_now = Memo::new(move |_| next.get().is_none() && aspect.with(|aspect| *aspect == Aspect::Clear));
    let cooldown = Memo::new(move |_| {
        gate.with(|gate| gate.cooldown.clone()).filter(|cooldown| cooldown.until > clock.now.get())
    });
    let tasks = format!("/tasks?domain={domain}");
    let queued = format!("/tasks?state=queued&domain={domain}");
    let breaker = Memo::new(move |_| gate.with(|gate| gate.breaker));
    let breaker_href = {
        let domain = domain.clone();
        move || match breaker.get().state {
            BreakerState::Closed => format!("/breaker?site={domain}#open-site"),
            BreakerState::Open | BreakerState::HalfOpen => format!("/breaker#breaker-{domain}"),
        }
    };
    view! {
        <tr id=format!("site-{domain}")>
            <td data-label="Site" class="main-cell"><a href=tasks>{domain.clone()}</a></td>
            <td data-label="Shows now"><span class="shows">{move || aspect.with(|aspect| shown(aspect, clock))}</span></td>
            <td data-label="Next clear" class="num" class:has-nothing=move || next.get().is_none() && !is_now.get()>
                {move || next.get().map(|at| ticking(clock, at))}
                {move || is_now.get().then_some(words::NOW)}
            </td>
            <td data-label="Running" class="num">
                {move || gate.with(|gate| words::running(gate.running, gate.concurrency))}
            </td>
            <td data-label="Waiting" class="num">
                <a href=queued>{move || number::count(gate.with(|gate| gate.waiting))}</a>
            </td>
            <td data-label="Quota" class="whole">{move || gate.with(|gate| words::quota(gate.per_s, gate.burst))}</td>
            <td
                data-label="Cool-down"
                class="says"
                class:has-nothing=move || cooldown.with(Option::is_none)
            >
                {move || {
                    cooldown.get().map(|cooldown| {
                        view! { <span>{ticking(clock, cooldown.until)}": "{cooldown.why}</span> }
                    })
                }}
            </td>
            <td data-label="Breaker">
                <a class="to-breaker" href=breaker_href>
                    {move || state::badge(state::breaker(breaker.get().state))}
                </a>
            </td>
        </tr>
    }
}

/// The signal, small, with its word, why, and until when.
fn shown(aspect: &Aspect, clock: Clock) -> impl IntoView + use<> {
    let name = aspect.name();
    let why = aspect.why().map(str::to_owned);
    let until = aspect.until().map(|at| ticking(clock, at));
    view! {
        <span class=format!("sign is-{name}")>
            <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
                <path class="post" d="M7 22V12"/>
                <path class="arm" d=format!("M7 12{}", aspect::arm(name, 10))/>
                <circle class="lamp" cx="7" cy="12" r="3"/>
                <circle class="light" cx="12" cy="20" r="2"/>
                <circle class="light" cx="17" cy="16" r="2"/>
            </svg>
            {aspect.word()}
        </span>
        {until}
        <span class="quiet">{why}</span>
    }
}
