//! What failed: the step in words, the fault, the selectors that were recorded.

use leptos::prelude::*;

use super::words;
use crate::{
    model::{flow::Chain, order::Order},
    ui::{note::segment, state},
};

/// What failed.
pub fn view(order: &Order) -> impl IntoView + use<> {
    let group = &order.group;
    let flow = format!("{}@{}", group.flow, order.flow_version);
    let flow_href = format!("/flows/{}", segment(&flow));
    let step = group.step.map(|step| {
        let says = order.step_words.clone().map(|words| format!(": {words}")).unwrap_or_default();
        view! { <p class="failed-step"><b>{format!("Step {}", step + 1)}</b>{says}</p> }
    });
    let address = order.url.clone().map(|url| view! { <p>"Address: "<code>{url}</code></p> });
    let site = group.domain.clone().map(|domain| {
        view! { <div><dt>"Site"</dt><dd><a href=format!("/orders?state=all&domain={}", segment(&domain))>{domain.clone()}</a></dd></div> }
    });
    let chains = group.step.map(|_| recorded(order.selectors.as_deref()));
    view! {
        <section class="panel" aria-labelledby="failed">
            <h2 id="failed">{words::FAILED}</h2>
            {step}
            <p class="fault">
                <span class="badge tone-bad">
                    <span class="badge-shape" aria-hidden="true">"✕"</span>
                    {state::class(group.class)}
                </span>
                " "
                {order.fault.message()}
            </p>
            {address}
            {chains}
            <dl class="facts is-plain">
                <div><dt>"Flow"</dt><dd><a href=flow_href>{flow}</a></dd></div>
                {site}
            </dl>
        </section>
    }
}

/// The selectors that the recording has for the step.
pub fn recorded(selectors: Option<&[Chain]>) -> AnyView {
    match selectors {
        Some(chains) if !chains.is_empty() => {
            let items = chains
                .iter()
                .map(|chain| view! { <li><code>{chain.join(" >> ")}</code></li> })
                .collect_view();
            view! {
                <div class="recorded">
                    <p class="recorded-title">{words::RECORDED}</p>
                    <ol class="steps">{items}</ol>
                </div>
            }
            .into_any()
        }
        _ => view! { <p class="quiet">{words::NO_SELECTORS}</p> }.into_any(),
    }
}
