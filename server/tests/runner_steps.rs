//! Every type of step, every kind of selector, on a real Chrome.

mod runner_support;

use app::model::attempt::Rescue;
use app::model::fault::FaultClass;
use serde_json::json;

use runner_support::{Bench, assert_fault, html, on_chrome, raw_html, result};

/// A page with one of everything.
const FORM: &str = r##"
<h1>Order</h1>
<form action="/done" method="get">
  <label for="who">Your name</label> <input id="who" name="who">
  <label>Mail <input type="email" name="mail" placeholder="you@example.org"></label>
  <textarea name="note" aria-label="Note">old text</textarea>
  <select name="size"><option value="s">Small</option><option value="m">Medium</option></select>
  <label><input type="checkbox" name="gift" value="yes"> Gift</label>
  <input type="date" name="day"><input type="color" name="paint"><input type="range" name="far" min=0 max=10>
  <div id="rich" contenteditable="true">old</div>
  <button>Send <b>it</b></button>
</form>
<div id="log"></div>
<div id="box" style="width:80px;height:40px;background:#ccc">hover me</div>
<div id="scroller" style="height:50px;width:100px;overflow:auto"><div style="height:900px">long</div></div>
<p class="row">one</p><p class="row">two</p><p class="row" data-n="3" hidden>three</p>
<a id="link" href="/done?by=link">Go on</a>
<my-card></my-card>
<div style="height:3000px"></div>
<button id="far" type="button" onclick="log('far')">Far away</button>
<script>
  const log = text => document.getElementById('log').append(text + ';');
  document.getElementById('box').addEventListener('mouseover', () => log('over'));
  document.getElementById('box').addEventListener('dblclick', () => log('double'));
  document.getElementById('box').addEventListener('contextmenu', e => { e.preventDefault(); log('menu'); });
  document.getElementById('box').addEventListener('mousedown', e => log(`at ${e.offsetX},${e.offsetY}`));
  document.addEventListener('keydown', e => log('down ' + e.key + (e.ctrlKey ? '+ctrl' : '')));
  document.addEventListener('keyup', e => log('up ' + e.key));
  document.querySelector('form').addEventListener('change', e => log('change ' + (e.target.name || e.target.id)));
  customElements.define('my-card', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({mode: 'open'});
      root.innerHTML = '<style>p{color:teal}</style><p class="inner">deep <button class="inside">Press</button></p>';
      root.querySelector('button').onclick = () => log('shadow');
    }
  });
</script>
"##;

async fn bench() -> Bench {
    Bench::start(|request| match request.uri().path() {
        "/form" => html(FORM),
        "/done" => {
            html(&format!("<p id=query>{}</p>", request.uri().query().unwrap_or("").replace('&', "&amp;")))
        }
        "/title" => raw_html("<!DOCTYPE html><title>Titled</title><h2>Second</h2>"),
        _ => html("<p>home</p>"),
    })
    .await
}

#[test]
fn fields_of_every_kind_are_filled_and_sent() {
    on_chrome(async {
        let bench = bench().await;
        let report = bench
        .run(json!([
            {"type": "setViewport", "width": 900, "height": 700, "deviceScaleFactor": 1, "isMobile": false,
             "hasTouch": false, "isLandscape": false},
            {"type": "navigate", "url": "{site}/form", "assertedEvents": [{"type": "navigation", "url": "{site}/form"}]},
            {"type": "change", "selectors": [["aria/Your name"]], "value": "Ada Lövelace"},
            {"type": "change", "selectors": [["aria/Mail"]], "value": "ada@example.org"},
            {"type": "change", "selectors": [["aria/Note[role=\"textbox\"]"]], "value": "two\nlines"},
            {"type": "change", "selectors": [["[name=size]"]], "value": "m"},
            {"type": "change", "selectors": [["[name=gift]"]], "value": "on"},
            {"type": "change", "selectors": [["[name=day]"]], "value": "2026-11-30"},
            {"type": "change", "selectors": [["[name=paint]"]], "value": "#ff8800"},
            {"type": "change", "selectors": [["[name=far]"]], "value": "7"},
            {"type": "change", "selectors": [["#rich"]], "value": "rich text"},
            {"type": "customStep", "name": "extract", "parameters": {"name": "rich", "selectors": [["#rich"]]}},
            {"type": "customStep", "name": "extract", "parameters": {"name": "log", "selectors": [["#log"]]}},
            {"type": "click", "selectors": [["aria/Send it[role=\"button\"]"]],
             "assertedEvents": [{"type": "navigation", "url": ""}]},
            {"type": "customStep", "name": "extract", "parameters": {"name": "query", "selectors": [["#query"]]}},
        ]))
        .await;
        let result = result(&report);
        assert_eq!(result["rich"], "rich text");
        let log = result["log"].as_str().expect("text");
        for field in ["who", "mail", "note", "size", "gift", "day", "paint", "far"] {
            assert_eq!(log.matches(&format!("change {field};")).count(), 1, "{log}");
        }
        let query = result["query"].as_str().expect("text");
        let wanted = "who=Ada+L%C3%B6velace&mail=ada%40example.org&note=two%0D%0Alines&size=m&gift=yes&day=2026-11-30\
                  &paint=%23ff8800&far=7";
        assert_eq!(query, wanted);
        assert_eq!(report.critical_step, None, "a form that gets is not critical");
        assert!(report.steps.iter().all(|step| step.rescue.is_none() && step.error.is_none()));
    });
}

#[test]
fn pointer_keyboard_and_scroll_are_real_input() {
    on_chrome(async {
        let bench = bench().await;
        let report = bench
        .run(json!([
            {"type": "navigate", "url": "{site}/form"},
            {"type": "hover", "selectors": [["#box"]]},
            {"type": "doubleClick", "selectors": [["#box"]], "offsetX": 10, "offsetY": 12},
            {"type": "click", "selectors": [["#box"]], "button": "secondary", "offsetX": 500, "offsetY": 12},
            {"type": "click", "selectors": [["#far"]]},
            {"type": "click", "selectors": [["aria/Your name"]]},
            {"type": "keyDown", "key": "a"}, {"type": "keyUp", "key": "a"},
            {"type": "keyDown", "key": "b"}, {"type": "keyUp", "key": "b"},
            {"type": "keyDown", "key": "Control"}, {"type": "keyDown", "key": "a"}, {"type": "keyUp", "key": "a"},
            {"type": "keyUp", "key": "Control"},
            {"type": "keyDown", "key": "Backspace"}, {"type": "keyUp", "key": "Backspace"},
            {"type": "keyDown", "key": "c"}, {"type": "keyUp", "key": "c"},
            {"type": "scroll", "x": 0, "y": 300},
            {"type": "scroll", "selectors": [["#scroller"]], "x": 0, "y": 120},
            {"type": "waitForExpression", "expression": "scrollY === 300 && document.getElementById('scroller').scrollTop === 120;"},
            {"type": "customStep", "name": "extract", "parameters": {"name": "who", "selectors": [["#who"]], "property": "value"}},
            {"type": "customStep", "name": "extract", "parameters": {"name": "log", "selectors": [["#log"]]}},
        ]))
        .await;
        let result = result(&report);
        assert_eq!(result["who"], "c");
        let log = result["log"].as_str().expect("text");
        assert!(log.starts_with("over;at 10,12;at 10,12;double;at 40,20;menu;far;"), "{log}");
        assert!(log.contains("down a;up a;") && log.contains("down Control+ctrl;down a+ctrl;"), "{log}");
    });
}

#[test]
fn selectors_of_every_kind_serve_and_the_first_that_serves_is_told() {
    on_chrome(async {
        let bench = bench().await;
        let extract = |name: &str, selectors: serde_json::Value| json!({"type": "customStep", "name": "extract", "parameters": {"name": name, "selectors": selectors}});
        let report = bench
        .run(json!([
            {"type": "navigate", "url": "{site}/form"},
            extract("css", json!([["h1"]])),
            extract("aria", json!([["aria/Order[role=\"heading\"]"]])),
            extract("text", json!([["text/Go on"]])),
            extract("xpath", json!([["xpath///a[@id='link']"]])),
            extract("pierce", json!([["pierce/.inside"]])),
            extract("nested", json!([["my-card", ".inner > button"]])),
            extract("nested_aria", json!([["my-card", "aria/Press"]])),
            extract("string", json!(["#link"])),
            extract("second", json!([["#nowhere"], [".row"], ["#link"]])),
            {"type": "click", "selectors": [["#nowhere"], ["pierce/.inside"]]},
            extract("log", json!([["#log"]])),
            {"type": "customStep", "name": "extract", "parameters": {"name": "all", "selectors": [[".row"]], "all": true}},
            {"type": "customStep", "name": "extract", "parameters": {"name": "href", "selectors": [["#link"]], "attribute": "href"}},
            {"type": "customStep", "name": "assertText", "parameters": {"selectors": [["h1"]], "equals": "Order"}},
            {"type": "customStep", "name": "assertText", "parameters": {"selectors": [["h1"]], "contains": "rde"}},
            {"type": "customStep", "name": "assertText", "parameters": {"selectors": [["h1"]], "matches": "^Or.er$"}},
        ]))
        .await;
        let result = result(&report);
        for (name, wanted) in [
            ("css", "Order"),
            ("aria", "Order"),
            ("text", "Go on"),
            ("xpath", "Go on"),
            ("pierce", "Press"),
            ("nested", "Press"),
            ("nested_aria", "Press"),
            ("string", "Go on"),
            ("second", "Go on"),
            ("log", "shadow;"),
            ("href", "/done?by=link"),
        ] {
            assert_eq!(result[name], wanted, "{name}");
        }
        assert_eq!(result["all"], json!(["one", "two", "three"]));
        let second = &report.steps[9];
        assert_eq!(
            (second.selector_used.as_deref(), second.tries, second.rescue),
            (Some("#link"), 3, Some(Rescue::L0))
        );
        let first = &report.steps[6];
        assert_eq!((first.selector_used.as_deref(), first.tries), (Some("my-card >> .inner > button"), 1));
    });
}

#[test]
fn waits_hold_until_what_they_wait_for_is_so() {
    on_chrome(async {
        let bench = Bench::start(|_| {
        html(
            "<ul id=list></ul><p id=later hidden data-state=off>later</p><script>
             let n = 0; const t = setInterval(() => {
               document.getElementById('list').insertAdjacentHTML('beforeend', '<li>x</li>');
               if (++n === 3) { clearInterval(t); const p = document.getElementById('later'); p.hidden = false;
                 p.dataset.state = 'on'; p.innerText = 'now'; window.ready = true; }
             }, 60)</script>",
        )
    })
    .await;
        let report = bench
            .run(json!([
                {"type": "navigate", "url": "{site}/"},
                {"type": "waitForElement", "selectors": [["li"]], "count": 3, "operator": "=="},
                {"type": "waitForElement", "selectors": [["#later"]], "visible": true,
                 "attributes": {"data-state": "on"}, "properties": {"innerText": "now"}},
                {"type": "waitForElement", "selectors": [["#never"]], "visible": false},
                {"type": "waitForElement", "selectors": [["#never"]], "count": 0, "operator": "=="},
                {"type": "waitForExpression", "expression": "window.ready"},
                {"type": "waitForExpression", "expression": "() => window.ready === true"},
            ]))
            .await;
        result(&report);

        let slow = |step: serde_json::Value| json!([{"type": "navigate", "url": "{site}/"}, step]);
        let report = bench
            .run(slow(json!({"type": "waitForElement", "selectors": [["li"]], "count": 9, "timeout": 400})))
            .await;
        assert_fault(&report, FaultClass::Timeout, "timeout.count", 1);
        let report = bench
            .run(slow(json!({"type": "waitForElement", "selectors": [["#nope"]], "timeout": 300})))
            .await;
        assert_fault(&report, FaultClass::Selector, "selector.none", 1);
        let report = bench
        .run(slow(json!({"type": "waitForElement", "selectors": [["#list"]], "attributes": {"class": "on"}, "timeout": 300})))
        .await;
        assert_fault(&report, FaultClass::Timeout, "timeout.property", 1);
        let report = bench
            .run(slow(json!({"type": "waitForExpression", "expression": "false", "timeout": 300})))
            .await;
        assert_fault(&report, FaultClass::Timeout, "timeout.expression", 1);
        let report = bench
            .run(slow(json!({"type": "customStep", "name": "assertText",
            "parameters": {"selectors": [["#later"]], "equals": "never"}, "timeout": 300})))
            .await;
        assert_fault(&report, FaultClass::Business, "business.text", 1);
    });
}

#[test]
fn pictures_network_conditions_environment_and_closing() {
    on_chrome(async {
        use app::model::flow::{Environment, ViewportSize};
        use runner_support::With;

        let bench = Bench::start(|request| {
            let header =
                |name| request.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or("").to_owned();
            html(&format!(
                "<p id=asked>{}|{}|{}</p><p id=seen></p><script>document.getElementById('seen').textContent =
             [innerWidth, innerHeight, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
              (1234.5).toLocaleString()].join('|')</script><div style='height:2000px'></div>",
                header("user-agent"),
                header("accept-language"),
                header("x-extra"),
            ))
        })
        .await;
        let environment = Environment {
            viewport: Some(ViewportSize { width: 640, height: 480 }),
            user_agent: Some("Tester/1".into()),
            locale: Some("de-CH".into()),
            time_zone: Some("Europe/Zurich".into()),
            headers: [("X-Extra".to_owned(), "yes".to_owned())].into(),
        };
        let steps = json!([
            {"type": "emulateNetworkConditions", "download": 1_000_000, "upload": 1_000_000, "latency": 20},
            {"type": "navigate", "url": "{site}/"},
            {"type": "customStep", "name": "extract", "parameters": {"name": "asked", "selectors": [["#asked"]]}},
            {"type": "customStep", "name": "extract", "parameters": {"name": "seen", "selectors": [["#seen"]]}},
            {"type": "customStep", "name": "screenshot", "parameters": {"name": "window"}},
            {"type": "customStep", "name": "screenshot", "parameters": {"name": "page", "full_page": true}},
            {"type": "customStep", "name": "screenshot", "parameters": {"name": "part", "selectors": [["#seen"]]}},
            {"type": "close"},
        ]);
        let report = bench.run_with(steps, With { environment, ..With::default() }).await;
        let result = result(&report);
        assert_eq!(result["asked"], "Tester/1|de-CH,de;q=0.9|yes");
        assert_eq!(result["seen"], "640|480|de-CH|Europe/Zurich|1'234.5");
        let size = |png: &[u8]| {
            let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
            (word(16), word(20))
        };
        let sizes: Vec<_> = report.pictures.iter().map(|picture| size(&picture.png)).collect();
        assert_eq!(sizes[0], (640, 480));
        assert!(sizes[1].1 > 2000 && sizes[2].1 < 100, "{sizes:?}");
        assert_eq!(report.pictures[1].name.as_deref(), Some("page"));
    });
}
