//! Calls into a frame's isolated world.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::script;
use super::world::World;
use crate::cdp::ask::{Evaluated, Exception, ask, tell};
use crate::cdp::{CdpError, Session};

/// How much longer than its step a call may take: a page that is busy at the step's end is told from one that
/// never answers.
const GRACE: Duration = Duration::from_secs(1);

/// Why a call into a frame gave nothing.
#[derive(Debug)]
pub(super) enum CallError {
    /// The document it was for is gone, or not there yet: another may come.
    Gone,
    /// The script threw.
    Threw(String),
    /// The page did not answer in time.
    Slow(&'static str),
    /// Chrome failed.
    Chrome(CdpError),
}

impl From<CdpError> for CallError {
    fn from(error: CdpError) -> Self {
        match error {
            CdpError::Detached => Self::Gone,
            CdpError::Refused { ref message, .. } if document_gone(message) => Self::Gone,
            other => Self::Chrome(other),
        }
    }
}

/// Whether Chrome's refusal says that the document is not there any more.
fn document_gone(message: &str) -> bool {
    [
        "Cannot find context",
        "Cannot find default execution context",
        "Execution context was destroyed",
        "Inspected target navigated or closed",
        "No frame",
        "Frame with the given id",
        "Could not find node",
        "Could not find object",
        "No node with given id",
        "Node with given id does not belong",
        "Promise was collected",
        "Argument should belong to the same JavaScript world",
        "Not attached to an active page",
        "Internal error",
    ]
    .iter()
    .any(|known| message.contains(known))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorldMade {
    execution_context_id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: i64,
}

#[derive(Debug, Deserialize)]
struct Resolved {
    object: crate::cdp::ask::Remote,
}

impl World {
    /// Calls a function of the script in a frame, at most until the clock shows `deadline` (and a little).
    pub async fn call<T: DeserializeOwned>(
        self: &Arc<Self>,
        frame: &str,
        deadline: Duration,
        function: &str,
        args: Value,
    ) -> Result<T, CallError> {
        let (session, context) = self.isolated(frame).await?;
        let params = json!({
            "functionDeclaration": script::CALL,
            "executionContextId": context,
            "arguments": [{"value": function}, {"value": args}],
            "returnByValue": true,
            "awaitPromise": true,
        });
        let value = self.evaluated(&session, "Runtime.callFunctionOn", params, deadline).await;
        if matches!(value, Err(CallError::Gone)) {
            self.forget_world(frame, context);
        }
        decoded(value?)
    }

    /// Evaluates an expression in the page's own world.
    pub async fn evaluate(
        self: &Arc<Self>,
        frame: &str,
        deadline: Duration,
        expression: &str,
    ) -> Result<Value, CallError> {
        let (session, context, main) = self
            .look(|state| {
                let main = state.pages.iter().any(|page| page.main_frame == frame);
                state.frames.get(frame).map(|f| (f.session.clone(), f.page_world, main))
            })
            .ok_or(CallError::Gone)?;
        let mut params = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        match context {
            Some(context) => params["contextId"] = context.into(),
            // Chrome takes the main frame's world where none is named.
            None if main => {}
            None => return Err(CallError::Gone),
        }
        self.evaluated(&session, "Runtime.evaluate", params, deadline).await
    }

    async fn evaluated(
        self: &Arc<Self>,
        session: &Session,
        method: &'static str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value, CallError> {
        // The clock, which stands still at gates, is the limit; the session's own would not know of gates.
        let calling = session.call_within(Duration::from_secs(3_600), ask::<Evaluated>(method, params));
        let answer = self.clock.within(deadline + GRACE, calling).await;
        self.drain();
        let evaluated = answer.ok_or(CallError::Slow(method))??;
        match evaluated.exception_details {
            Some(thrown) => Err(exception(&thrown)),
            None => Ok(evaluated.result.value.unwrap_or(Value::Null)),
        }
    }

    /// The isolated world of the frame's document; made where there is none.
    async fn isolated(self: &Arc<Self>, frame: &str) -> Result<(Session, i64), CallError> {
        let (session, world, loader) = self
            .look(|state| state.frames.get(frame).map(|f| (f.session.clone(), f.world, f.loader.clone())))
            .ok_or(CallError::Gone)?;
        if let Some(context) = world {
            return Ok((session, context));
        }
        let make = json!({"frameId": frame, "worldName": "signalbox"});
        let made = session.call(ask::<WorldMade>("Page.createIsolatedWorld", make)).await?;
        let context = made.execution_context_id;
        // Sent before any call into the world, and so evaluated before it.
        session
            .tell(tell("Runtime.evaluate", json!({"expression": script::INSTALL, "contextId": context})))?;
        self.drain();
        self.change(|state| {
            if let Some(known) = state.frames.get_mut(frame).filter(|known| known.loader == loader) {
                known.world = Some(context);
            }
        });
        Ok((session, context))
    }

    fn forget_world(&self, frame: &str, context: i64) {
        self.change(|state| {
            if let Some(known) = state.frames.get_mut(frame).filter(|known| known.world == Some(context)) {
                known.world = None;
            }
        });
    }

    /// Calls a function of the script with the element that holds a frame, in the frame around it. None for a
    /// page's main frame.
    pub async fn call_on_owner<T: DeserializeOwned>(
        self: &Arc<Self>,
        frame: &str,
        deadline: Duration,
        function: &str,
        args: Value,
    ) -> Result<Option<(String, T)>, CallError> {
        let Some(parent) =
            self.look(|state| state.frames.get(frame).map(|f| f.parent.clone())).ok_or(CallError::Gone)?
        else {
            return Ok(None);
        };
        let (session, context) = self.isolated(&parent).await?;
        let owner = session.call(ask::<Owner>("DOM.getFrameOwner", json!({"frameId": frame}))).await?;
        let resolve = json!({"backendNodeId": owner.backend_node_id, "executionContextId": context});
        let resolved = session.call(ask::<Resolved>("DOM.resolveNode", resolve)).await?;
        let object = resolved.object.object_id.ok_or(CallError::Gone)?;
        let params = json!({
            "functionDeclaration": script::CALL_ON,
            "objectId": object,
            "arguments": [{"value": function}, {"value": args}],
            "returnByValue": true,
            "awaitPromise": true,
        });
        let value = self.evaluated(&session, "Runtime.callFunctionOn", params, deadline).await?;
        Ok(Some((parent, decoded(value)?)))
    }
}

fn exception(thrown: &Exception) -> CallError {
    let text = thrown.shown();
    // The script is not there: the world was made for a document that is gone.
    if text.contains("signalbox is not defined") { CallError::Gone } else { CallError::Threw(text) }
}

fn decoded<T: DeserializeOwned>(value: Value) -> Result<T, CallError> {
    serde_json::from_value(value)
        .map_err(|reason| CallError::Threw(format!("the page's script answered something else: {reason}")))
}
