//! Tasks, flows, fleet and evidence as the API writes them.

use app::model::task::{FlowInput, Lane, TaskState};
use serde_json::{Value, json};

use crate::{
    fake::{Room, TASK},
    probe::{ask, front, front_of},
};

#[tokio::test]
async fn a_submission_is_201_with_the_whole_task_and_its_address() {
    let room = Room::new();
    let front = front_of(room.clone());
    let body = json!({"flow": {"title": "t", "steps": [], "unknown": 1}, "parameters": {"q": 1, "r": true}, "priority": 0});
    let seen = ask("POST", "/api/v1/tasks").token("operator").json(body.to_string()).of(&front).await;
    assert_eq!((seen.status, seen.header("location")), (201, format!("/api/v1/tasks/{TASK}").as_str()));
    assert_eq!(seen.json()["id"], json!(TASK));
    let new = room.submitted.lock().take().expect("submitted");
    assert!(
        matches!(new.flow, FlowInput::Recording(recording) if recording["unknown"] == 1),
        "kept as it came"
    );
}

#[tokio::test]
async fn a_key_that_repeats_is_200_one_that_clashes_409_and_a_full_queue_says_when() {
    let front = front();
    let with_key = |key: &str| {
        ask("POST", "/api/v1/tasks").token("operator").json(json!({"flow": "a", "key": key}).to_string())
    };
    assert_eq!(with_key("known").of(&front).await.status, 200);
    assert_eq!(with_key("taken").of(&front).await.problem().0, 409);
    let full = with_key("full").of(&front).await;
    assert_eq!((full.problem().0, full.header("retry-after")), (429, "7"));
}

#[tokio::test]
async fn optional_fields_are_absent_and_only_the_cursor_is_null() {
    let front = front();
    let list = ask("GET", "/api/v1/tasks").token("viewer").of(&front).await.json();
    assert_eq!(list.get("next"), Some(&Value::Null));
    let task = list["items"][0].as_object().expect("a task");
    assert!(!task.contains_key("attempts"), "absent in lists");
    assert!(task.values().all(|value| !value.is_null()), "{task:?}");
    let one = ask("GET", &format!("/api/v1/tasks/{TASK}")).token("viewer").of(&front).await.json();
    assert_eq!(one["attempts"], json!([]));
    assert_eq!(one["created_at"], "1970-01-01T00:00:00.000Z");
    let flows = ask("GET", "/api/v1/flows").token("viewer").of(&front).await.json();
    assert_eq!(flows["next"], "more");
}

#[tokio::test]
async fn the_list_is_filtered_by_the_query_and_refuses_what_it_does_not_know() {
    let room = Room::new();
    let front = front_of(room.clone());
    let list = |query: &str| ask("GET", &format!("/api/v1/tasks?{query}")).token("viewer");
    let query =
        "state=failed&flow=search&domain=shop.example&class=selector&lane=main&q=a%20b&limit=500&after=c";
    assert_eq!(list(query).of(&front).await.status, 200);
    let (filter, page) = room.listed.lock().take().expect("listed");
    assert_eq!((filter.state, filter.lane), (Some(TaskState::Failed), Some(Lane::Main)));
    assert_eq!((filter.q.as_deref(), filter.class.as_deref()), (Some("a b"), Some("selector")));
    assert_eq!((page.limit, page.after.as_deref()), (Some(500), Some("c")));
    for (query, place) in [
        ("state=lost", "state"),
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=many", "limit"),
        ("batch=7", "batch"),
        ("class=bad", "class"),
        ("colour=red", "colour"),
    ] {
        assert_eq!(list(query).of(&front).await.problem(), (422, vec![place.to_owned()]), "{query}");
    }
}

#[tokio::test]
async fn actions_come_without_a_body_and_refuse_one_with_unknown_fields() {
    let room = Room::new();
    let front = front_of(room.clone());
    let act = |action: &str| ask("POST", &format!("/api/v1/tasks/{TASK}/{action}")).token("operator");
    assert_eq!(act("cancel").of(&front).await.status, 200);
    assert_eq!(act("cancel").json("{}").of(&front).await.status, 200);
    assert_eq!(act("cancel").json("{\"why\": 1}").of(&front).await.problem(), (422, vec!["/why".to_owned()]));
    assert_eq!(act("release").of(&front).await.problem().0, 409);
    assert_eq!(act("retry").of(&front).await.status, 200, "the same task");
    assert_eq!(act("retry").json("{\"priority\": 1}").of(&front).await.status, 201, "a new one");
    assert_eq!(room.retried.lock().take().and_then(|edits| edits.priority), Some(1));
    assert_eq!(
        ask("POST", "/api/v1/tasks").token("operator").of(&front).await.problem(),
        (422, vec!["/flow".to_owned()])
    );
}

#[tokio::test]
async fn ids_that_are_none_or_unknown_are_not_found() {
    let front = front();
    for id in ["none", "0190a000-0000-7000-8000-000000000000"] {
        assert_eq!(
            ask("GET", &format!("/api/v1/tasks/{id}")).token("viewer").of(&front).await.problem().0,
            404
        );
    }
}

#[tokio::test]
async fn evidence_comes_as_its_kind_under_a_policy_that_lets_nothing_run() {
    let front = front();
    let of =
        |kind: &str, role: &str| ask("GET", &format!("/api/v1/attempts/{TASK}/evidence/{kind}")).token(role);
    for (kind, media) in
        [("screenshot", "image/png"), ("dom", "text/html; charset=utf-8"), ("trace", "application/json")]
    {
        let seen = of(kind, "reviewer").of(&front).await;
        assert_eq!((seen.status, seen.header("content-type")), (200, media));
        assert_eq!(seen.body, format!("bytes of {kind}"));
        assert_eq!(
            seen.header("content-security-policy"),
            "sandbox allow-same-origin; default-src 'none'; img-src data:; font-src data:; \
             style-src 'unsafe-inline'; frame-ancestors 'self'"
        );
        assert_eq!(seen.header("x-content-type-options"), "nosniff");
        assert_eq!(seen.header("set-cookie"), "");
        assert_eq!(seen.header("content-encoding"), "");
    }
    assert_eq!(of("dom", "viewer").of(&front).await.problem().0, 403);
    assert_eq!(of("diary", "viewer").of(&front).await.problem().0, 403);
    assert_eq!(of("diary", "reviewer").of(&front).await.problem().0, 404);
}

#[tokio::test]
async fn flows_are_checked_saved_and_read_by_name_and_version() {
    let front = front();
    let check = |body: &str| ask("POST", "/api/v1/flows/check").token("viewer").json(body);
    assert_eq!(check("{\"flow\": {\"title\": \"t\"}}").of(&front).await.json()["title"], "t");
    assert_eq!(check("{\"flow\": {}}").of(&front).await.problem(), (422, vec!["/flow/title".to_owned()]));
    assert_eq!(check("{}").of(&front).await.problem(), (422, vec!["/flow".to_owned()]));
    let save = ask("POST", "/api/v1/flows").token("operator").json("{\"flow\": {}, \"name\": \"导出\"}");
    let saved = save.of(&front).await;
    assert_eq!((saved.status, saved.header("location")), (201, "/api/v1/flows/%E5%AF%BC%E5%87%BA@2"));
    let by_name = |name: &str| ask("GET", &format!("/api/v1/flows/{name}")).token("viewer");
    assert_eq!(by_name("%E5%AF%BC%E5%87%BA@2").of(&front).await.json()["version"], 2);
    assert_eq!(by_name("%E5%AF%BC%E5%87%BA@2").of(&front).await.json()["name"], "导出");
    assert_eq!(by_name("check").of(&front).await.json()["name"], "check", "a flow may have this name too");
    assert_eq!(by_name("search@x").of(&front).await.problem().0, 404);
}

#[tokio::test]
async fn the_fleet_is_read_by_viewers_and_changed_by_operators() {
    let front = front();
    for path in ["overview", "pool", "gates"] {
        assert_eq!(
            ask("GET", &format!("/api/v1/{path}")).token("viewer").of(&front).await.status,
            200,
            "{path}"
        );
    }
    let patch = |role: &str| ask("PATCH", "/api/v1/pool").token(role).json("{\"slots\": 5}");
    assert_eq!(patch("operator").of(&front).await.json()["slots"], 5);
    assert_eq!(patch("viewer").of(&front).await.problem().0, 403);
}

#[tokio::test]
async fn breakers_are_read_by_viewers_and_set_by_operators_with_a_reason() {
    let front = front();
    let get = |path: &str| ask("GET", &format!("/api/v1/breaker{path}")).token("viewer");
    let fleet = get("").of(&front).await.json();
    assert_eq!((&fleet["state"], fleet.get("domain")), (&json!("closed"), None));
    assert_eq!(fleet["window"], json!({"total": 0, "failed": 0}));
    assert_eq!(get("?domain=shop.example").of(&front).await.json()["domain"], "shop.example");
    assert_eq!(get("?colour=red").of(&front).await.problem(), (422, vec!["colour".to_owned()]));
    let list = get("/sites").of(&front).await.json();
    assert_eq!((list["items"].as_array().map(Vec::len), list.get("next")), (Some(1), Some(&Value::Null)));
    let set = |role: &str, body: Value| ask("POST", "/api/v1/breaker").token(role).json(body.to_string());
    let open = json!({"domain": "shop.example", "state": "open", "reason": "it is being rebuilt"});
    let seen = set("operator", open.clone()).of(&front).await;
    assert_eq!((seen.status, &seen.json()["state"]), (200, &json!("open")));
    assert_eq!(seen.json()["reason"], "it is being rebuilt");
    assert_eq!(set("viewer", open).of(&front).await.problem().0, 403);
    for (body, place) in [
        (json!({"state": "open"}), "/reason"),
        (json!({"state": "half_open", "reason": "r"}), "/state"),
        (json!({"state": "open", "reason": "r", "until": 1}), "/until"),
    ] {
        assert_eq!(set("operator", body).of(&front).await.problem(), (422, vec![place.to_owned()]));
    }
}

#[tokio::test]
async fn metrics_are_for_any_role_in_prometheus_own_format() {
    let seen = ask("GET", "/metrics").token("viewer").of(&front()).await;
    assert_eq!((seen.status, seen.header("content-type")), (200, "text/plain; version=0.0.4; charset=utf-8"));
}
