//! The list's page on the server.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    filter,
    row::{Narrow, Row},
    words,
};
use crate::{
    api::calls::{caller, room},
    model::{
        caller::Role,
        fault::FaultClass,
        order::{Desk, OrderFilter, OrderState, Severity},
        page::PageQuery,
    },
    ui::{
        clock::server_now,
        frame::{Nav, glance, may, page},
        islands::{LiveWork, Work},
        narrow, number, state,
    },
};

/// `/orders?state=&severity=&flow=&domain=&class=&mine=&after=`
#[component]
pub fn OrdersPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Orders, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let wanted = filter::of(&query)?;
        let after = query.get("after").filter(|after| !after.is_empty());
        let taken = server_now();
        let desk = glance().await?.desk;
        let found =
            room.orders(&caller, wanted.clone(), PageQuery { limit: None, after: after.clone() }).await?;
        let here = filter::address(&wanted, None);
        let narrow = Narrow {
            state: wanted.state,
            severity: wanted.severity,
            flow: wanted.flow.clone(),
            domain: wanted.domain.clone(),
            class: wanted.class.map(|class| class.as_str().to_owned()),
            more: wanted.mine || after.is_some(),
        };
        let rows: Vec<Row> = found.items.into_iter().map(Row::from).collect();
        let nothing = rows.is_empty().then(|| empty(&wanted, after.is_some()));
        let can_act = may(Role::Reviewer);
        let work = Work::Orders { first: rows, narrow, taken, here: here.clone(), can_act };
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1></div>
            <div class="with-side">
                {sidebar(&wanted, desk)}
                <div class="list-area">
                    {search(&wanted)}
                    {chips(&wanted)}
                    <LiveWork work/>
                    {nothing}
                    <p class="pager">
                        {after.is_some().then(|| view! { <a class="button" href=here>{words::NEWEST}</a> })}
                        {found.next.map(|next| {
                            view! { <a class="button" rel="next" href=filter::address(&wanted, Some(&next))>{words::OLDER}</a> }
                        })}
                    </p>
                </div>
            </div>
        }
        .into_any())
    })
}

/// The states, and what is the viewer's own.
fn sidebar(wanted: &OrderFilter, desk: Desk) -> impl IntoView + use<> {
    let entry = |state: Option<OrderState>, shown: AnyView, count: Option<u64>| {
        let to = OrderFilter { state, mine: false, ..wanted.clone() };
        let current = (!wanted.mine && wanted.state == state).then_some("page");
        view! {
            <li>
                <a href=filter::address(&to, None) aria-current=current>
                    {shown}
                    <span class="num">{count.map(number::count)}</span>
                </a>
            </li>
        }
    };
    let word = |word: &'static str| view! { <span>{word}</span> }.into_any();
    let badge = |at: OrderState| state::badge(state::order(at)).into_any();
    let mine = OrderFilter { state: None, mine: true, ..wanted.clone() };
    view! {
        <nav class="side" aria-label=words::STATES>
            <ul>
                {entry(Some(OrderState::Open), word(words::TO_DO), Some(desk.open.saturating_sub(desk.claimed)))}
                {entry(Some(OrderState::Claimed), badge(OrderState::Claimed), Some(desk.claimed))}
                {entry(Some(OrderState::Closed), badge(OrderState::Closed), None)}
                {entry(None, word(words::ALL), None)}
                <li>
                    <a href=filter::address(&mine, None) aria-current=wanted.mine.then_some("page")>
                        {word(words::MINE)}
                    </a>
                </li>
            </ul>
        </nav>
    }
}

fn search(wanted: &OrderFilter) -> impl IntoView + use<> {
    let option = |value: &'static str, word: &'static str, chosen: bool| {
        view! { <option value=value selected=chosen>{word}</option> }
    };
    let severities = Severity::ALL
        .into_iter()
        .rev()
        .map(|severity| option(severity.as_str(), severity.as_str(), wanted.severity == Some(severity)))
        .collect_view();
    let classes = FaultClass::ALL
        .into_iter()
        .map(|class| option(class.as_str(), state::class(class), wanted.class == Some(class)))
        .collect_view();
    let kept = [("state", filter::state(wanted)), ("mine", wanted.mine.then_some("yes"))]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| view! { <input type="hidden" name=name value=value/> }))
        .collect_view();
    view! {
        <form class="search order-search" method="get" action="/orders" role="search">
            {kept}
            <label class="unseen" for="severity">"Severity"</label>
            <select id="severity" name="severity"><option value="">"any severity"</option>{severities}</select>
            <label class="unseen" for="flow">"Flow"</label>
            <input id="flow" name="flow" placeholder="Flow" value=wanted.flow.clone() data-search=""/>
            <label class="unseen" for="domain">"Site"</label>
            <input id="domain" name="domain" placeholder="Site" value=wanted.domain.clone()/>
            <label class="unseen" for="class">"Class of fault"</label>
            <select id="class" name="class"><option value="">"any fault"</option>{classes}</select>
            <button class="button">{words::FIND}</button>
        </form>
    }
}

fn chips(wanted: &OrderFilter) -> impl IntoView + use<> {
    let without = |name| filter::address(&filter::without(wanted, name), None);
    narrow::chips(
        filter::narrowing(wanted).into_iter().map(|(name, value)| (name, value, without(name))).collect(),
    )
}

/// Kinds of nothing: nothing is to be done, there is none in this state, or none matches.
fn empty(wanted: &OrderFilter, paged: bool) -> impl IntoView + use<> {
    let unfiltered = filter::narrowing(wanted).is_empty() && !paged;
    match (unfiltered, wanted.state) {
        (true, Some(OrderState::Open) | None) => view! {
            <div class="nothing">
                <p>{words::NONE_TO_DO}</p>
                <p class="quiet">{words::WHAT_IT_IS}</p>
            </div>
        }
        .into_any(),
        (true, Some(_)) => view! { <p class="nothing">{words::NONE_HERE}</p> }.into_any(),
        (false, _) => view! {
            <div class="nothing">
                <p>{words::NONE_MATCH}</p>
                <p><a class="button" href="/orders">{words::CLEAR}</a></p>
            </div>
        }
        .into_any(),
    }
}
