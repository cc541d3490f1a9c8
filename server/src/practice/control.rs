//! The control page: redesigns the shop for everyone, shows and forgets what came in.

use std::collections::HashMap;

use axum::{
    Form, Json, Router,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::json;

use super::{
    design::Design,
    html::{Page, escape},
    state::State,
    visit::Visit,
};

/// Log entries shown on the page; the JSON has all.
const SHOWN: usize = 50;

pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/control", get(show))
        .route("/control/design", post(redesign))
        .route("/control/reset", post(reset))
        .route("/control/log.json", get(log))
        .route("/control/orders.json", get(orders))
        .route("/control/state.json", get(state))
}

async fn show(visit: Visit) -> Response {
    let design = visit.state.design();
    let checked = |on: bool| if on { " checked" } else { "" };
    let radio = |code: &str, on: bool, words: &str| {
        format!(
            "<div class=\"choice\"><input id=\"look-{code}\" type=\"radio\" name=\"look\" value=\"{code}\"{}>\
             <label for=\"look-{code}\">{words}</label></div>",
            checked(on)
        )
    };
    let check = |name: &str, on: bool, words: &str| {
        format!(
            "<div class=\"choice\"><input id=\"{name}\" type=\"checkbox\" name=\"{name}\" value=\"on\"{}>\
             <label for=\"{name}\">{words}</label></div>",
            checked(on)
        )
    };
    let note = if visit.design == design {
        String::new()
    } else {
        format!(
            "<p class=\"notice\">This browser looks at design <code>{}</code>, which its address chose. \
             <a href=\"/control?design=shop\">Look at the shop’s own</a>.</p>",
            visit.design
        )
    };
    let (entries, _) = visit.state.log();
    let rows: String = entries
        .iter()
        .rev()
        .take(SHOWN)
        .map(|entry| {
            format!(
                "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>",
                entry.at_ms,
                escape(&entry.method),
                escape(&entry.path),
                escape(&entry.query.join(", ")),
                entry.status.map_or("…".to_owned(), |status| status.to_string())
            )
        })
        .collect();
    let body = format!(
        "<div class=\"prose\"><h1>Control</h1>{note}<form action=\"/control/design\" method=\"post\">\
         <fieldset><legend>Design of the shop, for everyone</legend>{first}{second}{swap}{trade}{remove}</fieldset>\
         <button id=\"redesign\" type=\"submit\">Redesign</button></form>\
         <p>One browser alone: add <code>?design=2</code>, <code>?design=1-swap</code> or <code>?design=2-trade-remove</code> \
         to any address. It stays until <code>?design=shop</code>.</p>\
         <form action=\"/control/reset\" method=\"post\"><button id=\"reset\" class=\"quiet\" type=\"submit\">Forget everything</button></form>\
         <h2>What came in</h2><p>{visitors} visitors, {placed} orders placed. All of it: <a href=\"/control/log.json\">log</a>, \
         <a href=\"/control/orders.json\">orders</a>, <a href=\"/control/state.json\">state</a>.</p>\
         <table><caption>The last {SHOWN} requests</caption><thead><tr><th scope=\"col\">Time (ms)</th><th scope=\"col\">Method</th>\
         <th scope=\"col\">Path</th><th scope=\"col\">Query names</th><th scope=\"col\">Status</th></tr></thead>\
         <tbody>{rows}</tbody></table></div>",
        first = radio("1", !design.second, "First: as the example recordings know it"),
        second = radio("2", design.second, "Second: ids and labels renamed, buttons moved"),
        swap = check("swap", design.swap, "Neighbours have changed places"),
        trade = check("trade", design.trade, "Neighbours have changed ids"),
        remove = check("remove", design.remove, "The button that buys is gone"),
        visitors = visit.state.sessions().lock().len(),
        placed = visit.state.placed().count,
    );
    visit.page(Page::new("Control", body))
}

/// Takes either the fields of the form or one `design` such as `2-swap`.
async fn redesign(visit: Visit, Form(form): Form<HashMap<String, String>>) -> Response {
    let has = |name: &str| form.contains_key(name);
    let design = match form.get("design") {
        Some(text) => Design::parse(text),
        None => Some(Design {
            second: form.get("look").is_some_and(|look| look == "2"),
            swap: has("swap"),
            trade: has("trade"),
            remove: has("remove"),
        }),
    };
    let Some(design) = design else {
        return (axum::http::StatusCode::UNPROCESSABLE_ENTITY, "no such design").into_response();
    };
    visit.state.set_design(design);
    visit.see("/control")
}

async fn reset(visit: Visit) -> Response {
    visit.state.reset();
    visit.see("/control")
}

async fn log(visit: Visit) -> Response {
    let (entries, gone) = visit.state.log();
    Json(json!({ "entries": entries, "gone": gone })).into_response()
}

async fn orders(visit: Visit) -> Response {
    Json(visit.state.placed()).into_response()
}

async fn state(visit: Visit) -> Response {
    Json(json!({
        "design": visit.state.design().to_string(),
        "visitors": visit.state.sessions().lock().len(),
        "orders": visit.state.placed().count,
    }))
    .into_response()
}
