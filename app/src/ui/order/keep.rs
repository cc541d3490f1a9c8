//! Keeps a claim alive while its page is used: seen, and with a sign of its person not long ago.

use std::time::Duration;

use leptos::{ev, prelude::*, task::spawn_local};
use web_sys::VisibilityState;

use super::shown::{Holding, OrderShown};
use crate::{
    api::calls::heartbeat_order,
    model::{order::ClaimProof, problem::AppError},
    ui::clock::{Clock, browser_now},
};

/// How often it is looked, and the claim kept alive.
const BEAT: Duration = Duration::from_secs(30);
/// A page without a sign of its person for so long is not used, in milliseconds.
const IDLE_MS: i64 = 10 * 60_000;

/// Keeps the viewer's claim alive; says in `refused` why that is over, where it is.
pub(super) fn keep_alive(
    order: RwSignal<OrderShown>,
    me: uuid::Uuid,
    clock: Clock,
    refused: RwSignal<Option<String>>,
) {
    let touched = StoredValue::new(browser_now());
    let touch = move || touched.set_value(browser_now());
    let listeners = [
        window_event_listener(ev::keydown, move |_| touch()),
        window_event_listener(ev::pointerdown, move |_| touch()),
        window_event_listener(ev::pointermove, move |_| touch()),
        window_event_listener(ev::wheel, move |_| touch()),
        window_event_listener(ev::scroll, move |_| touch()),
    ];
    on_cleanup(move || listeners.into_iter().for_each(WindowListenerHandle::remove));
    let beat = move || {
        let used = browser_now().since(touched.get_value()) < IDLE_MS
            && document().visibility_state() == VisibilityState::Visible;
        let now = clock.now.get_untracked();
        let (id, held) = order.with_untracked(|order| (order.id, order.holding(me, now)));
        let token = order.with_untracked(|order| order.claim_token);
        let (true, Holding::Mine(..), Some(claim_token)) = (used, held, token) else { return };
        spawn_local(async move {
            match heartbeat_order(id, ClaimProof::of(claim_token)).await {
                Ok(claim) => order.update(|order| {
                    if order.claim_token == Some(claim.claim_token) {
                        order.claim_until = Some(claim.claim_until);
                    }
                }),
                Err(AppError::Stale { detail, .. } | AppError::Conflict { detail }) => {
                    order.update(|order| order.claim_token = None);
                    refused.set(Some(detail));
                }
                // The next beat may do better; the claim lasts many of them.
                Err(_) => {}
            }
        });
    };
    Effect::new(move |_| {
        if let Ok(handle) = set_interval_with_handle(beat, BEAT) {
            on_cleanup(move || handle.clear());
        }
    });
}
