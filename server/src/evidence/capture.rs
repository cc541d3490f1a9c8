//! Takes a picture and a DOM snapshot of a page.
//!
//! Each part has its own limit and is best effort: a page that does not answer any more still leaves the trace.
//! Secrets are hidden before anything is taken or written. A snapshot is inert by how it is made (nothing in it
//! runs or names an address to load) and again by the policy that it carries; it is to be served with the header
//! of the same policy.

use std::time::Duration;

use app::model::evidence::Trace;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Redactor;
use crate::cdp::ask::{Evaluated, ask, tell};
use crate::cdp::{CdpError, Session};

/// How long each part may take.
const HIDE_LIMIT: Duration = Duration::from_secs(2);
const DOM_LIMIT: Duration = Duration::from_secs(5);
const PICTURE_LIMIT: Duration = Duration::from_secs(5);

/// The largest picture in CSS pixels; of a larger page the window is taken.
const MOST_HEIGHT: f64 = 10_000.0;
const MOST_AREA: f64 = 20_000_000.0;

/// The most frames that are hidden in.
const FRAMES: usize = 30;

/// Defines `evidence` in a frame's isolated world.
const INSTALL: &str = include_str!("snapshot.js");

/// What was taken of an attempt. Masked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captured {
    /// PNG.
    pub screenshot: Option<Vec<u8>>,
    /// Inert HTML.
    pub dom: Option<Vec<u8>>,
    /// Steps, selector tries, console and network.
    pub trace: Trace,
}

/// A page to take evidence of.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The page's session.
    pub session: Session,
    /// Its frames with the sessions that speak for them, the main frame first.
    pub frames: Vec<(String, Session)>,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Area {
    /// What the window shows.
    Window,
    /// All of the page, within bounds.
    WholePage,
    /// A part of the page, in its own CSS pixels.
    Part {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
}

/// A picture, and what it leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// PNG.
    pub png: Vec<u8>,
    /// What it shows, where that is less than was asked for.
    pub note: Option<String>,
}

/// Takes what can be taken.
pub async fn capture(
    subject: &Subject,
    mut trace: Trace,
    redactor: &Redactor,
    secrets: &[String],
) -> Captured {
    let hidden = Hidden::hide(subject, secrets).await;
    let dom = match hidden.worlds.first() {
        Some(world) => match tokio::time::timeout(DOM_LIMIT, world.call("snapshot", json!([]))).await {
            Ok(Ok(Value::String(html))) => Some(redactor.markup(&html).into_bytes()),
            _ => None,
        },
        None => None,
    };
    // A frame that could not be hidden in could show a secret: then there is no picture.
    let screenshot = if hidden.complete {
        match picture(&subject.session, Area::WholePage).await {
            Ok(taken) => {
                trace.screenshot_note = taken.note;
                Some(taken.png)
            }
            Err(reason) => {
                tracing::debug!(%reason, "no picture could be taken");
                None
            }
        }
    } else {
        None
    };
    Captured { screenshot, dom, trace }
}

/// Takes a picture while secrets are hidden, and shows them again.
///
/// # Errors
/// When Chrome takes none, or what must be hidden cannot be.
pub async fn masked_picture(subject: &Subject, area: Area, secrets: &[String]) -> Result<Taken, CdpError> {
    let hidden = Hidden::hide(subject, secrets).await;
    let taken = if hidden.complete {
        picture(&subject.session, area).await
    } else {
        Err(CdpError::TimedOut { method: "Runtime.evaluate".into(), limit: HIDE_LIMIT })
    };
    hidden.reveal().await;
    taken
}

/// Takes a picture as things are.
async fn picture(session: &Session, area: Area) -> Result<Taken, CdpError> {
    let metrics =
        session.call_within(PICTURE_LIMIT, ask::<Metrics>("Page.getLayoutMetrics", json!({}))).await?;
    let (clip, note) = clip(area, &metrics);
    let mut params = json!({"format": "png"});
    if let Some(clip) = clip {
        params["clip"] = clip;
        params["captureBeyondViewport"] = true.into();
    }
    let shot = session.call_within(PICTURE_LIMIT, ask::<Shot>("Page.captureScreenshot", params)).await?;
    let png = STANDARD.decode(shot.data).map_err(|reason| CdpError::Decode {
        method: "Page.captureScreenshot".into(),
        reason: reason.to_string(),
    })?;
    Ok(Taken { png, note })
}

#[derive(Debug, Deserialize)]
struct Shot {
    data: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_content_size: Rect,
    css_layout_viewport: Viewport,
}

#[derive(Debug, Deserialize)]
struct Rect {
    width: f64,
    height: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    page_x: f64,
    page_y: f64,
    client_width: f64,
    client_height: f64,
}

/// The part of the page to take (none: the window), and what is left out.
fn clip(area: Area, metrics: &Metrics) -> (Option<Value>, Option<String>) {
    let Rect { width, height } = metrics.css_content_size;
    let view = &metrics.css_layout_viewport;
    let fits = |width: f64, height: f64| height <= MOST_HEIGHT && width * height <= MOST_AREA;
    let part = |x: f64, y: f64, width: f64, height: f64| json!({"x": x, "y": y, "width": width.max(1.0), "height": height.max(1.0), "scale": 1});
    match area {
        Area::Window => (None, None),
        Area::WholePage if fits(width, height) => {
            let larger = width > view.client_width || height > view.client_height;
            (larger.then(|| part(0.0, 0.0, width, height)), None)
        }
        Area::WholePage => {
            let note = format!(
                "The page is {width:.0} × {height:.0} pixels; the picture shows the {:.0} × {:.0} at {:.0}, {:.0}",
                view.client_width, view.client_height, view.page_x, view.page_y
            );
            (None, Some(note))
        }
        Area::Part { x, y, width, height } if fits(width, height) => (Some(part(x, y, width, height)), None),
        Area::Part { x, y, width, height } => {
            let (w, h) = (width.min(4_000.0), height.min(4_000.0));
            let note = format!(
                "The element is {width:.0} × {height:.0} pixels; the picture shows {w:.0} × {h:.0} of it"
            );
            (Some(part(x, y, w, h)), Some(note))
        }
    }
}

/// A frame's isolated world with the script in it.
struct World {
    session: Session,
    context: i64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorldMade {
    execution_context_id: i64,
}

impl World {
    async fn in_frame(frame: &str, session: &Session) -> Result<Self, CdpError> {
        let make = json!({"frameId": frame, "worldName": "signalbox evidence"});
        let made = session.call(ask::<WorldMade>("Page.createIsolatedWorld", make)).await?;
        let context = made.execution_context_id;
        session.tell(tell("Runtime.evaluate", json!({"expression": INSTALL, "contextId": context})))?;
        Ok(Self { session: session.clone(), context })
    }

    async fn call(&self, function: &str, args: Value) -> Result<Value, CdpError> {
        let params = json!({
            "functionDeclaration": "function (name, args) { return evidence[name](...args); }",
            "executionContextId": self.context,
            "arguments": [{"value": function}, {"value": args}],
            "returnByValue": true,
        });
        let answer = self.session.call(ask::<Evaluated>("Runtime.callFunctionOn", params)).await?;
        match answer.exception_details {
            None => Ok(answer.result.value.unwrap_or(Value::Null)),
            Some(thrown) => {
                Err(CdpError::Decode { method: "Runtime.callFunctionOn".into(), reason: thrown.shown() })
            }
        }
    }
}

/// Frames in which secrets are hidden.
struct Hidden {
    worlds: Vec<World>,
    /// Whether every frame is among them.
    complete: bool,
}

impl Hidden {
    async fn hide(subject: &Subject, secrets: &[String]) -> Self {
        let secrets: Vec<&String> = secrets.iter().filter(|secret| !secret.trim().is_empty()).collect();
        let mut hidden = Self { worlds: Vec::new(), complete: subject.frames.len() <= FRAMES };
        for (index, (frame, session)) in subject.frames.iter().take(FRAMES).enumerate() {
            let hiding = async {
                let world = World::in_frame(frame, session).await?;
                world.call("hide", json!([secrets])).await?;
                Ok::<_, CdpError>(world)
            };
            match tokio::time::timeout(HIDE_LIMIT, hiding).await {
                Ok(Ok(world)) => hidden.worlds.push(world),
                // A frame may have gone meanwhile; the main one is what the picture is of.
                Ok(Err(CdpError::Detached | CdpError::Refused { .. })) if index > 0 => {}
                Ok(Err(_)) | Err(_) => {
                    hidden.complete = false;
                    break;
                }
            }
        }
        hidden
    }

    async fn reveal(&self) {
        for world in &self.worlds {
            let _ = tokio::time::timeout(HIDE_LIMIT, world.call("reveal", json!([]))).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: f64, height: f64) -> Metrics {
        Metrics {
            css_content_size: Rect { width, height },
            css_layout_viewport: Viewport {
                page_x: 0.0,
                page_y: 40.0,
                client_width: 800.0,
                client_height: 600.0,
            },
        }
    }

    #[test]
    fn a_whole_page_is_taken_within_bounds_and_declared_beyond() {
        assert_eq!(clip(Area::WholePage, &page(800.0, 600.0)), (None, None));
        let (part, note) = clip(Area::WholePage, &page(800.0, 3_000.0));
        assert_eq!((part.expect("a part")["height"].as_f64(), note), (Some(3_000.0), None));
        let (part, note) = clip(Area::WholePage, &page(800.0, 30_000.0));
        assert_eq!(part, None);
        assert_eq!(
            note.as_deref(),
            Some("The page is 800 × 30000 pixels; the picture shows the 800 × 600 at 0, 40")
        );
    }
}
