//! Tasks from submission to their end, with real Chrome on the practice site.

mod support;

use std::time::Duration;

use app::{
    api::room::Tasks,
    model::{
        attempt::Outcome,
        caller::Role,
        evidence::{EvidenceKind, Trace},
        fault::FaultClass,
        problem::AppError,
        task::{FlowInput, NewTask, ParameterValue, RetryEdits, TaskState, WaitKind},
    },
};
use serde_json::json;
use support::{Site, caller, engine, operator, recording, settings, settled, submit, submit_new, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_runs_and_its_result_is_on_the_task() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let mut new = NewTask::of(FlowInput::Recording(site.example("search-and-extract.json")));
    new.parameters.insert("query".to_owned(), ParameterValue::from("lamp"));
    let id = submit_new(&engine, new).await;
    let task = settled(&engine, id).await;
    assert_eq!(task.state, TaskState::Succeeded, "{task:#?}");
    let result = task.result.expect("a result");
    let lists: Vec<_> =
        result.as_object().expect("names").values().filter_map(|value| value.as_array()).collect();
    assert!(!lists.is_empty() && lists.iter().all(|list| !list.is_empty()), "{result}");
    let attempts = task.attempts.expect("attempts");
    assert_eq!((attempts.len(), attempts[0].outcome), (1, Some(Outcome::Succeeded)));
    assert!(attempts[0].steps.len() > 3 && attempts[0].timing.run_ms > 0, "{attempts:#?}");
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_leaves_evidence_and_waits_for_a_person() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let click = json!({"type": "click", "selectors": [["#no-such-button"]], "timeout": 500});
    let id = submit(&engine, recording("missing", &site.url("/"), &[click])).await;
    let task = settled(&engine, id).await;
    let fault = task.fault.expect("a fault");
    assert_eq!((task.state, fault.class, fault.step), (TaskState::Escalated, FaultClass::Selector, Some(1)));
    let attempt = &task.attempts.expect("attempts")[0];
    assert_eq!(attempt.evidence, EvidenceKind::ALL);
    let reviewer = caller(Role::Reviewer);
    let png = engine.evidence(&reviewer, attempt.id, EvidenceKind::Screenshot).await.expect("a screenshot");
    assert!(png.starts_with(b"\x89PNG"));
    let dom = engine.evidence(&reviewer, attempt.id, EvidenceKind::Dom).await.expect("a snapshot");
    assert!(!String::from_utf8_lossy(&dom).contains("<script"));
    let trace = engine.evidence(&reviewer, attempt.id, EvidenceKind::Trace).await.expect("a trace");
    let trace: Trace = serde_json::from_slice(&trace).expect("a trace");
    assert_eq!(trace.steps.last().expect("a step").tries[0].chain, "#no-such-button");
    let viewer = engine.evidence(&caller(Role::Viewer), attempt.id, EvidenceKind::Dom).await;
    assert!(matches!(viewer, Err(AppError::Forbidden { .. })));

    let released = engine.release(&operator(), id).await.expect("released");
    assert_eq!((released.state, released.attempts_spent), (TaskState::Queued, 0));
    let again = settled(&engine, id).await;
    assert_eq!(again.attempts.expect("attempts").iter().map(|a| a.number).collect::<Vec<_>>(), [1, 2]);
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_submission_is_named_by_its_place() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let places = |error: AppError| match error {
        AppError::BadInput { errors } => errors.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let bad = json!({"title": "t", "steps": [{"type": "click"}, {"type": "fly"}]});
    let mut new = NewTask::of(FlowInput::Recording(bad));
    new.priority = Some(10);
    let error = engine.submit(&operator(), new).await.expect_err("refused");
    assert_eq!(places(error), ["/priority", "/flow/steps/0/selectors", "/flow/steps/1/type"]);
    let asks = recording("asks", &site.url("/?q={{query}}"), &[]);
    let mut new = NewTask::of(FlowInput::Recording(asks));
    new.parameters.insert("colour".to_owned(), ParameterValue::from("red"));
    let error = engine.submit(&operator(), new).await.expect_err("refused");
    assert_eq!(places(error), ["/parameters/query", "/parameters/colour"]);
    let error = engine
        .submit(&operator(), NewTask::of(FlowInput::Name("none".to_owned())))
        .await
        .expect_err("refused");
    assert_eq!(places(error), ["/flow"]);
    let viewer =
        engine.submit(&caller(Role::Reviewer), NewTask::of(FlowInput::Name("none".to_owned()))).await;
    assert!(matches!(viewer, Err(AppError::Forbidden { .. })));
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_twenty_times_at_once_is_one_task_and_another_body_is_refused() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let keyed = |title: &str| {
        let mut new = NewTask::of(FlowInput::Recording(json!({"title": title, "steps": []})));
        new.key = Some("order-1".to_owned());
        new
    };
    let all = (0..20).map(|_| {
        let (engine, new) = (engine.clone(), keyed("one"));
        async move { engine.submit(&operator(), new).await.expect("answered") }
    });
    let answers = futures::future::join_all(all).await;
    assert_eq!(answers.iter().filter(|answer| answer.created).count(), 1);
    assert!(answers.iter().all(|answer| answer.task.id == answers[0].task.id));
    let other = engine.submit(&operator(), keyed("two")).await;
    assert!(matches!(other, Err(AppError::Conflict { .. })), "{other:?}");
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_refuses_and_a_known_key_is_answered_all_the_same() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let mut settings = settings(dir.path(), &site);
    settings.queue.capacity = 1;
    let engine = engine(settings).await;
    let later = |title: &str| {
        let mut new = NewTask::of(FlowInput::Recording(json!({"title": title, "steps": []})));
        new.not_before = Some(server::clock::now().plus_ms(3_600_000));
        new.key = Some(title.to_owned());
        new
    };
    let new = later("first");
    let first = engine.submit(&operator(), new.clone()).await.expect("accepted").task;
    assert_eq!(first.waiting_on.expect("waits").kind, WaitKind::Schedule);
    match engine.submit(&operator(), later("second")).await {
        Err(AppError::Busy { retry_after_s, detail }) => {
            assert!((3_500..=3_600).contains(&retry_after_s), "the known end of the hold: {retry_after_s}");
            assert!(detail.contains("full"), "{detail}");
        }
        other => panic!("{other:?}"),
    }
    assert!(!engine.submit(&operator(), new).await.expect("answered").created);
    let waiting = {
        let (engine, mut new) = (engine.clone(), later("third"));
        new.wait_s = Some(30);
        tokio::spawn(async move { engine.submit(&operator(), new).await })
    };
    engine.cancel(&operator(), first.id).await.expect("cancelled");
    assert!(waiting.await.expect("no panic").expect("there was room").created);
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_task_is_cancelled_and_its_slot_comes_back() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let mut settings = settings(dir.path(), &site);
    settings.pool.slots = 1;
    let engine = engine(settings).await;
    let wait = json!({"type": "waitForExpression", "expression": "false", "timeout": 60000});
    let id = submit(&engine, recording("waits", &site.url("/"), &[wait])).await;
    until(&engine, id, |task| {
        task.attempts.as_ref().is_some_and(|all| all.iter().any(|one| one.at_step == Some(1)))
    })
    .await;
    engine.cancel(&operator(), id).await.expect("cancelled");
    let task = settled(&engine, id).await;
    assert_eq!(task.state, TaskState::Cancelled);
    assert_eq!(engine.cancel(&operator(), id).await.expect("again is no fault").state, TaskState::Cancelled);
    let next = submit(&engine, recording("next", &site.url("/"), &[])).await;
    assert_eq!(settled(&engine, next).await.state, TaskState::Succeeded);
    let retried = engine.retry(&operator(), id, RetryEdits::default()).await.expect("retried");
    assert_eq!((retried.created, retried.task.id), (false, id), "the same task");
    let other = engine.retry(&operator(), next, RetryEdits::default()).await.expect("retried");
    assert_eq!(
        (other.created, other.task.retry_of),
        (true, Some(next)),
        "one that succeeded is repeated by a new one"
    );
    engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_puts_back_what_runs_at_no_cost_and_a_start_takes_back_what_was_killed() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let first = engine(settings(dir.path(), &site)).await;
    let wait = json!({"type": "waitForExpression", "expression": "false", "timeout": 60000});
    let id = submit(&first, recording("waits", &site.url("/"), &[wait])).await;
    let runs = |task: &app::model::task::Task| task.state == TaskState::Running;
    until(&first, id, runs).await;
    first.stop(Duration::ZERO).await;

    let second = engine(settings(dir.path(), &site)).await;
    let task = until(&second, id, runs).await;
    let attempts = task.attempts.expect("attempts");
    assert_eq!((attempts[0].outcome, task.attempts_spent), (Some(Outcome::Returned), 0));
    second.cancel(&operator(), id).await.expect("cancelled");
    settled(&second, id).await;
    second.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_keeps_everybody_from_that_site_and_others_run() {
    let (dir, site, other) =
        (tempfile::tempdir().expect("a folder"), Site::start().await, Site::start().await);
    let mut settings = settings(dir.path(), &site);
    settings.egress.allow.push(other.address.to_string());
    let engine = engine(settings).await;
    let blocked = submit(&engine, recording("blocked", &site.url("/trouble/too-many?after=3"), &[])).await;
    let waiting =
        until(&engine, blocked, |task| task.state == TaskState::Queued && task.fault.is_some()).await;
    let until_at = waiting.waiting_on.expect("waits").until.expect("a time");
    assert!(until_at.since(server::clock::now()) > 1_500, "not before what the site asked for");
    let neighbour = submit(&engine, recording("neighbour", &site.url("/"), &[])).await;
    let elsewhere = submit(&engine, recording("elsewhere", &other.url("/"), &[])).await;
    assert_eq!(settled(&engine, elsewhere).await.state, TaskState::Succeeded);
    let held = engine.task(&operator(), neighbour).await.expect("a task");
    assert_eq!(held.waiting_on.expect("the site is left alone").kind, WaitKind::GateDomain);
    assert_eq!(settled(&engine, neighbour).await.state, TaskState::Succeeded);
    let began =
        engine.task(&operator(), neighbour).await.expect("a task").attempts.expect("attempts")[0].started_at;
    assert!(began.since(waiting.updated_at) >= 2_000, "{began} is too soon after {}", waiting.updated_at);
    engine.stop(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_allow_listed_is_never_reached() {
    let (dir, site, secret) =
        (tempfile::tempdir().expect("a folder"), Site::start().await, Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let id = submit(&engine, recording("inside", &secret.url("/"), &[])).await;
    let task = settled(&engine, id).await;
    assert_eq!((task.state, task.fault.expect("a fault").class), (TaskState::Failed, FaultClass::Policy));
    engine.stop(Duration::from_secs(5)).await;
}

/// Ends every Chrome whose profile lies in a data folder.
fn kill_chromes(data: &std::path::Path) {
    let needle = format!("--user-data-dir={}", data.display());
    for entry in std::fs::read_dir("/proc").expect("a proc folder").flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let pid = entry.file_name().to_string_lossy().parse::<i32>().ok();
        if let Some(pid) = pid.filter(|_| String::from_utf8_lossy(&line).contains(&needle))
            && let Some(pid) = rustix::process::Pid::from_raw(pid)
        {
            // A child of one that was just ended may be gone already.
            let _gone = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_dies_with_two_attempts_blames_neither() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let wait =
        json!({"type": "waitForExpression", "expression": "performance.now() > 4000", "timeout": 60000});
    let mut ids = Vec::new();
    for title in ["one", "two"] {
        ids.push(submit(&engine, recording(title, &site.url("/help"), std::slice::from_ref(&wait))).await);
    }
    let at_wait = |task: &app::model::task::Task| {
        task.attempts.as_ref().is_some_and(|all| all.iter().any(|one| one.at_step == Some(1)))
    };
    for id in &ids {
        until(&engine, *id, at_wait).await;
    }
    kill_chromes(dir.path());
    for id in ids {
        let task = settled(&engine, id).await;
        assert_eq!((task.state, task.attempts_spent), (TaskState::Succeeded, 1), "{task:#?}");
        let first = &task.attempts.expect("attempts")[0];
        assert_eq!(first.fault.as_ref().map(|fault| fault.class), Some(FaultClass::InstanceLost));
    }
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_crashes_its_context_again_and_again_is_quarantined_and_let_go_by_a_person() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let mut settings = settings(dir.path(), &site);
    settings.quarantine.after = 2;
    let engine = engine(settings).await;
    let id = submit(&engine, recording("poison", &site.url("/trouble/memory?now=1"), &[])).await;
    let task = settled(&engine, id).await;
    assert_eq!((task.state, task.order), (TaskState::Quarantined, None), "before its attempts are spent");
    assert_eq!(task.fault.map(|fault| fault.class), Some(FaultClass::RendererCrash));
    assert_eq!(task.attempts.expect("attempts").len(), 2);
    let released = engine.release(&operator(), id).await.expect("released");
    assert_eq!((released.state, released.attempts_spent), (TaskState::Queued, 0));
    assert_eq!(settled(&engine, id).await.state, TaskState::Quarantined, "it crashes still");
    assert_eq!(engine.cancel(&operator(), id).await.expect("discarded").state, TaskState::Cancelled);
    engine.stop(Duration::from_secs(5)).await;
}
