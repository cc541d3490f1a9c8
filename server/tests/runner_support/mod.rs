//! A Chrome, a small site and a permissive door, for the runner's tests.

#![allow(dead_code, missing_docs, reason = "shared by several test files, each of which uses a part")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use app::model::Timestamp;
use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Environment, parse};
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode, header};
use axum::response::IntoResponse as _;
use parking_lot::Mutex;
use serde_json::{Value, json};
use server::cdp::Connection;
use server::cdp::ask::{ask, tell};
use server::config::PoolSettings;
use server::pool::{ContextOptions, Pool};
use server::runner::{self, Door, Ended, Held, Job, NotRecorded, Progress, Reach, Report, Stage};
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use url::Url;

/// Runs a test on the runtime that every test of the file shares, and with it one Chrome.
pub fn on_chrome<T>(test: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));
    RUNTIME.block_on(test)
}

/// The Chrome that every test of the file shares.
async fn shared() -> Pool {
    static POOL: OnceCell<(Pool, tempfile::TempDir)> = OnceCell::const_new();
    POOL.get_or_init(|| pool("auto")).await.0.clone()
}

/// A pool of one instance.
pub async fn pool(binary: &str) -> (Pool, tempfile::TempDir) {
    let data = tempfile::tempdir().expect("a folder");
    let settings = PoolSettings {
        slots: 8,
        contexts_per_instance: 8,
        warm: 0,
        max_uses: 10_000,
        binary: binary.to_owned(),
        ..PoolSettings::default()
    };
    (Pool::start(&settings, data.path(), "test").await.expect("a pool"), data)
}

/// A script that runs Chrome with one more switch.
pub fn chrome_with(folder: &Path, switch: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let chrome = server::pool::find_chrome("auto").expect("Chrome is installed");
    let script = folder.join("chrome");
    let text = format!("#!/bin/sh\nexec {} {switch} \"$@\"\n", chrome.display());
    std::fs::write(&script, text).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    script.display().to_string()
}

/// Crashes the renderer of every page of a site.
pub async fn crash_pages(connection: &Connection, site: &str) {
    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Targets {
        target_infos: Vec<Info>,
    }
    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Info {
        target_id: String,
        url: String,
    }
    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Attached {
        session_id: String,
    }
    let root = connection.root();
    let all = root.call(ask::<Targets>("Target.getTargets", json!({}))).await.expect("targets");
    for page in all.target_infos.iter().filter(|info| info.url.starts_with(site)) {
        let attach = json!({"targetId": page.target_id, "flatten": true});
        let attached = root.call(ask::<Attached>("Target.attachToTarget", attach)).await.expect("attached");
        let session = connection.session(&attached.session_id);
        session.tell(tell("Page.crash", json!({}))).expect("sent");
    }
}

/// A site on loopback that answers from a function and remembers what it was asked.
pub struct Site {
    pub address: String,
    hits: Arc<Mutex<Vec<String>>>,
    server: tokio::task::JoinHandle<()>,
}

pub type Answer = Response<Body>;

impl Site {
    pub async fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let hits = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(answer);
        let router = {
            let hits = hits.clone();
            Router::new().fallback(move |request: Request| {
                let hits = hits.clone();
                let answer = answer.clone();
                async move {
                    hits.lock().push(format!("{} {}", request.method(), request.uri()));
                    answer(&request)
                }
            })
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("served");
        });
        Self { address, hits, server }
    }

    pub fn hits(&self) -> Vec<String> {
        self.hits.lock().clone()
    }

    /// How often an address was asked for, by method and path.
    pub fn count(&self, hit: &str) -> usize {
        self.hits.lock().iter().filter(|known| *known == hit).count()
    }

    pub fn forget(&self) {
        self.hits.lock().clear();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.abort();
    }
}

pub fn html(body: &str) -> Answer {
    let page =
        format!("<!DOCTYPE html><html lang=en><head><title>A page</title></head><body>{body}</body></html>");
    raw_html(page)
}

pub fn raw_html(page: impl Into<String>) -> Answer {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page.into()).into_response()
}

pub fn status(code: u16, body: &str) -> Answer {
    let mut answer = html(body);
    *answer.status_mut() = StatusCode::from_u16(code).expect("a status");
    answer
}

pub fn redirect(to: &str) -> Answer {
    (StatusCode::FOUND, [(header::LOCATION, to.to_owned())]).into_response()
}

/// Begins to answer and never ends.
pub fn endless(start: &str, kind: &str) -> Answer {
    let first = futures::stream::iter([Ok::<_, std::convert::Infallible>(start.to_owned())]);
    let stream = futures::StreamExt::chain(first, futures::stream::pending());
    Response::builder().header(header::CONTENT_TYPE, kind).body(Body::from_stream(stream)).expect("an answer")
}

/// A door that lets everything through, and remembers it.
#[derive(Default)]
pub struct Open {
    pub passed: Mutex<Vec<String>>,
    /// How long it holds.
    pub wait: Duration,
    /// Whether it does not let through at all.
    pub shut: bool,
    pub reach: Mutex<BTreeMap<String, Reach>>,
    pub until: Option<Timestamp>,
}

#[async_trait]
impl Door for Open {
    async fn pass(&self, url: &Url) -> Result<Duration, Held> {
        self.passed.lock().push(url.to_string());
        if self.shut {
            return Err(Held { domain: "s".into(), waited: self.wait, until: None });
        }
        tokio::time::sleep(self.wait).await;
        Ok(self.wait)
    }

    fn answered(&self, _: &Url, status: u16, retry_after: Option<&str>) -> Option<Timestamp> {
        (status == 429 || (status == 503 && retry_after.is_some())).then_some(self.until).flatten()
    }

    fn reach(&self, host: &str, _: u16) -> Reach {
        self.reach.lock().get(host).cloned().unwrap_or(Reach::Allowed)
    }
}

/// Remembers what it is told, and can refuse to record.
#[derive(Default)]
pub struct Told {
    pub steps: Mutex<Vec<u32>>,
    pub critical: Mutex<Vec<u32>>,
    /// Hits of a site when a critical step was recorded.
    pub refuse: bool,
}

#[async_trait]
impl Progress for Told {
    fn at_step(&self, index: u32) {
        self.steps.lock().push(index);
    }

    async fn critical(&self, index: u32) -> Result<(), NotRecorded> {
        if self.refuse {
            return Err(NotRecorded("the disk is full".into()));
        }
        self.critical.lock().push(index);
        Ok(())
    }
}

/// A Chrome and a site.
pub struct Bench {
    pub pool: Pool,
    pub site: Site,
}

/// One run's circumstances.
pub struct With {
    pub door: Arc<Open>,
    pub told: Arc<Told>,
    pub cancel: CancellationToken,
    pub environment: Environment,
    pub timeout: Duration,
    pub secrets: Vec<String>,
    pub baseline: bool,
}

impl Default for With {
    fn default() -> Self {
        Self {
            door: Arc::default(),
            told: Arc::default(),
            cancel: CancellationToken::new(),
            environment: Environment::default(),
            timeout: Duration::from_secs(60),
            secrets: Vec::new(),
            baseline: false,
        }
    }
}

impl Bench {
    pub async fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let (pool, site) = tokio::join!(shared(), Site::start(answer));
        Self { pool, site }
    }

    /// Runs steps; `{site}` in their strings is the site's address.
    pub async fn run(&self, steps: Value) -> Report {
        self.run_with(steps, With::default()).await
    }

    pub async fn run_with(&self, steps: Value, with: With) -> Report {
        let text = json!({"title": "A test", "timeout": 1_500, "steps": steps}).to_string();
        let recording: Value =
            serde_json::from_str(&text.replace("{site}", &self.site.address)).expect("a recording");
        let flow = parse::flow(&recording).expect("a flow");
        let lease = self.pool.open_context(ContextOptions::default()).await.expect("a context");
        let stage = Stage::in_context(&lease);
        let job = Job {
            marks: Vec::new(),
            flow,
            environment: with.environment,
            timeout: with.timeout,
            secrets: with.secrets,
            mask: vec!["token".into()],
            baseline: with.baseline,
        };
        let running = runner::run(job, stage, with.door, with.told, with.cancel);
        let report = tokio::time::timeout(Duration::from_secs(60), running).await.expect("an attempt ends");
        lease.close().await;
        report
    }
}

/// What a run that must succeed extracted.
#[track_caller]
pub fn result(report: &Report) -> Value {
    match &report.outcome {
        Ended::Succeeded { result } => Value::Object(result.clone()),
        Ended::Failed(fault) => panic!("it failed: {} ({fault:?})\n{:#?}", fault.message(), report.steps),
        other => panic!("it ended otherwise: {other:?}"),
    }
}

/// The fault of a run that must fail.
#[track_caller]
pub fn fault(report: &Report) -> &Fault {
    match &report.outcome {
        Ended::Failed(fault) => fault,
        other => panic!("it did not fail: {other:?}"),
    }
}

/// Checks class, code and step of a fault.
#[track_caller]
pub fn assert_fault(report: &Report, class: FaultClass, code: &str, step: u32) {
    let fault = match &report.outcome {
        Ended::Failed(fault) => fault,
        other => panic!("it did not fail with {code}: {other:?}"),
    };
    let (code_is, step_is) = (fault.what.code.as_ref(), fault.step);
    assert_eq!((fault.class, code_is, step_is), (class, code, Some(step)), "{}", fault.message());
}

pub fn navigate(path: &str) -> Value {
    json!({"type": "navigate", "url": format!("{{site}}{path}")})
}

pub fn click(selector: &str) -> Value {
    json!({"type": "click", "selectors": [[selector]]})
}

pub fn extract(name: &str, selector: &str) -> Value {
    json!({"type": "customStep", "name": "extract", "parameters": {"name": name, "selectors": [[selector]]}})
}

pub fn at_frame(mut step: Value, frame: &[usize]) -> Value {
    step["frame"] = json!(frame);
    step
}

pub fn at_target(mut step: Value, target: &str) -> Value {
    step["target"] = json!(format!("{{site}}{target}"));
    step
}
