//! Who is let in, from where, how fast, and how a refusal looks.

use axum::body::Body;
use server::{config::HttpSettings, http::router};

use crate::{
    fake::{Room, TASK},
    probe::{ask, front, options},
};

#[tokio::test]
async fn nothing_answers_without_a_key_but_what_is_listed() {
    let front = front();
    for path in
        ["/api/v1/tasks", "/api/v1/overview", "/api/openapi.json", "/api/docs", "/metrics", "/api/nothing"]
    {
        assert_eq!(ask("GET", path).of(&front).await.problem().0, 401, "{path}");
    }
    for (method, path) in [
        ("POST", "/api/v1/tasks"),
        ("PATCH", "/api/v1/pool"),
        ("POST", "/fn/submit"),
        ("DELETE", "/api/v1/tasks"),
    ] {
        assert_eq!(ask(method, path).of(&front).await.problem().0, 401, "{method} {path}");
    }
    for path in ["/healthz", "/readyz", "/sign-in", "/pkg/sign-in.css", "/pkg/docs.css"] {
        assert_eq!(ask("GET", path).of(&front).await.status, 200, "{path}");
    }
    assert_eq!(ask("GET", "/readyz/pool").of(&front).await.problem().0, 503);
    let unknown = ask("GET", "/api/v1/tasks").token("nobody").of(&front).await;
    assert_eq!(unknown.problem().0, 401);
    assert_eq!(unknown.header("www-authenticate"), "Bearer");
}

#[tokio::test]
async fn a_person_without_a_session_is_taken_to_the_sign_in_page_and_back() {
    let front = front();
    let seen = ask("GET", "/tasks?state=queued").header("accept", "text/html,*/*").of(&front).await;
    assert_eq!((seen.status, seen.header("location")), (303, "/sign-in?next=%2Ftasks%3Fstate%3Dqueued"));
    assert_eq!(ask("GET", "/").of(&front).await.header("location"), "/sign-in");
    let docs = ask("GET", "/api/docs").header("accept", "text/html").of(&front).await;
    assert_eq!(docs.header("location"), "/sign-in?next=%2Fapi%2Fdocs");
    let post = ask("POST", "/fn/submit").header("accept", "text/html").form("a=b").of(&front).await;
    assert_eq!((post.status, post.header("location")), (303, "/sign-in"));
}

#[tokio::test]
async fn a_token_and_a_session_both_let_in_and_a_wrong_token_is_not_made_good_by_a_session() {
    let front = front();
    assert_eq!(ask("GET", "/api/v1/pool").token("viewer").of(&front).await.status, 200);
    assert_eq!(ask("GET", "/api/v1/pool").session("viewer").of(&front).await.status, 200);
    assert_eq!(ask("GET", "/api/v1/pool").session("viewer").token("nobody").of(&front).await.status, 401);
    assert_eq!(ask("GET", "/api/v1/pool").session("away").of(&front).await.problem().0, 503);
}

#[tokio::test]
async fn refusals_come_in_their_order_origin_key_role_place_input() {
    let front = front();
    let retry = format!("/api/v1/tasks/{TASK}/retry");
    let foreign = || ask("POST", &retry).header("sec-fetch-site", "cross-site").json("nonsense");
    assert_eq!(foreign().of(&front).await.problem().0, 403, "the origin before the key");
    assert_eq!(foreign().session("operator").of(&front).await.problem().0, 403);
    assert_eq!(foreign().token("operator").of(&front).await.problem().0, 400, "a token's call has no origin");
    let bad = |path: &str, role: &str| ask("POST", path).token(role).json("{\"colour\": 1}");
    assert_eq!(bad(&retry, "nobody").of(&front).await.problem().0, 401);
    assert_eq!(bad(&retry, "reviewer").of(&front).await.problem().0, 403);
    let missing = "/api/v1/tasks/0190a000-0000-7000-8000-000000000000/retry";
    assert_eq!(bad(missing, "reviewer").of(&front).await.problem().0, 403);
    assert_eq!(bad(missing, "operator").of(&front).await.problem().0, 404);
    assert_eq!(bad("/api/v1/tasks/none/retry", "reviewer").of(&front).await.problem().0, 403);
    assert_eq!(bad("/api/v1/tasks/none/retry", "operator").of(&front).await.problem().0, 404);
    assert_eq!(bad(&retry, "operator").of(&front).await.problem(), (422, vec!["/colour".to_owned()]));
    assert_eq!(bad("/api/v1/tasks", "viewer").of(&front).await.problem().0, 403);
}

#[tokio::test]
async fn our_own_pages_may_post_with_a_session() {
    let front = front();
    let cancel = format!("/api/v1/tasks/{TASK}/cancel");
    for (name, value) in [("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:3000")] {
        let seen = ask("POST", &cancel).session("operator").header(name, value).of(&front).await;
        assert_eq!(seen.status, 200, "{name}");
    }
    let foreign =
        ask("POST", &cancel).session("operator").header("origin", "http://evil.example").of(&front).await;
    assert_eq!(foreign.problem().0, 403);
}

#[tokio::test]
async fn every_wrong_address_method_and_body_is_a_problem() {
    let front = front();
    let of = |method: &'static str, path: &'static str| ask(method, path).token("operator");
    assert_eq!(of("GET", "/api").of(&front).await.problem().0, 404);
    assert_eq!(of("GET", "/api/v1/nothing").of(&front).await.problem().0, 404);
    assert_eq!(of("GET", "/api/v1/tasks/").of(&front).await.problem().0, 404);
    assert_eq!(of("GET", "/nothing").of(&front).await.problem().0, 404);
    let wrong = of("DELETE", "/api/v1/tasks").of(&front).await;
    assert_eq!(wrong.problem().0, 405);
    assert!(wrong.header("allow").contains("POST"), "{wrong:?}");
    assert_eq!(of("OPTIONS", "/api/v1/pool").of(&front).await.problem().0, 405);
    assert_eq!(of("POST", "/api/v1/tasks").json("{").of(&front).await.problem().0, 400);
    assert_eq!(of("POST", "/api/v1/tasks").form("flow=a").of(&front).await.problem().0, 415);
    let coded = of("POST", "/api/v1/tasks").header("content-encoding", "gzip").json("{}");
    assert_eq!(coded.of(&front).await.problem().0, 415);
    assert_eq!(of("GET", "/api/v1/attempts/%ff/evidence/dom").of(&front).await.problem().0, 404);
    assert_eq!(of("GET", "/api/v1/flows/%ff").of(&front).await.problem().0, 404);
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_whether_it_says_so_or_not() {
    let front = front();
    let big = format!("{{\"flow\": \"{}\"}}", "x".repeat(5 * 1024 * 1024));
    let submit = || ask("POST", "/api/v1/tasks").token("operator");
    let told = submit().header("content-length", &big.len().to_string()).json(big.clone());
    assert_eq!(told.of(&front).await.problem().0, 413);
    let stranger =
        ask("POST", "/api/v1/tasks").header("content-length", &big.len().to_string()).json(big.clone());
    assert_eq!(stranger.of(&front).await.problem().0, 401, "who has no key is told that first");
    let pieces: Vec<Result<Vec<u8>, std::io::Error>> =
        big.as_bytes().chunks(64 * 1024).map(|piece| Ok(piece.to_vec())).collect();
    let streamed = submit()
        .header("content-type", "application/json")
        .body(Body::from_stream(futures::stream::iter(pieces)));
    assert_eq!(streamed.of(&front).await.problem().0, 413);
    let fits = format!("{{\"flow\": \"{}\"}}", "x".repeat(4 * 1024 * 1024));
    assert_eq!(submit().json(fits).of(&front).await.status, 201);
}

#[tokio::test]
async fn one_caller_over_its_rate_is_told_when_to_come_again_and_no_other_is() {
    let mut options = options();
    options.limits = HttpSettings { token_per_s: 0.5, token_burst: 2 };
    let front = router(Room::new(), options);
    for _ in 0..2 {
        assert_eq!(ask("GET", "/api/v1/pool").token("viewer").of(&front).await.status, 200);
    }
    let refused = ask("GET", "/api/v1/pool").token("viewer").of(&front).await;
    assert_eq!((refused.problem().0, refused.header("retry-after")), (429, "2"));
    assert_eq!(ask("GET", "/api/v1/pool").token("operator").of(&front).await.status, 200);
}

#[tokio::test]
async fn every_answer_tells_a_browser_what_to_refuse() {
    let front = front();
    for seen in [
        ask("GET", "/sign-in").of(&front).await,
        ask("GET", "/api/v1/pool").of(&front).await,
        ask("GET", "/api/v1/pool").token("viewer").of(&front).await,
        ask("GET", "/api/docs").token("viewer").of(&front).await,
        ask("GET", "/nothing").token("viewer").of(&front).await,
    ] {
        assert!(seen.header("content-security-policy").contains("default-src 'none'"), "{seen:?}");
        assert!(seen.header("content-security-policy").contains("frame-ancestors 'none'"), "{seen:?}");
        assert_eq!(seen.header("x-content-type-options"), "nosniff");
        assert_eq!(seen.header("referrer-policy"), "same-origin");
        assert_eq!(seen.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn a_handler_that_panics_is_a_problem_and_the_next_request_is_served() {
    let front = front();
    let submit = || ask("POST", "/api/v1/tasks").token("operator");
    let seen = submit().json("{\"flow\": \"a\", \"key\": \"panic\"}").of(&front).await;
    assert_eq!(seen.problem().0, 500);
    assert!(!seen.body.contains("purpose"), "what is inside stays inside");
    assert_eq!(submit().json("{\"flow\": \"a\"}").of(&front).await.status, 201);
}
