//! The list of rules.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{card, filter, words};
use crate::{
    api::calls::{caller, room},
    model::{
        caller::Role,
        page::PageQuery,
        rule::{RuleFilter, RuleState},
    },
    ui::{
        clock::server_now,
        frame::{Nav, may, page},
        narrow, state, words as shared,
    },
};

/// `/rules?state=&flow=&domain=&order=&after=`
#[component]
pub fn RulesPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Rules, words::TITLE, async move {
        let wanted = filter::of(&query)?;
        let after = query.get("after").filter(|after| !after.is_empty());
        let found = room()?
            .rules(&caller()?, wanted.clone(), PageQuery { limit: None, after: after.clone() })
            .await?;
        let now = server_now();
        let here = filter::address(&wanted, after.as_deref());
        let may = may(Role::Reviewer);
        let nothing = found.items.is_empty().then(|| empty(&wanted, after.is_some()));
        let rules = found
            .items
            .into_iter()
            .map(|rule| view! { <li>{card::view(rule, &here, may, now)}</li> })
            .collect_view();
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1><p class="link">{shared::link_still(now)}</p></div>
            <div class="with-side">
                {sidebar(&wanted)}
                <div class="list-area">
                    {search(&wanted)}
                    {chips(&wanted)}
                    <p class="quiet" hidden=may>{words::REVIEWERS}</p>
                    {nothing}
                    <ul class="rules">{rules}</ul>
                    <p class="pager">
                        {after.is_some().then(|| view! { <a class="button" href=filter::address(&wanted, None)>{words::NEWEST}</a> })}
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

fn sidebar(wanted: &RuleFilter) -> impl IntoView + use<> {
    let entry = |state: Option<RuleState>, shown: AnyView| {
        let to = RuleFilter { state, ..wanted.clone() };
        let current = (wanted.state == state).then_some("page");
        view! { <li><a href=filter::address(&to, None) aria-current=current>{shown}</a></li> }
    };
    let all = view! { <span>{words::ALL}</span> }.into_any();
    let states = [RuleState::Active, RuleState::Candidate, RuleState::Disabled]
        .map(|this| entry(Some(this), state::badge(state::rule(this)).into_any()))
        .into_iter()
        .collect_view();
    view! {
        <nav class="side" aria-label=words::STATES>
            <ul>
                {entry(None, all)}
                {states}
            </ul>
        </nav>
    }
}

fn search(wanted: &RuleFilter) -> impl IntoView + use<> {
    let kept = [
        ("state", wanted.state.map(|state| state.as_str().to_owned())),
        ("order", wanted.order.map(|order| order.to_string())),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| view! { <input type="hidden" name=name value=value/> }))
    .collect_view();
    view! {
        <form class="search rule-search" method="get" action="/rules" role="search">
            {kept}
            <label class="unseen" for="flow">"Flow"</label>
            <input id="flow" name="flow" placeholder="Flow" value=wanted.flow.clone() data-search=""/>
            <label class="unseen" for="domain">"Site"</label>
            <input id="domain" name="domain" placeholder="Site" value=wanted.domain.clone()/>
            <button class="button">{words::FIND}</button>
        </form>
    }
}

fn chips(wanted: &RuleFilter) -> impl IntoView + use<> {
    let without = |name| filter::address(&filter::without(wanted, name), None);
    narrow::chips(
        filter::pairs(wanted)
            .into_iter()
            .filter(|(name, _)| *name != "state")
            .map(|(name, value)| (name, value, without(name)))
            .collect(),
    )
}

/// Two kinds of nothing: there is none at all, or none that matches.
fn empty(wanted: &RuleFilter, paged: bool) -> impl IntoView + use<> {
    if filter::pairs(wanted).is_empty() && !paged {
        view! {
            <div class="nothing">
                <p>{words::NONE}</p>
                <p class="quiet">{words::WHAT_IT_IS}</p>
            </div>
        }
        .into_any()
    } else {
        view! {
            <div class="nothing">
                <p>{words::NONE_MATCH}</p>
                <p><a class="button" href="/rules">{words::CLEAR}</a></p>
            </div>
        }
        .into_any()
    }
}
