//! The second step of closing: what will be saved, in words, before it is; and the conclusion afterwards.

use leptos::prelude::*;

use super::{draft::in_words, form::CloseForm, words};
use crate::{
    model::{
        Timestamp,
        order::{Conclusion, Order},
        rule::Rule,
    },
    ui::{clock::stamp, code::code, state},
};

/// What the form asks for, to be saved or changed. `draft` names what was typed.
pub fn view(order: &Order, form: &CloseForm, draft: &str) -> impl IntoView + use<> {
    let kind = form.found().map(|kind| words::kind(kind).0);
    let rule = form.rule(order).ok().flatten();
    let rule = match rule {
        Some(rule) => view! {
            <p class="rule-words">{in_words(&rule)}</p>
            <p class="note is-unproven">{words::UNPROVEN}</p>
        }
        .into_any(),
        None => view! { <p class="quiet">{words::NO_RULE}</p> }.into_any(),
    };
    let text = form.text.trim().to_owned();
    let text = if text.is_empty() {
        view! { <p class="quiet">{words::NO_TEXT}</p> }.into_any()
    } else {
        view! { <pre class="typed" tabindex="0">{text}</pre> }.into_any()
    };
    view! {
        <section class="panel review" id="close" aria-labelledby="close-title">
            <h2 id="close-title">{words::REVIEW_TITLE}</h2>
            <p><b>{kind}</b></p>
            {text}
            <h3>{words::RULE}</h3>
            {rule}
            <h3>{words::TASKS}</h3>
            <p>{words::goes(form.then(), order.waiting)}</p>
            <div class="buttons">
                <form method="post" action="/fn/close_order">
                    {fields(order, form)}
                    <button class="button is-main" data-key="e">{words::CLOSE_IT}</button>
                </form>
                <form method="get" action=format!("/orders/{}#close", order.id)>
                    <input type="hidden" name="draft" value=draft.to_owned()/>
                    <input type="hidden" name="change" value="yes"/>
                    <button class="button">{words::CHANGE}</button>
                </form>
            </div>
        </section>
    }
}

/// The form as it was typed, with the claim that this page shows.
fn fields(order: &Order, form: &CloseForm) -> impl IntoView + use<> {
    let token = order.claim_token.map_or_else(|| form.claim_token.clone(), |token| token.to_string());
    [
        ("id", order.id.to_string()),
        ("claim_token", token),
        ("kind", form.kind.clone()),
        ("text", form.text.clone()),
        ("tasks", form.then().as_str().to_owned()),
        ("selectors", form.selectors.clone()),
        ("keep_recorded", form.keep_recorded.clone()),
        ("scope", form.scope.clone()),
        ("from", form.from.clone()),
        ("to", form.to.clone()),
    ]
    .map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
    .into_iter()
    .collect_view()
}

/// What was found, with the rule that came of it.
pub fn conclusion(found: &Conclusion, rule: Option<&Rule>, now: Timestamp) -> impl IntoView + use<> {
    let html = found.html.clone();
    let text = (!found.text.is_empty()).then(|| view! { <div class="written" inner_html=html></div> });
    let rule = rule.map(made);
    view! {
        <section class="panel" id="close" aria-labelledby="close-title">
            <h2 id="close-title">{words::CONCLUSION}</h2>
            <p><b>{words::kind(found.kind).0}</b>" "<span class="quiet">{found.by.clone()}", "{stamp(now, found.at)}</span></p>
            {text}
            {rule}
            <p class="quiet">{words::went(found.tasks)}</p>
            <p><a href="/orders">{words::TO_ORDERS}</a></p>
        </section>
    }
}

/// The rule that came of an order, and whether it is applied.
fn made(rule: &Rule) -> impl IntoView + use<> {
    view! {
        <p class="rule-words">{rule.words.clone()}</p>
        <p>
            {state::badge(state::rule(rule.state))}
            " "
            <a href=format!("/rules/{}", rule.id)>"Rule "<code>{code(rule.id)}</code></a>
        </p>
    }
}

/// The rule that came of an order before it was opened again: it stays as it is.
pub fn earlier(rule: &Rule) -> impl IntoView + use<> {
    view! {
        <section class="panel" aria-labelledby="earlier">
            <h2 id="earlier">{words::EARLIER}</h2>
            {made(rule)}
        </section>
    }
}
