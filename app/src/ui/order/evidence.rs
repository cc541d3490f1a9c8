//! Evidence side by side: the last success and the newest failure, and links to the failures before.

use leptos::prelude::*;

use super::words;
use crate::{
    model::{
        Timestamp,
        evidence::EvidenceKind,
        order::{Order, OrderEvidence},
    },
    ui::{clock::stamp, code::code},
};

/// The evidence, for who may see it.
pub fn view(order: &Order, can_see: bool, now: Timestamp) -> impl IntoView + use<> {
    let body = if can_see {
        let older = order.evidence.iter().skip(1).map(|found| line(found, now)).collect::<Vec<_>>();
        let older = (!older.is_empty()).then(|| {
            view! {
                <details>
                    <summary>{words::OLDER}</summary>
                    <ul class="older">{older}</ul>
                </details>
            }
        });
        view! {
            <div class="side-by-side">
                {figure(words::GOOD, words::NO_GOOD, order.good.as_ref(), now)}
                {figure(words::BAD, words::NO_BAD, order.evidence.first(), now)}
            </div>
            {older}
        }
        .into_any()
    } else {
        view! { <p class="quiet">{words::EVIDENCE_ROLE}</p> }.into_any()
    };
    view! {
        <section class="panel" aria-labelledby="evidence">
            <h2 id="evidence">{words::EVIDENCE}</h2>
            {body}
        </section>
    }
}

fn address(found: &OrderEvidence, kind: EvidenceKind) -> String {
    format!("/api/v1/attempts/{}/evidence/{}", found.attempt, kind.as_str())
}

fn figure(title: &'static str, none: &'static str, found: Option<&OrderEvidence>, now: Timestamp) -> AnyView {
    let Some(found) = found else {
        return view! {
            <figure class="seen">
                <figcaption><b>{title}</b></figcaption>
                <p class="nothing">{none}</p>
            </figure>
        }
        .into_any();
    };
    let picture = if found.kinds.contains(&EvidenceKind::Screenshot) {
        let source = address(found, EvidenceKind::Screenshot);
        view! {
            <a class="seen-picture" href=source.clone() target="_blank" rel="noopener">
                <img src=source.clone() alt=format!("{title}: the page, in a new tab") loading="lazy"/>
            </a>
        }
        .into_any()
    } else {
        view! { <p class="nothing">{words::NO_SCREENSHOT}</p> }.into_any()
    };
    view! {
        <figure class="seen">
            <figcaption>
                <b>{title}</b>
                " "
                {stamp(now, found.at)}
                {links(found, title, &[EvidenceKind::Dom, EvidenceKind::Trace], now)}
            </figcaption>
            {picture}
        </figure>
    }
    .into_any()
}

/// The task and what is kept of the attempt besides.
fn links(found: &OrderEvidence, of: &str, kinds: &[EvidenceKind], now: Timestamp) -> impl IntoView + use<> {
    let when = crate::ui::clock::ago(now, found.at);
    let kept = kinds
        .iter()
        .filter(|kind| found.kinds.contains(kind))
        .map(|kind| {
            let word = match kind {
                EvidenceKind::Screenshot => words::SCREENSHOT,
                EvidenceKind::Dom => words::SNAPSHOT,
                EvidenceKind::Trace => words::TRACE,
            };
            let says = format!("{word}, {of} {when}, in a new tab");
            view! { <a href=address(found, *kind) target="_blank" rel="noopener" aria-label=says>{word}</a> }
        })
        .collect_view();
    view! {
        <span class="seen-links">
            <a href=format!("/tasks/{}", found.task)>"Task "<code>{code(found.task)}</code></a>
            <span class="quiet">"attempt "<code>{code(found.attempt)}</code></span>
            {kept}
        </span>
    }
}

fn line(found: &OrderEvidence, now: Timestamp) -> impl IntoView + use<> {
    view! { <li>{stamp(now, found.at)}" "{links(found, "failure", &EvidenceKind::ALL, now)}</li> }
}
