//! The overview as it lives: the state that the server rendered, and the stream from there.

#![expect(missing_docs, reason = "what the island macro makes cannot be documented")]

use leptos::prelude::*;

use super::{
    diagram,
    geometry::{self, Drawing},
    table, tiles, words,
};
use crate::{
    model::{event::Topic, overview::Overview, task::TaskState},
    ui::{
        clock::use_clock,
        live::{self, Handler, use_stream},
    },
};

/// What needs a person, the diagram and the figures.
#[island(lazy)]
pub fn LiveOverview(first: Overview) -> impl IntoView {
    let clock = use_clock(first.at);
    let overview = RwSignal::new(first);
    let on_overview: Handler = Box::new(move |data| {
        if let Some(now) = live::read::<Overview>(data) {
            overview.set(now);
        }
    });
    let stream =
        use_stream("/api/v1/events?topics=overview".to_owned(), clock, vec![(Topic::Overview, on_overview)]);
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| overview.with(tell_navigation));
    let drawing = Memo::new(move |before: Option<&Drawing>| {
        overview.with(|overview| geometry::draw(overview, before.map_or(&[], |before| &before.seats)))
    });
    view! {
        <div class="page-head">
            <h1>{words::TITLE}</h1>
            {live::light(stream, clock)}
        </div>
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

/// Keeps the navigation's count, which is outside of the island, as it is here.
#[cfg(feature = "hydrate")]
fn tell_navigation(overview: &Overview) {
    let Ok(Some(link)) = document().query_selector(".bar .count") else { return };
    let (count, href) = super::needing(overview);
    let says = crate::ui::words::needs_person(count);
    link.set_text_content(Some(&count.to_string()));
    let _ = link.toggle_attribute_with_force("hidden", count == 0);
    for (name, value) in [("href", href), ("title", &says), ("aria-label", &says)] {
        let _ = link.set_attribute(name, value);
    }
}

/// What needs a person, first.
fn needs(overview: &Overview) -> impl IntoView + use<> {
    let escalated = overview.count(TaskState::Escalated);
    let quarantined = overview.count(TaskState::Quarantined);
    let none = escalated + quarantined == 0;
    let first = overview.tasks.values().all(|count| *count == 0);
    view! {
        <section class="needs" class:is-calm=none aria-label=words::NEEDS>
            <p hidden=!none || first>{words::NEEDS_NOTHING}</p>
            <p hidden=!first>
                <strong>{words::FIRST}". "</strong>
                {words::FIRST_SAYS}" "
                <a href="/submit">{words::FIRST_LINK}</a>
            </p>
            <p hidden=escalated == 0>
                <a href="/tasks?state=escalated">{words::escalated(escalated)}</a>
            </p>
            <p hidden=quarantined == 0>
                <a href="/tasks?state=quarantined">{words::quarantined(quarantined)}</a>
            </p>
        </section>
    }
}
