//! The overview as it lives: the state that the server rendered, and the stream from there.

#![expect(missing_docs, reason = "what the island macro makes cannot be documented")]

use leptos::prelude::*;

use super::{
    diagram,
    geometry::{self, Drawing},
    table, tiles, words,
};
use crate::{
    model::{breaker::BreakerState, event::Topic, overview::Overview, task::TaskState},
    ui::{
        breaker,
        clock::use_clock,
        live::{self, Handler, use_stream},
    },
};

/// What needs a person, the diagram and the figures.
#[island(lazy)]
pub fn LiveOverview(first: Overview) -> impl IntoView {
    let clock = use_clock(first.at);
    let overview = RwSignal::new(first);
    let said = RwSignal::new(String::new());
    let on_overview: Handler = Box::new(move |data| {
        if let Some(now) = live::read::<Overview>(data) {
            if overview.with_untracked(|before| before.breaker.state != now.breaker.state) {
                said.set(breaker::words::said(&now.breaker));
            }
            overview.set(now);
        }
    });
    let stream =
        use_stream("/api/v1/events?topics=overview".to_owned(), clock, vec![(Topic::Overview, on_overview)]);
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| overview.with(tell_bar));
    let drawing = Memo::new(move |before: Option<&Drawing>| {
        overview.with(|overview| geometry::draw(overview, before.map_or(&[], |before| &before.seats)))
    });
    view! {
        <div class="page-head">
            <h1>{words::TITLE}</h1>
            {live::light(stream, clock)}
        </div>
        <p class="unseen" role="status">{move || said.get()}</p>
        {move || overview.with(needs)}
        <div class="box-frame" tabindex="0" role="region" aria-label=words::DIAGRAM>
            {move || drawing.with(diagram::view)}
        </div>
        <details class="in-words">
            <summary>{words::IN_WORDS}</summary>
            {move || drawing.with(table::view)}
        </details>
        <div class="figures">{move || overview.with(tiles::view)}</div>
    }
}

/// Keeps the bar, which is outside of the island, as it is here.
#[cfg(feature = "hydrate")]
fn tell_bar(overview: &Overview) {
    use crate::ui::bar;
    let quarantined = overview.count(TaskState::Quarantined);
    let open = overview.desk.open;
    bar::tell_count(bar::ORDERS, open, &crate::ui::words::open_orders(open));
    bar::tell_count(bar::QUARANTINE, quarantined, &words::quarantined(quarantined));
    bar::tell_breaker(overview.breaker.state);
}

/// What needs a person, first.
fn needs(overview: &Overview) -> impl IntoView + use<> {
    let breaker = overview.breaker.state;
    let desk = overview.desk;
    let quarantined = overview.count(TaskState::Quarantined);
    // What has escalated is in an order; without any, it is still not to be overlooked.
    let escalated = if desk.open == 0 { overview.count(TaskState::Escalated) } else { 0 };
    let none = breaker == BreakerState::Closed && desk.open + quarantined + escalated == 0;
    let first = overview.tasks.values().all(|count| *count == 0);
    let breaker_says =
        if breaker == BreakerState::HalfOpen { words::BREAKER_HALF_OPEN } else { words::BREAKER_OPEN };
    view! {
        <section class="needs" class:is-calm=none aria-label=words::NEEDS>
            <p hidden=!none || first>{words::NEEDS_NOTHING}</p>
            <p hidden=!first>
                <strong>{words::FIRST}". "</strong>
                {words::FIRST_SAYS}" "
                <a href="/submit">{words::FIRST_LINK}</a>
            </p>
            <p hidden=breaker == BreakerState::Closed>
                <a href="/breaker">{breaker_says}</a>
            </p>
            <p hidden=desk.open == 0>
                <a href="/orders">{words::orders(desk)}</a>
            </p>
            <p hidden=escalated == 0>
                <a href="/tasks?state=escalated">{words::escalated(escalated)}</a>
            </p>
            <p hidden=quarantined == 0>
                <a href="/quarantine">{words::quarantined(quarantined)}</a>
            </p>
        </section>
    }
}
