//! The form that keeps a recording under a name.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::words;
use crate::{
    api::calls::caller,
    model::caller::Role,
    ui::{
        frame::may,
        note::{Note, view as note_view},
        submit::draft,
    },
};

/// What the address says was typed before and refused.
pub fn typed() -> Option<draft::Refused> {
    let id = use_query_map().with_untracked(|query| query.get("draft"))?;
    draft::kept(&id, caller().ok()?.id)
}

/// The form; nothing for those who may not.
pub fn form(
    heading: &'static str,
    name: String,
    back: String,
    typed: Option<draft::Refused>,
) -> impl IntoView {
    may(Role::Operator).then(|| {
        let (draft, refused) = typed.unwrap_or_default();
        let open = refused.is_some();
        let name = if draft.name.is_empty() { name } else { draft.name };
        view! {
            <details class="panel" id="save" open=open>
                <summary>{heading}</summary>
                {refused.map(|error| note_view(Note::refused(&error)))}
                <form method="post" action="/fn/save_flow">
                    <p class="quiet">{words::SAVE_SAYS}</p>
                    <input type="hidden" name="back" value=back/>
                    <div class="field">
                        <label for="save-name">"Name"</label>
                        <input id="save-name" name="name" value=name autocomplete="off" aria-describedby="save-hint"/>
                        <p class="hint" id="save-hint">"by default the recording's title"</p>
                    </div>
                    <div class="field">
                        <label for="save-recording">"Recording"</label>
                        <textarea id="save-recording" name="recording" rows="10" spellcheck="false" required=true>{draft.recording}</textarea>
                    </div>
                    <p class="buttons"><button class="button is-main">"Save"</button></p>
                </form>
            </details>
        }
    })
}
