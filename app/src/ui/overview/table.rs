//! The line diagram in words: the same facts as a table.

use leptos::prelude::*;

use super::{
    geometry::{BerthIs, Drawing},
    words,
};
use crate::ui::number;

/// The companion table.
pub fn view(drawing: &Drawing) -> impl IntoView + use<> {
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for lane in &drawing.lanes {
        rows.push((
            format!("Lane {}", lane.name),
            words::load(lane.ready, lane.held),
            format!("/tasks?state=queued&lane={}", lane.name),
        ));
    }
    let why = drawing.main.why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
    rows.push((words::BREAKER.to_owned(), format!("{}{why}", drawing.main.says), "/breaker".to_owned()));
    rows.push(("Fleet's gate".to_owned(), drawing.rate.clone(), "/gates".to_owned()));
    rows.push((words::POOL.to_owned(), words::slots(drawing.slots), "/pool".to_owned()));
    for (index, berth) in drawing.berths.iter().enumerate() {
        let berth_name = format!("Berth {}", index + 1);
        match &berth.is {
            BerthIs::Free => {}
            BerthIs::More { busy, all } => {
                rows.push((
                    "Berths not drawn".to_owned(),
                    words::more_berths(*busy, *all),
                    "/pool".to_owned(),
                ));
            }
            BerthIs::Busy { task, code, name, domain, step } => {
                let site = domain.as_deref().map(|domain| format!(" at {domain}")).unwrap_or_default();
                let step = step.map(|(at, of)| format!(", step {at} of {of}")).unwrap_or_default();
                rows.push((berth_name, format!("{code}: {name}{site}{step}"), format!("/tasks/{task}")));
            }
        }
    }
    for site in &drawing.sites {
        rows.push((
            site.domain.clone(),
            format!("{}; {}", site.aspect.says(), words::site(site.running, site.waiting, site.per_s)),
            format!("/gates#site-{}", site.domain),
        ));
    }
    rows.push((
        words::QUARANTINE.to_owned(),
        number::of(drawing.quarantine.1, "task", "tasks"),
        "/quarantine".to_owned(),
    ));
    rows.push((words::DESK.to_owned(), words::desk(drawing.desk.1), "/orders".to_owned()));
    let rows = rows
        .into_iter()
        .map(|(what, says, href)| {
            view! {
                <tr>
                    <th scope="row"><a href=href>{what}</a></th>
                    <td>{says}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <table class="plain">
            <tbody>{rows}</tbody>
        </table>
    }
}
