//! One flow with its versions.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::{save, words};
use crate::{
    api::calls::{caller, room},
    model::{Timestamp, flow::FlowVersion},
    ui::{
        clock::{server_now, stamp},
        frame::{Nav, page},
        note::segment,
    },
};

/// `/flows/{name}` or `/flows/{name}@{version}`
#[component]
pub fn FlowPage() -> impl IntoView {
    let asked = use_params_map().with_untracked(|params| params.get("name")).unwrap_or_default();
    let typed = save::typed();
    page(Nav::Flows, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let flow = room.flow(&caller, &asked).await?;
        let versions = room.flow_versions(&caller, &flow.name).await?;
        let now = server_now();
        let name = segment(&flow.name);
        let exact = format!("{name}@{}", flow.version);
        let json =
            flow.flow.as_ref().and_then(|flow| serde_json::to_string_pretty(flow).ok()).unwrap_or_default();
        Ok(view! {
            <Title text=flow.title.clone()/>
            <div class="page-head">
                <h1>{flow.title.clone()}</h1>
                <p class="quiet"><code class="code">{format!("{}@{}", flow.name, flow.version)}</code>" "{flow.domain.clone()}</p>
                <p class="buttons">
                    <a class="button is-main" href=format!("/submit?flow={exact}")>{words::RUN}</a>
                    <a class="button" href=format!("/tasks?flow={name}")>{words::TASKS}</a>
                    <a class="button" href=format!("/api/v1/flows/{exact}") download=format!("{}.json", flow.name)>{words::DOWNLOAD}</a>
                </p>
            </div>
            <div class="two">
                <section class="panel" aria-labelledby="steps">
                    <h2 id="steps">"Steps"</h2>
                    <p class="quiet" hidden=!flow.steps.is_empty()>{words::NO_STEPS}</p>
                    <ol class="steps">{flow.steps.iter().map(|step| view! { <li>{step.clone()}</li> }).collect_view()}</ol>
                    <details class="json">
                        <summary>"Recording"</summary>
                        <pre tabindex="0"><code>{json}</code></pre>
                    </details>
                </section>
                <div>
                    {parameters(&flow)}
                    {listed(&versions, flow.version, now)}
                </div>
            </div>
            {save::form(words::SAVE_NEXT, flow.name.clone(), format!("/flows/{name}"), typed)}
        }
        .into_any())
    })
}

fn parameters(flow: &FlowVersion) -> impl IntoView + use<> {
    let none = flow.parameters.is_empty();
    let rows = flow
        .parameters
        .iter()
        .map(|(name, spec)| {
            let mut says = Vec::new();
            if spec.private {
                says.push("private".to_owned());
            }
            if let Some(default) = &spec.default {
                says.push(format!("by default {}", if spec.private { "•••" } else { default }));
            }
            if let Some(pattern) = &spec.pattern {
                says.push(format!("matches {pattern}"));
            }
            view! { <tr><th scope="row"><code>{name.clone()}</code></th><td>{says.join("; ")}</td></tr> }
        })
        .collect_view();
    view! {
        <section class="panel" aria-labelledby="parameters">
            <h2 id="parameters">"Parameters"</h2>
            <p class="quiet" hidden=!none>{words::NO_PARAMETERS}</p>
            <table class="plain"><tbody>{rows}</tbody></table>
        </section>
    }
}

fn listed(versions: &[FlowVersion], shown: u32, now: Timestamp) -> impl IntoView + use<> {
    let rows = versions
        .iter()
        .map(|version| {
            let current = (version.version == shown).then_some("page");
            let href = format!("/flows/{}@{}", segment(&version.name), version.version);
            let unlisted = (!version.listed).then_some(words::UNLISTED);
            view! {
                <tr>
                    <th scope="row"><a href=href aria-current=current>{format!("version {}", version.version)}</a></th>
                    <td>{stamp(now, version.created_at)}" "<span class="quiet">{unlisted}</span></td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="panel" aria-labelledby="versions">
            <h2 id="versions">"Versions"</h2>
            <table class="plain"><tbody>{rows}</tbody></table>
        </section>
    }
}
