//! The awkward pages: everything that a fleet meets on other people's sites.
//!
//! - [`answers`]: what the server does (statuses, redirects, answers that are late or never end, downloads);
//! - [`pages`]: what pages do (dialogs, popups, frames, shadow roots, scripts that are late).

mod answers;
mod pages;
mod scripts;

use axum::{Router, response::Response, routing::get};

use super::{
    html::{Page, escape},
    state::State,
    visit::Visit,
};

/// One awkward page, as the index lists it.
struct Trouble {
    address: &'static str,
    title: &'static str,
    what: &'static str,
}

const fn trouble(address: &'static str, title: &'static str, what: &'static str) -> Trouble {
    Trouble { address, title, what }
}

/// The index, in groups.
const GROUPS: &[(&str, &[Trouble])] = &[
    (
        "Answers",
        &[
            trouble("/trouble/slow?ms=2000", "Slow", "Answers after ms milliseconds, at most 120,000."),
            trouble(
                "/trouble/too-many?after=3",
                "Too many requests",
                "429. after is sent as Retry-After as it stands; with times=N only the first N requests are refused (counted by key).",
            ),
            trouble("/trouble/busy?after=3", "Unavailable", "503, with after and times as above."),
            trouble("/trouble/error", "Error", "500; code says another status, times as above."),
            trouble("/trouble/forbidden", "Forbidden", "403."),
            trouble("/trouble/gone", "Not found", "404."),
            trouble("/trouble/password", "Password of the browser", "401 with WWW-Authenticate."),
            trouble("/trouble/never", "No answer", "Takes the request and never answers."),
            trouble(
                "/trouble/download",
                "Download",
                "A link to a file, and a page that is one: /trouble/file.csv.",
            ),
        ],
    ),
    (
        "Ways",
        &[
            trouble("/trouble/redirect-loop", "Redirect loop", "Sends the browser to itself for ever."),
            trouble(
                "/trouble/redirect-once",
                "Cookie, then redirect",
                "Redirects to itself once, to set a cookie; then it is a page.",
            ),
            trouble(
                "/trouble/redirect?to=/help",
                "Redirect",
                "302 to the address in to, on this site or another.",
            ),
            trouble(
                "/trouble/redirect-mid-action",
                "Redirect in the middle",
                "The page is replaced 300 ms after it loads by another with the same button.",
            ),
            trouble(
                "/trouble/submit",
                "Form that redirects twice",
                "A POST, counted in the log, then two redirects.",
            ),
            trouble(
                "/trouble/push-state",
                "History without a load",
                "A link that changes address and page by script; and a page that is there at once.",
            ),
            trouble(
                "/trouble/before-unload",
                "Asks before it closes",
                "A beforeunload handler that wants a confirmation.",
            ),
        ],
    ),
    (
        "Loading",
        &[
            trouble(
                "/trouble/endless",
                "Endless image",
                "A picture that never ends: the load event does not come.",
            ),
            trouble("/trouble/stream", "Event stream", "The network is never idle: one event each second."),
            trouble("/trouble/late?ms=1500", "Late element", "The button comes after ms milliseconds."),
            trouble(
                "/trouble/hydration",
                "Late hydration",
                "The field loses what was typed 800 ms after the load.",
            ),
            trouble(
                "/trouble/memory",
                "Takes all memory",
                "The renderer dies: by a button, or after the load with now=1 (at once) or now=slowly.",
            ),
            trouble(
                "/trouble/busy-loop?ms=5000",
                "Busy",
                "Blocks the page's thread for ms milliseconds, at most 120,000.",
            ),
        ],
    ),
    (
        "Dialogs and windows",
        &[
            trouble(
                "/trouble/alert",
                "Alert on load",
                "kind=later: after a second. kind=confirm: a confirm, then an alert. kind=prompt.",
            ),
            trouble(
                "/trouble/popup",
                "Popup",
                "A link with target=_blank and a button that calls window.open.",
            ),
            trouble(
                "/trouble/frame",
                "Frames",
                "One of this origin and one of another (localhost and 127.0.0.1).",
            ),
            trouble("/trouble/shadow", "Shadow roots", "Open, and one inside another; a closed one."),
        ],
    ),
    (
        "Clicks and fields",
        &[
            trouble(
                "/trouble/cookie-banner",
                "Cookie banner",
                "Lies over the button until it is accepted. A label over a checkbox is fine.",
            ),
            trouble("/trouble/moving", "Moving button", "Moves for 1.5 s; with for-ever=1 for ever."),
            trouble(
                "/trouble/disabled",
                "Disabled button",
                "Becomes usable after a second; with for-ever=1 never.",
            ),
            trouble("/trouble/twins", "Twins", "Two buttons that nothing tells apart."),
            trouble("/trouble/controls", "All controls", "Every kind of field and event; says what arrived."),
        ],
    ),
    (
        "Content",
        &[
            trouble("/trouble/script-title", "Script in the title", "Markup in title and heading, as text."),
            trouble("/trouble/tall", "Tall page", "30,000 pixels high, marked every thousand."),
            trouble(
                "/trouble/echo",
                "What arrives",
                "The request's headers, and what a script sees of the browser.",
            ),
            trouble(
                "/trouble/visits",
                "Visits",
                "Counts by cookie and by storage how often this browser was here.",
            ),
            trouble(
                "/trouble/console",
                "Console",
                "A message of each kind, and an error that nobody catches.",
            ),
        ],
    ),
];

pub(super) fn routes() -> Router<State> {
    Router::new().route("/trouble", get(index)).merge(answers::routes()).merge(pages::routes())
}

async fn index(visit: Visit) -> Response {
    let mut body = String::from(
        "<div class=\"prose\"><h1>Trouble pages</h1><p>What goes wrong on other people’s sites, to be tried in quiet.</p>",
    );
    for (name, troubles) in GROUPS {
        body.push_str(&format!("<h2>{name}</h2><dl class=\"troubles\">"));
        for trouble in *troubles {
            body.push_str(&format!(
                "<dt><a href=\"{}\">{}</a></dt><dd>{} <code>{0}</code></dd>",
                escape(trouble.address),
                trouble.title,
                escape(trouble.what)
            ));
        }
        body.push_str("</dl>");
    }
    body.push_str("</div>");
    visit.page(Page::new("Trouble pages", body))
}
