//! The quarantine's page on the server.

use futures::future::join_all;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{island::May, row::Row, words};
use crate::{
    api::calls::{caller, room},
    model::{
        caller::Role,
        page::PageQuery,
        task::{TaskFilter, TaskState},
    },
    ui::{
        clock::server_now,
        frame::{Nav, may, page},
        islands::{LiveWork, Work},
        note::segment,
    },
};

/// Tasks on a page: each is read whole, for its attempts.
const ROWS: u32 = 25;

/// `/quarantine?after=`
#[component]
pub fn QuarantinePage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Quarantine, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let after = query.get("after").filter(|after| !after.is_empty());
        let taken = server_now();
        let filter = TaskFilter { state: Some(TaskState::Quarantined), ..TaskFilter::default() };
        let asked = PageQuery { limit: Some(ROWS), after: after.clone() };
        let found = room.tasks(&caller, filter, asked).await?;
        // One that is gone by now shows what the list knew of it.
        let whole = join_all(found.items.iter().map(|task| room.task(&caller, task.id))).await;
        let rows: Vec<Row> =
            found.items.iter().zip(&whole).map(|(task, whole)| Row::of(task, whole.as_ref().ok())).collect();
        let may = May { act: may(Role::Operator), see: may(Role::Reviewer) };
        let nothing = rows.is_empty();
        let empty = nothing.then(|| {
            let says = if after.is_none() { words::NONE } else { words::NO_MORE };
            view! { <div class="nothing"><p>{says}</p></div> }
        });
        let says = (!nothing).then(|| {
            let acts = if may.act { words::RELEASE_SAYS } else { words::OPERATORS };
            view! { <p class="quiet">{words::SAYS}" "{acts}</p> }
        });
        let back = match &after {
            Some(after) => format!("/quarantine?after={}", segment(after)),
            None => "/quarantine".to_owned(),
        };
        let first_page = after.is_none();
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1></div>
            {says}
            <div class="list-area"><LiveWork work=Work::Quarantine { first: rows, first_page, taken, back, may }/></div>
            {empty}
            <p class="pager">
                {after.is_some().then(|| view! { <a class="button" href="/quarantine">{words::NEWEST}</a> })}
                {found.next.map(|next| {
                    let href = format!("/quarantine?after={}", segment(&next));
                    view! { <a class="button" rel="next" href=href>{words::OLDER}</a> }
                })}
            </p>
        }
        .into_any())
    })
}
