//! The pool as it lives.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use leptos::prelude::*;

use super::words;
use crate::{
    model::{
        Timestamp,
        event::Topic,
        pool::{InstanceState, InstanceView, PoolView},
    },
    ui::{
        clock::{span, use_clock},
        live::{self, Handler, use_stream},
        number, state,
    },
};

/// Slots and instances.
#[component]
pub fn LivePool(first: PoolView, now: Timestamp, may: bool) -> impl IntoView {
    let clock = use_clock(now);
    let pool = RwSignal::new(first);
    let on_pool: Handler = Box::new(move |data| {
        if let Some(now) = live::read::<PoolView>(data) {
            pool.set(now);
        }
    });
    let stream = use_stream("/api/v1/events?topics=pool".to_owned(), clock, vec![(Topic::Pool, on_pool)]);
    view! {
        <div class="page-head">
            <h1>{words::TITLE}</h1>
            {live::light(stream, clock)}
        </div>
        <dl class="tiles">
            {move || {
                pool.with(|pool| {
                    let memory: u64 = pool.instances.iter().filter_map(|instance| instance.pss_mib).sum();
                    let known = pool.instances.iter().any(|instance| instance.pss_mib.is_some());
                    let tiles = [
                        ("Slots", pool.slots.to_string()),
                        ("Busy", pool.busy.to_string()),
                        ("Instances", pool.instances.len().to_string()),
                        ("Memory", if known { format!("{} MiB", number::count(memory)) } else { "–".to_owned() }),
                    ];
                    tiles
                        .into_iter()
                        .map(|(name, value)| {
                            view! { <div class="tile"><dt>{name}</dt><dd class="figure">{value}</dd></div> }
                        })
                        .collect_view()
                })
            }}
        </dl>
        <p class="nothing" hidden=move || pool.with(|pool| !pool.instances.is_empty())>{words::NONE}</p>
        <table class="list" hidden=move || pool.with(|pool| pool.instances.is_empty())>
            <thead>
                <tr>
                    <th scope="col">"Instance"</th>
                    <th scope="col">"State"</th>
                    <th scope="col" class="num">"Contexts"</th>
                    <th scope="col" class="num">"Uses"</th>
                    <th scope="col" class="num">"Age"</th>
                    <th scope="col" class="num">"Memory"</th>
                    <th scope="col">"Why"</th>
                    <th scope="col" hidden=!may>"Actions"</th>
                </tr>
            </thead>
            <tbody>
                {move || pool.with(|pool| pool.instances.iter().map(|instance| line(instance, may)).collect_view())}
            </tbody>
        </table>
    }
}

fn line(instance: &InstanceView, may: bool) -> impl IntoView + use<> {
    let going =
        matches!(instance.state, InstanceState::Draining | InstanceState::Recycling | InstanceState::Lost);
    let memory = instance.pss_mib.map_or_else(|| "–".to_owned(), |mib| format!("{} MiB", number::count(mib)));
    let id = instance.id.clone();
    view! {
        <tr>
            <td data-label="Instance" class="main-cell"><code>{instance.id.clone()}</code>" "<span class="quiet">{instance.node.clone()}</span></td>
            <td data-label="State">{state::badge(state::instance(instance.state))}</td>
            <td data-label="Contexts" class="num">{instance.contexts}</td>
            <td data-label="Uses" class="num">{instance.uses}</td>
            <td data-label="Age" class="num">{span(instance.age_s as i64 * 1_000)}</td>
            <td data-label="Memory" class="num">{memory}</td>
            <td data-label="Why" class="says">{instance.why.clone().unwrap_or_default()}</td>
            <td data-label="Actions" class="row-actions" hidden=!may>
                <form method="post" action="/fn/drain_instance">
                    <input type="hidden" name="id" value=id.clone()/>
                    <button class="button is-small" disabled=going>{words::DRAIN}</button>
                </form>
                <form method="post" action="/fn/recycle_instance">
                    <input type="hidden" name="id" value=id/>
                    <button class="button is-small" disabled=going>{words::RECYCLE}</button>
                </form>
            </td>
        </tr>
    }
}
