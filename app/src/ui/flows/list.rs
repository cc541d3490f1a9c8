//! The list of flows.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{save, words};
use crate::{
    api::calls::{caller, room},
    model::{flow::FlowVersion, page::PageQuery},
    ui::{
        clock::{server_now, stamp},
        frame::{Nav, page},
        note::segment,
    },
};

/// `/flows`
#[component]
pub fn FlowsPage() -> impl IntoView {
    let after = use_query_map().with_untracked(|query| query.get("after")).filter(|after| !after.is_empty());
    let typed = save::typed();
    page(Nav::Flows, words::TITLE, async move {
        let found = room()?.flows(&caller()?, PageQuery { limit: None, after }).await?;
        let now = server_now();
        let none = found.items.is_empty();
        let line = move |flow: FlowVersion| {
            let name = segment(&flow.name);
            view! {
                <tr>
                    <td data-label="Flow" class="main-cell">
                        <a href=format!("/flows/{name}")>{flow.title}</a>" "<code class="code">{flow.name}</code>
                    </td>
                    <td data-label="Version" class="num">{flow.version}</td>
                    <td data-label="Site">{flow.domain.unwrap_or_default()}</td>
                    <td data-label="Steps" class="num">{flow.steps.len()}</td>
                    <td data-label="Parameters">{flow.parameters.into_keys().collect::<Vec<_>>().join(", ")}</td>
                    <td data-label="Saved" class="num">{stamp(now, flow.created_at)}</td>
                    <td class="row-actions"><a class="button is-small" href=format!("/submit?flow={name}")>"Run"</a></td>
                </tr>
            }
        };
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1></div>
            <p class="nothing" hidden=!none>{words::NONE}</p>
            <table class="list" hidden=none>
                <thead>
                    <tr>
                        <th scope="col">"Flow"</th>
                        <th scope="col" class="num">"Version"</th>
                        <th scope="col">"Site"</th>
                        <th scope="col" class="num">"Steps"</th>
                        <th scope="col">"Parameters"</th>
                        <th scope="col" class="num">"Saved"</th>
                        <th scope="col"><span class="unseen">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody>{found.items.into_iter().map(line).collect_view()}</tbody>
            </table>
            <p class="pager">
                {found.next.map(|next| view! { <a class="button" rel="next" href=format!("/flows?after={}", segment(&next))>"Older"</a> })}
            </p>
            {save::form(words::SAVE, String::new(), "/flows".to_owned(), typed)}
        }
        .into_any())
    })
}
