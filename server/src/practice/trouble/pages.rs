//! What pages do: dialogs, popups, frames, shadow roots, scripts that are late.

use axum::{
    Router,
    http::HeaderMap,
    response::{Html, IntoResponse, Response},
    routing::get,
};

use super::{answers::milliseconds, scripts};
use crate::practice::{
    html::{Page, escape},
    state::State,
    visit::Visit,
};

pub(super) fn routes() -> Router<State> {
    let mut routes = Router::new();
    for (path, title, body) in scripts::PAGES {
        routes = routes.route(path, get(move |visit: Visit| async move { plain(visit, title, body) }));
    }
    routes
        .route("/trouble/alert", get(alert))
        .route("/trouble/late", get(late))
        .route("/trouble/busy-loop", get(busy_loop))
        .route("/trouble/memory", get(memory))
        .route("/trouble/moving", get(moving))
        .route("/trouble/disabled", get(disabled))
        .route("/trouble/frame", get(frames))
        .route("/trouble/frame/inner", get(inner_frame))
        .route("/trouble/script-title", get(script_title))
        .route("/trouble/tall", get(tall))
        .route("/trouble/echo", get(echo))
        .route("/trouble/visits", get(visits))
}

fn plain(visit: Visit, title: &str, body: &str) -> Response {
    let body = format!("<div class=\"prose\"><h1>{}</h1>{body}</div>", escape(title));
    visit.page(Page::new(title, body))
}

async fn alert(visit: Visit) -> Response {
    let (title, script) = match visit.query("kind") {
        "later" => ("Alert after a second", scripts::ALERT_LATER),
        "confirm" => ("Confirm, then alert", scripts::CONFIRM_THEN_ALERT),
        "prompt" => ("Prompt on load", scripts::PROMPT),
        _ => ("Alert on load", scripts::ALERT),
    };
    plain(visit, title, &format!("<p id=\"answer\">waiting</p>{script}"))
}

async fn late(visit: Visit) -> Response {
    let ms = milliseconds(&visit, 1_500);
    let body = format!(
        "<p>The button comes after {ms} ms.</p><div id=\"place\"></div><p id=\"answer\"></p><script>\
         setTimeout(() => {{ const b = document.createElement('button'); b.id = 'late'; b.textContent = 'Late button'; \
         b.onclick = () => document.getElementById('answer').textContent = 'clicked'; \
         document.getElementById('place').append(b); }}, {ms});</script>"
    );
    plain(visit, "Late element", &body)
}

async fn busy_loop(visit: Visit) -> Response {
    let ms = milliseconds(&visit, 5_000);
    let body = format!(
        "<p id=\"answer\">busy</p><script>addEventListener('load', () => setTimeout(() => {{ const end = Date.now() + {ms}; \
         while (Date.now() < end) {{}} document.getElementById('answer').textContent = 'free'; }}, 50));</script>"
    );
    plain(visit, "Busy", &body)
}

async fn memory(visit: Visit) -> Response {
    let start = match visit.query("now") {
        "" => "",
        "slowly" => "<script>addEventListener('load', slowly)</script>",
        _ => "<script>addEventListener('load', atOnce)</script>",
    };
    plain(visit, "Takes all memory", &format!("{}{start}", scripts::MEMORY))
}

async fn moving(visit: Visit) -> Response {
    let times = if visit.query("for-ever").is_empty() { "3" } else { "infinite" };
    let body = format!(
        "<style>@keyframes to-and-fro {{ from {{ translate: 0 }} 50% {{ translate: 240px }} to {{ translate: 0 }} }}\
         #moving {{ animation: to-and-fro .5s linear {times} }}</style>\
         <button id=\"moving\" onclick=\"document.getElementById('answer').textContent = 'clicked'\">Catch me</button>\
         <p id=\"answer\"></p>"
    );
    plain(visit, "Moving button", &body)
}

async fn disabled(visit: Visit) -> Response {
    let script = if visit.query("for-ever").is_empty() {
        "<script>setTimeout(() => document.getElementById('slow-button').disabled = false, 1000)</script>"
    } else {
        ""
    };
    let body = format!(
        "<button id=\"slow-button\" disabled onclick=\"document.getElementById('answer').textContent = 'clicked'\">\
         Not yet</button><p id=\"answer\"></p>{script}"
    );
    plain(visit, "Disabled button", &body)
}

async fn frames(visit: Visit) -> Response {
    let other = other_host(&visit.host);
    let body = format!(
        "<h2>Of this origin</h2><iframe id=\"same\" title=\"Same origin\" src=\"/trouble/frame/inner?name=same\"></iframe>\
         <h2>Of another origin</h2><iframe id=\"other\" title=\"Other origin\" \
         src=\"http://{}/trouble/frame/inner?name=other\"></iframe>",
        escape(&other)
    );
    plain(visit, "Frames", &body)
}

/// The same server by another name, which makes it another origin.
fn other_host(host: &str) -> String {
    match (host.strip_prefix("127.0.0.1"), host.strip_prefix("localhost")) {
        (Some(port), _) => format!("localhost{port}"),
        (_, Some(port)) => format!("127.0.0.1{port}"),
        (None, None) => host.to_owned(),
    }
}

async fn inner_frame(visit: Visit) -> Response {
    let name = escape(visit.query("name"));
    let body = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Inner page</title>\
         <link rel=\"stylesheet\" href=\"/style.css\"></head><body class=\"inner\">\
         <p>The {name} frame.</p><label for=\"inner-field\">Inside</label><input id=\"inner-field\">\
         <button id=\"inner-button\" onclick=\"document.getElementById('inner-answer').textContent = \
         'clicked ' + document.getElementById('inner-field').value\">Inner button</button>\
         <p id=\"inner-answer\"></p></body></html>"
    );
    visit.finish(Html(body).into_response())
}

async fn script_title(visit: Visit) -> Response {
    plain(
        visit,
        "<script>document.title = 'it ran'</script><img src=x onerror=\"document.title='it ran'\">",
        "",
    )
}

async fn tall(visit: Visit) -> Response {
    let marks: String =
        (0..30).map(|mark| format!("<div class=\"mark\" id=\"mark-{mark}\">{},000 px</div>", mark)).collect();
    let body = format!(
        "<style>.tall {{ height: 30000px; position: relative; background: linear-gradient(#eef4f1, #f6e3b0) }}\
         .mark {{ height: 1000px; border-top: 2px solid #1f3a34; padding: 8px }}</style><div class=\"tall\">{marks}</div>\
         <button id=\"bottom\" onclick=\"this.textContent = 'clicked'\">At the bottom</button>"
    );
    plain(visit, "Tall page", &body)
}

async fn echo(visit: Visit, headers: HeaderMap) -> Response {
    let rows: String = headers
        .iter()
        .map(|(name, value)| {
            format!(
                "<tr><th scope=\"row\">{name}</th><td id=\"header-{name}\">{}</td></tr>",
                escape(&String::from_utf8_lossy(value.as_bytes()))
            )
        })
        .collect();
    plain(
        visit,
        "What arrives",
        &format!("<table><caption>Headers</caption><tbody>{rows}</tbody></table>{}", scripts::SEEN),
    )
}

async fn visits(mut visit: Visit) -> Response {
    let before: u32 = visit.cookie("halden_visits").and_then(|count| count.parse().ok()).unwrap_or(0);
    let now = before.saturating_add(1);
    visit.set_cookie(format!("halden_visits={now}; Path=/; Max-Age=86400; SameSite=Lax"));
    let body = format!("<p>By cookie: <span id=\"by-cookie\">{now}</span></p>{}", scripts::VISITS);
    plain(visit, "Visits", &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_origin_is_the_same_server_by_its_other_name() {
        assert_eq!(other_host("127.0.0.1:8123"), "localhost:8123");
        assert_eq!(other_host("localhost:8123"), "127.0.0.1:8123");
        assert_eq!(other_host("shop.example"), "shop.example");
    }
}
