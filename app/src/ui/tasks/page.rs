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
        fault::FaultClass,
        overview::Overview,
        page::PageQuery,
        task::{Lane, TaskFilter, TaskState},
    },
    ui::{
        clock::server_now,
        frame::{Nav, glance, page},
        islands::{LiveWork, Work},
        narrow, number, state,
    },
};

/// `/tasks?state=&flow=&domain=&lane=&class=&q=&after=`
#[component]
pub fn TasksPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Tasks, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let wanted = filter::of(&query)?;
        let after = query.get("after").filter(|after| !after.is_empty());
        let taken = server_now();
        let overview = glance().await?;
        let found =
            room.tasks(&caller, wanted.clone(), PageQuery { limit: None, after: after.clone() }).await?;
        let here = filter::address(&wanted, None);
        let narrow = Narrow {
            state: wanted.state,
            flow: wanted.flow.clone(),
            domain: wanted.domain.clone(),
            lane: wanted.lane,
            more: wanted.class.is_some() || wanted.q.is_some() || wanted.batch.is_some() || after.is_some(),
        };
        let rows: Vec<Row> = found.items.into_iter().map(Row::from).collect();
        let nothing = rows.is_empty().then(|| empty(&wanted, &overview, after.is_some()));
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1></div>
            <div class="with-side">
                {sidebar(&wanted, &overview)}
                <div class="list-area">
                    {search(&wanted)}
                    {chips(&wanted)}
                    <LiveWork work=Work::Tasks { first: rows, narrow, taken, here: here.clone() }/>
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

fn sidebar(wanted: &TaskFilter, overview: &Overview) -> impl IntoView + use<> {
    let all = filter::address(&filter::without(wanted, "state"), None);
    let total: u64 = overview.tasks.values().sum();
    let items = TaskState::ALL
        .into_iter()
        .map(|this| {
            let href = filter::address(&TaskFilter { state: Some(this), ..wanted.clone() }, None);
            let current = (wanted.state == Some(this)).then_some("page");
            view! {
                <li>
                    <a href=href aria-current=current>
                        {state::badge(state::task(this))}
                        <span class="num">{number::count(overview.count(this))}</span>
                    </a>
                </li>
            }
        })
        .collect_view();
    view! {
        <nav class="side" aria-label=words::STATES>
            <ul>
                <li>
                    <a href=all aria-current=wanted.state.is_none().then_some("page")>
                        <span>{words::ALL}</span>
                        <span class="num">{number::count(total)}</span>
                    </a>
                </li>
                {items}
            </ul>
        </nav>
    }
}

fn search(wanted: &TaskFilter) -> impl IntoView + use<> {
    let option = |value: &'static str, word: &'static str, chosen: bool| {
        view! { <option value=value selected=chosen>{word}</option> }
    };
    let lanes = Lane::ALL
        .into_iter()
        .map(|lane| option(lane.as_str(), lane.as_str(), wanted.lane == Some(lane)))
        .collect_view();
    let classes = FaultClass::ALL
        .into_iter()
        .map(|class| {
            option(class.as_str(), state::class(class), wanted.class.as_deref() == Some(class.as_str()))
        })
        .collect_view();
    let kept = wanted.state.map(|state| view! { <input type="hidden" name="state" value=state.as_str()/> });
    view! {
        <form class="search" method="get" action="/tasks" role="search">
            {kept}
            <label class="unseen" for="q">{words::SEARCH}</label>
            <input id="q" name="q" type="search" placeholder=words::SEARCH value=wanted.q.clone() data-search=""/>
            <label class="unseen" for="domain">"Site"</label>
            <input id="domain" name="domain" placeholder="Site" value=wanted.domain.clone()/>
            <label class="unseen" for="flow">"Flow"</label>
            <input id="flow" name="flow" placeholder="Flow" value=wanted.flow.clone()/>
            <label class="unseen" for="class">"Class of fault"</label>
            <select id="class" name="class"><option value="">"any fault"</option>{classes}</select>
            <label class="unseen" for="lane">"Lane"</label>
            <select id="lane" name="lane"><option value="">"any lane"</option>{lanes}</select>
            <button class="button">{words::FIND}</button>
        </form>
    }
}

fn chips(wanted: &TaskFilter) -> impl IntoView + use<> {
    let without = |name| filter::address(&filter::without(wanted, name), None);
    narrow::chips(
        filter::pairs(wanted).into_iter().map(|(name, value)| (name, value, without(name))).collect(),
    )
}

/// Two kinds of nothing: there is none at all, or none that matches.
fn empty(wanted: &TaskFilter, overview: &Overview, paged: bool) -> impl IntoView + use<> {
    let none_at_all = overview.tasks.values().all(|count| *count == 0);
    let unfiltered = filter::pairs(wanted).is_empty() && !paged;
    if none_at_all || unfiltered {
        view! {
            <div class="nothing">
                <p>{words::NONE_AT_ALL}</p>
                <p><a class="button is-main" href="/submit">"Submit one"</a></p>
            </div>
        }
        .into_any()
    } else {
        view! {
            <div class="nothing">
                <p>{words::NONE_MATCH}</p>
                <p><a class="button" href="/tasks">{words::CLEAR}</a></p>
            </div>
        }
        .into_any()
    }
}
