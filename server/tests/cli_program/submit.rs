//! Submitting to a server that answers as the API says.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::program::{Ran, run, signalbox};

/// A server that accepts every task but those whose parameter says otherwise.
#[derive(Clone, Default)]
struct Server {
    bodies: Arc<Mutex<Vec<Value>>>,
    busy: Arc<AtomicUsize>,
}

fn task(state: &str, number: usize) -> Value {
    json!({
        "id": format!("0190a000-0000-7000-8000-{number:012}"), "name": "t",
        "flow": {"name": "t", "version": 1}, "state": state, "lane": "main", "priority": 5,
        "max_attempts": 3, "attempts_spent": 0, "timeout_s": 300, "version": 1,
        "created_at": "2026-11-30T09:00:00.000Z", "updated_at": "2026-11-30T09:00:00.000Z",
    })
}

async fn submit(State(server): State<Server>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    if headers.get("authorization").is_none_or(|key| key != "Bearer sbx_good") {
        let problem = json!({"type": "t", "title": "Not signed in", "status": 401, "detail": "sign in"});
        return (StatusCode::UNAUTHORIZED, Json(problem)).into_response();
    }
    if server.busy.load(Ordering::SeqCst) > 0 {
        server.busy.fetch_sub(1, Ordering::SeqCst);
        let problem =
            json!({"type": "t", "title": "Too much at once", "status": 429, "detail": "the queue is full"});
        return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")], Json(problem)).into_response();
    }
    if body["parameters"]["q"] == "bad" {
        let problem = json!({"type": "t", "title": "The input is at fault", "status": 422, "detail": "d",
            "errors": [{"pointer": "/parameters/q", "message": "is bad"}]});
        return (StatusCode::UNPROCESSABLE_ENTITY, Json(problem)).into_response();
    }
    let mut bodies = server.bodies.lock();
    bodies.push(body);
    (StatusCode::CREATED, Json(task("queued", bodies.len()))).into_response()
}

async fn one(
    State(server): State<Server>,
    axum::extract::Path(id): axum::extract::Path<String>,
) -> Json<Value> {
    let number: usize = id.rsplit('-').next().and_then(|n| n.parse().ok()).expect("a number");
    let q = server.bodies.lock()[number - 1]["parameters"]["q"].clone();
    let mut task = task(if q == "fails" { "failed" } else { "succeeded" }, number);
    if q == "fails" {
        task["fault"] =
            json!({"class": "policy", "message": "m", "code": "policy.scheme", "params": {"url": "file:"}});
    } else {
        task["result"] = json!({"found": q});
    }
    Json(task)
}

async fn serve(server: Server) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new()
        .route("/api/v1/tasks", post(submit))
        .route("/api/v1/tasks/{id}", get(one))
        .with_state(server);
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/")
}

/// Runs `submit` against a server, off the thread that serves it.
async fn submitting(folder: &Path, address: &str, flags: &[&str]) -> Ran {
    let mut all = vec!["submit", "flow.json"];
    all.extend(flags);
    let mut command = signalbox(folder, &all);
    command.env("SIGNALBOX_URL", address).env("SIGNALBOX_TOKEN", "sbx_good");
    tokio::task::spawn_blocking(move || command.output().expect("a run").into()).await.expect("joined")
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("flow.json"), "\u{feff}{\"title\": \"t\", \"steps\": []}").expect("written");
    dir
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_is_submitted_with_its_parameters_and_its_id_printed() {
    let (dir, server) = (folder(), Server::default());
    let address = serve(server.clone()).await;
    let ran = submitting(dir.path(), &address, &["--param", "q=a=b"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (0, "0190a000-0000-7000-8000-000000000001\n"), "{ran:?}");
    let body = server.bodies.lock()[0].clone();
    assert_eq!(body["flow"], json!({"title": "t", "steps": []}));
    assert_eq!(body["parameters"], json!({"q": "a=b"}));
    assert!(body.get("key").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_prints_the_result_and_fails_with_the_task() {
    let (dir, server) = (folder(), Server::default());
    let address = serve(server).await;
    let good = submitting(dir.path(), &address, &["--watch", "--param", "q=lamp"]).await;
    assert_eq!(good.code, 0, "{good:?}");
    assert_eq!(serde_json::from_str::<Value>(&good.out).expect("JSON"), json!({"found": "lamp"}));
    let bad = submitting(dir.path(), &address, &["--watch", "--param", "q=fails"]).await;
    assert_eq!((bad.code, bad.out.as_str()), (1, ""), "{bad:?}");
    assert!(bad.err.contains("only http and https are"), "{bad:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_csv_file_is_one_task_for_each_row_and_waits_for_room() {
    let (dir, server) = (folder(), Server::default());
    server.busy.store(1, Ordering::SeqCst);
    let address = serve(server.clone()).await;
    fs::write(dir.path().join("rows.csv"), "\u{feff}q,r\nlamp,1\n\"two\nlines\",2\n").expect("written");
    let ran = submitting(dir.path(), &address, &["--csv", "rows.csv", "--watch", "--param", "s=x"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.iter().map(|line| line["line"].as_u64()).collect::<Vec<_>>(), [Some(2), Some(3)]);
    assert_eq!(lines[1]["result"], json!({"found": "two\nlines"}));
    let bodies = server.bodies.lock().clone();
    assert_eq!(bodies[1]["parameters"], json!({"q": "two\nlines", "r": "2", "s": "x"}));
    assert_ne!(bodies[0]["key"], bodies[1]["key"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_names_its_line_and_stops() {
    let (dir, server) = (folder(), Server::default());
    let address = serve(server.clone()).await;
    fs::write(dir.path().join("rows.csv"), "q\nlamp\n\"open\n").expect("written");
    let ran = submitting(dir.path(), &address, &["--csv", "rows.csv"]).await;
    assert_eq!((ran.code, server.bodies.lock().len()), (1, 0), "nothing is sent of a broken file: {ran:?}");
    assert!(ran.err.contains("rows.csv, line 3"), "{ran:?}");
    fs::write(dir.path().join("rows.csv"), "q\nlamp\nbad\nlast\n").expect("written");
    let ran = submitting(dir.path(), &address, &["--csv", "rows.csv"]).await;
    assert_eq!((ran.code, ran.out.lines().count()), (1, 1), "{ran:?}");
    assert!(ran.err.contains("line 3") && ran.err.contains("/parameters/q"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_reached_read_or_let_in_is_said() {
    let dir = folder();
    let closed = submitting(dir.path(), "http://127.0.0.1:9/", &[]).await;
    assert_eq!(closed.code, 1);
    assert!(closed.err.contains("cannot reach the server at http://127.0.0.1:9"), "{closed:?}");
    let address = serve(Server::default()).await;
    let stranger = submitting(dir.path(), &address, &["--token", "sbx_other"]).await;
    assert_eq!((stranger.code, stranger.err.contains("401")), (1, true), "{stranger:?}");
    fs::write(dir.path().join("flow.json"), "{").expect("written");
    let broken = run(dir.path(), &["submit", "flow.json", "--token", "sbx_good"]);
    assert_eq!((broken.code, broken.err.contains("flow.json is not JSON")), (1, true), "{broken:?}");
}
