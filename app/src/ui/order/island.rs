//! An order's head as it lives: where it stands, who holds it, what may be done, and what is new.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use leptos::prelude::*;
use uuid::Uuid;

use super::{
    shown::{Holding, OrderShown},
    words,
};
use crate::{
    model::{Timestamp, event::Topic, order::OrderState},
    ui::{
        clock::{Clock, ticking, use_clock},
        code::code,
        live::{self, Handler, use_stream},
        orders,
        orders::row::standing,
        state,
    },
};

/// Who looks, and what that one may do.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Viewer {
    /// The viewer's id.
    pub id: Uuid,
    /// And name.
    pub name: String,
    /// Whether claiming and all that follows is allowed.
    pub can_act: bool,
    /// Whether taking a claim from its holder is.
    pub can_take: bool,
}

/// Head, claim, actions and news. `draft` names what was typed and is kept, so that claiming comes back to it.
#[component]
pub fn LiveOrder(first: OrderShown, viewer: Viewer, draft: String, now: Timestamp) -> impl IntoView {
    let clock = use_clock(now);
    let id = first.id;
    let me = viewer.id;
    let title = first.title.clone();
    let order = RwSignal::new(first.clone());
    let refused = RwSignal::new(None::<String>);
    let on_order: Handler = Box::new(move |data| {
        let Some(newer) = live::read::<OrderShown>(data) else { return };
        if newer.id != id || order.with_untracked(|order| order.version > newer.version) {
            return;
        }
        order.update(|order| *order = order.followed_by(newer));
    });
    let address = format!("/api/v1/events?topics=order&order={id}");
    let stream = use_stream(address, clock, vec![(Topic::Order, on_order)]);
    #[cfg(feature = "hydrate")]
    super::keep::keep_alive(order, me, clock, refused);
    let holding = Memo::new(move |_| order.with(|order| order.holding(me, clock.now.get())));
    let was_mine = matches!(first.holding(me, now), Holding::Mine(..));
    let news = Memo::new(move |_| {
        let mut news = order.with(|order| first.news(order, me));
        if let Some(why) = refused.get().filter(|_| news.is_empty()) {
            news.push(why);
        } else if was_mine && news.is_empty() && holding.with(|holding| *holding == Holding::Nobody) {
            news.push(words::RUN_OUT.to_owned());
        }
        news
    });
    let at =
        Memo::new(move |_| order.with(|order| standing(order.state, order.claim_until, clock.now.get())));
    view! {
        <div class="page-head">
            <h1>{title}</h1>
            <p class="task-state">
                {move || state::badge(state::severity(order.with(|order| order.severity)))}
                {move || state::badge(state::order(at.get()))}
                <code class="code">{code(id)}</code>
            </p>
            {live::light(stream, clock)}
        </div>
        <p class="order-facts">{move || order.with(|order| facts(order, at.get(), clock))}</p>
        <p class="holding">{move || holding.with(|holding| held(holding, clock))}</p>
        <Actions order holding viewer draft/>
        <div class="news" role="status">
            <div class="note is-news" hidden=move || news.with(Vec::is_empty)>
                {move || news.get().into_iter().map(|line| view! { <p>{line}</p> }).collect_view()}
                <p><a href=format!("/orders/{id}")>{words::REFRESH}</a></p>
                <p class="quiet" hidden=!was_mine>{words::STAYS}</p>
            </div>
        </div>
    }
}

/// How much came together, since when, and by when somebody should have looked.
fn facts(order: &OrderShown, at: OrderState, clock: Clock) -> impl IntoView + use<> {
    let (due_at, closed_at) = (order.due_at, order.closed_at);
    let open = at != OrderState::Closed;
    let due = open.then(|| {
        let overdue = move || clock.now.get() > due_at;
        view! {
            <span class="due" class:is-overdue=overdue>
                {move || orders::words::due(clock.now.get(), due_at)}
            </span>
        }
    });
    let closed = closed_at
        .filter(|_| !open)
        .map(|closed_at| view! { <span>"closed "{ticking(clock, closed_at)}</span> });
    let assigned = order.assigned_to.as_deref().map(|name| view! { <span>{words::assigned(name)}</span> });
    view! {
        <span>{words::failures(order.occurrences)}</span>
        <span>{words::waiting(order.waiting)}</span>
        <span>"opened "{ticking(clock, order.opened_at)}</span>
        <span>"newest failure "{ticking(clock, order.last_at)}</span>
        {due}
        {closed}
        {assigned}
    }
}

/// Who holds it, and for how long.
fn held(holding: &Holding, clock: Clock) -> AnyView {
    match holding {
        Holding::Closed => ().into_any(),
        Holding::Nobody => words::FREE.into_any(),
        Holding::Mine(_, false) => words::ELSEWHERE.into_any(),
        Holding::Mine(until, true) => {
            let until = *until;
            view! {
                <b>"You hold it."</b>
                " Your claim runs out "
                {ticking(clock, until)}
                "."
                <span hidden=move || !clock.here.get()>" "{words::KEPT_ALIVE}</span>
            }
            .into_any()
        }
        Holding::Other(name, until) => {
            let (name, until) = (name.clone(), *until);
            view! { <b>{name}</b>" holds it; the claim runs out "{ticking(clock, until)}"." }.into_any()
        }
    }
}

/// What may be done. The forms stay, with what is typed into them, while the order changes.
#[component]
fn Actions(
    order: RwSignal<OrderShown>,
    holding: Memo<Holding>,
    viewer: Viewer,
    draft: String,
) -> impl IntoView {
    let id = order.with_untracked(|order| order.id);
    let Viewer { name, can_act, can_take, .. } = viewer;
    let who = StoredValue::new(name.clone());
    let hidden = move || view! { <input type="hidden" name="id" value=id.to_string()/> };
    let free = move || holding.with(|holding| *holding == Holding::Nobody);
    let mine = move || holding.with(|holding| matches!(holding, Holding::Mine(..)));
    let proven = move || holding.with(|holding| matches!(holding, Holding::Mine(_, true)));
    let other = move || holding.with(|holding| matches!(holding, Holding::Other(..)));
    let closed = move || holding.with(|holding| *holding == Holding::Closed);
    let assigned = move || {
        order.with(|order| order.assigned_to.as_ref().is_some_and(|to| who.with_value(|who| who == to)))
    };
    let token = move || order.with(|order| order.claim_token.map(|token| token.to_string()));
    view! {
        <div class="actions">
            <form method="post" action="/fn/claim_order" hidden=move || !can_act || !(free() || mine())>
                {hidden()}
                <input type="hidden" name="draft" value=draft/>
                <button class="button" class:is-main=free data-key="c">
                    {move || if proven() { words::EXTEND } else { words::CLAIM }}
                </button>
            </form>
            <form method="post" action="/fn/release_order" hidden=move || !can_act || !proven()>
                {hidden()}
                <input type="hidden" name="claim_token" value=token/>
                <button class="button">{words::GIVE_BACK}</button>
            </form>
            <form method="post" action="/fn/assign_order" hidden=move || !can_act || closed() || assigned()>
                {hidden()}
                <input type="hidden" name="to" value=name/>
                <button class="button">{words::ASSIGN}</button>
            </form>
            <form method="post" action="/fn/assign_order" hidden=move || !can_act || closed() || !assigned()>
                {hidden()}
                <button class="button">{words::UNASSIGN}</button>
            </form>
            <form class="with-reason" method="post" action="/fn/take_over_order" hidden=move || !can_take || !other()>
                {hidden()}
                <label for="take-over-reason">{words::WHY_TAKE}</label>
                <input id="take-over-reason" name="reason" required=true autocomplete="off"/>
                <button class="button">{words::TAKE_OVER}</button>
            </form>
            <form class="with-reason" method="post" action="/fn/reopen_order" hidden=move || !can_act || !closed()>
                {hidden()}
                <label for="reopen-reason">{words::WHY_REOPEN}</label>
                <input id="reopen-reason" name="reason" autocomplete="off"/>
                <button class="button">{words::REOPEN}</button>
            </form>
            <p class="quiet" hidden=can_act>{words::REVIEWERS}</p>
        </div>
    }
}
