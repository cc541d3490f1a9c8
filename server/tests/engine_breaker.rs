//! Circuit breakers on the real thing: a whole engine with real Chrome on practice sites that fail.

mod support;

use std::time::Duration;

use app::{
    api::room::{Fleet, Live, LiveFilter, LiveItem, Tasks},
    model::{
        breaker::{BreakerSetting, BreakerState, BreakerView, SetBreaker},
        event::Topic,
        page::PageQuery,
        problem::AppError,
        task::{FlowInput, NewTask, Task, TaskState, WaitKind},
    },
};
use futures::StreamExt;
use serde_json::{Value, json};
use server::{config::Settings, engine::Engine};
use support::{Site, caller, engine, operator, recording, settings, settled, submit_new};
use tempfile::TempDir;
use uuid::Uuid;

/// A breaker that opens at the second failure, and tasks that are tried once.
fn quick(dir: &TempDir, sites: &[&Site]) -> Settings {
    let mut settings = settings(dir.path(), sites[0]);
    settings.egress.allow = sites.iter().map(|site| site.address.to_string()).collect();
    settings.queue.attempts = 1;
    settings.breaker.window = 4;
    settings.breaker.min = 2;
    settings.breaker.open_s = 1;
    settings.breaker.half_open_s = 30;
    settings
}

/// A site's key.
fn key(site: &Site) -> String {
    site.address.to_string()
}

async fn submit(engine: &Engine, site: &Site, path: &str) -> Uuid {
    submit_new(engine, NewTask::of(FlowInput::Recording(recording(path, &site.url(path), &[])))).await
}

async fn breaker(engine: &Engine, site: Option<&Site>) -> BreakerView {
    engine.breaker(&operator(), site.map(key)).await.expect("a breaker")
}

async fn set(engine: &Engine, site: Option<&Site>, state: BreakerSetting) -> BreakerView {
    let set = SetBreaker { domain: site.map(key), state, reason: "it is being rebuilt".to_owned() };
    engine.set_breaker(&operator(), set).await.expect("it is set")
}

async fn task(engine: &Engine, id: Uuid) -> Task {
    engine.task(&operator(), id).await.expect("a task")
}

async fn waits_on(engine: &Engine, id: Uuid) -> (WaitKind, String) {
    let waits = task(engine, id).await.waiting_on.expect("it waits");
    (waits.kind, waits.detail)
}

/// Follows a breaker on the live stream until it is as wanted.
async fn breaker_until(
    engine: &Engine,
    site: Option<&Site>,
    wanted: impl Fn(&BreakerView) -> bool,
) -> BreakerView {
    let filter = LiveFilter { topics: vec![Topic::Breaker], ..LiveFilter::default() };
    let mut stream = engine.live(&operator(), filter).await.expect("a stream");
    let found = async {
        while let Some(item) = stream.next().await {
            let LiveItem::Event(event) = item else { continue };
            let view: BreakerView = serde_json::from_str(&event.data).expect("a breaker");
            assert_eq!(event.thing, view.domain);
            if view.domain == site.map(key) && wanted(&view) {
                return view;
            }
        }
        panic!("the stream ended");
    };
    match tokio::time::timeout(Duration::from_secs(60), found).await {
        Ok(view) => view,
        Err(_) => panic!("not as wanted: {:#?}", breaker(engine, site).await),
    }
}

/// When a site was asked for a path, in Unix milliseconds, by its own log.
async fn hits(site: &Site, path: &'static str) -> Vec<i64> {
    let log = site.url("/control/log.json");
    let read = move || {
        let mut answer = ureq::get(&log).call().expect("the site answers");
        answer.body_mut().read_json::<Value>().expect("a log")
    };
    let log = tokio::task::spawn_blocking(read).await.expect("no panic");
    let entries = log["entries"].as_array().expect("entries").iter();
    entries
        .filter(|entry| entry["path"] == path)
        .map(|entry| entry["at_ms"].as_i64().expect("a time"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn half_open_lets_exactly_its_probe_reach_the_site_until_it_is_over() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let mut settings = quick(&dir, &[&site]);
    settings.breaker.open_s = 3;
    let engine = engine(settings).await;
    for _ in 0..2 {
        let failed = submit(&engine, &site, "/trouble/error").await;
        assert_eq!(settled(&engine, failed).await.state, TaskState::Escalated);
    }
    let open = breaker(&engine, Some(&site)).await;
    assert_eq!(
        (open.state, open.reason.as_deref()),
        (BreakerState::Open, Some("2 of the last 2 attempts failed"))
    );
    let gate = engine.gates(&operator(), PageQuery::default()).await.expect("gates").items.remove(0);
    assert_eq!((gate.domain, gate.breaker.state), (key(&site), BreakerState::Open));

    // The first in the lane is a probe that fails; behind it wait many that would succeed.
    let fails = submit(&engine, &site, "/trouble/error").await;
    let mut waiting = Vec::new();
    for _ in 0..50 {
        waiting.push(submit(&engine, &site, "/trouble/slow").await);
    }
    assert_eq!(settled(&engine, fails).await.state, TaskState::Escalated);
    let again = breaker(&engine, Some(&site)).await;
    assert_eq!(again.state, BreakerState::Open, "the failed probe opens it again");
    assert!(again.until.expect("a time").since(again.since) == 6_000, "for twice as long: {again:?}");
    assert_eq!(hits(&site, "/trouble/error").await.len(), 3);
    assert!(hits(&site, "/trouble/slow").await.is_empty(), "nobody else has reached the site");
    let (kind, detail) = waits_on(&engine, waiting[49]).await;
    assert_eq!((kind, detail), (WaitKind::SiteBreaker, format!("the breaker of {} is open", key(&site))));

    breaker_until(&engine, Some(&site), |view| view.state == BreakerState::HalfOpen && view.probes == 1)
        .await;
    let (kind, detail) = waits_on(&engine, waiting[49]).await;
    assert!(kind == WaitKind::SiteBreaker && detail.contains("half-open"), "{kind:?} {detail}");
    let closed = breaker_until(&engine, Some(&site), |view| view.state == BreakerState::Closed).await;
    for id in &waiting[..3] {
        assert_eq!(settled(&engine, *id).await.state, TaskState::Succeeded);
    }
    let hits = hits(&site, "/trouble/slow").await;
    let early = hits.iter().filter(|at| **at < closed.since.0).count();
    assert_eq!(early, 1, "the one probe, and then the others: {hits:?}, closed at {}", closed.since.0);
    for id in &waiting[3..] {
        engine.cancel(&operator(), *id).await.expect("cancelled");
    }
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_site_that_fails_stops_no_other_and_what_is_nobodys_fault_counts_nowhere() {
    let (dir, broken, missing, well) = (
        tempfile::tempdir().expect("a folder"),
        Site::start().await,
        Site::start().await,
        Site::start().await,
    );
    let mut settings = quick(&dir, &[&broken, &missing, &well]);
    settings.breaker.open_s = 60;
    let engine = engine(settings).await;
    let (mut failing, mut gone, mut healthy) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        failing.push(submit(&engine, &broken, "/trouble/error").await);
        gone.push(submit(&engine, &missing, "/trouble/gone").await);
        healthy.push(submit(&engine, &well, "/help").await);
    }
    for id in healthy {
        assert_eq!(settled(&engine, id).await.state, TaskState::Succeeded);
    }
    for id in gone {
        assert_eq!(settled(&engine, id).await.state, TaskState::Escalated, "every one of them ran");
    }
    assert_eq!(breaker(&engine, Some(&broken)).await.state, BreakerState::Open);
    let untouched = breaker(&engine, Some(&missing)).await;
    assert_eq!((untouched.state, untouched.window.total), (BreakerState::Closed, 0));
    let fleet = breaker(&engine, None).await;
    assert_eq!((fleet.state, fleet.window.failed), (BreakerState::Closed, 0));
    assert!(fleet.window.total >= 4, "success is good for the fleet too");
    let shut = engine.breakers(&operator()).await.expect("breakers");
    assert_eq!(shut.iter().map(|one| one.domain.clone()).collect::<Vec<_>>(), [None, Some(key(&broken))]);
    let mut held = 0;
    for id in failing {
        let task = task(&engine, id).await;
        held += usize::from(task.waiting_on.is_some_and(|waits| waits.kind == WaitKind::SiteBreaker));
    }
    assert!((1..=3).contains(&held), "the others had begun before it opened: {held}");
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fleets_breaker_opens_when_sites_fail_together_and_closes_by_a_probe() {
    let (dir, one, two, well) = (
        tempfile::tempdir().expect("a folder"),
        Site::start().await,
        Site::start().await,
        Site::start().await,
    );
    let mut settings = quick(&dir, &[&one, &two, &well]);
    settings.breaker.sites = 2;
    settings.breaker.open_s = 3;
    let engine = engine(settings).await;
    for site in [&one, &two] {
        for _ in 0..2 {
            let failed = submit(&engine, site, "/trouble/error").await;
            settled(&engine, failed).await;
        }
    }
    let fleet = breaker(&engine, None).await;
    assert_eq!(fleet.state, BreakerState::Open);
    assert!(
        fleet.reason.as_deref().is_some_and(|why| why.starts_with("2 sites failed together")),
        "{fleet:?}"
    );
    let overview = engine.overview(&operator()).await.expect("an overview");
    assert_eq!(overview.breaker.state, BreakerState::Open);
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(submit(&engine, &well, "/trouble/slow?ms=1000").await);
    }
    let waits = task(&engine, waiting[0]).await.waiting_on.expect("it waits");
    assert_eq!((waits.kind, waits.until), (WaitKind::Breaker, fleet.until));
    let closed = breaker_until(&engine, None, |view| view.state == BreakerState::Closed).await;
    for id in waiting {
        assert_eq!(settled(&engine, id).await.state, TaskState::Succeeded);
    }
    let hits = hits(&well, "/trouble/slow").await;
    assert!(hits[0] >= fleet.until.expect("a time").0, "nothing begins while it is open");
    assert_eq!(hits.iter().filter(|at| **at < closed.since.0).count(), 1, "one probe for the fleet");
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_breaker_is_set_by_hand_with_a_reason_and_holds_over_a_restart() {
    let (dir, site, other) =
        (tempfile::tempdir().expect("a folder"), Site::start().await, Site::start().await);
    let mut settings = quick(&dir, &[&site, &other]);
    settings.breaker.open_s = 600;
    let first = engine(settings.clone()).await;
    let open = set(&first, Some(&site), BreakerSetting::Open).await;
    assert_eq!((open.state, open.by.as_deref()), (BreakerState::Open, Some("test")));
    assert_eq!(open.reason.as_deref(), Some("it is being rebuilt"));
    let held = submit(&first, &site, "/help").await;
    let free = submit(&first, &other, "/help").await;
    assert_eq!(settled(&first, free).await.state, TaskState::Succeeded);
    assert_eq!(waits_on(&first, held).await.0, WaitKind::SiteBreaker);
    let fleet = set(&first, None, BreakerSetting::Open).await;
    assert_eq!((fleet.state, fleet.domain), (BreakerState::Open, None));
    let nowhere = NewTask::of(FlowInput::Recording(json!({"title": "nowhere", "steps": []})));
    let nowhere = submit_new(&first, nowhere).await;
    assert_eq!(waits_on(&first, nowhere).await.0, WaitKind::Breaker);
    assert_eq!(waits_on(&first, held).await.0, WaitKind::Breaker, "the fleet's comes first");
    first.stop(Duration::from_secs(5)).await;

    let second = engine(settings).await;
    assert_eq!(breaker(&second, Some(&site)).await, open);
    assert_eq!(breaker(&second, None).await.state, BreakerState::Open);
    set(&second, None, BreakerSetting::Closed).await;
    assert_eq!(settled(&second, nowhere).await.state, TaskState::Succeeded, "it has no site to mind");
    assert_eq!(waits_on(&second, held).await.0, WaitKind::SiteBreaker);
    set(&second, Some(&site), BreakerSetting::Closed).await;
    assert_eq!(settled(&second, held).await.state, TaskState::Succeeded);
    second.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_setting_is_named_by_its_place() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(quick(&dir, &[&site])).await;
    let places = |error: AppError| match error {
        AppError::BadInput { errors } => errors.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let bad = |domain: &str, reason: &str| SetBreaker {
        domain: Some(domain.to_owned()),
        state: BreakerSetting::Open,
        reason: reason.to_owned(),
    };
    let refused = engine.set_breaker(&operator(), bad("not a site", "  ")).await.expect_err("refused");
    assert_eq!(places(refused), ["/reason", "/domain"]);
    let refused = engine.breaker(&operator(), Some("a/b".to_owned())).await.expect_err("refused");
    assert_eq!(places(refused), ["domain"]);
    let viewer =
        engine.set_breaker(&caller(app::model::caller::Role::Viewer), bad("shop.example", "r")).await;
    assert!(matches!(viewer, Err(AppError::Forbidden { .. })));
    let set = engine.set_breaker(&operator(), bad("HTTPS://Shop.Example.:443/", "r")).await.expect("set");
    assert_eq!(set.domain.as_deref(), Some("shop.example"), "one key for every spelling");
    engine.stop(Duration::from_secs(5)).await;
}
