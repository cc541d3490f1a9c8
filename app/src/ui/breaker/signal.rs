//! The main signal: a semaphore on its post. The arm is upright for clear and level for stop; half-open, two
//! white lights stand below a level arm.

use leptos::prelude::*;

use super::words;
use crate::{model::breaker::BreakerState, ui::overview::aspect};

/// The signal, as large as its place.
pub fn view(state: BreakerState) -> impl IntoView {
    let aspect = aspect::of_breaker(state);
    view! {
        <svg class=format!("main-signal-sign is-{aspect}") viewBox="0 0 120 160" aria-hidden="true">
            <title>{words::means(state)}</title>
            <path class="ground" d="M24 152h72"/>
            <path class="post" d="M48 152V64"/>
            <path class="arm" d=format!("M48 64{}", aspect::arm(aspect, 48))/>
            <circle class="lamp" cx="48" cy="64" r="11"/>
            <circle class="light" cx="64" cy="112" r="7"/>
            <circle class="light" cx="84" cy="92" r="7"/>
        </svg>
    }
}
