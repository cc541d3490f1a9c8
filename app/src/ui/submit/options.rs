//! The options of a submission, the same for every way.

use leptos::prelude::*;

use super::{draft::Draft, words};

/// The options, open where one of them is set.
pub fn view(draft: &Draft) -> impl IntoView + use<> {
    let set = [
        &draft.name,
        &draft.priority,
        &draft.not_before,
        &draft.deadline,
        &draft.attempts,
        &draft.timeout_s,
        &draft.key,
    ]
    .iter()
    .any(|value| !value.is_empty());
    let zone = if draft.zone_min.is_empty() { "0".to_owned() } else { draft.zone_min.clone() };
    let priorities = (0..=9u8)
        .map(|priority| {
            let text = priority.to_string();
            let chosen = if draft.priority.is_empty() { priority == 5 } else { draft.priority == text };
            let word = match priority {
                0 => "0, first".to_owned(),
                5 => "5, usual".to_owned(),
                9 => "9, last".to_owned(),
                other => other.to_string(),
            };
            view! { <option value=text selected=chosen>{word}</option> }
        })
        .collect_view();
    view! {
        <details class="options" open=set>
            <summary>{words::OPTIONS}</summary>
            <div class="fields">
                {field("name", "Name", "text", &draft.name, "by default the recording's title")}
                <div class="field">
                    <label for="o-priority">"Priority"</label>
                    <select id="o-priority" name="priority">{priorities}</select>
                </div>
                {field("not_before", "Not before", "datetime-local", &draft.not_before, "in UTC")}
                {field("deadline", "Deadline", "datetime-local", &draft.deadline, "in UTC; fails when it has not succeeded by then")}
                {field("attempts", "Attempts", "number", &draft.attempts, "what it may spend before a person is asked")}
                {field("timeout_s", "Time of one attempt", "number", &draft.timeout_s, "in seconds, waits at gates not counted")}
                {field("key", "Key", "text", &draft.key, "the same key and content is the same task, however often it is sent")}
            </div>
            <input type="hidden" name="zone_min" value=zone/>
        </details>
    }
}

/// A field with its label and a hint.
pub fn field(
    name: &'static str,
    label: &'static str,
    kind: &'static str,
    value: &str,
    hint: &'static str,
) -> impl IntoView + use<> {
    let id = format!("o-{name}");
    let hint_id = format!("o-{name}-hint");
    let least = (kind == "number").then_some("1");
    let step = (kind == "datetime-local").then_some("1");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input id=id name=name type=kind value=value.to_owned() min=least step=step autocomplete="off" aria-describedby=hint_id.clone()/>
            <p class="hint" id=hint_id>{hint}</p>
        </div>
    }
}
