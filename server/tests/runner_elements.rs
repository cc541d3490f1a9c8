//! What pages do under a step's hands, and what comes of it.

mod runner_support;

use std::sync::Arc;

use app::model::fault::FaultClass;
use serde_json::{Value, json};

use runner_support::{
    Bench, Told, With, assert_fault, at_frame, at_target, click, extract, fault, html, navigate, on_chrome,
    redirect, result,
};

#[test]
fn an_element_that_cannot_be_used_is_told_with_its_reason() {
    on_chrome(async {
        let bench = Bench::start(|_| {
        html(
            "<button id=buy>Buy</button><button id=off disabled>Off</button><p class=many>a</p><p class=many>b</p>
             <button id=none style='display:none'>None</button>
             <label><input type=checkbox id=box style='opacity:0;position:absolute'> <b>Agree</b></label>
             <button id=run style='position:absolute;left:0;top:300px'>Run</button>
             <div id=read>text</div>
             <div id=banner style='position:fixed;left:0;top:0;width:100%;height:100px;background:#ff0'>We use cookies</div>
             <script>let x = 0; setInterval(() => { document.getElementById('run').style.left = (x = (x + 7) % 300) + 'px' }, 5)
             </script>",
        )
    })
    .await;
        let try_one = |step: Value| json!([navigate("/"), step]);
        let report = bench.run(try_one(click("#buy"))).await;
        assert_fault(&report, FaultClass::Selector, "selector.covered", 1);
        assert!(
            fault(&report).message().contains("<div id=\"banner\"> “We use cookies”"),
            "{}",
            fault(&report).message()
        );
        for (step, code) in [
            (click("#off"), "selector.disabled"),
            (click("#none"), "selector.invisible"),
            (click(".many"), "selector.many"),
            (click("#run"), "selector.moving"),
            (click("p:::"), "selector.bad"),
            (click("#nothing"), "selector.none"),
            (json!({"type": "change", "selectors": [["#read"]], "value": "x"}), "selector.not_editable"),
            (at_frame(click("#buy"), &[3]), "selector.frame"),
            (at_target(click("#buy"), "/other"), "selector.target"),
        ] {
            let report = bench.run(try_one(step)).await;
            assert_fault(&report, FaultClass::Selector, code, 1);
        }
        let under = json!([
            navigate("/"),
            {"type": "waitForExpression", "expression": "document.getElementById('banner').style.display = 'none'"},
            click("#box"),
            {"type": "customStep", "name": "extract",
             "parameters": {"name": "box", "selectors": [["#box"]], "property": "checked"}},
        ]);
        assert_eq!(result(&bench.run(under).await), json!({"box": true}), "its label may lie over a box");
    });
}

#[test]
fn popups_frames_and_shadow_roots_are_reached() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
        "/opener" => html("<a href='/popup' target=_blank>blank</a><button onclick=\"window.open('/other?x=1')\">open</button>"),
        "/popup" => html("<p>popup</p><button onclick=\"this.textContent='pressed'\">Press</button>"),
        "/other" => html("<p>other</p>"),
        "/frames" => html(
            "<div style='height:900px'></div><iframe src='/inner' style='margin:30px;padding:5px;border:7px solid'></iframe>
             <iframe src='/second'></iframe>",
        ),
        "/inner" => html("<iframe src='/innermost' width=200 height=100></iframe>"),
        "/innermost" => html("<button onclick=\"this.textContent='inside'\">Deep</button><input>"),
        "/second" => html("<p id=second>second</p>"),
        _ => html("home"),
    })
    .await;
        let report = bench
            .run(json!([
                navigate("/opener"),
                click("a"),
                at_target(click("button"), "/popup"),
                at_target(extract("popup", "button"), "/popup"),
                click("button"),
                at_target(extract("other", "p"), "/other?x=1"),
                at_target(json!({"type": "close"}), "/popup"),
            ]))
            .await;
        assert_eq!(result(&report), json!({"popup": "pressed", "other": "other"}));

        let report = bench
        .run(json!([
            navigate("/frames"),
            at_frame(click("button"), &[0, 0]), at_frame(extract("deep", "button"), &[0, 0]),
            at_frame(json!({"type": "change", "selectors": [["input"]], "value": "typed"}), &[0, 0]),
            at_frame(json!({"type": "customStep", "name": "extract",
                "parameters": {"name": "typed", "selectors": [["input"]], "property": "value"}}), &[0, 0]),
            at_target(extract("second", "p"), "/second"),
            at_frame(json!({"type": "waitForExpression", "expression": "document.body.innerText.includes('second')"}), &[1]),
        ]))
        .await;
        assert_eq!(result(&report), json!({"deep": "inside", "typed": "typed", "second": "second"}));

        let report = bench.run(json!([navigate("/frames"), click("#second")])).await;
        assert_fault(&report, FaultClass::Selector, "selector.in_frame", 1);
        assert!(fault(&report).message().contains("[1]"), "{}", fault(&report).message());
    });
}

#[test]
fn a_frame_of_another_site_is_reached_in_its_own_process_too() {
    on_chrome(async {
        use runner_support::{Site, chrome_with, pool};

        let inner = Site::start(|_| {
        html("<button onclick=\"this.textContent='inside'\">Deep</button><p style='height:2000px'></p><a href='#x'>x</a>")
    })
    .await;
        // Another site by its name, on the same machine.
        let port = inner.address.rsplit(':').next().expect("a port").to_owned();
        let frame = format!("http://localhost:{port}/");
        let page =
            format!("<div style='height:700px'></div><iframe src='{frame}' style='margin:9px'></iframe>");
        let folder = tempfile::tempdir().expect("a folder");
        for binary in ["auto".to_owned(), chrome_with(folder.path(), "--site-per-process")] {
            let page = page.clone();
            let ((pool, _data), site) = tokio::join!(pool(&binary), Site::start(move |_| html(&page)));
            let bench = Bench { pool, site };
            let mut press = click("button");
            press["target"] = json!(frame);
            let report =
                bench.run(json!([navigate("/"), press, at_frame(extract("deep", "button"), &[0])])).await;
            assert_eq!(result(&report), json!({"deep": "inside"}), "{binary}");
            bench.pool.shutdown().await;
        }
    });
}

#[test]
fn a_redirect_under_an_action_is_followed_and_a_submit_is_never_repeated() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/start" => html("<p>old</p><script>setTimeout(() => location.href = '/next', 150)</script>"),
            "/next" => html("<form method=post action=/send><button>Go</button></form>"),
            "/send" => redirect("/sent"),
            "/sent" => html("<script>setTimeout(() => location.href = '/final', 50)</script><p>sent</p>"),
            "/final" => html("<p id=final>final</p>"),
            _ => html("home"),
        })
        .await;
        let told = Arc::new(Told::default());
        let with = With { told: told.clone(), ..With::default() };
        let report = bench
            .run_with(json!([navigate("/start"), click("button"), extract("final", "#final")]), with)
            .await;
        assert_eq!(result(&report), json!({"final": "final"}));
        assert_eq!(bench.site.count("POST /send"), 1);
        assert_eq!((report.critical_step, told.critical.lock().clone()), (Some(1), vec![1]));
    });
}

#[test]
fn a_critical_step_is_recorded_before_it_is_sent() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/form" => html(
                "<form method=post action=/send><input name=q><button>Post</button></form>
             <form method=get action=/got><button id=get>Get</button></form>",
            ),
            _ => html("<p>done</p>"),
        })
        .await;
        let post = |step: Value| json!([navigate("/form"), step]);
        let refuse = || With { told: Arc::new(Told { refuse: true, ..Told::default() }), ..With::default() };

        let report = bench.run_with(post(click("form button")), refuse()).await;
        assert_fault(&report, FaultClass::Selector, "selector.many", 1);
        let report = bench.run_with(post(click("aria/Post")), refuse()).await;
        assert_fault(&report, FaultClass::Internal, "internal", 1);
        assert_eq!((bench.site.count("POST /send"), report.critical_step), (0, None));

        let enter = json!([navigate("/form"), {"type": "change", "selectors": [["input"]], "value": "x"},
        {"type": "keyDown", "key": "Enter"}, {"type": "keyUp", "key": "Enter"}]);
        let report = bench.run_with(enter.clone(), refuse()).await;
        assert_fault(&report, FaultClass::Internal, "internal", 2);
        assert_eq!(bench.site.count("POST /send"), 0);
        let report = bench.run(enter).await;
        result(&report);
        assert_eq!((bench.site.count("POST /send"), report.critical_step), (1, Some(2)));

        let mut off = click("aria/Post");
        off["critical"] = json!(false);
        let report = bench.run_with(post(off), refuse()).await;
        result(&report);
        let mut on = click("#get");
        on["critical"] = json!(true);
        let report = bench.run(post(on)).await;
        assert_eq!(report.critical_step, Some(1));
        let report = bench.run_with(post(click("#get")), refuse()).await;
        result(&report);
    });
}

#[test]
fn a_value_that_the_page_wipes_is_filled_again_or_not_sent() {
    on_chrome(async {
        let hydrate = |wipe: &str| {
            format!(
            "<form method=post onsubmit=\"this.action='/send?q='+this.q.value\"><input name=q><button type=button id=peek>Peek</button><button>Go</button></form>
             <script>{wipe}</script>"
        )
        };
        let once = hydrate(
            "setTimeout(() => { document.querySelector('input').value = ''; document.title = 'wiped' }, 400)",
        );
        let always =
            hydrate("document.querySelector('input').addEventListener('input', e => e.target.value = '')");
        let at_once = hydrate(
            "let n = 0; document.querySelector('input').addEventListener('input', e => { if (n++ === 0) e.target.value = '' })",
        );
        let bench = Bench::start(move |request| match request.uri().path() {
            "/once" => html(&once),
            "/always" => html(&always),
            "/at-once" => html(&at_once),
            "/send" => html("<p>sent</p>"),
            _ => html("home"),
        })
        .await;
        let fill = json!({"type": "change", "selectors": [["input"]], "value": "ada"});
        let wiped = json!({"type": "waitForExpression", "expression": "document.title === 'wiped'"});
        let go = click("aria/Go");
        let report = bench.run(json!([navigate("/once"), fill, wiped, go, extract("p", "p")])).await;
        assert_eq!(result(&report), json!({"p": "sent"}));
        let report = bench.run(json!([navigate("/at-once"), fill, go, extract("p", "p")])).await;
        assert_eq!(result(&report), json!({"p": "sent"}));

        assert_eq!(bench.site.count("POST /send?q=ada"), 2);

        bench.site.forget();
        let report = bench.run(json!([navigate("/always"), fill, go])).await;
        assert_fault(&report, FaultClass::Selector, "selector.value_lost", 1);
        assert!(bench.site.hits().iter().all(|hit| !hit.contains("/send")), "nothing blank is sent");
    });
}
