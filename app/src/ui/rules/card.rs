//! A rule as it is shown: its sentence, its marks, what it did, and the buttons.

use leptos::prelude::*;

use super::words;
use crate::{
    model::{
        Timestamp,
        rule::{Rule, RuleState},
    },
    ui::{clock::stamp, code::code, number, state},
};

/// A rule; `back` is where its buttons come back to.
pub fn view(rule: Rule, back: &str, may: bool, now: Timestamp) -> impl IntoView + use<> {
    let id = rule.id;
    let label = format!("rule-{id}-words");
    let buttons = may.then(|| buttons(&rule, back));
    let origin = rule.origin_order.map(|order| {
        view! { <div><dt>"Comes from"</dt><dd><a href=format!("/orders/{order}")>"Work order "<code>{code(order)}</code></a></dd></div> }
    });
    let used = match rule.last_used_at {
        Some(at) => stamp(now, at).into_any(),
        None => words::UNUSED.into_any(),
    };
    let share = (rule.canary < 1.0).then(|| {
        let percent = number::short(rule.canary * 100.0);
        view! { <div><dt>"Share of tasks"</dt><dd>{format!("{percent} %")}</dd></div> }
    });
    let changed = rule.changed.map(|changed| view! { <p class="quiet">{changed}</p> });
    view! {
        <article class="panel rule" id=format!("rule-{id}") aria-labelledby=label.clone()>
            <p class="rule-head">
                {state::badge(state::rule(rule.state))}
                <a href=format!("/rules/{id}")>{words::RULE}" "<code>{code(id)}</code></a>
            </p>
            <p class="rule-words" id=label.clone()>{rule.words}</p>
            {rule.unproven.then(|| mark("◇", words::UNPROVEN))}
            {rule.stale.then(|| mark("◌", words::STALE))}
            <dl class="facts is-plain">
                <div><dt>"Came to it"</dt><dd>{number::count(rule.hits)}</dd></div>
                <div><dt>"It served"</dt><dd>{number::count(rule.successes)}</dd></div>
                <div><dt>"Failed there"</dt><dd>{number::count(rule.failures)}</dd></div>
                <div><dt>"Last used"</dt><dd>{used}</dd></div>
                {share}
                {origin}
                <div><dt>"Made by"</dt><dd>{rule.author}", "{stamp(now, rule.created_at)}</dd></div>
            </dl>
            {changed}
            {buttons}
        </article>
    }
}

fn mark(shape: &'static str, says: &'static str) -> impl IntoView {
    view! { <p class="rule-mark"><span aria-hidden="true">{shape}</span>{says}</p> }
}

/// Enables or disables it at once; why can be said, and need not be.
fn buttons(rule: &Rule, back: &str) -> impl IntoView + use<> {
    let id = rule.id;
    let field = format!("why-{id}");
    let button = |to: RuleState, word: &'static str| {
        let says = format!("{word} rule {}", code(id));
        (rule.state != to).then(|| {
            view! { <button class="button" name="state" value=to.as_str() aria-label=says>{word}</button> }
        })
    };
    view! {
        <form class="rule-buttons" method="post" action="/fn/set_rule">
            <input type="hidden" name="id" value=id.to_string()/>
            <input type="hidden" name="version" value=rule.version.to_string()/>
            <input type="hidden" name="back" value=back.to_owned()/>
            {button(RuleState::Active, words::ENABLE)}
            {button(RuleState::Disabled, words::DISABLE)}
            <details>
                <summary>{words::WITH_REASON}</summary>
                <label class="unseen" for=field.clone()>{words::REASON}</label>
                <input id=field name="reason" autocomplete="off"/>
            </details>
        </form>
    }
}
