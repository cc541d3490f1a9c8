//! The submit page on the server.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    draft::{self, Draft, Way},
    island::RecordingField,
    options,
    quick::What,
    words,
};
use crate::{
    api::calls::{caller, checked, room},
    model::{
        caller::Role,
        flow::{FlowVersion, example::ExampleRecording},
        page::PageQuery,
        problem::{AppError, FieldError},
    },
    ui::{
        frame::{Nav, may, page},
        note::{Note, segment, view as note_view},
    },
};

/// `/submit?way=recording|quick|flow`
#[component]
pub fn SubmitPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    page(Nav::Submit, words::TITLE, async move {
        let asked = |name: &str| query.get(name).unwrap_or_default();
        let kept = caller().ok().and_then(|caller| draft::kept(&asked("draft"), caller.id));
        let (mut draft, refused) = kept.unwrap_or_default();
        let flow = asked("flow");
        if !flow.is_empty() {
            draft.flow = flow;
            draft.way = Way::Flow.as_str().to_owned();
        } else if draft.way.is_empty() {
            draft.way = asked("way");
        }
        let examples = use_context::<Vec<ExampleRecording>>().unwrap_or_default();
        if let Some(example) = examples.iter().find(|example| example.file == asked("example")) {
            draft.recording = example.json.clone();
        }
        let way = draft.way();
        let body = match way {
            Way::Recording => by_recording(&draft, refused.as_ref(), &examples).await.into_any(),
            Way::Quick => quick(&draft).into_any(),
            Way::Flow => by_flow(&draft).await?,
        };
        Ok(view! {
            <div class="page-head"><h1>{words::TITLE}</h1></div>
            {tabs(way)}
            {(!may(Role::Operator)).then(|| view! { <p class="note">{words::MAY_NOT}</p> })}
            {refused.map(refusal)}
            {body}
        }
        .into_any())
    })
}

fn tabs(way: Way) -> impl IntoView {
    let tab = move |this: Way, word: &'static str| {
        let current = (way == this).then_some("page");
        view! { <li><a href=format!("/submit?way={}", this.as_str()) aria-current=current>{word}</a></li> }
    };
    view! {
        <nav class="tabs" aria-label="Ways to submit">
            <ul>
                {tab(Way::Recording, words::WAY_RECORDING)}
                {tab(Way::Quick, words::WAY_QUICK)}
                {tab(Way::Flow, words::WAY_FLOW)}
            </ul>
        </nav>
    }
}

/// Why it was refused. What is wrong with the recording itself is shown beside it.
fn refusal(error: AppError) -> impl IntoView {
    let error = match error {
        AppError::BadInput { errors } => {
            let errors: Vec<FieldError> =
                errors.into_iter().filter(|error| !error.pointer.starts_with("/flow")).collect();
            if errors.is_empty() {
                return None;
            }
            AppError::BadInput { errors }
        }
        other => other,
    };
    let mut note = Note::refused(&error);
    if let AppError::Busy { retry_after_s, .. } = &error {
        note.said = format!(
            "{}. Worth trying again in {retry_after_s} s. {}",
            note.said.trim_end_matches('.'),
            words::KEPT
        );
    }
    Some(note_view(note))
}

async fn by_recording(
    draft: &Draft,
    refused: Option<&AppError>,
    examples: &[ExampleRecording],
) -> impl IntoView + use<> {
    let read = if draft.recording.trim().is_empty() && refused.is_none() {
        Ok(None)
    } else {
        checked(&draft.recording).await.map(Some)
    };
    let (found, faults) = match read {
        Ok(found) => (found, Vec::new()),
        Err(AppError::BadInput { errors }) => (None, errors),
        Err(other) => (None, vec![FieldError::new("", other.to_string())]),
    };
    let examples = (draft.recording.is_empty() && !examples.is_empty()).then(|| {
        let items = examples
            .iter()
            .map(|example| {
                view! {
                    <li>
                        <a href=format!("/submit?way=recording&example={}", segment(&example.file))>
                            <strong>{example.title.clone()}</strong>
                            <span class="quiet">{example.description.clone()}</span>
                            <span class="use">{words::USE}</span>
                        </a>
                    </li>
                }
            })
            .collect_view();
        view! {
            <section class="panel" aria-labelledby="examples">
                <h2 id="examples">{words::EXAMPLES}</h2>
                <ul class="cards">{items}</ul>
            </section>
        }
    });
    let more = draft.more.clone();
    view! {
        <form class="panel submit" method="post" action="/fn/submit_recording">
            <input type="hidden" name="way" value="recording"/>
            <RecordingField text=draft.recording.clone() checked=found faults values=draft.p.clone()/>
            <noscript>
                <div class="field">
                    <label for="more">{words::MORE}</label>
                    <textarea id="more" name="more" rows="3">{more}</textarea>
                </div>
            </noscript>
            {options::view(draft)}
            {buttons(true)}
        </form>
        {examples}
    }
}

fn buttons(check: bool) -> impl IntoView {
    let may = may(Role::Operator);
    view! {
        <p class="buttons">
            <button class="button is-main" disabled=!may>{words::SEND}</button>
            {check.then(|| view! { <button class="button" name="only" value="check">{words::CHECK}</button> })}
        </p>
    }
}

fn quick(draft: &Draft) -> impl IntoView + use<> {
    let what = What::of(&draft.what);
    let choice = |this: What, word: &'static str, says: &'static str| {
        view! {
            <label class="choice">
                <input type="radio" name="what" value=this.as_str() checked=what == this/>
                <span><strong>{word}</strong><span class="quiet">{says}</span></span>
            </label>
        }
    };
    view! {
        <form class="panel submit" method="post" action="/fn/submit_recording">
            <input type="hidden" name="way" value="quick"/>
            <div class="field">
                <label for="address">"Address"</label>
                <input id="address" name="address" type="text" inputmode="url" required=true placeholder="https://shop.example/product/1" value=draft.address.clone()/>
            </div>
            <fieldset class="choices">
                <legend>"What to do there"</legend>
                {choice(What::Load, "Check that it loads", "Fails when there is no page or its status is 400 or more.")}
                {choice(What::Screenshot, "Take a screenshot", "Of the whole page.")}
                {choice(What::Extract, "Extract", "The text of what a selector finds.")}
            </fieldset>
            <div class="fields extract-fields">
                <div class="field">
                    <label for="selector">"Selector"</label>
                    <input id="selector" name="selector" value=draft.selector.clone() placeholder="h1, or //table//td[1]" autocomplete="off" spellcheck="false" aria-describedby="selector-hint"/>
                    <p class="hint" id="selector-hint">"CSS or XPath; aria/ and text/ as in a recording"</p>
                </div>
                <label class="choice">
                    <input type="checkbox" name="all" checked=!draft.all.is_empty()/>
                    <span>"Every match, as a list"</span>
                </label>
            </div>
            {options::view(draft)}
            {buttons(false)}
        </form>
    }
}

async fn by_flow(draft: &Draft) -> Result<AnyView, AppError> {
    let (room, caller) = (room()?, caller()?);
    if draft.flow.trim().is_empty() {
        let flows = room.flows(&caller, PageQuery { limit: Some(200), after: None }).await?;
        return Ok(choose(flows.items).into_any());
    }
    let kept = room.flow(&caller, draft.flow.trim()).await?;
    let fields = kept
        .parameters
        .iter()
        .map(|(name, spec)| {
            let id = format!("p-{name}");
            let kind = if spec.private { "password" } else { "text" };
            let hint = spec.default.as_ref().map(|default| {
                let shown = if spec.private { "•••" } else { default };
                format!("by default {shown}")
            });
            view! {
                <div class="field">
                    <label for=id.clone()>{name.clone()}</label>
                    <input id=id name=format!("p[{name}]") type=kind autocomplete="off" value=draft.p.get(name).cloned() required=spec.default.is_none()/>
                    <p class="hint">{hint}</p>
                </div>
            }
        })
        .collect_view();
    let none = kept.parameters.is_empty();
    Ok(view! {
        <form class="panel submit" method="post" action="/fn/submit_recording">
            <input type="hidden" name="way" value="flow"/>
            <input type="hidden" name="flow" value=draft.flow.clone()/>
            <h2>
                <a href=format!("/flows/{}", segment(&kept.name))>{kept.title.clone()}</a>
                <small class="quiet">{format!(" {}@{}", kept.name, kept.version)}</small>
            </h2>
            <ol class="steps">{kept.steps.iter().map(|step| view! { <li>{step.clone()}</li> }).collect_view()}</ol>
            <fieldset class="parameters" hidden=none>
                <legend>{words::PARAMETERS}</legend>
                {fields}
            </fieldset>
            {options::view(draft)}
            {buttons(false)}
        </form>
    }
    .into_any())
}

fn choose(flows: Vec<FlowVersion>) -> impl IntoView {
    let none = flows.is_empty();
    view! {
        <section class="panel">
            <p class="quiet" hidden=!none>{words::NO_FLOWS}" "<a href="/flows">"Flows"</a></p>
            <ul class="cards">
                {flows
                    .into_iter()
                    .map(|flow| {
                        view! {
                            <li>
                                <a href=format!("/submit?flow={}", segment(&flow.name))>
                                    <strong>{flow.title}</strong>
                                    <span class="quiet">{format!("{}@{}, {} steps", flow.name, flow.version, flow.steps.len())}</span>
                                    <span class="use">"Run this one"</span>
                                </a>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
}
