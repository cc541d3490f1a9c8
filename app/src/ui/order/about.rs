//! What is known of an order besides its failure: its tasks, and what people wrote about it.

use leptos::prelude::*;

use super::{
    draft::{Kept, Typed},
    words,
};
use crate::{
    model::{
        Timestamp,
        order::{Annotation, Order},
        page::Page,
        task::Task,
    },
    ui::{
        clock::stamp,
        code::code,
        note::{Note, view as note_view},
        state,
    },
};

/// The tasks that came together in it.
pub fn tasks(page: Page<Task>, now: Timestamp) -> impl IntoView {
    let none = page.items.is_empty();
    let more = page.next.is_some();
    let rows = page
        .items
        .into_iter()
        .map(|task| {
            let says = task.fault.as_ref().map(|fault| fault.message());
            view! {
                <tr>
                    <td data-label="State">{state::badge(state::task(task.state))}</td>
                    <td data-label="Task" class="main-cell">
                        <a href=format!("/tasks/{}", task.id)>{task.name}</a>
                        " "
                        <code class="code">{code(task.id)}</code>
                    </td>
                    <td data-label="Why it failed" class="says" class:has-nothing=says.is_none()>
                        <span class="says-cut" title=says.clone()>{says.clone()}</span>
                    </td>
                    <td data-label="Accepted" class="num">{stamp(now, task.created_at)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="panel" aria-labelledby="order-tasks">
            <h2 id="order-tasks">{words::TASKS}</h2>
            <p class="quiet" hidden=!none>{words::NO_TASKS}</p>
            <table class="list" hidden=none>
                <thead>
                    <tr>
                        <th scope="col">"State"</th>
                        <th scope="col">"Task"</th>
                        <th scope="col">"Why it failed"</th>
                        <th scope="col" class="num">"Accepted"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <p class="quiet" hidden=!more>{words::MORE_TASKS}</p>
        </section>
    }
}

/// What people wrote, and the form to write more.
pub fn annotations(order: &Order, kept: Option<&Kept>, may: bool, now: Timestamp) -> impl IntoView + use<> {
    let none = order.annotations.is_empty();
    let written = order.annotations.iter().map(|annotation| one(annotation, now)).collect_view();
    let (text, why) = match kept {
        Some(Kept { typed: Typed::Annotation(text), why, .. }) => (text.clone(), why.clone()),
        _ => (String::new(), None),
    };
    let token = order.claim_token.map(|token| token.to_string());
    let form = may.then(|| {
        view! {
            <form id="annotate" method="post" action="/fn/annotate_order">
                {why.map(|error| note_view(Note::refused(&error)))}
                <input type="hidden" name="id" value=order.id.to_string()/>
                {token.map(|token| view! { <input type="hidden" name="claim_token" value=token/> })}
                <label for="annotation">{words::ANNOTATE}</label>
                <textarea id="annotation" name="text" rows="4" required=true aria-describedby="annotation-hint" data-key="a">{text}</textarea>
                <p class="hint" id="annotation-hint">{words::MARKDOWN}</p>
                <p class="buttons"><button class="button">{words::ANNOTATE_SAVE}</button></p>
            </form>
        }
    });
    view! {
        <section class="panel annotations" aria-labelledby="annotations">
            <h2 id="annotations">{words::ANNOTATIONS}</h2>
            <p class="quiet" hidden=!none>{words::NO_ANNOTATIONS}</p>
            {written}
            {form}
        </section>
    }
}

fn one(annotation: &Annotation, now: Timestamp) -> impl IntoView + use<> {
    view! {
        <article class="annotation" id=format!("annotation-{}", annotation.id)>
            <p class="annotation-head"><b>{annotation.author.clone()}</b>" "{stamp(now, annotation.at)}</p>
            <div class="written" inner_html=annotation.html.clone()></div>
        </article>
    }
}
