//! What a failed attempt leaves: it shows what happened, holds no secret, and does nothing.

mod runner_support;

use std::io::Read as _;
use std::sync::Arc;

use axum::http::header;
use axum::response::IntoResponse as _;
use parking_lot::Mutex;
use serde_json::json;
use server::evidence::Captured;

use runner_support::{Bench, Site, With, endless, fault, html, on_chrome, raw_html, result};

fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (word(16), word(20))
}

fn dom(evidence: &Captured) -> String {
    String::from_utf8(evidence.dom.clone().expect("a snapshot")).expect("text")
}

/// A policy like the one that snapshots are served with.
const POLICY: &str = "sandbox allow-same-origin; default-src 'none'; img-src data:; font-src data:; \
                      style-src 'unsafe-inline'; frame-ancestors 'self'";

#[test]
fn a_failure_leaves_picture_snapshot_and_trace() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/" => html(
                "<style>p{color:rgb(1,2,3)}</style><p id=said>What the page said</p><input id=name><textarea></textarea>
                 <select><option>a</option><option>b</option></select><input type=checkbox>
                 <my-box></my-box><iframe src='/inner'></iframe><script>console.log('a line', 7);
                 document.querySelector('my-box').attachShadow({mode:'open'}).innerHTML = '<i>in the shadow</i>';
                 fetch('/missing?token=abc').then(() => { throw new Error('went wrong') })</script>",
            ),
            "/inner" => html("<p>in the frame</p>"),
            _ => runner_support::status(404, ""),
        })
        .await;
        let report = bench
            .run(json!([
                {"type": "navigate", "url": "{site}/"},
                {"type": "change", "selectors": [["#name"]], "value": "typed by the flow"},
                {"type": "change", "selectors": [["textarea"]], "value": "more <b>text"},
                {"type": "change", "selectors": [["select"]], "value": "b"},
                {"type": "click", "selectors": [["[type=checkbox]"]]},
                {"type": "click", "selectors": [["#missing"], ["aria/Missing"]]},
            ]))
            .await;
        assert_eq!(fault(&report).step, Some(5));
        let evidence = report.evidence.expect("evidence");
        assert!(size(evidence.screenshot.as_ref().expect("a picture")).0 >= 600);
        let dom = dom(&evidence);
        for part in [
            "What the page said",
            "value=\"typed by the flow\"",
            "more &lt;b&gt;text",
            "selected=\"\">b<",
            "checked=\"\"",
            "<template shadowrootmode=\"open\"><i>in the shadow</i></template>",
            "in the frame",
            "color: rgb(1, 2, 3)",
            "Content-Security-Policy",
        ] {
            assert!(dom.contains(part), "{part} in {dom}");
        }
        let trace = &evidence.trace;
        assert_eq!(trace.steps.len(), 6);
        assert_eq!(trace.steps[5].tries.iter().map(|t| t.matched).collect::<Vec<_>>(), [0, 0]);
        assert!(trace.console.iter().any(|line| line.text == "a line 7" && line.level == "log"));
        assert!(
            trace.console.iter().any(|line| line.level == "exception" && line.text.contains("went wrong"))
        );
        let asked = trace.network.iter().find(|line| line.url.contains("/missing")).expect("the request");
        assert_eq!((asked.status, asked.url.ends_with("?token=•••")), (Some(404), true), "{asked:?}");
    });
}

#[test]
fn a_secret_is_in_no_part_of_the_evidence() {
    on_chrome(async {
        let secret = "s3cret<&>word";
        let bench = Bench::start(|request| match request.uri().path() {
            "/form" => html(
                "<form action=/next><input type=password name=pw><input type=hidden name=csrf value=hidden-value>
                 <input id=plain name=q><p id=said></p><button>Go</button></form>
                 <script>document.querySelector('#plain').oninput = e => {
                   document.getElementById('said').textContent = 'you typed ' + e.target.value;
                   document.getElementById('said').title = e.target.value;
                   console.log('typed', e.target.value, btoa(e.target.value)); }</script>",
            ),
            _ => html(&format!("<p>{}</p>", request.uri().query().unwrap_or_default().replace('<', "&lt;"))),
        })
        .await;
        let steps = json!([
            {"type": "navigate", "url": "{site}/form"},
            {"type": "change", "selectors": [["[name=pw]"]], "value": secret},
            {"type": "change", "selectors": [["#plain"]], "value": secret},
            {"type": "click", "selectors": [["#missing"], [format!("text/{secret} is not here")]]},
        ]);
        let with = With { secrets: vec![secret.to_owned()], ..With::default() };
        let report = bench.run_with(steps.clone(), with).await;
        let evidence = report.evidence.as_ref().expect("evidence");
        let dom = dom(evidence);
        let trace = serde_json::to_string(&evidence.trace).expect("JSON");
        let said = format!("{:?}{:?}", report.outcome, report.steps);
        for text in [&dom, &trace, &said] {
            for form in ["s3cret", "s3cret%3C", "czNjcmV0PCY", "s3cret&lt;"] {
                assert!(!text.contains(form), "{form} in {text}");
            }
        }
        assert!(dom.contains("you typed •••") && !dom.contains("hidden-value"), "{dom}");
        assert!(trace.contains("“•••”"), "what a step types is masked in its words: {trace}");

        // The pictures are the same whatever the secret is, and however long.
        let mut pictures = vec![evidence.screenshot.clone().expect("a picture")];
        let other = "an altogether different and longer one";
        let with = With { secrets: vec![other.to_owned()], ..With::default() };
        let text = steps.to_string().replace(secret, other);
        let report = bench.run_with(serde_json::from_str(&text).expect("steps"), with).await;
        pictures.push(report.evidence.expect("evidence").screenshot.expect("a picture"));
        assert!(pictures[0] == pictures[1], "nothing in a picture tells of a secret");

        // A picture that a step takes hides it too, and the page goes on as it was.
        let with = With { secrets: vec![secret.to_owned()], ..With::default() };
        let report = bench
            .run_with(
                json!([
                    {"type": "navigate", "url": "{site}/form"},
                    {"type": "change", "selectors": [["#plain"]], "value": secret},
                    {"type": "customStep", "name": "screenshot", "parameters": {}},
                    {"type": "click", "selectors": [["button"]]},
                    {"type": "customStep", "name": "extract", "parameters": {"name": "sent", "selectors": [["p"]]}},
                ]),
                with,
            )
            .await;
        assert_eq!(report.pictures.len(), 1);
        assert!(result(&report)["sent"].as_str().expect("text").contains("q=s3cret%3C%26%3Eword"));
    });
}

#[test]
fn a_page_that_is_too_tall_is_shown_in_part_and_says_so() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/tall" => {
                html("<div style='height:30000px;width:10px;background:linear-gradient(red,blue)'></div>")
            }
            _ => html("<div style='height:3000px'></div>"),
        })
        .await;
        let fail = |path: &str| {
            json!([{"type": "navigate", "url": format!("{{site}}{path}")},
                {"type": "click", "selectors": [["#missing"]], "timeout": 100}])
        };
        let evidence = bench.run(fail("/tall")).await.evidence.expect("evidence");
        let note = evidence.trace.screenshot_note.expect("a note");
        assert!(note.starts_with("The page is") && note.contains("30"), "{note}");
        assert!(size(&evidence.screenshot.expect("a picture")).1 < 2_000);
        let evidence = bench.run(fail("/long")).await.evidence.expect("evidence");
        assert_eq!(evidence.trace.screenshot_note, None);
        assert!(size(&evidence.screenshot.expect("a picture")).1 >= 3_000, "all of it");
    });
}

#[test]
fn a_page_that_does_not_answer_still_leaves_its_trace() {
    on_chrome(async {
        let bench =
            Bench::start(|_| html("<p>x</p><script>setTimeout(() => { for (;;); }, 100)</script>")).await;
        let report = bench
            .run(json!([{"type": "navigate", "url": "{site}/"},
                {"type": "waitForElement", "selectors": [["#missing"]], "timeout": 500}]))
            .await;
        let evidence = report.evidence.expect("evidence");
        assert!(evidence.dom.is_none() && evidence.screenshot.is_none());
        assert_eq!((evidence.trace.steps.len(), evidence.trace.network.len()), (2, 1));
    });
}

/// A page that tries everything to run or call out from its snapshot.
fn hostile(evil: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><title></title><script>hit('t')</script>&lt;script&gt;fetch('{evil}/title')&lt;/script&gt;</title>
<base href='{evil}/'><link rel=stylesheet href='{evil}/css'><link rel=prefetch href='{evil}/prefetch'>
<meta http-equiv=refresh content='0;url={evil}/refresh2' media=none>
<style>@import url({evil}/import); body{{background:url({evil}/bg)}} .x::before{{content:u\\72l({evil}/esc)}}</style></head>
<body onload=\"fetch('{evil}/onload')\" background='{evil}/bgattr' style=\"background-image:url('{evil}/inline')\">
<img src='{evil}/img' srcset='{evil}/srcset 2x' onerror=\"fetch('{evil}/onerror')\">
<svg><image href='{evil}/svgimage'/><use href='{evil}/use#a'/><script>fetch('{evil}/svgscript')</script>
<a xlink:href='javascript:fetch(\"{evil}/xlink\")'><text>t</text></a><rect fill='url({evil}/fill#a)' width=5 height=5 /></svg>
<a id=go href='{evil}/link' ping='{evil}/ping'>link</a><form action='{evil}/form'><button formaction='{evil}/fa'>b</button></form>
<iframe src='{evil}/frame'></iframe><iframe srcdoc=\"<img src='{evil}/srcdoc'><script>fetch('{evil}/sd')</script>\"></iframe>
<object data='{evil}/object'></object><embed src='{evil}/embed'><video src='{evil}/video' poster='{evil}/poster'></video>
<noscript><p title=\"</noscript><img src=x onerror=fetch('{evil}/noscript')>\"></noscript>
<textarea></textarea><xmp><script>fetch('{evil}/xmp')</script></xmp><template><img src='{evil}/template'></template>
<p id=text></p><math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=fetch('{evil}/mxss')&gt;\">
</math><script>document.getElementById('text').textContent = '<script>fetch(\"{evil}/text\")<\\/script>';
document.querySelector('textarea').value = '</textarea><script>fetch(\"{evil}/area\")<\\/script>';
document.title = '</title><script>fetch(\"{evil}/title2\")<\\/script>';
document.getElementById('go').setAttribute('data-x', '\"><script>fetch(\"{evil}/attr\")<\\/script>');</script></body></html>"
    )
}

#[test]
fn a_snapshot_of_a_hostile_page_is_inert() {
    on_chrome(async {
        let evil = Site::start(|_| raw_html("")).await;
        let page = hostile(&evil.address);
        let served: Arc<Mutex<String>> = Arc::default();
        let bench = {
            let served = served.clone();
            Bench::start(move |request| match request.uri().path() {
                // Without the header too: what a snapshot is made of must be inert by itself.
                "/bare" => raw_html(served.lock().clone()),
                "/served" => (
                    [(header::CONTENT_TYPE, "text/html"), (header::CONTENT_SECURITY_POLICY, POLICY)],
                    served.lock().clone(),
                )
                    .into_response(),
                "/viewer" => html("<iframe id=v src='/served'></iframe>"),
                "/stuck" => endless("", "text/html"),
                _ => raw_html(page.clone()),
            })
            .await
        };
        let report = bench
            .run(json!([{"type": "navigate", "url": "{site}/"},
                {"type": "click", "selectors": [["#missing"]], "timeout": 300}]))
            .await;
        let evidence = report.evidence.expect("evidence");
        let html = dom(&evidence);
        let policy = html.find("<meta http-equiv=\"Content-Security-Policy\"").expect("a policy");
        // The markup itself, the policy taken away.
        let without = format!(
            "{}<meta {}",
            &html[..policy],
            &html[policy..].replacen("http-equiv", "data-was", 1)[5..]
        );
        for (path, text) in [("/bare", without), ("/served", html.clone()), ("/viewer", html.clone())] {
            served.lock().clone_from(&text);
            evil.forget();
            let report = bench
                .run(json!([
                    {"type": "navigate", "url": format!("{{site}}{path}")},
                    {"type": "waitForExpression", "expression": "document.readyState === 'complete'"},
                    {"type": "waitForExpression", "expression": "document.scripts.length === 0"},
                    // Time for what should not happen.
                    {"type": "waitForElement", "selectors": [["#missing"]], "timeout": 300},
                ]))
                .await;
            assert_eq!(fault(&report).step, Some(3), "{}", fault(&report).message());
            assert_eq!(evil.hits(), Vec::<String>::new(), "{path}: {text}");
        }
    });
}

#[test]
fn what_is_kept_comes_back_and_a_large_page_is_cut() {
    on_chrome(async {
        use server::evidence::{Files, Keep as _};

        let bench = Bench::start(|_| {
            let many = "<p>again and again the same words in a very long page</p>".repeat(70_000);
            html(&many)
        })
        .await;
        let report = bench
            .run(json!([{"type": "navigate", "url": "{site}/", "timeout": 20_000},
                {"type": "click", "selectors": [["#missing"]], "timeout": 100}]))
            .await;
        let dom = report.evidence.expect("evidence").dom.expect("a snapshot");
        assert!(dom.len() < 9_000_000 && String::from_utf8_lossy(&dom).contains("left out"), "{}", dom.len());
        let data = tempfile::tempdir().expect("a folder");
        let files = Files::under(data.path());
        let digest = files.put(dom.clone()).await.expect("kept");
        assert_eq!(files.get(digest).await.expect("there"), dom);
        let mut compressed = Vec::new();
        std::fs::File::open(files.path(digest)).expect("a file").read_to_end(&mut compressed).expect("read");
        assert!(compressed.len() * 10 < dom.len());
    });
}
