//! Work orders and rules as the API writes them.

use app::model::{
    order::{ConclusionKind, OrderState, Severity, TasksThen},
    rule::RuleAction,
};
use serde_json::json;

use crate::{
    desk::TOKEN,
    fake::{Room, TASK},
    probe::{Ask, ask, front, front_of},
};

fn act(action: &str, role: &str) -> Ask {
    ask("POST", &format!("/api/v1/orders/{TASK}/{action}")).token(role)
}

#[tokio::test]
async fn orders_are_listed_by_the_query_and_read_by_viewers() {
    let room = Room::new();
    let front = front_of(room.clone());
    let list = |query: &str| ask("GET", &format!("/api/v1/orders?{query}")).token("viewer");
    let query = "state=claimed&severity=high&flow=search&domain=shop.test&class=selector&mine=true&limit=5";
    let seen = list(query).of(&front).await;
    assert_eq!((seen.status, seen.json()["next"].is_null()), (200, true));
    let filter = room.ordered.lock().take().expect("listed");
    assert_eq!(
        (filter.state, filter.severity, filter.mine),
        (Some(OrderState::Claimed), Some(Severity::High), true)
    );
    for (query, place) in [("state=lost", "state"), ("mine=maybe", "mine"), ("colour=red", "colour")] {
        assert_eq!(list(query).of(&front).await.problem(), (422, vec![place.to_owned()]));
    }
    let one = ask("GET", &format!("/api/v1/orders/{TASK}")).token("viewer").of(&front).await.json();
    assert_eq!((&one["group"]["step"], &one["title"]), (&json!(1), &json!("Step 2 of search")));
    assert!(one.get("conclusion").is_none() && one.get("claim_token").is_none(), "{one}");
    let tasks = ask("GET", &format!("/api/v1/orders/{TASK}/tasks")).token("viewer").of(&front).await;
    assert_eq!(tasks.json()["items"][0]["id"], json!(TASK));
}

#[tokio::test]
async fn who_may_not_is_told_first_then_what_is_not_there_then_what_is_wrong() {
    let front = front();
    let proof = json!({"claim_token": TOKEN}).to_string();
    assert_eq!(act("claim", "viewer").of(&front).await.problem().0, 403);
    assert_eq!(act("heartbeat", "viewer").json("{}").of(&front).await.problem().0, 403);
    let nowhere = ask("POST", "/api/v1/orders/none/heartbeat").token("reviewer").json("{}");
    assert_eq!(nowhere.of(&front).await.problem().0, 404);
    let bad = act("heartbeat", "reviewer").json("{}").of(&front).await;
    assert_eq!(bad.problem(), (422, vec!["/claim_token".to_owned()]));
    let claimed = act("claim", "reviewer").of(&front).await;
    assert_eq!((claimed.status, &claimed.json()["claim_token"]), (200, &json!(TOKEN)));
    for action in ["heartbeat", "release"] {
        assert_eq!(act(action, "reviewer").json(proof.clone()).of(&front).await.status, 200, "{action}");
    }
    let noted = act("annotations", "reviewer").json("{\"text\": \"seen\"}").of(&front).await;
    assert_eq!((noted.status, &noted.json()["text"]), (201, &json!("seen")));
    assert_eq!(act("takeover", "reviewer").json("{\"reason\": \"r\"}").of(&front).await.problem().0, 403);
    assert_eq!(act("takeover", "operator").json("{\"reason\": \"r\"}").of(&front).await.status, 200);
    assert_eq!(act("reopen", "reviewer").of(&front).await.status, 200);
    assert_eq!(act("assign", "reviewer").of(&front).await.status, 200);
}

#[tokio::test]
async fn who_comes_second_is_told_who_holds_it_and_what_is_there_now() {
    let seen = act("claim", "operator").of(&front()).await;
    assert_eq!(seen.problem().0, 409);
    let told = seen.json();
    assert!(told["detail"].as_str().is_some_and(|detail| detail.contains("reviewer")), "{told}");
    assert_eq!(
        (&told["current"]["claimed_by"], &told["current"]["version"]),
        (&json!("reviewer"), &json!(3))
    );
}

#[tokio::test]
async fn an_order_is_closed_with_a_conclusion_and_a_rule() {
    let room = Room::new();
    let front = front_of(room.clone());
    let body = json!({
        "claim_token": TOKEN, "conclusion": {"kind": "selector_changed", "text": "moved"},
        "rule": {"action": {"kind": "replace_selectors", "step": 1, "selectors": [["#buy"]]}},
    });
    let seen = act("close", "reviewer").json(body.to_string()).of(&front).await;
    assert_eq!((seen.status, &seen.json()["state"]), (200, &json!("closed")));
    let close = room.closed.lock().take().expect("closed");
    assert_eq!((close.conclusion.kind, close.tasks), (ConclusionKind::SelectorChanged, TasksThen::Release));
    let action = close.rule.expect("a rule").action;
    assert!(
        matches!(action, RuleAction::ReplaceSelectors { step: 1, keep_recorded: false, .. }),
        "{action:?}"
    );
    let mut stale = body.clone();
    stale["claim_token"] = json!(TASK);
    assert_eq!(act("close", "reviewer").json(stale.to_string()).of(&front).await.problem().0, 409);
    let mut odd = body;
    odd["rule"]["action"]["selector"] = json!("#x");
    assert_eq!(act("close", "reviewer").json(odd.to_string()).of(&front).await.problem().0, 422);
}

#[tokio::test]
async fn rules_are_made_by_reviewers_and_told_in_words() {
    let front = front();
    let body = json!({"match": {"domain": "shop.test"}, "action": {"kind": "rewrite_url", "from": "http://a/", "to": "http://b/"}});
    let make = |role: &str| ask("POST", "/api/v1/rules").token(role).json(body.to_string());
    assert_eq!(make("viewer").of(&front).await.problem().0, 403);
    let made = make("reviewer").of(&front).await;
    assert_eq!((made.status, made.header("location")), (201, format!("/api/v1/rules/{TASK}").as_str()));
    assert_eq!(
        (&made.json()["state"], &made.json()["action"]["kind"]),
        (&json!("candidate"), &json!("rewrite_url"))
    );
    assert_eq!(made.json()["words"], "On shop.test: go to http://b/ instead of http://a/.");
    let patch =
        |body: &str| ask("PATCH", &format!("/api/v1/rules/{TASK}")).token("reviewer").json(body.to_owned());
    assert_eq!(patch("{\"state\": \"disabled\"}").of(&front).await.json()["state"], "disabled");
    assert_eq!(patch("{\"action\": {}}").of(&front).await.problem(), (422, vec!["/action".to_owned()]));
    let list = ask("GET", "/api/v1/rules?state=active").token("viewer").of(&front).await;
    assert_eq!(list.json()["items"][0]["action"], json!({"kind": "quarantine"}));
}
