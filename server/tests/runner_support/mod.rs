//! A Chrome, a small site and a permissive door, for the runner's tests.

#![allow(dead_code, missing_docs, reason = "shared by several test files, each of which uses a part")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
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
use server::runner::{self, Door, Ended, Held, Job, NotRecorded, Progress, Reach, Report, Stage};
use tokio_util::sync::CancellationToken;
use url::Url;

/// A Chrome of the test's own; it ends with the test.
pub struct Chrome {
    process: Child,
    pub connection: Connection,
    _profile: tempfile::TempDir,
}

impl Chrome {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    pub async fn start_with(flags: &[&str]) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let names = ["chromium-headless-shell", "chromium", "google-chrome"];
        let binary = names
            .iter()
            .map(|name| format!("/usr/bin/{name}"))
            .find(|path| std::path::Path::new(path).exists())
            .expect("Chrome is installed");
        let mut process = Command::new(binary)
            .args(["--headless", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run", "--mute-audio"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(flags)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("Chrome starts");
        let stderr = process.stderr.take().expect("piped");
        let address = tokio::task::spawn_blocking(move || {
            let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
            let found = lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned));
            // Read on, so that Chrome never waits for somebody to read.
            std::thread::spawn(move || lines.for_each(drop));
            found
        })
        .await
        .expect("no panic")
        .expect("Chrome says where it listens");
        let connection = Connection::connect(&address).await.expect("connected");
        connection.auto_attach().await.expect("attaching");
        Self { process, connection, _profile: profile }
    }

    /// Ends Chrome as a crash would.
    pub fn kill(&self) {
        kill_group(self.process.id());
    }

    pub async fn stage(&self) -> Stage {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            browser_context_id: String,
        }
        let made = self
            .connection
            .root()
            .call(ask::<Made>("Target.createBrowserContext", json!({})))
            .await
            .expect("a context");
        let context = made.browser_context_id;
        let targets = self.connection.follow_context(&context);
        Stage { connection: self.connection.clone(), context, targets }
    }

    pub async fn dispose(&self, context: &str) {
        let dispose = tell("Target.disposeBrowserContext", json!({"browserContextId": context}));
        self.connection.root().call(dispose).await.expect("the context goes");
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        self.kill();
        let _ = self.process.wait();
    }
}

/// Crashes the renderer of every page that shows a site.
pub async fn crash_first_page(chrome: &Chrome) {
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
    let root = chrome.connection.root();
    let all = root.call(ask::<Targets>("Target.getTargets", json!({}))).await.expect("targets");
    for page in all.target_infos.iter().filter(|info| info.url.starts_with("http")) {
        let attach = json!({"targetId": page.target_id, "flatten": true});
        let attached = root.call(ask::<Attached>("Target.attachToTarget", attach)).await.expect("attached");
        let session = chrome.connection.session(&attached.session_id);
        session.tell(tell("Page.crash", json!({}))).expect("sent");
    }
}

fn kill_group(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("a process id");
    let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
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
    let page = format!("<!DOCTYPE html><html lang=en><head><title>A page</title></head><body>{body}</body></html>");
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
    pub chrome: Chrome,
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
        let (chrome, site) = tokio::join!(Chrome::start(), Site::start(answer));
        Self { chrome, site }
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
        let stage = self.chrome.stage().await;
        let context = stage.context.clone();
        let job = Job {
            flow,
            environment: with.environment,
            timeout: with.timeout,
            secrets: with.secrets,
            mask: vec!["token".into()],
            baseline: with.baseline,
        };
        let running = runner::run(job, stage, with.door, with.told, with.cancel);
        let report = tokio::time::timeout(Duration::from_secs(60), running).await.expect("an attempt ends");
        if self.chrome.connection.is_closed().is_none() {
            self.chrome.dispose(&context).await;
        }
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
