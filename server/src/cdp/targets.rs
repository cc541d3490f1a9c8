//! Targets as they appear: pages, popups, frames and workers, attached flat and paused until they are let go.

use std::collections::HashMap;
use std::sync::Arc;

use chromiumoxide::cdp::browser_protocol::inspector;
use chromiumoxide::cdp::browser_protocol::target::{CloseTargetParams, DetachFromTargetParams};
use chromiumoxide::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::connection::Connection;
use super::error::CdpError;
use super::registry::{Registry, SessionState};
use super::session::Session;

/// Targets of one context that may wait to be taken; beyond it they are closed, so that a page that opens
/// windows without end takes no memory without end.
const UNTAKEN: usize = 64;

/// What Chrome says of a target when it attaches it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// The target's id; for a page it is its main frame's id, too.
    pub target_id: String,
    /// `page`, `iframe`, `worker`, `service_worker` or `shared_worker`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The address at the time of attaching; empty for one that has not started.
    #[serde(default)]
    pub url: String,
    /// The target that opened it, for a popup.
    #[serde(default)]
    pub opener_id: Option<String>,
    /// The browser context that it belongs to.
    #[serde(default)]
    pub browser_context_id: Option<String>,
}

/// A target of the followed context, attached.
#[derive(Debug)]
pub struct Attached {
    /// The session to talk to it.
    pub session: Session,
    /// The session through which it was found: `None` for the browser's own, else its page's.
    pub parent: Option<Arc<str>>,
    /// What it is.
    pub info: TargetInfo,
    /// Whether it is paused, and nothing of it runs until [`Attached::resume`].
    pub waiting: bool,
}

impl Attached {
    /// Lets a paused target run.
    ///
    /// # Errors
    /// The session is gone, or Chrome takes no commands.
    pub fn resume(&self) -> Result<(), CdpError> {
        self.session.tell(RunIfWaitingForDebuggerParams {})
    }
}

/// The targets of one browser context as they appear. Dropping it stops following.
#[derive(Debug)]
pub struct Targets {
    queue: mpsc::Receiver<Found>,
    context: Box<str>,
    connection: Connection,
}

impl Targets {
    /// The next target; `None` when the connection is closed.
    ///
    /// Cancel-safe: a dropped wait loses no target.
    pub async fn next(&mut self) -> Option<Attached> {
        let found = self.queue.recv().await?;
        let session = self.connection.session_of(found.state);
        Some(Attached { session, parent: found.parent, info: found.info, waiting: found.waiting })
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        self.connection.registry().routes.0.lock().remove(&self.context);
    }
}

/// A target between the pump and its context's follower.
#[derive(Debug)]
struct Found {
    state: Arc<SessionState>,
    parent: Option<Arc<str>>,
    info: TargetInfo,
    waiting: bool,
}

/// Who follows which browser context.
#[derive(Debug, Default)]
pub(super) struct Routes(Mutex<HashMap<Box<str>, mpsc::Sender<Found>>>);

impl Routes {
    pub(super) fn clear(&self) {
        self.0.lock().clear();
    }

    pub(super) fn follow(connection: &Connection, context: &str) -> Targets {
        let (sender, queue) = mpsc::channel(UNTAKEN);
        if connection.root().is_gone().is_none() {
            connection.registry().routes.0.lock().insert(context.into(), sender);
        }
        Targets { queue, context: context.into(), connection: connection.clone() }
    }
}

/// The parameters of `Target.attachedToTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AttachedToTarget {
    session_id: String,
    target_info: TargetInfo,
    #[serde(default)]
    waiting_for_debugger: bool,
}

/// Takes up what the protocol says of targets and sessions on any session. Runs in the pump, so it never waits.
pub(super) fn observe(registry: &Registry, on: &SessionState, method: &str, params: &str) {
    match method {
        "Target.attachedToTarget" => match serde_json::from_str(params) {
            Ok(event) => attached(registry, on, event),
            Err(reason) => tracing::debug!(%reason, "an attached target was not understood and is dropped"),
        },
        "Target.detachedFromTarget" => {
            if let Some(session) = field(params, |f| f.session_id) {
                registry.detach(&session);
            }
        }
        "Target.targetCrashed" => {
            if let Some(target) = field(params, |f| f.target_id) {
                registry.crash(&target);
            }
        }
        "Inspector.targetCrashed" => on.end(CdpError::Crashed),
        "Inspector.detached" => on.end(CdpError::Detached),
        _ => {}
    }
}

fn attached(registry: &Registry, on: &SessionState, event: AttachedToTarget) {
    let AttachedToTarget { session_id, target_info: info, waiting_for_debugger: waiting } = event;
    let state = registry.attach(&session_id, on.id.clone(), &info.target_id);
    if matches!(info.kind.as_str(), "page" | "iframe") {
        // Only an enabled inspector tells of a crash, and a crash must end the waiting calls whoever sent them.
        let _ = registry.tell(&state, &inspector::EnableParams {});
    }
    let route = info.browser_context_id.as_deref().and_then(|id| registry.routes.0.lock().get(id).cloned());
    let Some(route) = route else {
        if waiting {
            release(registry, on, &state, &session_id);
        }
        return;
    };
    let target = info.target_id.clone();
    let found = Found { state, parent: on.id.clone(), info, waiting };
    if route.try_send(found).is_err() {
        tracing::debug!(target, "nobody takes the context's new targets: this one is closed");
        let _ = registry.tell(&registry.root, &CloseTargetParams::new(target));
    }
}

/// Lets a target run that nobody follows, and leaves it alone.
fn release(registry: &Registry, on: &SessionState, state: &SessionState, session_id: &str) {
    let detach = DetachFromTargetParams::builder().session_id(session_id.to_owned()).build();
    // Both fail only when the session or the connection is gone, and then there is nothing to let run.
    let _ = registry.tell(state, &RunIfWaitingForDebuggerParams {});
    let _ = registry.tell(on, &detach);
}

/// The identifying fields of the events on sessions.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    session_id: Option<String>,
    target_id: Option<String>,
}

fn field(params: &str, pick: impl FnOnce(Fields) -> Option<String>) -> Option<String> {
    serde_json::from_str(params).ok().and_then(pick)
}
