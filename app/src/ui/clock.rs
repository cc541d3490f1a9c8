//! Times as they are shown: relative, with the exact time on hover, in the viewer's zone once the browser
//! takes part.
//!
//! Nothing here asks for the time by itself: what is rendered is a function of the `now` that is passed in,
//! so that the browser's first rendering is the server's.

use leptos::prelude::*;

use crate::model::Timestamp;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A length of time in words: `250 ms`, `4.2 s`, `38 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
#[must_use]
pub fn span(ms: i64) -> String {
    let ms = ms.max(0);
    if ms < SECOND {
        return format!("{ms} ms");
    }
    if ms < 10 * SECOND {
        return format!("{}.{} s", ms / SECOND, ms % SECOND / 100);
    }
    whole(ms)
}

/// The same in whole seconds and above, for times that are far or tick.
fn whole(ms: i64) -> String {
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 { format!("{big} {unit}") } else { format!("{big} {unit} {small} {small_unit}") }
    };
    match ms {
        _ if ms < MINUTE => format!("{} s", ms / SECOND),
        _ if ms < HOUR => two(ms / MINUTE, "min", ms % MINUTE / SECOND, "s"),
        _ if ms < DAY => two(ms / HOUR, "h", ms % HOUR / MINUTE, "min"),
        _ => two(ms / DAY, "d", ms % DAY / HOUR, "h"),
    }
}

/// A moment as seen from `now`: `now`, `12 s ago`, `in 3 min`. One unit only: the exact time is beside it.
#[must_use]
pub fn ago(now: Timestamp, at: Timestamp) -> String {
    let ms = now.since(at);
    let far = ms.abs();
    if far < SECOND {
        return "now".to_owned();
    }
    let length = match far {
        _ if far < MINUTE => format!("{} s", far / SECOND),
        _ if far < HOUR => format!("{} min", far / MINUTE),
        _ if far < DAY => format!("{} h", far / HOUR),
        _ => format!("{} d", far / DAY),
    };
    if ms < 0 { format!("in {length}") } else { format!("{length} ago") }
}

/// The exact time in UTC: `2026-11-30 09:08:20 UTC`.
#[must_use]
pub fn exact(at: Timestamp) -> String {
    let text = at.rfc3339();
    format!("{} {} UTC", &text[..10], &text[11..19])
}

/// The time of day in UTC, for what is of today: `09:08:20`.
#[must_use]
pub fn of_day(at: Timestamp) -> String {
    at.rfc3339()[11..19].to_owned()
}

/// The time as an island sees it.
#[derive(Clone, Copy)]
pub struct Clock {
    /// Now, by the server's clock; goes on once the browser takes part.
    pub now: RwSignal<Timestamp>,
    /// Whether the browser takes part, and times can be told in its zone.
    pub here: RwSignal<bool>,
}

/// A clock that starts at the server's `now` and ticks once a second in the browser.
#[must_use]
pub fn use_clock(now: Timestamp) -> Clock {
    let clock = Clock { now: RwSignal::new(now), here: RwSignal::new(false) };
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        let ahead = now.since(browser_now());
        clock.here.set(true);
        let tick = move || {
            clock.now.try_set(browser_now().plus_ms(ahead));
        };
        if let Ok(handle) = set_interval_with_handle(tick, std::time::Duration::from_secs(1)) {
            on_cleanup(move || handle.clear());
        }
    });
    clock
}

/// The browser's own time.
#[cfg(feature = "hydrate")]
#[must_use]
pub fn browser_now() -> Timestamp {
    Timestamp(js_sys::Date::now() as i64)
}

/// The exact time in the viewer's zone.
#[cfg(feature = "hydrate")]
#[must_use]
pub fn local(at: Timestamp) -> String {
    let date = js_sys::Date::new(&wasm_bindgen::JsValue::from_f64(at.0 as f64));
    date.to_locale_string("default", &wasm_bindgen::JsValue::UNDEFINED).into()
}

/// The exact time in the viewer's zone; on the server in UTC.
#[cfg(not(feature = "hydrate"))]
#[must_use]
pub fn local(at: Timestamp) -> String {
    exact(at)
}

/// A moment inside an island: relative and ticking.
pub fn ticking(clock: Clock, at: Timestamp) -> impl IntoView {
    view! {
        <time datetime=at.rfc3339() title=move || if clock.here.get() { local(at) } else { exact(at) }>
            {move || ago(clock.now.get(), at)}
        </time>
    }
}

/// A moment on a page, outside of islands: the keys' island keeps it up to date.
#[cfg(feature = "ssr")]
pub fn stamp(now: Timestamp, at: Timestamp) -> impl IntoView {
    view! { <time class="stamp" datetime=at.rfc3339() title=exact(at)>{ago(now, at)}</time> }
}

/// The server's time.
#[cfg(feature = "ssr")]
#[must_use]
pub fn server_now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_told_in_two_units_at_most() {
        assert_eq!(span(-5), "0 ms");
        assert_eq!(span(250), "250 ms");
        assert_eq!(span(4_250), "4.2 s");
        assert_eq!(span(38_900), "38 s");
        assert_eq!(span(200_000), "3 min 20 s");
        assert_eq!(span(180_000), "3 min");
        assert_eq!(span(2 * HOUR + 5 * MINUTE + 3), "2 h 5 min");
        assert_eq!(span(76 * HOUR), "3 d 4 h");
    }

    #[test]
    fn moments_are_told_from_now_both_ways() {
        let now = Timestamp(1_000_000_000);
        assert_eq!(ago(now, now), "now");
        assert_eq!(ago(now, now.plus_ms(-12_000)), "12 s ago");
        assert_eq!(ago(now, now.plus_ms(3 * MINUTE)), "in 3 min");
        assert_eq!(ago(now, now.plus_ms(-2 * DAY)), "2 d ago");
    }

    #[test]
    fn the_exact_time_names_its_zone() {
        assert_eq!(exact(Timestamp(1_796_029_700_250)), "2026-11-30 09:08:20 UTC");
        assert_eq!(of_day(Timestamp(1_796_029_700_250)), "09:08:20");
    }
}
