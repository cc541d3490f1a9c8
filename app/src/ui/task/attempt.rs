//! One attempt as it is shown: its bar, its fault, its steps, its evidence.

use leptos::prelude::*;

use super::{
    bars,
    shown::{AttemptShown, FaultShown},
    words,
};
use crate::{
    model::{attempt::Rescue, evidence::EvidenceKind},
    ui::{
        clock::{Clock, span, ticking},
        code::code,
        state,
    },
};

/// An attempt that may still change.
pub fn view(
    attempt: Memo<AttemptShown>,
    scale: Memo<u64>,
    words: StoredValue<Vec<String>>,
    newest: bool,
    can_see: bool,
    clock: Clock,
) -> impl IntoView {
    let (id, number, started_at) =
        attempt.with_untracked(|attempt| (attempt.id, attempt.number, attempt.started_at));
    let head = move || {
        attempt.with(|attempt| {
            let place = match &attempt.instance {
                Some(instance) => format!("{instance} on {}", attempt.node),
                None => attempt.node.clone(),
            };
            view! { {state::badge(state::outcome(attempt.outcome))} <span class="quiet">{place}</span> }
        })
    };
    let bar = move || {
        attempt.with(|attempt| {
            // Only what still runs follows the clock.
            let now = if attempt.ended_at.is_some() { started_at } else { clock.now.get() };
            drawn(bars::bar(attempt, now, scale.get()))
        })
    };
    view! {
        <article class="attempt" id=format!("attempt-{number}")>
            <header>
                <h3>{format!("Attempt {number}")}</h3>
                {head}
                <span class="quiet">"started "{ticking(clock, started_at)}</span>
            </header>
            {bar}
            {move || attempt.with(|attempt| untold(attempt).map(fault))}
            {move || attempt.with(rules)}
            <details open=newest>
                <summary>{words::STEPS}</summary>
                <div class="scroll" tabindex="0">{move || attempt.with(|attempt| words.with_value(|words| steps(attempt, words)))}</div>
            </details>
            {move || attempt.with(|attempt| evidence(attempt, id, number, can_see))}
        </article>
    }
}

fn drawn(parts: Vec<bars::Part>) -> impl IntoView {
    let rects = parts
        .iter()
        .map(|part| {
            view! { <rect class=format!("spent-{}", part.spent.as_str()) x=part.x y="2" width=part.width height="16"/> }
        })
        .collect_view();
    let legend = parts
        .iter()
        .map(|part| {
            view! {
                <li>
                    <span class=format!("key spent-{}", part.spent.as_str()) aria-hidden="true"></span>
                    {part.spent.words()}" "<b>{span(part.ms as i64)}</b>
                </li>
            }
        })
        .collect_view();
    view! {
        <svg class="spent" viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">{rects}</svg>
        <ul class="legend">{legend}</ul>
    }
}

/// The attempt's fault, where none of its steps tells it already.
fn untold(attempt: &AttemptShown) -> Option<&FaultShown> {
    attempt.fault.as_ref().filter(|_| attempt.steps.iter().all(|step| step.error.is_none()))
}

/// A fault in words.
pub fn fault(fault: &FaultShown) -> impl IntoView + use<> {
    let step = fault.step.map(|step| format!("step {}: ", step + 1)).unwrap_or_default();
    view! {
        <p class="fault">
            <span class="badge tone-bad"><span class="badge-shape" aria-hidden="true">"✕"</span>{state::class_by_name(&fault.class)}</span>
            " "
            {step}
            {fault.message.clone()}
        </p>
    }
}

/// The rules that were in the attempt's plan.
fn rules(attempt: &AttemptShown) -> impl IntoView + use<> {
    (!attempt.rules.is_empty()).then(|| {
        let links = attempt
            .rules
            .iter()
            .map(|rule| view! { " "<a href=format!("/rules/{rule}")><code>{code(*rule)}</code></a> })
            .collect_view();
        view! { <p class="quiet">{words::RULES}{links}</p> }
    })
}

fn steps(attempt: &AttemptShown, words: &[String]) -> impl IntoView + use<> {
    let done = attempt.steps.len() as u32;
    let running = attempt.at_step.filter(|at| attempt.ended_at.is_none() && *at >= done);
    let rows = attempt
        .steps
        .iter()
        .map(|step| {
            let says = words.get(step.index as usize).cloned().unwrap_or_else(|| step.r#type.clone());
            let rescue = match step.rescue {
                None => "",
                Some(Rescue::L0) => "other selector",
                Some(Rescue::L1) => "rescued",
            };
            let class = if step.error.is_some() { "is-bad" } else { "" };
            row(
                class,
                step.index,
                says,
                span(step.ms as i64),
                step.selector_used.clone(),
                step.tries,
                rescue,
                step.rule,
                step.error.clone(),
            )
        })
        .chain(running.map(|index| {
            let says = words.get(index as usize).cloned().unwrap_or_default();
            row("is-running", index, says, "running".to_owned(), None, 0, "", None, None)
        }))
        .collect_view();
    view! {
        <table class="list steps-table">
            <thead>
                <tr>
                    <th scope="col" class="num">"#"</th>
                    <th scope="col">"Step"</th>
                    <th scope="col">"Selector that served"</th>
                    <th scope="col" class="num">"Tries"</th>
                    <th scope="col" class="num">"Time"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

#[expect(clippy::too_many_arguments, reason = "a row has as many cells")]
fn row(
    class: &'static str,
    index: u32,
    says: String,
    took: String,
    selector: Option<String>,
    tries: u32,
    rescue: &'static str,
    rule: Option<uuid::Uuid>,
    error: Option<String>,
) -> impl IntoView {
    let tries = if tries > 0 { tries.to_string() } else { String::new() };
    let rule =
        rule.map(|rule| view! { " "<a class="by-rule" href=format!("/rules/{rule}")>{words::BY_RULE}</a> });
    view! {
        <tr class=class>
            <td class="num" data-label="#">{index + 1}</td>
            <td data-label="Step" class="main-cell">
                {says}
                <span class="step-error">{error}</span>
            </td>
            <td data-label="Selector that served">
                <code>{selector}</code>
                " "
                <span class="rescue">{rescue}</span>
                {rule}
            </td>
            <td data-label="Tries" class="num">{tries}</td>
            <td data-label="Time" class="num">{took}</td>
        </tr>
    }
}

fn evidence(attempt: &AttemptShown, id: uuid::Uuid, number: u32, can_see: bool) -> impl IntoView + use<> {
    let has = |kind| can_see && attempt.evidence.contains(&kind);
    let source = |kind: EvidenceKind| format!("/api/v1/attempts/{id}/evidence/{}", kind.as_str());
    let screenshot = has(EvidenceKind::Screenshot).then(|| {
        let source = source(EvidenceKind::Screenshot);
        view! {
            <figure class="shot">
                <a href=source.clone()><img src=source.clone() alt=words::SCREENSHOT loading="lazy"/></a>
                <figcaption>{words::SCREENSHOT}</figcaption>
            </figure>
        }
    });
    let snapshot = has(EvidenceKind::Dom).then(|| {
        view! {
            <details class="snapshot">
                <summary>{words::SNAPSHOT}</summary>
                <iframe
                    src=source(EvidenceKind::Dom)
                    title=format!("{} of attempt {number}", words::SNAPSHOT)
                    sandbox="allow-same-origin"
                    {..leptos::attr::custom::custom_attribute("loading", "lazy")}
                ></iframe>
            </details>
        }
    });
    let trace = has(EvidenceKind::Trace)
        .then(|| view! { <p><a href=format!("?trace={id}#trace")>{words::TRACE}</a></p> });
    let may_not =
        (!can_see && !attempt.evidence.is_empty()).then(|| view! { <p class="quiet">{words::REVIEWERS}</p> });
    view! { <div class="evidence">{screenshot}{snapshot}{trace}{may_not}</div> }
}
