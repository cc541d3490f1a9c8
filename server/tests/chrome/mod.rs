//! What the tests on real Chrome share: a pool on a folder of its own, a small site, and a look at `/proc`.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Html;
use axum::routing::get;
use server::cdp::Session;
use server::cdp::protocol::browser_protocol::page::{EnableParams, EventLoadEventFired};
use server::cdp::protocol::js_protocol::runtime::EvaluateParams;
use server::config::PoolSettings;
use server::pool::{ContextLease, ContextOptions, Pool};

/// Names another Chrome for these tests than the one that is found first.
const BINARY: &str = "SIGNALBOX_TEST_CHROME";

/// Settings with which nothing is started ahead of its need.
pub fn settings() -> PoolSettings {
    let binary = std::env::var(BINARY).unwrap_or_else(|_| "auto".to_owned());
    PoolSettings { slots: 4, warm: 0, binary, ..PoolSettings::default() }
}

/// A pool on a data folder of its own.
pub async fn pool(settings: PoolSettings) -> (Pool, tempfile::TempDir) {
    let data = tempfile::tempdir().expect("a data folder");
    (Pool::start(&settings, data.path(), "test").await.expect("a pool"), data)
}

pub async fn lease(pool: &Pool) -> ContextLease {
    pool.open_context(ContextOptions::default()).await.expect("a context")
}

/// A site that says whether a cookie came with the request, and sets one.
pub async fn site() -> SocketAddr {
    let page = |headers: HeaderMap| async move {
        let known = headers.contains_key("cookie");
        (
            [("set-cookie", "seen=1")],
            Html(format!("<title>{}</title>", if known { "known" } else { "fresh" })),
        )
    };
    const POPUP: &str = "<title>opener</title><script>window.open('/')</script>";
    const STAY: &str =
        "<title>stay</title><script>onbeforeunload = e => { e.preventDefault(); return 'stay' }</script>";
    let app = Router::new()
        .route("/", get(page))
        .route("/popup", get(async || Html(POPUP)))
        .route("/stay", get(async || Html(STAY)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

/// Opens an empty page.
pub async fn blank(lease: &mut ContextLease) -> Session {
    let page = lease.open_page("about:blank").await.expect("a page");
    page.resume().expect("running");
    page.session
}

/// Opens a page and waits until it has loaded.
pub async fn visit(lease: &mut ContextLease, url: &str) -> Session {
    let page = lease.open_page(url).await.expect("a page");
    let mut loaded = page.session.subscribe::<EventLoadEventFired>(4);
    page.session.tell(EnableParams::default()).expect("enabled");
    page.resume().expect("running");
    within(10, "the load event", loaded.next()).await.expect("the page lives");
    page.session
}

pub async fn evaluate(session: &Session, expression: &str) -> String {
    let answer = session.call(EvaluateParams::new(expression)).await.expect("evaluated");
    answer.result.value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Waits, at most so many seconds.
pub async fn within<T>(seconds: u64, what: &str, wait: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_secs(seconds), wait).await;
    waited.unwrap_or_else(|_| panic!("{what} did not come within {seconds} s"))
}

/// Waits until the pool's view is as wanted.
pub async fn until(pool: &Pool, what: &str, wanted: impl Fn(&app::model::pool::PoolView) -> bool) {
    let mut changes = pool.changes();
    let wait = async {
        while !wanted(&pool.view()) {
            changes.changed().await.expect("the pool lives");
        }
    };
    if tokio::time::timeout(Duration::from_secs(20), wait).await.is_err() {
        panic!("not {what} within 20 s: {:?}", pool.view());
    }
}

/// The process groups of the Chromes whose profile is under `data`: `(main process, group)`.
pub fn chromes(data: &Path) -> Vec<i32> {
    let switch = format!("--user-data-dir={}", data.display());
    let mut groups: Vec<i32> = pids()
        .into_iter()
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|part| part.starts_with(switch.as_bytes()))
        })
        .filter_map(|pid| group(pid).map(|(_, group)| group))
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The processes of a group with their states; `Z` is a zombie.
pub fn members(of: i32) -> Vec<(i32, char)> {
    let in_group = |pid| group(pid).filter(|(_, group)| *group == of).map(|(state, _)| (pid, state));
    pids().into_iter().filter_map(in_group).collect()
}

fn pids() -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").expect("a /proc").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn group(pid: i32) -> Option<(char, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.nth(1)?.parse().ok()?))
}

/// The folders of launches under `data`.
pub fn launch_folders(data: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data.join("chrome")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Waits, by looking, for what no event tells: that the kernel or another process has done its part.
pub async fn eventually(seconds: u64, what: &str, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < Duration::from_secs(seconds), "not {what} within {seconds} s");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
