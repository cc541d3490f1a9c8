//! The trace of an attempt: what its pages said and asked for.

use leptos::prelude::*;

use super::words;
use crate::{
    model::evidence::{SelectorTry, Trace, TraceStep},
    ui::{clock::span, number},
};

/// The trace's tables.
pub fn view(number: u32, trace: Trace) -> impl IntoView {
    let dropped = (trace.dropped > 0).then(|| {
        number::of(
            u64::from(trace.dropped),
            "line was left out: a bound was reached",
            "lines were left out: a bound was reached",
        )
    });
    let console = trace
        .console
        .into_iter()
        .map(|line| {
            view! {
                <tr class=format!("console-{}", line.level)>
                    <td class="num" data-label="At">{at(line.at_ms)}</td>
                    <td data-label="Level">{line.level.clone()}</td>
                    <td data-label="Text" class="main-cell"><code>{line.text}</code></td>
                </tr>
            }
        })
        .some_rows();
    let network = trace
        .network
        .into_iter()
        .map(|line| {
            let answer = line.status.map(|status| status.to_string()).or(line.error).unwrap_or_default();
            let bad = line.status.is_none_or(|status| status >= 400);
            view! {
                <tr class:is-bad=bad>
                    <td class="num" data-label="At">{at(line.at_ms)}</td>
                    <td data-label="Method">{line.method}</td>
                    <td data-label="Answer">{answer}</td>
                    <td data-label="Address" class="main-cell"><code>{line.url}</code></td>
                </tr>
            }
        })
        .some_rows();
    let dialogs = trace
        .dialogs
        .into_iter()
        .map(|line| view! { <li>{at(line.at_ms)}" "<b>{line.kind}</b>" “"{line.text}"”, dismissed"</li> })
        .some_rows();
    let tried: Vec<_> = trace.steps.into_iter().filter(|step| step.tries.len() > 1).map(tries).collect();
    view! {
        <section class="panel trace" id="trace" aria-labelledby="trace-title">
            <h2 id="trace-title">{format!("{} of attempt {number}", words::TRACE)}</h2>
            <p class="quiet">{trace.screenshot_note}</p>
            <p class="quiet">{dropped}</p>
            {(!tried.is_empty()).then(|| view! { <h3>"Selectors tried"</h3> <ul class="tries">{tried}</ul> })}
            {dialogs.map(|items| view! { <h3>"Dialogs"</h3> <ul>{items}</ul> })}
            <h3>"Console"</h3>
            {table(["At", "Level", "Text"].to_vec(), console)}
            <h3>"Network"</h3>
            {table(["At", "Method", "Answer", "Address"].to_vec(), network)}
        </section>
    }
}

fn at(ms: u64) -> String {
    format!("+{}", span(ms as i64))
}

fn tries(step: TraceStep) -> impl IntoView {
    let one = |found: SelectorTry| {
        let why = found.why.map(|why| format!(": {why}")).unwrap_or_default();
        view! { <li><code>{found.chain}</code>{format!(" matched {}{why}", found.matched)}</li> }
    };
    view! {
        <li>
            {format!("Step {}: {}", step.index + 1, step.words)}
            <ul>{step.tries.into_iter().map(one).collect_view()}</ul>
        </li>
    }
}

/// Rows, or none where there are none.
trait SomeRows<T> {
    fn some_rows(self) -> Option<Vec<T>>;
}

impl<T, I: Iterator<Item = T>> SomeRows<T> for I {
    fn some_rows(self) -> Option<Vec<T>> {
        Some(self.collect::<Vec<T>>()).filter(|rows| !rows.is_empty())
    }
}

fn table<V: IntoView + 'static>(heads: Vec<&'static str>, rows: Option<Vec<V>>) -> AnyView {
    match rows {
        None => view! { <p class="quiet">"Nothing."</p> }.into_any(),
        Some(rows) => view! {
            <div class="scroll" tabindex="0">
                <table class="list">
                    <thead><tr>{heads.into_iter().map(|head| view! { <th scope="col" class:num=head == "At">{head}</th> }).collect_view()}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any(),
    }
}
