//! Instances on real Chrome: how they come, go, die, and leave nothing behind.

mod chrome;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use app::model::pool::InstanceState;
use chrome::{
    blank, chromes, evaluate, eventually, launch_folders, lease, members, pool, settings, site, until, visit,
    within,
};
use rustix::process::{Pid, Signal};
use server::cdp::CdpError;
use server::config::PoolSettings;
use server::pool::{ContextOptions, Pool, PoolError};

/// Where the server of the test that kills one finds its data folder.
const DATA: &str = "POOL_LIFE_DATA";

/// Which Chrome it runs.
const BINARY: &str = "POOL_LIFE_BINARY";

fn kill(pid: i32) {
    rustix::process::kill_process(Pid::from_raw(pid).expect("a pid"), Signal::KILL).expect("killed");
}

/// A program that stands in for Chrome.
fn stand_in(folder: &Path, script: &str) -> String {
    let path = folder.join("chrome");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("made a program");
    path.display().to_string()
}

#[tokio::test]
async fn a_killed_browser_loses_all_its_leases_and_their_slots_come_back() {
    let (pool, data) = pool(settings()).await;
    let (mut first, second) = (lease(&pool).await, lease(&pool).await);
    let page = blank(&mut first).await;
    let browser = chromes(data.path())[0];
    kill(browser);
    for lease in [&first, &second] {
        let lost = within(5, "the loss", lease.lost()).await;
        assert_eq!(
            (lost.instance.as_str(), lost.why.as_str()),
            (first.instance_id(), "was ended by signal 9")
        );
    }
    assert!(matches!(within(5, "the page's end", page.gone()).await, CdpError::Closed(_)));
    let shown = pool.view().instances.remove(0);
    assert_eq!((shown.state, shown.why.as_deref()), (InstanceState::Lost, Some("was ended by signal 9")));
    drop((first, second));
    until(&pool, "both slots back", |view| view.busy == 0).await;
    lease(&pool).await.close().await;
    assert!(members(browser).is_empty(), "{:?}", members(browser));
    pool.shutdown().await;
}

#[tokio::test]
async fn twenty_launches_leave_no_profile_process_or_zombie() {
    let (pool, data) = pool(PoolSettings { max_uses: 1, ..settings() }).await;
    let mut groups = Vec::new();
    for round in 0..20 {
        let lease = lease(&pool).await;
        let running = chromes(data.path());
        assert_eq!(lease.instance_id(), format!("c{}", round + 1), "each in a Chrome of its own");
        if round % 2 == 0 {
            kill(*running.last().expect("a Chrome"));
        }
        groups.extend(running);
        lease.close().await;
        until(&pool, "all ended", |view| {
            view.instances.iter().all(|instance| instance.state == InstanceState::Lost)
        })
        .await;
    }
    pool.shutdown().await;
    assert_eq!(launch_folders(data.path()), Vec::<std::path::PathBuf>::new());
    for group in groups {
        assert!(members(group).is_empty(), "{:?}", members(group));
    }
}

#[tokio::test]
async fn a_chrome_that_ends_at_its_start_is_named_with_its_last_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = stand_in(folder.path(), "echo 'the profile appears to be in use' >&2; exit 21");
    let (pool, data) = pool(PoolSettings { binary, ..settings() }).await;
    let error =
        within(10, "the error", pool.open_context(ContextOptions::default())).await.expect_err("no Chrome");
    let message = error.to_string();
    assert!(message.contains("exit code 21") && message.contains("appears to be in use"), "{message}");
    assert_eq!(pool.trouble(), Some(error));
    assert_eq!(pool.view().busy, 0);
    assert!(launch_folders(data.path()).is_empty());
    pool.configure(&PoolSettings { binary: "auto".to_owned(), ..settings() });
    // The pause after a failure passes, and the pool recovers by itself.
    let recovered = async {
        while pool.open_context(ContextOptions::default()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within(10, "the recovery", recovered).await;
    pool.shutdown().await;
}

#[tokio::test]
async fn a_missing_chrome_is_said_with_what_to_do() {
    let (pool, _data) = pool(PoolSettings { binary: "/nowhere/chrome".to_owned(), ..settings() }).await;
    let error = pool.open_context(ContextOptions::default()).await.expect_err("no Chrome");
    assert!(
        matches!(error, PoolError::NoChrome { .. }) && error.to_string().contains("pool.binary"),
        "{error}"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn a_request_given_up_while_chrome_starts_frees_its_slot() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = stand_in(folder.path(), "exec sleep 600");
    let (pool, data) = pool(PoolSettings { binary, slots: 1, ..settings() }).await;
    let request = tokio::spawn({
        let pool = pool.clone();
        async move { pool.open_context(ContextOptions::default()).await.map(drop) }
    });
    until(&pool, "starting for it", |view| view.busy == 1 && !view.instances.is_empty()).await;
    request.abort();
    until(&pool, "the slot back", |view| view.busy == 0).await;
    within(10, "the end of the one that never came up", pool.shutdown()).await;
    assert!(launch_folders(data.path()).is_empty());
}

#[tokio::test]
async fn who_asks_to_be_alone_is() {
    let (pool, _data) = pool(settings()).await;
    let shared = lease(&pool).await;
    let alone = ContextOptions { exclusive: true, ..ContextOptions::default() };
    let alone = pool.open_context(alone).await.expect("a context");
    assert_ne!(alone.instance_id(), shared.instance_id());
    let third = lease(&pool).await;
    assert_eq!(third.instance_id(), shared.instance_id());
    pool.shutdown().await;
}

#[tokio::test]
async fn a_recycled_instance_drains_first_and_says_why() {
    let (pool, _data) = pool(settings()).await;
    let mut first = lease(&pool).await;
    let old = first.instance_id().to_owned();
    pool.recycle(&old).expect("known");
    assert!(matches!(pool.recycle("c99"), Err(PoolError::UnknownInstance(_))));
    let second = lease(&pool).await;
    assert_ne!(second.instance_id(), old, "it takes no more");
    let draining = pool.view().instances.remove(0);
    assert_eq!(
        (draining.state, draining.why.as_deref()),
        (InstanceState::Draining, Some("recycled by hand"))
    );
    let page = visit(&mut first, &format!("http://{}/", site().await)).await;
    assert_eq!(evaluate(&page, "document.title").await, "fresh", "what runs goes on");
    first.close().await;
    until(&pool, "only the new one", |view| view.instances.iter().all(|instance| instance.id != old)).await;
    pool.shutdown().await;
}

#[tokio::test]
async fn a_probe_opens_a_context_really() {
    let (pool, _data) = pool(settings()).await;
    assert_eq!(pool.last_opened(), None);
    assert_eq!(pool.probe(Duration::from_secs(20)).await, Ok(Duration::ZERO));
    assert!(pool.last_opened().is_some() && pool.view().busy == 0);
    assert!(!pool.devtools_addresses().is_empty());
    pool.shutdown().await;
    assert_eq!(pool.open_context(ContextOptions::default()).await.map(drop), Err(PoolError::Closed));
}

#[tokio::test]
async fn the_memory_of_an_instance_is_measured_while_it_runs() {
    let (pool, _data) = pool(settings()).await;
    let _lease = lease(&pool).await;
    until(&pool, "measured", |view| view.instances[0].pss_mib.is_some_and(|mib| mib > 10)).await;
    pool.shutdown().await;
}

#[tokio::test]
async fn a_shutdown_amid_work_leaves_nothing_in_bounded_time() {
    let (pool, data) = pool(PoolSettings { warm: 1, ..settings() }).await;
    let mut lease = lease(&pool).await;
    visit(&mut lease, &format!("http://{}/stay", site().await)).await;
    let groups = chromes(data.path());
    let ended = tokio::spawn({
        let pool = pool.clone();
        async move { pool.shutdown().await }
    });
    within(10, "the loss", lease.lost()).await;
    within(15, "the end", ended).await.expect("no panic");
    assert!(launch_folders(data.path()).is_empty());
    assert!(chromes(data.path()).is_empty() && groups.iter().all(|group| members(*group).is_empty()));
}

fn start_server_to_be_killed(data: &Path, binary: &str) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "server_to_be_killed", "--ignored"])
        .envs([(DATA, data.as_os_str()), (BINARY, binary.as_ref())])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a server")
}

/// The server of the next tests: it opens a context and waits to be killed.
#[tokio::test]
#[ignore = "started by the test that kills it"]
async fn server_to_be_killed() {
    let data = std::env::var_os(DATA).expect("a data folder");
    let settings = PoolSettings { binary: std::env::var(BINARY).expect("a binary"), ..settings() };
    let pool = Pool::start(&settings, Path::new(&data), "killed").await.expect("a pool");
    let mut lease = lease(&pool).await;
    blank(&mut lease).await;
    std::fs::write(Path::new(&data).join("ready"), "").expect("written");
    lease.lost().await;
}

#[tokio::test]
async fn a_killed_server_leaves_no_chrome_and_the_next_start_clears_its_folders() {
    let data = tempfile::tempdir().expect("a data folder");
    let stranger = pool(settings()).await;
    let strangers = lease(&stranger.0).await;
    for _ in 0..2 {
        let _ = std::fs::remove_file(data.path().join("ready"));
        let mut server = start_server_to_be_killed(data.path(), "auto");
        eventually(30, "ready", || data.path().join("ready").exists()).await;
        let group = *chromes(data.path()).last().expect("its Chrome");
        server.kill().expect("killed");
        server.wait().expect("reaped");
        // By the parent-death signal, before anybody sweeps. Whose parent died is reaped by the system.
        eventually(5, "all ended", || members(group).iter().all(|(_, state)| *state == 'Z')).await;
        assert!(!launch_folders(data.path()).is_empty());
        let next = Pool::start(&settings(), data.path(), "next").await.expect("a pool");
        assert!(launch_folders(data.path()).is_empty(), "swept");
        next.shutdown().await;
    }
    assert!(strangers.is_lost().is_none(), "another server's Chrome is spared");
    stranger.0.shutdown().await;
}

#[tokio::test]
async fn what_outlives_a_killed_server_behind_a_wrapper_is_ended_by_the_next_start() {
    let data = tempfile::tempdir().expect("a data folder");
    let chrome = server::pool::find_chrome("auto").expect("a Chrome");
    let folder = tempfile::tempdir().expect("a folder");
    let wrapper = stand_in(folder.path(), &format!("true\n'{}' \"$@\"", chrome.display()));
    let mut server = start_server_to_be_killed(data.path(), &wrapper);
    eventually(30, "ready", || data.path().join("ready").exists()).await;
    let group = *chromes(data.path()).last().expect("its Chrome");
    server.kill().expect("killed");
    server.wait().expect("reaped");
    eventually(5, "without the wrapper", || !std::path::Path::new(&format!("/proc/{group}/exe")).exists())
        .await;
    assert!(!chromes(data.path()).is_empty(), "the browser lives on");
    let next = Pool::start(&settings(), data.path(), "next").await.expect("a pool");
    assert!(members(group).iter().all(|(_, state)| *state == 'Z'), "{:?}", members(group));
    assert!(launch_folders(data.path()).is_empty());
    next.shutdown().await;
}
