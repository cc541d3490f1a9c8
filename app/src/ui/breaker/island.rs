//! The breakers as they live.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde::Deserialize;

use super::{board::Board, parts, signal, words};
use crate::{
    model::{
        Timestamp,
        breaker::{BreakerState, BreakerView},
        event::Topic,
        gate::GateView,
        task::TaskState,
    },
    ui::{
        clock::{Clock, ticking, use_clock},
        live::{self, Handler, use_stream},
        state,
    },
};

/// What the page needs of an overview.
#[derive(Deserialize)]
struct Load {
    tasks: BTreeMap<String, u64>,
}

/// The main signal with its forms, and the sites whose breakers are not closed.
#[component]
pub fn LiveBreaker(first: Board, now: Timestamp, may: bool) -> impl IntoView {
    let clock = use_clock(now);
    let board = RwSignal::new(first);
    let said = RwSignal::new(String::new());
    let on_breaker: Handler = Box::new(move |data| {
        let Some(now) = live::read::<BreakerView>(data) else { return };
        let says = words::said(&now);
        #[cfg(feature = "hydrate")]
        if now.domain.is_none() {
            crate::ui::bar::tell_breaker(now.state);
        }
        let mut is_news = false;
        board.update(|board| is_news = board.take(now));
        if is_news {
            said.set(says);
        }
    });
    let on_overview: Handler = Box::new(move |data| {
        let Some(load) = live::read::<Load>(data) else { return };
        let queued = load.tasks.get(TaskState::Queued.as_str()).copied().unwrap_or(0);
        if board.with_untracked(|board| board.queued != queued) {
            board.update(|board| board.queued = queued);
        }
    });
    let on_gate: Handler = Box::new(move |data| {
        let Some(gate) = live::read::<GateView>(data) else { return };
        if board.with_untracked(|board| board.site(&gate.domain).is_some()) {
            board.update(|board| {
                board.waiting.insert(gate.domain, gate.waiting);
            });
        }
    });
    let stream = use_stream(
        "/api/v1/events?topics=breaker,overview,gate".to_owned(),
        clock,
        vec![(Topic::Breaker, on_breaker), (Topic::Overview, on_overview), (Topic::Gate, on_gate)],
    );
    let fleet = Memo::new(move |_| board.with(|board| board.fleet.clone()));
    let queued = Memo::new(move |_| board.with(|board| board.queued));
    let domains = Memo::new(move |_| board.with(Board::domains));
    let is_open = Memo::new(move |_| fleet.with(|fleet| fleet.state == BreakerState::Open));
    let is_closed = Memo::new(move |_| fleet.with(|fleet| fleet.state == BreakerState::Closed));
    view! {
        <div class="page-head">
            <h1>{words::TITLE}</h1>
            {live::light(stream, clock)}
        </div>
        <p class="unseen" role="status">{move || said.get()}</p>
        <section class="panel main-signal" aria-labelledby="fleet">
            <div class="signal-box">{move || fleet.with(|fleet| signal::view(fleet.state))}</div>
            <div class="main-signal-says">
                <h2 id="fleet">{words::FLEET}</h2>
                {move || fleet.with(|fleet| facts(fleet, clock))}
                <p>{move || words::waiting(queued.get())}</p>
            </div>
        </section>
        <div class="two by-hand" hidden=!may>
            <div hidden=move || is_open.get()>{parts::open_fleet()}</div>
            <div hidden=move || is_closed.get()>{parts::close_fleet(queued)}</div>
        </div>
        <section class="sites" aria-labelledby="sites">
            <h2 id="sites">{words::SITES}</h2>
            <p class="quiet" hidden=move || domains.with(|domains| !domains.is_empty())>{words::NO_SITES}</p>
            <table class="list">
                <thead>
                    <tr>
                        <th scope="col">"Site"</th>
                        <th scope="col">"State"</th>
                        <th scope="col">"Why"</th>
                        <th scope="col" class="num">"Counted"</th>
                        <th scope="col" class="num">"Since"</th>
                        <th scope="col" class="num">"Until"</th>
                        <th scope="col" class="num">"Waiting"</th>
                        <th scope="col" hidden=!may>"Actions"</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=move || domains.get() key=Clone::clone let(domain)>
                        {line(domain, board, clock, may)}
                    </For>
                </tbody>
            </table>
        </section>
    }
}

/// The fleet's breaker in words.
fn facts(breaker: &BreakerView, clock: Clock) -> impl IntoView + use<> {
    let since = words::since(breaker);
    let until = breaker.until.map(|at| {
        view! { <div><dt>{words::until(breaker.state)}</dt><dd>{ticking(clock, at)}</dd></div> }
    });
    let why =
        breaker.reason.clone().map(|why| view! { <div class="is-wide"><dt>"Why"</dt><dd>{why}</dd></div> });
    let by = breaker.by.clone().map(|by| view! { <div><dt>"Set by hand by"</dt><dd>{by}</dd></div> });
    view! {
        <p class="signal-state">{state::badge(state::breaker(breaker.state))}" "{words::means(breaker.state)}</p>
        <dl class="facts">
            <div>
                <dt>"Since"</dt>
                <dd>{since.map(|at| ticking(clock, at))}{since.is_none().then_some(words::ALWAYS)}</dd>
            </div>
            {until}
            {why}
            {by}
            <div><dt>"Counted"</dt><dd>{words::counted(breaker.window)}</dd></div>
            <div><dt>"Probes"</dt><dd>{words::probes(breaker.probes)}</dd></div>
        </dl>
    }
}

/// A site's breaker as a row. It stays when it closes, and says so.
fn line(domain: String, board: RwSignal<Board>, clock: Clock, may: bool) -> impl IntoView {
    let breaker = {
        let domain = domain.clone();
        Memo::new(move |_| board.with(|board| board.site(&domain).cloned().unwrap_or_default()))
    };
    let waiting = {
        let domain = domain.clone();
        Memo::new(move |_| board.with(|board| board.waiting.get(&domain).copied()))
    };
    let tasks = format!("/tasks?state=queued&domain={domain}");
    let is_closed = Memo::new(move |_| breaker.with(|breaker| breaker.state == BreakerState::Closed));
    view! {
        <tr id=format!("breaker-{domain}") class:is-gone=move || is_closed.get()>
            <td data-label="Site" class="main-cell"><a href=format!("/gates#site-{domain}")>{domain.clone()}</a></td>
            <td data-label="State">{move || state::badge(state::breaker(breaker.with(|breaker| breaker.state)))}</td>
            <td data-label="Why" class="says" class:has-nothing=move || breaker.with(|breaker| breaker.reason.is_none())>
                {move || breaker.with(parts::why)}
            </td>
            <td data-label="Counted" class="num">{move || words::counted(breaker.with(|breaker| breaker.window))}</td>
            <td data-label="Since" class="num">
                {move || breaker.with(words::since).map(|at| ticking(clock, at))}
            </td>
            <td data-label="Until" class="num">{move || breaker.with(|breaker| breaker.until).map(|at| ticking(clock, at))}</td>
            <td data-label="Waiting" class="num">
                <a href=tasks>{move || waiting.get().map_or_else(|| "look".to_owned(), |waiting| waiting.to_string())}</a>
            </td>
            <td data-label="Actions" class="acts" hidden=!may>
                <div class="row-actions" hidden=move || is_closed.get()>{parts::close_site(domain.clone(), waiting)}</div>
            </td>
        </tr>
    }
}
