//! One rule.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use uuid::Uuid;

use super::{card, words};
use crate::{
    api::calls::{caller, room},
    model::{caller::Role, problem::AppError, rule::RuleAction},
    ui::{
        clock::server_now,
        code::code,
        frame::{Nav, may, page},
        words as shared,
    },
};

/// `/rules/{id}`
#[component]
pub fn RulePage() -> impl IntoView {
    let named = use_params_map().with_untracked(|params| params.get("id")).unwrap_or_default();
    page(Nav::Rules, words::RULE, async move {
        let id: Uuid = named.parse().map_err(|_| AppError::not_found(format!("rule {named}")))?;
        let rule = room()?.rule(&caller()?, id).await?;
        let now = server_now();
        let may = may(Role::Reviewer);
        let action = whole(&rule.action);
        let back = format!("/rules/{id}");
        Ok(view! {
            <div class="page-head">
                <h1>{words::RULE}" "<code class="code">{code(id)}</code></h1>
                <p class="link">{shared::link_still(now)}</p>
            </div>
            <p class="quiet" hidden=may>{words::REVIEWERS}</p>
            {card::view(rule, &back, may, now)}
            {action}
            <p><a href="/rules">{words::TO_RULES}</a></p>
        }
        .into_any())
    })
}

/// What the sentence may have cut.
fn whole(action: &RuleAction) -> AnyView {
    match action {
        RuleAction::ReplaceSelectors { selectors, .. } => {
            let items = selectors
                .iter()
                .map(|chain| view! { <li><code>{chain.join(" >> ")}</code></li> })
                .collect_view();
            view! {
                <section class="panel" aria-labelledby="selectors">
                    <h2 id="selectors">"Selectors"</h2>
                    <ol class="steps">{items}</ol>
                </section>
            }
            .into_any()
        }
        RuleAction::RewriteUrl { from, to } => view! {
            <section class="panel" aria-labelledby="addresses">
                <h2 id="addresses">"Addresses"</h2>
                <dl class="facts is-plain">
                    <div><dt>"Instead of"</dt><dd><code>{from.clone()}</code></dd></div>
                    <div><dt>"Go to"</dt><dd><code>{to.clone()}</code></dd></div>
                </dl>
            </section>
        }
        .into_any(),
        RuleAction::InsertStep { step, .. } => {
            let json = serde_json::to_string_pretty(step).unwrap_or_default();
            view! {
                <section class="panel" aria-labelledby="step">
                    <h2 id="step">"Step"</h2>
                    <pre tabindex="0"><code>{json}</code></pre>
                </section>
            }
            .into_any()
        }
        RuleAction::Finish { .. } | RuleAction::Quarantine => ().into_any(),
    }
}
