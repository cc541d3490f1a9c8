//! The breaker's page on the server.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{board::Board, parts, words};
use crate::{
    api::calls::{caller, room},
    model::{
        caller::Role,
        gate::GateView,
        page::{MAX_LIMIT, PageQuery},
        task::TaskState,
    },
    ui::{
        clock::server_now,
        frame::{Nav, glance, may, page},
        islands::{LiveMachine, Machine},
    },
};

/// Sites that the form offers as one types.
const OFFERED: usize = 100;

/// `/breaker?site=&reason=`: what a form that was refused had, or the site that a gate's row names.
#[component]
pub fn BreakerPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Breaker, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let breakers = room.breakers(&caller).await?;
        let gates = room.gates(&caller, PageQuery { limit: Some(MAX_LIMIT), after: None }).await?.items;
        let queued = glance().await?.count(TaskState::Queued);
        let asked: Vec<&str> = breakers.iter().filter_map(|breaker| breaker.domain.as_deref()).collect();
        let waiting: BTreeMap<String, u64> = gates
            .iter()
            .filter(|gate| asked.contains(&&*gate.domain))
            .map(|gate| (gate.domain.clone(), gate.waiting))
            .collect();
        let first = Board::new(breakers, queued, waiting);
        let may = may(Role::Operator);
        let form = if may {
            let typed = |name: &str| query.get(name).unwrap_or_default();
            open_site(typed("site"), typed("reason"), &gates).into_any()
        } else {
            view! { <p class="quiet">{words::OPERATORS}</p> }.into_any()
        };
        Ok(view! { <LiveMachine machine=Machine::Breaker { first, now: server_now(), may }/>{form}{explanation()} }
            .into_any())
    })
}

fn open_site(site: String, reason: String, gates: &[GateView]) -> impl IntoView + use<> {
    let offered = gates
        .iter()
        .take(OFFERED)
        .map(|gate| view! { <option value=gate.domain.clone()></option> })
        .collect_view();
    view! {
        <form id="open-site" class="panel" method="post" action="/fn/open_breaker" aria-labelledby="open-site-title">
            <h2 id="open-site-title">{words::OPEN_SITE}</h2>
            <p>{words::OPEN_SITE_SAYS}</p>
            <input type="hidden" name="whose" value="site"/>
            <div class="fields">
                <div class="field">
                    <label for="site">{words::SITE}</label>
                    <input id="site" name="site" list="known-sites" required autocomplete="off" value=site aria-describedby="site-hint"/>
                    <p class="hint" id="site-hint">{words::SITE_SAYS}</p>
                    <datalist id="known-sites">{offered}</datalist>
                </div>
                {parts::reason("open-site-reason".to_owned(), reason)}
            </div>
            <button class="button">{words::OPEN_SITE}</button>
        </form>
    }
}

fn explanation() -> impl IntoView {
    view! {
        <section class="panel" aria-labelledby="what">
            <h2 id="what">{words::WHAT}</h2>
            <p>{words::WHAT_SITE}</p>
            <p>{words::WHAT_FLEET}</p>
            <p>{words::WHAT_OPENS}</p>
            <p>{words::WHAT_THEN}</p>
        </section>
    }
}
