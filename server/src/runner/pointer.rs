//! Clicking and pointing: real input at an element's visible point.

use std::time::Duration;

use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Button, Chain, Pointer, Step};
use app::model::message::Message;
use serde::Deserialize;
use serde_json::{Value, json};

use super::find::{Found, Need, Point};
use super::frame::CallError;
use super::run::Attempt;
use super::stop::Stop;
use crate::cdp::ask::tell;
use crate::cdp::{CdpError, Session};

/// How long Chrome may take to take up input after the step's time is over: it was sent, and is not sent again.
const TAKEN_UP: Duration = Duration::from_secs(2);

/// Where a frame's element holds a point, and what lies over it there.
#[derive(Debug, Deserialize)]
struct Through {
    point: Point,
    by: Option<String>,
}

/// An element and where input for it goes.
struct Aimed {
    found: Found,
    page: String,
    session: Session,
    x: f64,
    y: f64,
}

impl Attempt {
    /// Clicks an element so many times.
    pub async fn click(
        &self,
        step: &Step,
        chains: &[Chain],
        pointer: &Pointer,
        times: u32,
    ) -> Result<(), Stop> {
        let mut aimed = self.aim(chains, Need::Click, pointer.offset).await?;
        if aimed.found.sends && self.refill(&aimed.found.frame).await? {
            // Filling may have moved what is clicked.
            aimed = self.aim(chains, Need::Click, pointer.offset).await?;
        }
        let posts = aimed.found.submits.as_deref() == Some("post");
        self.mark_if_critical(step.critical.unwrap_or(posts)).await?;
        self.check()?;
        if pointer.touch {
            self.touch(&aimed, pointer.duration_ms, times).await?;
        } else {
            self.press(&aimed, pointer, times).await?;
        }
        if aimed.found.sends {
            self.ledger(|ledger| ledger.filled.clear());
        }
        self.after_input(&aimed.found.frame, &aimed.page).await
    }

    /// Moves the pointer onto an element.
    pub async fn hover(&self, step: &Step, chains: &[Chain]) -> Result<(), Stop> {
        let aimed = self.aim(chains, Need::Hover, None).await?;
        self.mark_critical(step).await?;
        self.input(
            &aimed.session,
            "Input.dispatchMouseEvent",
            vec![self.mouse(&aimed, "mouseMoved", Value::Null)],
        )
        .await
    }

    /// Finds an element and the point on the page's own viewport where input reaches it, through every frame
    /// around it.
    async fn aim(&self, chains: &[Chain], need: Need, offset: Option<(f64, f64)>) -> Result<Aimed, Stop> {
        let mut look = 0;
        loop {
            let found = self.find(chains, need, offset).await?;
            let Some(point) = found.point else { return Err(self.failed_call(CallError::Gone)) };
            let (page, session) = match self.page_of(&found.frame) {
                Ok(page) => page,
                Err(_) if self.clock().now() < self.deadline() => {
                    self.again(&mut look).await?;
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            match self.through_frames(&found.frame, point).await {
                Ok(Ok((x, y))) => return Ok(Aimed { found, page, session, x, y }),
                Ok(Err(by)) if self.clock().now() >= self.deadline() => {
                    let what = Message::new("selector.covered").with("by", by);
                    return Err(Fault::new(FaultClass::Selector, what).into());
                }
                Ok(Err(_)) | Err(CallError::Gone) => self.again(&mut look).await?,
                Err(other) => return Err(self.failed_call(other)),
            }
        }
    }

    /// A frame's point on the viewport of its page, or what covers the frame there.
    async fn through_frames(
        &self,
        frame: &str,
        point: (f64, f64),
    ) -> Result<Result<(f64, f64), String>, CallError> {
        let (mut frame, mut point) = (frame.to_owned(), point);
        // Frames lie only so deep in each other; the bound is against a ring.
        for _ in 0..50 {
            let apart = self.world().look(|state| state.is_apart(&frame));
            let args = json!([point.0, point.1, apart]);
            let through =
                self.world().call_on_owner::<Through>(&frame, self.deadline(), "throughFrame", args).await?;
            let Some((parent, through)) = through else { return Ok(Ok(point)) };
            if let Some(by) = through.by {
                return Ok(Err(by));
            }
            point = (through.point.x, through.point.y);
            frame = parent;
        }
        Err(CallError::Gone)
    }

    async fn press(&self, aimed: &Aimed, pointer: &Pointer, times: u32) -> Result<(), Stop> {
        let mut events = vec![self.mouse(aimed, "mouseMoved", Value::Null)];
        for count in 1..=times {
            let with = json!({"button": button(pointer.button), "clickCount": count});
            let mut down = with.clone();
            down["buttons"] = buttons(pointer.button).into();
            events.push(self.mouse(aimed, "mousePressed", down));
            if pointer.duration_ms > 0 {
                self.input(&aimed.session, "Input.dispatchMouseEvent", std::mem::take(&mut events)).await?;
                tokio::time::sleep(Duration::from_millis(pointer.duration_ms)).await;
            }
            events.push(self.mouse(aimed, "mouseReleased", with));
        }
        self.input(&aimed.session, "Input.dispatchMouseEvent", events).await
    }

    async fn touch(&self, aimed: &Aimed, duration_ms: u64, times: u32) -> Result<(), Stop> {
        for _ in 0..times {
            let start = json!({"type": "touchStart", "touchPoints": [{"x": aimed.x, "y": aimed.y}]});
            self.input(&aimed.session, "Input.dispatchTouchEvent", vec![start]).await?;
            tokio::time::sleep(Duration::from_millis(duration_ms)).await;
            let end = json!({"type": "touchEnd", "touchPoints": []});
            self.input(&aimed.session, "Input.dispatchTouchEvent", vec![end]).await?;
        }
        Ok(())
    }

    fn mouse(&self, aimed: &Aimed, kind: &str, more: Value) -> Value {
        let modifiers = self.ledger(|ledger| ledger.modifiers);
        let mut event =
            json!({"type": kind, "x": aimed.x, "y": aimed.y, "modifiers": modifiers, "pointerType": "mouse"});
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        event
    }

    /// Sends input, in order, and waits until Chrome has taken it up. What is sent is never sent again: a page
    /// that goes away under it, or does not answer, ends the wait and not the step.
    pub async fn input(
        &self,
        session: &Session,
        method: &'static str,
        events: Vec<Value>,
    ) -> Result<(), Stop> {
        let mut sent = Vec::with_capacity(events.len());
        for event in events {
            sent.push(session.send(tell(method, event))?);
        }
        let limit = self.deadline().max(self.clock().now() + TAKEN_UP);
        for waiting in sent {
            match self.clock().within(limit, waiting.answer()).await {
                None
                | Some(
                    Ok(_) | Err(CdpError::Detached | CdpError::TimedOut { .. } | CdpError::Refused { .. }),
                ) => {}
                Some(Err(error)) => return Err(error.into()),
            }
        }
        self.world().drain();
        Ok(())
    }
}

fn button(button: Button) -> &'static str {
    match button {
        Button::Primary => "left",
        Button::Auxiliary => "middle",
        Button::Secondary => "right",
        Button::Back => "back",
        Button::Forward => "forward",
    }
}

fn buttons(button: Button) -> u32 {
    match button {
        Button::Primary => 1,
        Button::Secondary => 2,
        Button::Auxiliary => 4,
        Button::Back => 8,
        Button::Forward => 16,
    }
}
