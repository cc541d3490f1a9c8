//! One Chrome process tree on this machine: started, heard until it says where it listens, and ended.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Once};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::error::PoolError;
use super::folder::{LaunchFolder, end_group};
use super::proc;
use super::spawn::Spawner;
use crate::cdp::Connection;
use crate::cdp::protocol::browser_protocol::browser::CloseParams;

/// How long Chrome may take to say where it listens: two orders above what it takes on a quiet machine.
const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// How long Chrome may take to close by itself before it is killed.
const CLOSES_WITHIN: Duration = Duration::from_secs(2);

/// How long the end of the killed main process is waited for.
const DIES_WITHIN: Duration = Duration::from_secs(3);

/// How long the last words of a Chrome that ended are waited for.
const LAST_WORDS_WITHIN: Duration = Duration::from_millis(500);

/// Lines of standard error that are kept to explain an early end, each cut at [`LINE`] bytes.
const LINES: usize = 12;
const LINE: u64 = 4096;

/// Below this size of `/dev/shm` Chrome is told to keep its shared memory in the temporary folder.
const SHARED_MEMORY: u64 = 512 << 20;

/// Switches that cost no fidelity.
const SWITCHES: [&str; 20] = [
    "--headless",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--remote-debugging-port=0",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-popup-blocking",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
];

/// A running Chrome. Dropping it kills its whole group and removes its profile.
#[derive(Debug)]
pub(super) struct Chrome {
    child: Child,
    group: i32,
    folder: Option<LaunchFolder>,
    said: Arc<Mutex<VecDeque<String>>>,
    /// Where it listens for the DevTools protocol.
    pub url: String,
}

impl Chrome {
    /// Starts Chrome on a new profile under `data` and waits until it listens; `stop` cuts that short.
    pub(super) async fn launch(
        spawner: &Spawner,
        binary: &Path,
        data: &Path,
        stop: &CancellationToken,
    ) -> Result<Self, PoolError> {
        let failed = |cause: String| PoolError::Launch { binary: binary.display().to_string(), cause };
        let folder = LaunchFolder::create(data)?;
        let mut command = Command::new(binary);
        command.args(SWITCHES).args(switches_for_here()).arg(user_data_dir(&folder.profile()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = match spawner.spawn(command).await {
            Ok(child) => child,
            Err(reason) => {
                folder.remove();
                return Err(failed(reason.to_string()));
            }
        };
        let group = child.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or_default();
        let said = Arc::default();
        let mut chrome = Self { child, group, folder: Some(folder), said, url: String::new() };
        match chrome.come_up(stop).await {
            Ok(url) => {
                chrome.url = url;
                Ok(chrome)
            }
            Err(cause) => {
                let cause = chrome.with_last_words(cause);
                chrome.end(None).await;
                Err(failed(cause))
            }
        }
    }

    /// The process group, which has the main process's number.
    pub(super) fn group(&self) -> i32 {
        self.group
    }

    /// The address of the DevTools port, for those who must refuse it to a page.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.url.strip_prefix("ws://")?.split('/').next()?.parse().ok()
    }

    /// Resolves, in words, when the main process has ended.
    pub(super) async fn exited(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => words(status),
            Err(reason) => format!("was lost sight of: {reason}"),
        }
    }

    /// Ends it within bounded time: politely when there is a connection to ask by, then by force, helpers too;
    /// then removes the profile.
    pub(super) async fn end(mut self, ask: Option<&Connection>) {
        if let Some(connection) = ask.filter(|connection| connection.is_closed().is_none()) {
            // An answer is no proof: only the end of the process is.
            let _ = connection.root().tell(CloseParams {});
            let _ = tokio::time::timeout(CLOSES_WITHIN, self.child.wait()).await;
        }
        // It fails when the process has ended, which is what is wanted.
        let _ = self.child.start_kill();
        let _ = tokio::time::timeout(DIES_WITHIN, self.child.wait()).await;
        let (group, folder) = (self.group, self.folder.take());
        let cleared = tokio::task::spawn_blocking(move || clear(group, folder.as_ref())).await;
        if let Err(reason) = cleared {
            tracing::warn!(group, %reason, "clearing up after a Chrome was cut short; the next start will");
        }
    }

    async fn come_up(&mut self, stop: &CancellationToken) -> Result<String, String> {
        if let Some(folder) = &self.folder {
            folder.write_owner(self.group).map_err(|e| e.to_string())?;
        }
        let Some(stderr) = self.child.stderr.take() else {
            return Err("it has no standard error".to_owned());
        };
        let (listens, mut heard) = oneshot::channel();
        let listening = tokio::spawn(listen(stderr, self.said.clone(), listens));
        tokio::select! {
            biased;
            Ok(url) = &mut heard => Ok(url),
            why = self.exited() => {
                // What it said may still be in the pipe; a helper that holds it open is not waited for.
                let _ = tokio::time::timeout(LAST_WORDS_WITHIN, listening).await;
                Err(format!("it {why} before it listened"))
            }
            () = stop.cancelled() => Err("the pool is shutting down".to_owned()),
            () = tokio::time::sleep(STARTS_WITHIN) => {
                Err(format!("it did not say where it listens within {STARTS_WITHIN:?}"))
            }
        }
    }

    fn with_last_words(&self, cause: String) -> String {
        let said = self.said.lock();
        if said.is_empty() {
            return format!("{cause}, and said nothing");
        }
        let last: Vec<&str> = said.iter().map(String::as_str).collect();
        format!("{cause}; it said: {}", last.join(" | "))
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        // Only when `end` was not called or was cut short; it must not block for long.
        if let Some(folder) = self.folder.take() {
            let group = self.group;
            let _ = self.child.start_kill();
            std::thread::spawn(move || clear(group, Some(&folder)));
        }
    }
}

/// Kills what is left of a group, then removes its folder. Blocks.
fn clear(group: i32, folder: Option<&LaunchFolder>) {
    end_group(group);
    if let Some(folder) = folder {
        folder.remove();
    }
}

/// The memory of a group in MiB (PSS). Blocks.
pub(super) fn memory_mib(group: i32) -> u64 {
    proc::memory_kib(group) / 1024
}

/// Reads standard error to its end, gives the DevTools address when it comes, and keeps the last lines.
async fn listen(stderr: ChildStderr, said: Arc<Mutex<VecDeque<String>>>, listens: oneshot::Sender<String>) {
    let mut listens = Some(listens);
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!((&mut reader).take(LINE).read_until(b'\n', &mut line).await, Ok(read) if read > 0) {
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        line.clear();
        if let Some(url) = text.strip_prefix("DevTools listening on ") {
            if let Some(listens) = listens.take() {
                // The launch may have been given up.
                let _ = listens.send(url.to_owned());
            }
        } else if !text.is_empty() {
            let mut said = said.lock();
            said.push_back(text);
            if said.len() > LINES {
                said.pop_front();
            }
        }
    }
}

fn user_data_dir(profile: &Path) -> String {
    format!("--user-data-dir={}", profile.display())
}

/// Whether the missing sandbox was told of: once is enough.
static WARNED: Once = Once::new();

/// Switches that this machine needs.
fn switches_for_here() -> Vec<&'static str> {
    let mut switches = Vec::new();
    if rustix::process::geteuid().is_root() {
        WARNED.call_once(|| {
            tracing::warn!(
                "Chrome runs without its sandbox, because the server runs as root; use another user"
            );
        });
        switches.push("--no-sandbox");
    }
    let shared = rustix::fs::statvfs(PathBuf::from("/dev/shm"));
    if !shared.is_ok_and(|fs| fs.f_blocks.saturating_mul(fs.f_frsize) >= SHARED_MEMORY) {
        switches.push("--disable-dev-shm-usage");
    }
    switches
}

fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}
