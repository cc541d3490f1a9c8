//! What sites, networks and Chrome do to an attempt, and what comes of it.

mod runner_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use app::model::Timestamp;
use app::model::fault::FaultClass;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use server::cdp::ask::tell;
use server::pool::ContextOptions;
use server::runner::{Ended, Reach};

use runner_support::{
    Answer, Bench, Open, Told, With, assert_fault, click, endless, extract, fault, html, navigate, on_chrome,
    redirect, result, status,
};

#[test]
fn dialogs_never_hold_a_page_up() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
        "/load" => html("<script>alert('on load')</script><p>after</p>"),
        "/later" => html("<p>now</p><script>setTimeout(() => { alert('later'); document.title = 'past'; }, 200)</script>"),
        "/chain" => html(
            "<button onclick=\"if (!confirm('sure?')) alert('no'); this.textContent = prompt('name') ?? 'none'\">Ask</button>",
        ),
        "/leave" => html("<input><a href='/load'>go</a><script>onbeforeunload = e => e.preventDefault()</script>"),
        _ => html("home"),
    })
    .await;
        let report = bench
            .run(json!([
                navigate("/load"), extract("load", "p"),
                navigate("/later"), {"type": "waitForExpression", "expression": "document.title === 'past'"},
                navigate("/chain"), click("button"), extract("asked", "button"),
                navigate("/leave"), {"type": "change", "selectors": [["input"]], "value": "x"}, click("a"),
                extract("left", "p"),
            ]))
            .await;
        let result = result(&report);
        assert_eq!(
            (&result["load"], &result["asked"], &result["left"]),
            (&json!("after"), &json!("none"), &json!("after"))
        );

        let report =
            bench.run_with(json!([navigate("/load")]), With { baseline: true, ..With::default() }).await;
        let dialogs = report.evidence.expect("evidence of a success where it is asked for").trace.dialogs;
        assert_eq!((dialogs[0].kind.as_str(), dialogs[0].text.as_str()), ("alert", "on load"));
    });
}

#[test]
fn a_page_that_would_not_leave_is_closed_in_bounded_time() {
    on_chrome(async {
        let bench =
            Bench::start(|_| html("<input><script>onbeforeunload = e => e.preventDefault()</script>")).await;
        let begun = Instant::now();
        let report = bench
        .run(json!([navigate("/"), {"type": "change", "selectors": [["input"]], "value": "x"}, {"type": "close"}]))
        .await;
        result(&report);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    });
}

#[test]
fn pages_that_never_finish_or_never_leave_are_no_wait() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/image" => html("<p>here</p><img src='/endless.png'>"),
            "/stream" => endless("<!DOCTYPE html><title>S</title><p>here</p>", "text/html"),
            "/endless.png" => endless("x", "image/png"),
            "/app" => html(
                "<a href='/two' onclick=\"event.preventDefault(); history.pushState({}, '', '/two');
             document.querySelector('p').textContent = 'two'\">Two</a><p>one</p>",
            ),
            "/hop" => html("<script>location.replace('/instant')</script>"),
            "/instant" => html("<p>instant</p>"),
            _ => html("home"),
        })
        .await;
        let begun = Instant::now();
        let report = bench
            .run(json!([navigate("/image"), extract("a", "p"), navigate("/stream"), extract("b", "p")]))
            .await;
        assert_eq!(result(&report), json!({"a": "here", "b": "here"}));
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());

        let mut link = click("a");
        link["assertedEvents"] = json!([{"type": "navigation", "url": "{site}/two", "title": "Two"}]);
        let report = bench.run(json!([navigate("/app"), link, extract("p", "p")])).await;
        assert_eq!(result(&report), json!({"p": "two"}));
        let report = bench.run(json!([navigate("/hop"), extract("p", "p")])).await;
        assert_eq!(result(&report), json!({"p": "instant"}));

        let report = bench.run(json!([navigate("/stream"), click("#missing")])).await;
        assert_fault(&report, FaultClass::Selector, "selector.none", 1);
        let mut wrong = click("a");
        wrong["assertedEvents"] = json!([{"type": "navigation", "url": "{site}/three"}]);
        let report = bench.run(json!([navigate("/app"), wrong])).await;
        assert_fault(&report, FaultClass::Timeout, "timeout.asserted", 1);
        assert!(fault(&report).message().contains("/two"), "{}", fault(&report).message());
    });
}

fn answers(request: &axum::extract::Request) -> Answer {
    match request.uri().path() {
        "/404" => status(404, "none"),
        "/empty" => (StatusCode::NOT_FOUND, "").into_response(),
        "/500" => status(500, "broken"),
        "/401" => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Basic")], "who").into_response(),
        "/403" => status(403, "no"),
        "/429" => (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "3")], "slow down").into_response(),
        "/503" => (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "3")], "later").into_response(),
        "/loop" => redirect("/loop"),
        "/cookie" if request.headers().contains_key(header::COOKIE) => html("<p>in</p>"),
        "/cookie" => {
            (StatusCode::FOUND, [(header::LOCATION, "/cookie"), (header::SET_COOKIE, "a=1")]).into_response()
        }
        "/link" => html("<a href='/500'>go</a>"),
        "/file" => (
            [(header::CONTENT_TYPE, "application/octet-stream"), (header::CONTENT_DISPOSITION, "attachment")],
            "bytes",
        )
            .into_response(),
        "/to-file" => html("<a href='/file'>get</a>"),
        "/to-local" => redirect("file:///etc/passwd"),
        _ => html("<p>home</p>"),
    }
}

#[test]
fn answers_that_are_no_page_are_faults_of_their_class() {
    on_chrome(async {
        let bench = Bench::start(answers).await;
        for (path, class, code) in [
            ("/404", FaultClass::HttpStatus, "http.status"),
            ("/empty", FaultClass::HttpStatus, "http.status"),
            ("/500", FaultClass::HttpStatus, "http.status"),
            ("/401", FaultClass::Auth, "auth.status"),
            ("/403", FaultClass::Blocked, "blocked.status"),
            ("/loop", FaultClass::Navigation, "navigation.redirect_loop"),
            ("/file", FaultClass::Download, "download.started"),
            ("/to-local", FaultClass::Policy, "policy.scheme"),
        ] {
            let report = bench.run(json!([navigate(path)])).await;
            assert_fault(&report, class, code, 0);
        }
        for path in ["/429", "/503"] {
            let door = Arc::new(Open { until: Some(Timestamp(1_000)), ..Open::default() });
            let report = bench.run_with(json!([navigate(path)]), With { door, ..With::default() }).await;
            assert_fault(&report, FaultClass::Blocked, "blocked.retry_after", 0);
            assert_eq!(report.retry_at, Some(Timestamp(1_000)));
        }
        let report = bench.run(json!([navigate("/link"), click("a")])).await;
        assert_fault(&report, FaultClass::HttpStatus, "http.status", 1);
        assert_eq!(fault(&report).status, Some(500));
        let report = bench.run(json!([navigate("/to-file"), click("a")])).await;
        assert_fault(&report, FaultClass::Download, "download.started", 1);
        let report = bench.run(json!([navigate("/cookie"), extract("p", "p")])).await;
        assert_eq!(result(&report), json!({"p": "in"}));
    });
}

#[test]
fn an_expected_status_is_no_fault_and_another_is() {
    on_chrome(async {
        let bench = Bench::start(answers).await;
        let expect =
            |list: Value| json!({"type": "customStep", "name": "expectStatus", "parameters": {"in": list}});
        let report = bench
            .run(json!([navigate("/404"), expect(json!([200, 404])), navigate("/"), extract("p", "p")]))
            .await;
        assert_eq!(result(&report), json!({"p": "home"}));
        let report = bench.run(json!([navigate("/link"), click("a"), expect(json!([500]))])).await;
        result(&report);
        let report = bench.run(json!([navigate("/empty"), expect(json!([404]))])).await;
        result(&report);
        let report = bench.run(json!([navigate("/"), expect(json!([404]))])).await;
        assert_fault(&report, FaultClass::HttpStatus, "http.unexpected", 1);
        let report = bench.run(json!([navigate("/403"), expect(json!([200]))])).await;
        assert_fault(&report, FaultClass::Blocked, "blocked.status", 1);
    });
}

#[test]
fn addresses_that_cannot_be_reached_are_told_by_the_proxys_judgement() {
    on_chrome(async {
        let bench = Bench::start(|_| html("home")).await;
        let closed = {
            let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
            free.local_addr().expect("an address").port()
        };
        let go = |url: String| json!([{"type": "navigate", "url": url}]);
        let report = bench.run(go(format!("http://127.0.0.1:{closed}/"))).await;
        assert_fault(&report, FaultClass::Navigation, "navigation.refused", 0);
        let report = bench.run(go("http://nowhere.invalid/".to_owned())).await;
        assert_fault(&report, FaultClass::Navigation, "navigation.dns", 0);
        let door = Arc::new(Open::default());
        door.reach
            .lock()
            .insert("127.0.0.1".into(), Reach::Refused { why: "it is a loopback address".into() });
        let report =
            bench.run_with(go(format!("http://127.0.0.1:{closed}/")), With { door, ..With::default() }).await;
        assert_fault(&report, FaultClass::Policy, "policy.address", 0);
    });
}

#[test]
fn the_door_holds_documents_and_no_timeout_runs_meanwhile() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/page" => html("<iframe src='/inner'></iframe><img src='/pixel'><a href='/again'>again</a>"),
            "/moved" => redirect("/page"),
            _ => html("<p>home</p>"),
        })
        .await;
        let door = Arc::new(Open { wait: Duration::from_millis(1_200), ..Open::default() });
        let with = With { door: door.clone(), timeout: Duration::from_secs(2), ..With::default() };
        let report = bench.run_with(json!([navigate("/moved"), click("a"), extract("p", "p")]), with).await;
        assert_eq!(result(&report), json!({"p": "home"}));
        let passed: Vec<String> =
            door.passed.lock().iter().map(|url| url.replace(&bench.site.address, "")).collect();
        assert_eq!(passed, ["/moved", "/again"], "main documents only, and no hop within the site");
        assert!(report.gate_ms >= 2_400 && report.run_ms < 2_000, "{} {}", report.gate_ms, report.run_ms);

        bench.site.forget();
        let door = Arc::new(Open { shut: true, ..Open::default() });
        let report = bench.run_with(json!([navigate("/page")]), With { door, ..With::default() }).await;
        assert!(matches!(report.outcome, Ended::Returned(_)), "{:?}", report.outcome);
        assert_eq!(bench.site.hits(), Vec::<String>::new());
    });
}

#[test]
fn a_hop_to_another_site_waits_at_the_door_too() {
    on_chrome(async {
        let other = runner_support::Site::start(|_| html("<p>there</p>")).await;
        let to = other.address.clone();
        let bench = Bench::start(move |_| redirect(&to)).await;
        let door = Arc::new(Open::default());
        let report = bench
            .run_with(
                json!([navigate("/"), extract("p", "p")]),
                With { door: door.clone(), ..With::default() },
            )
            .await;
        assert_eq!(result(&report), json!({"p": "there"}));
        assert_eq!(*door.passed.lock(), [format!("{}/", bench.site.address), format!("{}/", other.address)]);
    });
}

#[test]
fn crashes_losses_timeouts_and_cancels_end_an_attempt_soon() {
    on_chrome(async {
        let bench = Bench::start(|request| match request.uri().path() {
            "/busy" => html("<p>x</p><script>setTimeout(() => { for (;;); }, 50)</script>"),
            _ => html("<p>home</p>"),
        })
        .await;
        let forever = json!({"type": "waitForExpression", "expression": "false", "timeout": 60_000});
        let begun = Instant::now();

        let short = With { timeout: Duration::from_secs(2), ..With::default() };
        let report = bench.run_with(json!([navigate("/"), forever]), short).await;
        assert_fault(&report, FaultClass::Timeout, "timeout.task", 1);

        let report = bench
            .run(json!([navigate("/busy"), {"type": "waitForElement", "selectors": [["#nothing"]]}]))
            .await;
        let busy = fault(&report);
        assert_eq!(busy.class, FaultClass::Timeout, "{}", busy.message());

        let cancel = tokio_util::sync::CancellationToken::new();
        let with = With { cancel: cancel.clone(), ..With::default() };
        let steps = json!([navigate("/"), forever]);
        let run = bench.run_with(steps, with);
        let stop = async {
            while bench.site.count("GET /") < 2 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            cancel.cancel();
        };
        let (report, ()) = tokio::join!(run, stop);
        assert_eq!(report.outcome, Ended::Cancelled);
        assert!(report.evidence.is_none());

        assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    });
}

#[test]
fn a_crashed_renderer_and_a_lost_instance_are_told_apart_and_soon() {
    on_chrome(async {
        use runner_support::{Site, crash_pages, pool};

        let ((pool, _data), site) = tokio::join!(pool("auto"), Site::start(|_| html("<p>home</p>")));
        let bench = Bench { pool, site };
        let forever = json!({"type": "waitForExpression", "expression": "false", "timeout": 60_000});
        let begun = Instant::now();
        let waits = |told: Arc<Told>| async move {
            while !told.steps.lock().contains(&1) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let told = Arc::new(Told::default());
        let with = With { told: told.clone(), ..With::default() };
        let crash = async {
            waits(told.clone()).await;
            let lease = bench.pool.open_context(ContextOptions::default()).await.expect("a context");
            crash_pages(lease.connection(), &bench.site.address).await;
            lease.close().await;
        };
        let (report, ()) = tokio::join!(bench.run_with(json!([navigate("/"), forever]), with), crash);
        assert_fault(&report, FaultClass::RendererCrash, "renderer.crashed", 1);
        let evidence = report.evidence.expect("evidence");
        assert!(evidence.screenshot.is_none() && !evidence.trace.network.is_empty());

        let report = bench.run(json!([navigate("/"), extract("p", "p")])).await;
        assert_eq!(result(&report), json!({"p": "home"}), "the instance goes on");
        let told = Arc::new(Told::default());
        let with = With { told: told.clone(), ..With::default() };
        let kill = async {
            waits(told.clone()).await;
            let lease = bench.pool.open_context(ContextOptions::default()).await.expect("a context");
            lease.connection().root().tell(tell("Browser.crash", json!({}))).expect("sent");
            lease.close().await;
        };
        let (report, ()) = tokio::join!(bench.run_with(json!([navigate("/"), forever]), with), kill);
        assert_eq!(fault(&report).class, FaultClass::InstanceLost);
        assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    });
}
