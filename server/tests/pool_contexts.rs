//! Contexts on real Chrome: isolated from each other, and their faults their own.

mod chrome;

use std::time::{Duration, Instant};

use chrome::{blank, evaluate, lease, pool, settings, site, until, visit, within};
use server::cdp::CdpError;
use server::cdp::protocol::browser_protocol::fetch::{
    ContinueRequestParams, EnableParams, EventRequestPaused,
};
use server::cdp::protocol::browser_protocol::page::{CrashParams, NavigateParams};
use server::cdp::protocol::js_protocol::runtime::EvaluateParams;
use server::pool::{ContextOptions, PoolError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn forever() -> EvaluateParams {
    let never = EvaluateParams::builder().expression("new Promise(() => {})").await_promise(true).build();
    never.expect("complete")
}

#[tokio::test]
async fn a_context_sees_nothing_of_another_also_after_a_crash() {
    let (pool, _data) = pool(settings()).await;
    let url = format!("http://{}/", site().await);
    let mut first = lease(&pool).await;
    let page = visit(&mut first, &url).await;
    assert_eq!(evaluate(&page, "document.title").await, "fresh");
    assert_eq!(evaluate(&visit(&mut first, &url).await, "document.title").await, "known");

    let mut second = lease(&pool).await;
    assert_eq!(second.instance_id(), first.instance_id(), "both in one Chrome");
    assert_eq!(evaluate(&visit(&mut second, &url).await, "document.title").await, "fresh");

    page.tell(CrashParams {}).expect("sent");
    assert_eq!(within(5, "the crash", page.gone()).await, CdpError::Crashed);
    first.close().await;
    let mut third = lease(&pool).await;
    assert_eq!(evaluate(&visit(&mut third, &url).await, "document.title").await, "fresh");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_crashed_renderer_fails_its_calls_in_seconds_and_spares_its_neighbours() {
    let (pool, _data) = pool(settings()).await;
    let url = format!("http://{}/", site().await);
    let (mut first, mut second) = (lease(&pool).await, lease(&pool).await);
    let (page, neighbour) = (visit(&mut first, &url).await, visit(&mut second, &url).await);
    let waiting = page.send(forever()).expect("sent");
    let began = Instant::now();
    page.tell(CrashParams {}).expect("sent");
    assert_eq!(waiting.answer().await.expect_err("no answer can come"), CdpError::Crashed);
    assert_eq!(page.call(EvaluateParams::new("1")).await.expect_err("gone"), CdpError::Crashed);
    assert!(began.elapsed() < Duration::from_secs(5), "took {:?}", began.elapsed());
    assert_eq!(evaluate(&neighbour, "document.title").await, "fresh");
    assert!(first.is_lost().is_none() && second.is_lost().is_none());
    first.close().await;
    until(&pool, "the slot back", |view| view.busy == 1).await;
    pool.shutdown().await;
}

#[tokio::test]
async fn a_call_that_chrome_does_not_answer_ends_at_its_limit() {
    let (pool, _data) = pool(settings()).await;
    let mut lease = lease(&pool).await;
    let page = blank(&mut lease).await;
    let limit = Duration::from_millis(200);
    let error = page.call_within(limit, forever()).await.expect_err("no answer");
    assert!(matches!(error, CdpError::TimedOut { limit: stated, .. } if stated == limit), "{error}");
    assert_eq!(evaluate(&page, "'still here'").await, "still here");
    pool.shutdown().await;
}

#[tokio::test]
async fn the_first_document_of_a_page_can_be_held_when_it_is_opened_empty() {
    let (pool, _data) = pool(settings()).await;
    let url = format!("http://{}/", site().await);
    let mut lease = lease(&pool).await;
    let page = lease.open_page("about:blank").await.expect("a page");
    assert!(page.waiting && page.info.kind == "page");
    let mut held = page.session.subscribe::<EventRequestPaused>(4);
    let enabled = page.session.send(EnableParams::default()).expect("sent");
    page.resume().expect("sent");
    enabled.answer().await.expect("enabled");
    page.session.tell(NavigateParams::new(&url)).expect("sent");
    let request = within(10, "the request", held.next()).await.expect("the page lives");
    assert_eq!(request.request.url, url);
    page.session.call(ContinueRequestParams::new(request.request_id)).await.expect("let go");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_popup_is_attached_paused_and_in_its_openers_context() {
    let (pool, _data) = pool(settings()).await;
    let site = site().await;
    let (mut lease, mut other) = (lease(&pool).await, lease(&pool).await);
    let opener = lease.open_page(&format!("http://{site}/popup")).await.expect("a page");
    opener.resume().expect("running");
    let popup = within(10, "the popup", lease.targets().next()).await.expect("the browser lives");
    assert!(popup.waiting, "it has run nothing yet");
    assert!(popup.info.opener_id.is_some(), "{:?}", popup.info);
    assert_eq!(popup.info.browser_context_id.as_deref(), Some(lease.context_id().as_ref()));
    popup.resume().expect("running");
    let elsewhere = visit(&mut other, &format!("http://{site}/")).await;
    assert_eq!(evaluate(&elsewhere, "document.title").await, "fresh");
    assert_eq!(evaluate(&opener.session, "document.title").await, "opener");
    lease.close().await;
    assert!(within(5, "the popup's end", popup.session.gone()).await.is_final());
    pool.shutdown().await;
}

#[tokio::test]
async fn a_page_that_wants_to_stay_is_closed_in_bounded_time() {
    let (pool, _data) = pool(settings()).await;
    let mut lease = lease(&pool).await;
    let page = visit(&mut lease, &format!("http://{}/stay", site().await)).await;
    let gesture = EvaluateParams::builder().expression("document.body.click()").user_gesture(true).build();
    page.call(gesture.expect("complete")).await.expect("clicked");
    within(5, "the closing", lease.close()).await;
    until(&pool, "the slot back", |view| view.busy == 0).await;
    pool.shutdown().await;
}

#[tokio::test]
async fn loopback_too_goes_through_the_contexts_proxy() {
    let (pool, _data) = pool(settings()).await;
    let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", proxy.local_addr().expect("its address"));
    let options = ContextOptions { proxy: Some(address), ..ContextOptions::default() };
    let mut lease = pool.open_context(options).await.expect("a context");
    let url = format!("http://{}/", site().await);
    let page = lease.open_page(&url).await.expect("a page");
    page.resume().expect("running");
    let (mut asked, _) = within(10, "the request", proxy.accept()).await.expect("accepted");
    let mut head = vec![0; 1024];
    let read = within(5, "the request's head", asked.read(&mut head)).await.expect("read");
    let head = String::from_utf8_lossy(&head[..read]).into_owned();
    assert!(head.starts_with(&format!("GET {url} HTTP/1.1")), "{head}");
    asked.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.expect("answered");
    pool.shutdown().await;
}

#[tokio::test]
async fn slots_bound_the_contexts_and_a_wait_for_one_has_a_limit() {
    let (pool, _data) = pool(server::config::PoolSettings { slots: 1, ..settings() }).await;
    let first = lease(&pool).await;
    let impatient = ContextOptions { limit: Duration::from_millis(100), ..ContextOptions::default() };
    let error = pool.open_context(impatient).await.expect_err("no slot");
    assert!(matches!(error, PoolError::TimedOut { awaited: server::pool::Awaited::Slot, .. }), "{error}");
    let proof = ContextOptions { proof: true, ..ContextOptions::default() };
    pool.open_context(proof).await.expect("the slot beyond the pool").close().await;
    let waiting = tokio::spawn({
        let pool = pool.clone();
        async move { lease(&pool).await }
    });
    pool.resize(2);
    let second = within(10, "the second slot", waiting).await.expect("no panic");
    assert_eq!(pool.view().busy, 2);
    drop((first, second));
    until(&pool, "both slots back", |view| view.busy == 0).await;
    pool.shutdown().await;
}
