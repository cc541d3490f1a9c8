//! The gates' page on the server.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::words;
use crate::{
    api::calls::{caller, room},
    model::page::PageQuery,
    ui::{
        clock::server_now,
        frame::{Nav, glance, page},
        islands::{LiveMachine, Machine},
        note::segment,
    },
};

/// `/gates?after=`
#[component]
pub fn GatesPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Gates, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let after = query.get("after").filter(|after| !after.is_empty());
        let taken = server_now();
        let fleet = glance().await?;
        let found = room.gates(&caller, PageQuery { limit: None, after: after.clone() }).await?;
        let whole = after.is_none() && found.next.is_none();
        let nothing = found.items.is_empty().then(|| {
            let says = if after.is_none() { words::NONE } else { words::NO_MORE };
            view! { <div class="nothing"><p>{says}</p></div> }
        });
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1></div>
            <p class="quiet">{words::fleet(fleet.global_per_s, fleet.global_burst)}</p>
            <div class="list-area"><LiveMachine machine=Machine::Gates { first: found.items, whole, taken }/></div>
            {nothing}
            <p class="pager">
                {after.is_some().then(|| view! { <a class="button" href="/gates">{words::FIRST}</a> })}
                {found.next.map(|next| {
                    let href = format!("/gates?after={}", segment(&next));
                    view! { <a class="button" rel="next" href=href>{words::MORE}</a> }
                })}
            </p>
        }
        .into_any())
    })
}
