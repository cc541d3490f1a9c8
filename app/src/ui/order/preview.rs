//! The rule in words while it is typed. Without JavaScript the review says it before it is saved.

#![expect(missing_docs, reason = "what the component macro makes cannot be documented")]

use leptos::prelude::*;
use uuid::Uuid;

use super::{form::Previewed, words};

/// The close form's id: what is typed in it is previewed.
pub const FORM: &str = "close-form";

/// The rule that the form would make, in words.
#[component]
pub fn RulePreview(order: Uuid, first: Previewed) -> impl IntoView {
    let shown = RwSignal::new(first);
    #[cfg(feature = "hydrate")]
    browser::follow(order, shown);
    #[cfg(not(feature = "hydrate"))]
    let _ = order;
    view! {
        <div class="rule-preview" aria-live="polite">
            <p class="rule-preview-title">{words::RULE}</p>
            <p class="rule-words">
                {move || {
                    shown.with(|shown| match (&shown.words, shown.faults.is_empty()) {
                        (Some(words), _) => words.clone(),
                        (None, true) => words::RULE_LATER.to_owned(),
                        (None, false) => String::new(),
                    })
                }}
            </p>
            <ul class="fault-list">
                {move || {
                    shown.with(|shown| {
                        shown.faults.iter().map(|fault| view! { <li>{fault.clone()}</li> }).collect_view()
                    })
                }}
            </ul>
        </div>
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::time::Duration;

    use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};
    use uuid::Uuid;
    use wasm_bindgen::{JsCast, closure::Closure};
    use web_sys::{Event, FormData, HtmlFormElement};

    use super::{FORM, Previewed};
    use crate::{api::calls::preview_rule, ui::order::form::CloseForm};

    /// What is typed rests this long before it is read.
    const REST: Duration = Duration::from_millis(250);

    /// Reads the form whenever something in it changes.
    pub(super) fn follow(order: Uuid, shown: RwSignal<Previewed>) {
        let timer = StoredValue::new(None::<TimeoutHandle>);
        let turn = StoredValue::new(0_u32);
        let read = move || {
            let Some(form) = form().and_then(|form| typed(&form)) else { return };
            let this = turn.try_update_value(|turn| {
                *turn += 1;
                *turn
            });
            spawn_local(async move {
                // Where it cannot be asked for, the last one stays: the review says it again.
                if let Ok(found) = preview_rule(order, form).await
                    && turn.try_get_value() == this
                {
                    shown.set(found);
                }
            });
        };
        let soon = move |_: Event| {
            let handle = set_timeout_with_handle(read, REST).ok();
            if let Some(before) = timer.try_update_value(|timer| std::mem::replace(timer, handle)).flatten() {
                before.clear();
            }
        };
        Effect::new(move |_| {
            let Some(form) = form() else { return };
            let listener = Closure::<dyn FnMut(Event)>::new(soon);
            let _ = form.add_event_listener_with_callback("input", listener.as_ref().unchecked_ref());
            // As long as the form, which is as long as the page.
            listener.forget();
            // What was typed before the code was there; what was refused is told at its field already.
            if matches!(form.query_selector(".fault-list[id] li"), Ok(None)) {
                read();
            }
        });
    }

    fn form() -> Option<HtmlFormElement> {
        document().get_element_by_id(FORM)?.dyn_into().ok()
    }

    fn typed(form: &HtmlFormElement) -> Option<CloseForm> {
        let data = FormData::new_with_form(form).ok()?;
        let field = |name: &str| data.get(name).as_string().unwrap_or_default();
        Some(CloseForm {
            kind: field("kind"),
            selectors: field("selectors"),
            keep_recorded: field("keep_recorded"),
            scope: field("scope"),
            from: field("from"),
            to: field("to"),
            ..CloseForm::default()
        })
    }
}
