//! The close form: what was found, what becomes of the tasks, and where it makes one, the rule. The fields
//! of a rule are seen once its conclusion is chosen.

use leptos::prelude::*;

use super::{
    facts,
    form::{CloseForm, Previewed},
    preview::FORM,
    spot::{self, Spot},
    words,
};
use crate::{
    model::{
        order::{ConclusionKind, Order, TasksThen},
        problem::AppError,
    },
    ui::{
        islands::{LiveOrderPart, OrderPart},
        note::{Note, view as note_view},
    },
};

/// The form, with what was typed and why it was refused; without a claim it can only be looked at.
pub fn view(order: &Order, typed: Option<CloseForm>, why: Option<&AppError>) -> AnyView {
    let holds = order.claim_token.is_some();
    if !holds && typed.is_none() {
        return view! {
            <section class="panel" id="close" aria-labelledby="close-title">
                <h2 id="close-title">{words::CLOSE}</h2>
                <p class="quiet">{words::CLAIM_FIRST}</p>
            </section>
        }
        .into_any();
    }
    let form = typed.unwrap_or_else(|| CloseForm {
        from: order.url.clone().unwrap_or_default(),
        to: order.url.clone().unwrap_or_default(),
        ..CloseForm::default()
    });
    let at = |spot: Spot| spot::at(spot, why, &form.selectors);
    let token = order.claim_token.map_or_else(|| form.claim_token.clone(), |token| token.to_string());
    // What is at fault is told at its field already.
    let preview = if why.is_some() { Previewed::default() } else { form.preview(order) };
    let again = (!holds).then(|| view! { <p class="note">{words::CLAIM_AGAIN}</p> });
    view! {
        <section class="panel" id="close" aria-labelledby="close-title">
            <h2 id="close-title">{words::CLOSE}</h2>
            {above(at(Spot::Top))}
            {again}
            <form id=FORM class="close-form" method="post" action="/fn/review_close">
                <input type="hidden" name="id" value=order.id.to_string()/>
                <input type="hidden" name="claim_token" value=token/>
                {kinds(form.found(), at(Spot::Kind))}
                {replacement(order, &form, at(Spot::Selectors))}
                {rewriting(&form, at(Spot::From), at(Spot::To))}
                <div class="of-rule">
                    {scope(order, &form, at(Spot::Scope))}
                    <LiveOrderPart part=OrderPart::Rule { order: order.id, first: preview }/>
                </div>
                {text(&form, at(Spot::Text))}
                {then(order, &form, at(Spot::Tasks))}
                <p class="buttons">
                    <button class="button is-main" disabled=!holds>{words::REVIEW}</button>
                    <span class="quiet">{words::REVIEW_SAYS}</span>
                </p>
            </form>
        </section>
    }
    .into_any()
}

/// What somebody typed about an order that was closed meanwhile.
pub fn lost(form: &CloseForm, why: Option<&AppError>) -> impl IntoView + use<> {
    let typed = [&form.text, &form.selectors, &form.to]
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| view! { <pre class="typed" tabindex="0">{text.clone()}</pre> })
        .collect_view();
    view! {
        {why.map(|error| note_view(Note::refused(error)))}
        <section class="panel">
            <p>{words::TYPED}</p>
            {typed}
        </section>
    }
}

fn above(faults: Vec<String>) -> impl IntoView {
    (!faults.is_empty()).then(|| {
        let lines = faults.into_iter().map(|fault| view! { <p>{fault}</p> }).collect_view();
        view! { <div class="note is-refused" role="alert">{lines}</div> }
    })
}

/// The faults of a field, which its `aria-describedby` names.
fn faults_of(id: &'static str, faults: Vec<String>) -> impl IntoView {
    let items = faults.into_iter().map(|fault| view! { <li>{fault}</li> }).collect_view();
    view! { <ul class="fault-list" id=id>{items}</ul> }
}

fn kinds(chosen: Option<ConclusionKind>, faults: Vec<String>) -> impl IntoView {
    let choices = ConclusionKind::ALL
        .into_iter()
        .map(|kind| {
            let (word, says) = words::kind(kind);
            let key = (kind == chosen.unwrap_or(ConclusionKind::SelectorChanged)).then_some("e");
            view! {
                <label class="choice">
                    <input type="radio" name="kind" value=kind.as_str() checked=chosen == Some(kind) required=true data-key=key/>
                    <span><strong>{word}</strong><span class="quiet">{says}</span></span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="choices kinds" aria-describedby="kind-faults">
            <legend>{words::KIND}</legend>
            {choices}
            {faults_of("kind-faults", faults)}
        </fieldset>
    }
}

fn replacement(order: &Order, form: &CloseForm, faults: Vec<String>) -> impl IntoView + use<> {
    let bad = (!faults.is_empty()).then_some("true");
    let typed = form.selectors.clone();
    view! {
        <div class="of-selectors">
            <div class="selectors-beside">
                <div class="field">
                    <label for="selectors">{words::SELECTORS}</label>
                    <textarea
                        id="selectors"
                        name="selectors"
                        rows="5"
                        spellcheck="false"
                        autocomplete="off"
                        aria-describedby="selectors-faults selectors-hint"
                        aria-invalid=bad
                    >
                        {typed}
                    </textarea>
                    {faults_of("selectors-faults", faults)}
                    <p class="hint" id="selectors-hint">{words::SELECTORS_SAYS}</p>
                </div>
                {facts::recorded(order.selectors.as_deref())}
            </div>
            <label class="choice">
                <input type="checkbox" name="keep_recorded" checked=!form.keep_recorded.is_empty()/>
                <span>{words::KEEP}</span>
            </label>
        </div>
    }
}

fn rewriting(form: &CloseForm, from_faults: Vec<String>, to_faults: Vec<String>) -> impl IntoView + use<> {
    let bad = |faults: &Vec<String>| (!faults.is_empty()).then_some("true");
    let (from_bad, to_bad) = (bad(&from_faults), bad(&to_faults));
    view! {
        <div class="of-address">
            <div class="field">
                <label for="from">{words::FROM}</label>
                <input id="from" name="from" inputmode="url" autocomplete="off" spellcheck="false" value=form.from.clone() aria-describedby="from-faults from-hint" aria-invalid=from_bad/>
                {faults_of("from-faults", from_faults)}
                <p class="hint" id="from-hint">{words::FROM_SAYS}</p>
            </div>
            <div class="field">
                <label for="to">{words::TO}</label>
                <input id="to" name="to" inputmode="url" autocomplete="off" spellcheck="false" value=form.to.clone() aria-describedby="to-faults" aria-invalid=to_bad/>
                {faults_of("to-faults", to_faults)}
            </div>
        </div>
    }
}

fn scope(order: &Order, form: &CloseForm, faults: Vec<String>) -> impl IntoView + use<> {
    let wide = form.whole_site(order);
    let flow = format!("Only in the flow {}", order.group.flow);
    let site = order.group.domain.as_ref().map(|domain| {
        view! {
            <label class="choice">
                <input type="radio" name="scope" value="site" checked=wide/>
                <span>{format!("In every flow on {domain} that has this step")}</span>
            </label>
        }
    });
    view! {
        <fieldset class="choices" aria-describedby="scope-faults">
            <legend>{words::SCOPE}</legend>
            <label class="choice">
                <input type="radio" name="scope" value="flow" checked=!wide/>
                <span>{flow}</span>
            </label>
            {site}
            {faults_of("scope-faults", faults)}
        </fieldset>
    }
}

fn text(form: &CloseForm, faults: Vec<String>) -> impl IntoView + use<> {
    let bad = (!faults.is_empty()).then_some("true");
    let typed = form.text.clone();
    view! {
        <div class="field">
            <label for="conclusion-text">{words::TEXT}</label>
            <textarea id="conclusion-text" name="text" rows="4" aria-describedby="text-faults text-hint" aria-invalid=bad>{typed}</textarea>
            {faults_of("text-faults", faults)}
            <p class="hint" id="text-hint">{words::MARKDOWN}</p>
        </div>
    }
}

fn then(order: &Order, form: &CloseForm, faults: Vec<String>) -> impl IntoView + use<> {
    let chosen = form.then();
    let choices = TasksThen::ALL
        .into_iter()
        .map(|this| {
            let (word, says) = words::then(this);
            view! {
                <label class="choice">
                    <input type="radio" name="tasks" value=this.as_str() checked=chosen == this/>
                    <span><strong>{word}</strong><span class="quiet">{says}</span></span>
                </label>
            }
        })
        .collect_view();
    view! {
        <fieldset class="choices" aria-describedby="tasks-faults">
            <legend>{words::THEN}" "<span class="quiet">{words::waiting(order.waiting)}</span></legend>
            {choices}
            {faults_of("tasks-faults", faults)}
        </fieldset>
    }
}
