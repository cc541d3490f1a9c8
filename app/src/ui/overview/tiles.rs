//! The last hour in figures.

use leptos::prelude::*;

use super::words;
use crate::{
    model::overview::Overview,
    ui::{clock, number, state},
};

/// Width of a fault's bar at its longest.
const BAR: u64 = 160;

/// The tiles and the bars.
pub fn view(overview: &Overview) -> impl IntoView + use<> {
    let recent = &overview.recent;
    let ended = recent.succeeded + recent.escalated;
    let queued = overview.tasks.get("queued").copied().unwrap_or(0);
    let wait = |ms: Option<u64>| ms.map_or_else(|| "–".to_owned(), |ms| clock::span(ms as i64));
    let oldest = overview.desk.oldest_at.map(|at| {
        let says = format!("since it was opened; {}", words::desk(overview.desk));
        ("Oldest order", clock::span(overview.at.since(at)), says)
    });
    let tiles = [
        ("Attempts", number::count(recent.attempts), "ended in the last hour".to_owned()),
        (
            "Succeeded",
            number::count(recent.succeeded),
            format!("{} of what succeeded or escalated", number::percent(recent.succeeded, ended)),
        ),
        (
            "Escalated",
            number::count(recent.escalated),
            format!("{} of what succeeded or escalated", number::percent(recent.escalated, ended)),
        ),
        (
            "Throughput",
            format!("{}/min", number::short(recent.per_minute)),
            "over the last five minutes".to_owned(),
        ),
        ("Queue wait", wait(recent.wait_p50_ms), format!("median; p95 {}", wait(recent.wait_p95_ms))),
        (
            "Queued",
            number::count(queued),
            format!("{} of {}", number::percent(queued, overview.capacity), number::count(overview.capacity)),
        ),
    ];
    let tiles = tiles
        .into_iter()
        .chain(oldest)
        .map(|(name, value, says)| {
            view! {
                <div class="tile">
                    <dt>{name}</dt>
                    <dd class="figure">{value}</dd>
                    <dd class="says">{says}</dd>
                </div>
            }
        })
        .collect_view();
    let most = recent.faults.values().copied().max().unwrap_or(0).max(1);
    let mut faults: Vec<_> = recent.faults.iter().filter(|(_, count)| **count > 0).collect();
    faults.sort_by(|a, b| b.1.cmp(a.1));
    let none = faults.is_empty();
    let faults = faults
        .into_iter()
        .map(|(class, count)| {
            let long = (count * BAR / most).max(4);
            view! {
                <tr>
                    <th scope="row"><a href=format!("/tasks?class={class}")>{state::class_by_name(class)}</a></th>
                    <td class="num">{number::count(*count)}</td>
                    <td class="bar-cell">
                        <svg class="bar" width=BAR height="8" aria-hidden="true">
                            <rect width=long height="8" rx="2"/>
                        </svg>
                    </td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="panel" aria-labelledby="hour">
            <h2 id="hour">{words::LAST_HOUR}</h2>
            <dl class="tiles">{tiles}</dl>
        </section>
        <section class="panel" aria-labelledby="faults">
            <h2 id="faults">{words::FAULTS}</h2>
            <p class="quiet" hidden=!none>{words::NO_FAULTS}</p>
            <table class="plain faults">
                <tbody>{faults}</tbody>
            </table>
        </section>
    }
}
