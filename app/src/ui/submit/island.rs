//! The recording's field: reads what is typed, dropped or chosen, shows its steps in words or its faults,
//! and asks for its parameters. Without JavaScript it is a plain field that is read when it is sent.

#![expect(missing_docs, reason = "what the island macro makes cannot be documented")]

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::{check, words};
use crate::model::{flow::Checked, problem::FieldError};

/// What is known of the recording.
#[derive(Clone, PartialEq)]
enum Read {
    Nothing,
    #[cfg_attr(feature = "ssr", expect(dead_code, reason = "only the browser waits for an answer"))]
    Reading,
    Good(Checked),
    Bad(Vec<FieldError>),
}

/// The field, what was read of it, and the parameters' fields.
#[island(lazy)]
pub fn RecordingField(
    text: String,
    checked: Option<Checked>,
    faults: Vec<FieldError>,
    values: BTreeMap<String, String>,
) -> impl IntoView {
    let field = NodeRef::<leptos::html::Textarea>::new();
    let here = RwSignal::new(false);
    let over = RwSignal::new(false);
    let first = match checked {
        Some(checked) => Read::Good(checked),
        None if faults.is_empty() => Read::Nothing,
        None => Read::Bad(faults),
    };
    let read = RwSignal::new(first);
    #[cfg(feature = "hydrate")]
    let reader = browser::Reader::new(field, read, here);
    let typed = move |_: leptos::ev::Event| {
        #[cfg(feature = "hydrate")]
        reader.soon();
    };
    let chosen = move |event: leptos::ev::Event| {
        #[cfg(feature = "hydrate")]
        reader.chosen(&event);
        #[cfg(not(feature = "hydrate"))]
        let _ = event;
    };
    let dropped = move |event: leptos::ev::DragEvent| {
        event.prevent_default();
        over.set(false);
        #[cfg(feature = "hydrate")]
        reader.dropped(&event);
    };
    let dragged = move |event: leptos::ev::DragEvent| {
        event.prevent_default();
        over.set(true);
    };
    view! {
        <div class="recording" class:is-here=move || here.get() class:is-over=move || over.get()>
            <div class="recording-field" on:dragover=dragged on:dragleave=move |_| over.set(false) on:drop=dropped>
                <label for="recording">{words::RECORDING}</label>
                <p class="quiet" id="recording-says">{words::RECORDING_SAYS}</p>
                <textarea
                    id="recording"
                    name="recording"
                    rows="14"
                    spellcheck="false"
                    autocomplete="off"
                    aria-describedby="recording-says"
                    node_ref=field
                    on:input=typed
                >
                    {text}
                </textarea>
                <p class="script-only file-row">
                    <label class="button" for="recording-file">{words::CHOOSE}</label>
                    <input
                        id="recording-file"
                        class="unseen"
                        type="file"
                        accept=".json,application/json"
                        on:change=chosen
                    />
                    <span class="quiet drop-hint">{words::DROP}</span>
                </p>
            </div>
            <div class="recording-read" aria-live="polite">{move || read.with(outcome)}</div>
            <Parameters read values/>
        </div>
    }
}

fn outcome(read: &Read) -> impl IntoView + use<> {
    let (class, says, steps, faults) = match read {
        Read::Nothing => ("is-empty", words::EMPTY.to_owned(), Vec::new(), Vec::new()),
        Read::Reading => ("is-reading", words::READING.to_owned(), Vec::new(), Vec::new()),
        Read::Good(found) => {
            ("is-good", words::good(&found.title, found.steps.len()), found.steps.clone(), Vec::new())
        }
        Read::Bad(faults) => ("is-bad", words::BAD.to_owned(), Vec::new(), faults.clone()),
    };
    view! {
        <p class=format!("read-says {class}")>{says}</p>
        <ol class="steps">{steps.into_iter().map(|step| view! { <li>{step}</li> }).collect_view()}</ol>
        <ul class="fault-list">
            {faults
                .into_iter()
                .map(|fault| view! { <li><strong>{check::place(&fault.pointer)}</strong>" "{fault.message}</li> })
                .collect_view()}
        </ul>
    }
}

/// The parameters' fields: they stay, with what was typed into them, while the recording is read again.
#[component]
fn Parameters(read: RwSignal<Read>, values: BTreeMap<String, String>) -> impl IntoView {
    let names = Memo::new(move |before: Option<&Vec<String>>| {
        read.with(|read| match read {
            Read::Good(found) => found.parameters.clone(),
            Read::Reading | Read::Bad(_) => before.cloned().unwrap_or_default(),
            Read::Nothing => Vec::new(),
        })
    });
    let values = StoredValue::new(values);
    view! {
        <fieldset class="parameters" hidden=move || names.with(Vec::is_empty)>
            <legend>{words::PARAMETERS}</legend>
            <For each=move || names.get() key=String::clone let(name)>
                {
                    let value = values.with_value(|values| values.get(&name).cloned());
                    let id = format!("p-{name}");
                    view! {
                        <div class="field">
                            <label for=id.clone()>{name.clone()}</label>
                            <input id=id name=format!("p[{name}]") value=value autocomplete="off"/>
                        </div>
                    }
                }
            </For>
        </fieldset>
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::time::Duration;

    use leptos::{html::Textarea, leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};
    use wasm_bindgen::JsCast;
    use web_sys::{DragEvent, Event, File, HtmlInputElement};

    use super::{Read, words};
    use crate::{
        api::calls::check_recording,
        model::problem::{AppError, FieldError},
    };

    /// What is typed rests this long before it is read.
    const REST: Duration = Duration::from_millis(350);
    /// Larger files are not looked into.
    const MOST_BYTES: f64 = 2.0 * 1024.0 * 1024.0;

    /// Reads the field.
    #[derive(Clone, Copy)]
    pub(super) struct Reader {
        field: NodeRef<Textarea>,
        read: RwSignal<Read>,
        timer: StoredValue<Option<TimeoutHandle>>,
        /// Which reading is the newest; an older one's answer is dropped.
        turn: StoredValue<u32>,
    }

    impl Reader {
        pub(super) fn new(field: NodeRef<Textarea>, read: RwSignal<Read>, here: RwSignal<bool>) -> Self {
            let reader = Self { field, read, timer: StoredValue::new(None), turn: StoredValue::new(0) };
            Effect::new(move |_| {
                here.set(true);
                // What was typed before the code was there, or came back with the page.
                if reader.read.with_untracked(|read| *read == Read::Nothing)
                    && !reader.text().trim().is_empty()
                {
                    reader.now();
                }
            });
            reader
        }

        fn text(self) -> String {
            self.field.get_untracked().map(|field| field.value()).unwrap_or_default()
        }

        pub(super) fn soon(self) {
            let handle = set_timeout_with_handle(move || self.now(), REST).ok();
            if let Some(before) =
                self.timer.try_update_value(|timer| std::mem::replace(timer, handle)).flatten()
            {
                before.clear();
            }
        }

        fn now(self) {
            let text = self.text();
            let turn = self.turn.try_update_value(|turn| {
                *turn += 1;
                *turn
            });
            if text.trim().is_empty() {
                self.read.set(Read::Nothing);
                return;
            }
            self.read.set(Read::Reading);
            spawn_local(async move {
                let answer = check_recording(text).await;
                if self.turn.try_get_value() != turn {
                    return;
                }
                self.read.set(match answer {
                    Ok(found) => Read::Good(found),
                    Err(AppError::BadInput { errors }) => Read::Bad(errors),
                    Err(other) => Read::Bad(vec![FieldError::new("", other.to_string())]),
                });
            });
        }

        pub(super) fn chosen(self, event: &Event) {
            let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
            if let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) {
                self.take(file);
            }
        }

        pub(super) fn dropped(self, event: &DragEvent) {
            let files = event.data_transfer().and_then(|data| data.files());
            if let Some(file) = files.and_then(|files| files.get(0)) {
                self.take(file);
            }
        }

        fn take(self, file: File) {
            if file.size() > MOST_BYTES {
                self.read.set(Read::Bad(vec![FieldError::new("", words::TOO_LARGE)]));
                return;
            }
            spawn_local(async move {
                let text = wasm_bindgen_futures::JsFuture::from(file.text())
                    .await
                    .ok()
                    .and_then(|text| text.as_string());
                if let (Some(text), Some(field)) = (text, self.field.get_untracked()) {
                    field.set_value(&text);
                    self.now();
                }
            });
        }
    }
}
