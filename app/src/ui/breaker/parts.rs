//! The forms by which an operator sets a breaker by hand. Opening is immediate; closing takes a tick.

use leptos::prelude::*;

use super::words;
use crate::model::breaker::BreakerView;

/// Why a site's breaker is as it is, and who set it.
pub fn why(breaker: &BreakerView) -> String {
    let reason = breaker.reason.clone().unwrap_or_default();
    match &breaker.by {
        Some(by) => format!("{reason} (by {by})"),
        None => reason,
    }
}

/// Opens the fleet's.
pub fn open_fleet() -> impl IntoView {
    view! {
        <form class="panel" method="post" action="/fn/open_breaker" aria-labelledby="open-fleet">
            <h2 id="open-fleet">{words::OPEN_FLEET}</h2>
            <p>{words::OPEN_FLEET_SAYS}</p>
            <input type="hidden" name="whose" value="fleet"/>
            {reason("open-fleet-reason".to_owned(), String::new())}
            <button class="button">{words::OPEN_FLEET}</button>
        </form>
    }
}

/// Closes the fleet's.
pub fn close_fleet(queued: Memo<u64>) -> impl IntoView {
    view! {
        <form class="panel" method="post" action="/fn/close_breaker" aria-labelledby="close-fleet">
            <h2 id="close-fleet">{words::CLOSE_FLEET}</h2>
            <p>{words::CLOSE_FLEET_SAYS}" "<strong>{move || words::waiting(queued.get())}</strong></p>
            <input type="hidden" name="whose" value="fleet"/>
            {reason("close-fleet-reason".to_owned(), String::new())}
            {sure()}
            <button class="button">{words::CLOSE_FLEET}</button>
        </form>
    }
}

/// Closes a site's, behind a summary in its row.
pub fn close_site(domain: String, waiting: Memo<Option<u64>>) -> impl IntoView {
    view! {
        <details class="in-row">
            <summary aria-label=format!("{}: {domain}", words::CLOSE_SITE)>{words::CLOSE_SITE}</summary>
            <form method="post" action="/fn/close_breaker">
                <p>{words::CLOSE_SITE_SAYS}" "<strong>{move || waiting.get().map(words::waiting)}</strong></p>
                <input type="hidden" name="whose" value="site"/>
                <input type="hidden" name="site" value=domain.clone()/>
                {reason(format!("close-reason-{domain}"), String::new())}
                {sure()}
                <button class="button is-small">{words::CLOSE_SITE}</button>
            </form>
        </details>
    }
}

/// The reason, which every setting takes.
pub fn reason(id: String, typed: String) -> impl IntoView {
    let hint = format!("{id}-hint");
    view! {
        <div class="field">
            <label for=id.clone()>{words::REASON}</label>
            <input id=id name="reason" required maxlength="500" autocomplete="off" value=typed aria-describedby=hint.clone()/>
            <p class="hint" id=hint>{words::REASON_SAYS}</p>
        </div>
    }
}

fn sure() -> impl IntoView {
    view! {
        <label class="choice">
            <input type="checkbox" name="sure" value="yes" required/>
            <span>{words::SURE}</span>
        </label>
    }
}
