//! Work orders and rules with real Chrome on the practice site: from the failure to the task that succeeds by the
//! rule.

mod support;

use std::time::Duration;

use app::{
    api::room::{Live, LiveFilter, LiveItem, Orders, Rules, Tasks},
    model::{
        caller::{Caller, CallerKind, Role},
        event::Topic,
        evidence::EvidenceKind,
        fault::FaultClass,
        order::{
            Claim, ClaimOrder, ClaimProof, CloseOrder, ConclusionKind, NewAnnotation, NewConclusion, Order,
            OrderFilter, OrderState, ReopenOrder, Severity, TakeOver, TasksThen,
        },
        page::PageQuery,
        problem::AppError,
        rule::{NewRule, RuleFilter, RulePatch, RuleState},
        task::{Lane, TaskState},
    },
};
use futures::StreamExt;
use serde_json::{Value, json};
use server::engine::Engine;
use support::{Site, caller, engine, operator, recording, settings, settled, submit};
use uuid::Uuid;

/// A reviewer of this number.
fn reviewer(n: u128) -> Caller {
    Caller {
        id: Uuid::from_u128(100 + n),
        name: format!("reviewer {n}"),
        role: Role::Reviewer,
        kind: CallerKind::Person,
    }
}

fn click(selector: &str) -> Value {
    json!({"type": "click", "selectors": [[selector]], "timeout": 500})
}

/// A flow whose second step looks for what is not there.
fn failing(site: &Site) -> Value {
    recording("missing", &site.url("/"), &[click("#no-such-button")])
}

async fn the_order(engine: &Engine) -> Order {
    let page =
        engine.orders(&reviewer(1), OrderFilter::default(), PageQuery::default()).await.expect("orders");
    assert_eq!(page.items.len(), 1, "{:#?}", page.items);
    engine.order(&reviewer(1), page.items[0].id).await.expect("the order")
}

fn close(claim: Claim, kind: ConclusionKind, rule: Option<Value>, tasks: TasksThen) -> CloseOrder {
    CloseOrder {
        claim_token: claim.claim_token,
        version: None,
        conclusion: NewConclusion { kind, text: "It has **moved**.".to_owned() },
        rule: rule
            .map(|action| serde_json::from_value::<NewRule>(json!({"action": action})).expect("a rule")),
        tasks,
    }
}

fn replace(selector: &str) -> Value {
    json!({"kind": "replace_selectors", "step": 1, "selectors": [[selector]]})
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_circle_a_failure_an_order_a_rule_and_the_next_run_passes() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let first = submit(&engine, failing(&site)).await;
    let second = submit(&engine, failing(&site)).await;
    for id in [first, second] {
        assert_eq!(settled(&engine, id).await.state, TaskState::Escalated);
    }
    // Both failures came together in one order, with evidence, severity and a title.
    let order = the_order(&engine).await;
    assert_eq!((order.occurrences, order.waiting, order.state), (2, 2, OrderState::Open));
    assert_eq!((order.group.step, order.group.class), (Some(1), FaultClass::Selector));
    assert_eq!(order.severity, Severity::Medium);
    assert!(order.title.starts_with("Step 2 of missing on 127.0.0.1"), "{}", order.title);
    assert_eq!(order.evidence.len(), 2);
    assert_eq!(order.evidence[0].kinds, EvidenceKind::ALL);
    assert_eq!(order.selectors, Some(vec![vec!["#no-such-button".to_owned()]]));
    let task = engine.task(&operator(), first).await.expect("a task");
    assert_eq!(task.order, Some(order.id));
    let tasks = engine.order_tasks(&reviewer(1), order.id, PageQuery::default()).await.expect("tasks");
    assert_eq!(tasks.items.len(), 2);

    let claim = engine.claim_order(&reviewer(1), order.id, ClaimOrder::default()).await.expect("claimed");
    let closing = close(claim, ConclusionKind::SelectorChanged, Some(replace("a")), TasksThen::Release);
    let many = close(claim, ConclusionKind::SelectorChanged, Some(replace("aria/")), TasksThen::Release);
    match engine.close_order(&reviewer(1), order.id, many).await {
        Err(AppError::BadInput { errors }) => assert_eq!(errors[0].pointer, "/rule/action/selectors/0"),
        other => panic!("{other:?}"),
    }
    let body = "body";
    let closing = CloseOrder {
        rule: Some(serde_json::from_value(json!({"action": replace(body)})).expect("a rule")),
        ..closing
    };
    let closed = engine.close_order(&reviewer(1), order.id, closing).await.expect("closed");
    assert_eq!((closed.state, closed.claimed_by.clone()), (OrderState::Closed, None));
    let conclusion = closed.conclusion.expect("a conclusion");
    assert_eq!(conclusion.html, "<p>It has <strong>moved</strong>.</p>\n");

    // The group's tasks went through the lane `rerun` and succeed by the rule.
    let rule = closed.rule.expect("a rule");
    for id in [first, second] {
        let task = settled(&engine, id).await;
        assert_eq!((task.state, task.lane), (TaskState::Succeeded, Lane::Rerun), "{task:#?}");
        let attempt = task.attempts.expect("attempts").pop().expect("an attempt");
        assert_eq!(attempt.rules, [rule]);
        assert_eq!(
            (attempt.steps[1].rule, attempt.steps[1].selector_used.as_deref()),
            (Some(rule), Some("body"))
        );
    }
    // A new task makes no order.
    let third = submit(&engine, failing(&site)).await;
    assert_eq!(settled(&engine, third).await.state, TaskState::Succeeded);
    assert_eq!(the_order(&engine).await.state, OrderState::Closed);
    let made = engine.rule(&reviewer(1), rule).await.expect("the rule");
    assert_eq!((made.hits, made.successes, made.failures), (3, 3, 0));
    assert_eq!((made.state, made.unproven, made.stale, made.canary), (RuleState::Active, true, false, 1.0));
    assert_eq!((made.origin_order, made.r#match.flow.as_deref()), (Some(order.id), Some("missing")));
    assert!(made.words.contains("find the element of step 2 by “body”"), "{}", made.words);

    // A success is kept to compare failures with; a disabled rule is applied nowhere.
    let patch =
        RulePatch { state: Some(RuleState::Disabled), version: Some(made.version), ..RulePatch::default() };
    let off = engine.patch_rule(&reviewer(1), rule, patch.clone()).await.expect("disabled");
    assert_eq!(off.changed.as_deref(), Some("Disabled by reviewer 1"));
    assert!(matches!(engine.patch_rule(&reviewer(1), rule, patch).await, Err(AppError::Stale { .. })));
    let fourth = submit(&engine, failing(&site)).await;
    assert_eq!(settled(&engine, fourth).await.state, TaskState::Escalated);
    let open = OrderFilter { state: Some(OrderState::Open), ..OrderFilter::default() };
    let orders = engine.orders(&reviewer(1), open, PageQuery::default()).await.expect("orders").items;
    assert_eq!(orders.len(), 1);
    let again = engine.order(&reviewer(1), orders[0].id).await.expect("an order");
    assert_ne!(again.id, order.id);
    let good = again.good.expect("a success to compare with");
    assert!([first, second, third].contains(&good.task) && good.kinds.contains(&EvidenceKind::Screenshot));
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_who_claim_at_once_one_holds_the_order_and_the_others_are_told_who() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let task = submit(&engine, failing(&site)).await;
    settled(&engine, task).await;
    let id = the_order(&engine).await.id;
    let claims = (0..100).map(|n| {
        let engine = engine.clone();
        async move { (n, engine.claim_order(&reviewer(n), id, ClaimOrder::default()).await) }
    });
    let (mut winners, mut told) = (Vec::new(), Vec::new());
    for (n, claim) in futures::future::join_all(claims).await {
        match claim {
            Ok(_) => winners.push(n),
            Err(AppError::Stale { detail, current }) => told.push((detail, current)),
            Err(other) => panic!("{other:?}"),
        }
    }
    let [winner] = winners[..] else { panic!("{winners:?}") };
    let name = format!("reviewer {winner}");
    assert!(told.iter().all(|(detail, current)| detail.contains(&name) && current["claimed_by"] == *name));
    let holder = reviewer(winner);
    let claim = engine.claim_order(&holder, id, ClaimOrder::default()).await.expect("the holder's own again");
    let seen = engine.order(&holder, id).await.expect("the order");
    assert_eq!((seen.claim_token, seen.state), (Some(claim.claim_token), OrderState::Claimed));
    let others = engine.order(&reviewer(winner + 1), id).await.expect("the order");
    assert_eq!((others.claim_token, others.claimed_by), (None, Some(name)));

    // Writes with a claim of somebody else change nothing.
    let other = reviewer(winner + 1);
    let proof = ClaimProof::of(claim.claim_token);
    assert!(matches!(engine.release_order(&other, id, proof).await, Err(AppError::Stale { .. })));
    let closing = close(claim, ConclusionKind::Transient, None, TasksThen::Release);
    assert!(matches!(engine.close_order(&other, id, closing.clone()).await, Err(AppError::Stale { .. })));
    let old = CloseOrder { version: Some(seen.version - 1), ..closing.clone() };
    assert!(matches!(engine.close_order(&holder, id, old).await, Err(AppError::Stale { .. })));
    assert_eq!(engine.task(&operator(), task).await.expect("a task").state, TaskState::Escalated);

    // An operator takes over with a reason; the former holder's claim is no longer one.
    let boss = Caller { id: Uuid::from_u128(7), ..caller(Role::Operator) };
    let blank = TakeOver { reason: " ".to_owned(), version: None };
    assert!(matches!(engine.take_over_order(&boss, id, blank).await, Err(AppError::BadInput { .. })));
    let taken = engine
        .take_over_order(&boss, id, TakeOver { reason: "lunch".to_owned(), version: None })
        .await
        .expect("taken");
    assert!(matches!(engine.heartbeat_order(&holder, id, proof).await, Err(AppError::Stale { .. })));
    let script = NewAnnotation {
        text: "<img src=x onerror=alert(1)> `ok`".to_owned(),
        claim_token: None,
        version: None,
    };
    engine.annotate_order(&boss, id, script).await.expect("noted");
    let noted = engine.order(&boss, id).await.expect("the order");
    assert_eq!(noted.annotations.len(), 2);
    assert!(noted.annotations[0].text.contains("lunch") && noted.annotations[0].text.contains(&holder.name));
    assert_eq!(noted.annotations[1].html.trim(), "<p> <code>ok</code></p>");
    let failing = close(taken, ConclusionKind::WrongData, None, TasksThen::Fail);
    engine.close_order(&boss, id, failing).await.expect("closed");
    assert_eq!(engine.task(&operator(), task).await.expect("a task").state, TaskState::Failed);
    let reopened =
        engine.reopen_order(&boss, id, ReopenOrder { reason: "too soon".to_owned(), version: None }).await;
    assert_eq!(reopened.expect("reopened").state, OrderState::Open);
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_runs_out_unless_it_is_kept_alive() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let mut settings = settings(dir.path(), &site);
    settings.orders.claim_s = 2;
    let engine = engine(settings).await;
    let task = submit(&engine, failing(&site)).await;
    settled(&engine, task).await;
    let id = the_order(&engine).await.id;
    let claim = engine.claim_order(&reviewer(1), id, ClaimOrder::default()).await.expect("claimed");
    let proof = ClaimProof::of(claim.claim_token);
    let first = claim.claim_until;
    // Kept alive past its first end.
    let mut until = first;
    while until.since(first) < 1_000 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        until = engine.heartbeat_order(&reviewer(1), id, proof).await.expect("alive").claim_until;
    }
    // Left alone it runs out, and somebody else may have it.
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    assert_eq!(the_order(&engine).await.state, OrderState::Open);
    assert!(matches!(engine.heartbeat_order(&reviewer(1), id, proof).await, Err(AppError::Stale { .. })));
    engine.claim_order(&reviewer(2), id, ClaimOrder::default()).await.expect("claimed by another");
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_missed_too_much_of_the_stream_begins_anew_with_the_orders_of_now() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let task = submit(&engine, failing(&site)).await;
    settled(&engine, task).await;
    let id = the_order(&engine).await.id;
    let claim = engine.claim_order(&reviewer(1), id, ClaimOrder::default()).await.expect("claimed");
    let filter =
        LiveFilter { topics: vec![Topic::Order], last_seen: Some(u64::MAX), ..LiveFilter::default() };
    let mut stream = engine.live(&reviewer(2), filter).await.expect("a stream");
    assert!(matches!(stream.next().await, Some(LiveItem::Reset)));
    let Some(LiveItem::Event(event)) = stream.next().await else { panic!("no state") };
    assert_eq!((event.topic, event.thing), (Topic::Order, Some(id.to_string())));
    // As the REST resource is for everybody: whole, without the claim's token.
    let told: Order = serde_json::from_str(&event.data).expect("an order");
    assert_eq!(told, engine.order(&reviewer(2), id).await.expect("the order"));
    assert!(!event.data.contains(&claim.claim_token.to_string()));
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_uncertain_waits_for_a_person_and_is_never_repeated_by_itself() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    // The critical step is done, and what is awaited after it does not come: a class that would be retried.
    let steps = [
        json!({"type": "click", "selectors": [["body"]], "critical": true}),
        json!({"type": "waitForExpression", "expression": "false", "timeout": 300}),
    ];
    let id = submit(&engine, recording("pay", &site.url("/"), &steps)).await;
    let task = settled(&engine, id).await;
    assert_eq!(
        (task.state, task.fault.map(|f| f.class)),
        (TaskState::Escalated, Some(FaultClass::Uncertain))
    );
    let attempts = task.attempts.expect("attempts");
    assert_eq!((attempts.len(), attempts[0].critical_step), (1, Some(1)));
    let order = the_order(&engine).await;
    assert_eq!((order.severity, order.group.class), (Severity::High, FaultClass::Uncertain));
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_cannot_be_are_refused_by_their_place_and_a_changed_step_makes_one_stale() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let task = submit(&engine, failing(&site)).await;
    settled(&engine, task).await;
    let host = site.address.to_string();
    let make = |rule: Value| {
        let engine = engine.clone();
        async move {
            let new: NewRule = serde_json::from_value(rule).expect("a rule");
            engine.create_rule(&reviewer(1), new).await
        }
    };
    let places = |answer: Result<app::model::rule::Rule, AppError>| match answer {
        Err(AppError::BadInput { errors }) => {
            errors.into_iter().map(|error| error.pointer).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let place = json!({"domain": host, "flow": "missing", "step": 1});
    assert_eq!(places(make(json!({"action": replace("#b")})).await), ["/match"]);
    let differs = json!({"domain": host, "flow": "missing", "step": 0});
    assert_eq!(places(make(json!({"match": differs, "action": replace("#b")})).await), ["/match/step"]);
    let unknown = json!({"domain": host, "flow": "nothing"});
    assert_eq!(places(make(json!({"match": unknown, "action": replace("#b")})).await), ["/match/flow"]);
    let nowhere = json!({"domain": host});
    assert_eq!(places(make(json!({"match": nowhere, "action": replace("#b")})).await), ["/match/flow"]);
    let quarantine = json!({"match": {"domain": host}, "action": {"kind": "quarantine"}});
    assert!(matches!(make(quarantine).await, Err(AppError::Forbidden { .. })));
    let made = make(json!({"match": place, "action": replace("#b")})).await.expect("made");
    assert_eq!((made.state, made.unproven, made.stale), (RuleState::Candidate, false, false));
    assert!(made.step_key.is_some());
    // A rule for the whole flow stays one, though it acts at a step: it ranks below those for the step.
    let whole = json!({"domain": host, "flow": "missing"});
    let whole = make(json!({"match": whole, "action": replace("#b")})).await.expect("made");
    assert_eq!((whole.r#match.step, whole.step_key == made.step_key), (None, true));
    // Another recording of the same name, in which the step is another one.
    let changed = recording("missing", &site.url("/"), &[click("#other")]);
    settled(&engine, submit(&engine, changed).await).await;
    let rules = engine.rules(&reviewer(1), RuleFilter::default(), PageQuery::default()).await.expect("rules");
    assert!(rules.items.iter().all(|rule| rule.stale));
    engine.stop(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_ends_tasks_does_so_before_the_attempt_or_after_its_fault() {
    let (dir, site) = (tempfile::tempdir().expect("a folder"), Site::start().await);
    let engine = engine(settings(dir.path(), &site)).await;
    let boss = caller(Role::Operator);
    let host = site.address.to_string();
    let answer = json!({
        "match": {"domain": host, "class": "selector"}, "state": "active",
        "action": {"kind": "finish", "outcome": "failed"},
    });
    let ends =
        engine.create_rule(&boss, serde_json::from_value(answer).expect("a rule")).await.expect("made");
    let task = settled(&engine, submit(&engine, failing(&site)).await).await;
    assert_eq!((task.state, task.order), (TaskState::Failed, None));
    assert_eq!(task.attempts.expect("attempts")[0].rules, [ends.id], "what was done is on the attempt");
    assert_eq!(task.fault.map(|fault| fault.class), Some(FaultClass::Selector));
    let aside = json!({
        "match": {"domain": host, "flow": "missing"}, "state": "active", "action": {"kind": "quarantine"},
    });
    let aside =
        engine.create_rule(&boss, serde_json::from_value(aside).expect("a rule")).await.expect("made");
    let task = settled(&engine, submit(&engine, failing(&site)).await).await;
    assert_eq!(task.state, TaskState::Quarantined);
    let attempt = task.attempts.expect("attempts").remove(0);
    assert!(attempt.steps.is_empty(), "nothing was done");
    assert_eq!(attempt.rules, [aside.id]);
    assert_eq!(engine.rule(&boss, aside.id).await.expect("the rule").successes, 1);
    engine.stop(Duration::from_secs(5)).await;
}
