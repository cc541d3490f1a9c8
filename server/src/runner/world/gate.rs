//! Main documents wait at the site's door: paused by interception until the gates let them go.

use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::World;
use super::state::{Hop, Trouble};
use crate::cdp::Session;
use crate::cdp::ask::tell;
use crate::runner::job::Held;
use crate::runner::wire::RequestPaused;

/// Redirects after which a chain of them counts as endless; as many as browsers follow.
const MOST_HOPS: u32 = 20;

/// What becomes of a paused request.
enum Turn {
    /// It goes on at once.
    Go,
    /// It waits at the door.
    Wait(Url),
    /// It redirects without end.
    Endless,
}

impl World {
    /// Lets a paused request go on, when the door does.
    pub(super) fn paused(self: &Arc<Self>, session: Session, paused: RequestPaused) {
        match self.turn(&paused) {
            Turn::Go => go_on(&session, &paused.request_id),
            Turn::Endless => {
                refuse(&session, &paused.request_id);
                self.change(|state| {
                    state.troubles.push_back(Trouble::Redirects { url: paused.request.url });
                });
            }
            Turn::Wait(url) => {
                let world = self.clone();
                tokio::spawn(async move {
                    let stop = world.stop.clone();
                    tokio::select! {
                        () = world.wait_at_door(&session, &paused.request_id, &url) => {}
                        () = stop.cancelled() => {}
                    }
                });
            }
        }
    }

    async fn wait_at_door(&self, session: &Session, request: &str, url: &Url) {
        let hold = self.clock.hold();
        let passed = self.outside.door.pass(url).await;
        drop(hold);
        match passed {
            Ok(_) => go_on(session, request),
            Err(held) => self.turn_back(session, request, held),
        }
    }

    fn turn_back(&self, session: &Session, request: &str, held: Held) {
        // Told first: the failure of the request must find it known.
        self.change(|state| state.held = Some(held));
        refuse(session, request);
    }

    fn turn(&self, paused: &RequestPaused) -> Turn {
        let Ok(url) = Url::parse(&paused.request.url) else { return Turn::Go };
        self.change(|state| {
            if state.page_of_main(&paused.frame_id).is_none() {
                return Turn::Go;
            }
            let id = paused.network_id.clone().unwrap_or_else(|| paused.request_id.clone());
            let before = paused.redirected_request_id.as_ref().and_then(|_| state.hops.get(&id).cloned());
            let count = before.as_ref().map_or(0, |hop| hop.count + 1);
            if state.hops.len() > 100 {
                state.hops.clear();
            }
            state.hops.insert(id, Hop { url: paused.request.url.clone(), count });
            if count > MOST_HOPS {
                return Turn::Endless;
            }
            let stays = before
                .and_then(|hop| Url::parse(&hop.url).ok())
                .is_some_and(|from| self.outside.door.same_site(&from, &url));
            if stays { Turn::Go } else { Turn::Wait(url) }
        })
    }
}

fn go_on(session: &Session, request: &str) {
    // Fails only when the page is gone, and its request with it.
    let _ = session.tell(tell("Fetch.continueRequest", json!({"requestId": request})));
}

fn refuse(session: &Session, request: &str) {
    let _ = session
        .tell(tell("Fetch.failRequest", json!({"requestId": request, "errorReason": "BlockedByClient"})));
}
