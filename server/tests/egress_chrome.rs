//! The filtering proxy before a real Chrome.

mod egress_support;

use std::{path::PathBuf, process::Stdio, time::Duration};

use egress_support::{Origin, proxy};
use server::egress::{BYPASS, Port, Verdict};
use tokio::{process::Command, time::timeout};

/// The Chrome to test with: `SIGNALBOX_POOL__BINARY`, else the first that is installed.
fn chrome() -> PathBuf {
    let named = std::env::var_os("SIGNALBOX_POOL__BINARY").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let installed = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "google-chrome"]
        .iter()
        .flat_map(|name| std::env::split_paths(&folders).map(move |folder| folder.join(name)));
    named
        .into_iter()
        .chain(installed)
        .find(|path| path.is_file())
        .expect("a Chrome: install chromium-headless-shell")
}

/// What Chrome makes of a page whose every request goes through the port.
async fn dump(port: &Port, url: &str) -> String {
    let profile = tempfile::tempdir().expect("a folder");
    let mut chrome = Command::new(chrome());
    chrome
        .args(["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--proxy-server=http://{}", port.addr()))
        .arg(format!("--proxy-bypass-list={BYPASS}"))
        .args(["--dump-dom", url])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // Its sandbox cannot work for root.
    if rustix::process::geteuid().is_root() {
        chrome.arg("--no-sandbox");
    }
    let output = timeout(Duration::from_secs(60), chrome.output()).await.expect("in time").expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn chrome_reaches_the_loopback_address_that_is_allowed_and_no_other() {
    let (allowed, other) = (Origin::start().await, Origin::start().await);
    let egress = proxy(&[&allowed.addr.to_string()]);
    let port = egress.open_port().await.expect("a port");

    let addresses = [
        format!("http://{}/welcome", allowed.addr),
        format!("http://127.0.0.1:{}/secret", other.addr.port()),
        format!("http://localhost:{}/secret", other.addr.port()),
    ];
    let pages = addresses.iter().map(|address| dump(&port, address));
    let [page, by_address, by_name] = &futures::future::join_all(pages).await[..] else {
        panic!("three pages")
    };
    assert!(page.contains("GET /welcome HTTP/1.1"), "{page}");
    assert!(!by_address.contains("GET /secret"), "{by_address}");
    assert!(!by_name.contains("GET /secret"), "{by_name}");
    assert_eq!(port.verdict_for("127.0.0.1", allowed.addr.port()), Some(Verdict::Allowed));
    assert_eq!(other.connections(), 0);
    let verdict = port.verdict_for("127.0.0.1", other.addr.port());
    assert!(matches!(verdict, Some(Verdict::Refused { .. })), "{verdict:?}");
    let verdict = port.verdict_for("localhost", other.addr.port());
    assert!(matches!(verdict, Some(Verdict::Refused { .. })), "it asked the proxy, {verdict:?}");
}
