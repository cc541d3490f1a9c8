//! The keyboard on every page: `/` to search, `g` and a letter to go, `j` and `k` over the rows of a list,
//! `c`, `e` and `a` for what a reviewer does all day, `?` for the list. What a letter presses carries it as
//! `data-key`. The times of what is not an island are kept up to date here, too.

#![expect(missing_docs, reason = "what the island macro makes cannot be documented")]

use leptos::prelude::*;

use crate::model::Timestamp;

/// Where `g` and a letter go.
pub const PLACES: &[(&str, &str, &str)] = &[
    ("h", "/", "overview"),
    ("s", "/submit", "submit"),
    ("t", "/tasks", "tasks"),
    ("f", "/flows", "flows"),
    ("p", "/pool", "pool"),
    ("o", "/orders", "work orders"),
    ("q", "/quarantine", "quarantine"),
    ("r", "/rules", "rules"),
    ("g", "/gates", "gates"),
    ("b", "/breaker", "breaker"),
];

/// The letters that press or reach something of the page, and what for.
pub const ACTS: &[(&str, &str)] =
    &[("c", "claim the work order"), ("e", "to the conclusion that closes it"), ("a", "to the annotation")];

/// What a key means, given whether a `g` came just before.
#[must_use]
pub fn meaning(key: &str, after_g: bool) -> Option<Meaning> {
    if after_g {
        return PLACES.iter().find(|(letter, ..)| *letter == key).map(|(_, href, _)| Meaning::Go(href));
    }
    match key {
        "g" => Some(Meaning::Prefix),
        "/" => Some(Meaning::Search),
        "?" => Some(Meaning::Help),
        "j" => Some(Meaning::Row(1)),
        "k" => Some(Meaning::Row(-1)),
        _ => ACTS.iter().find(|(letter, _)| *letter == key).map(|(letter, _)| match *letter {
            "c" => Meaning::Press(letter),
            _ => Meaning::Reach(letter),
        }),
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The next key says where to go.
    Prefix,
    /// To this path.
    Go(&'static str),
    /// Into the search field.
    Search,
    /// The list of keys.
    Help,
    /// So many rows down the list.
    Row(i32),
    /// The button of this letter: of the row where the focus is, else of the page.
    Press(&'static str),
    /// The same, but only to the field or button.
    Reach(&'static str),
}

/// The row to go to, from the one that is `here`, of so many: the first or last where there is none.
#[cfg_attr(not(any(feature = "hydrate", test)), expect(dead_code, reason = "only the browser has a focus"))]
fn next(here: Option<usize>, by: i32, of: usize) -> Option<usize> {
    let last = of.checked_sub(1)?;
    Some(match here {
        None if by > 0 => 0,
        None => last,
        Some(here) if by > 0 => (here + 1).min(last),
        Some(here) => here.saturating_sub(1),
    })
}

/// The keys, and the list of them behind a button.
#[island]
pub fn Keys(now: Timestamp) -> impl IntoView {
    let dialog = NodeRef::<leptos::html::Dialog>::new();
    #[cfg(feature = "hydrate")]
    browser::listen(now, dialog);
    #[cfg(not(feature = "hydrate"))]
    let _ = now;
    let open = move |_| {
        #[cfg(feature = "hydrate")]
        browser::show(dialog);
    };
    let rows = PLACES
        .iter()
        .map(|(letter, _, word)| {
            view! { <tr><td><kbd>"g"</kbd>" "<kbd>{*letter}</kbd></td><td>"go to "{*word}</td></tr> }
        })
        .collect_view();
    let acts = ACTS
        .iter()
        .map(|(letter, word)| view! { <tr><td><kbd>{*letter}</kbd></td><td>{*word}</td></tr> })
        .collect_view();
    view! {
        <button type="button" class="plain-button" on:click=open>
            <kbd>"?"</kbd>" keys"
        </button>
        <dialog node_ref=dialog aria-labelledby="keys-title">
            <h2 id="keys-title">"Keys"</h2>
            <table class="plain">
                <tbody>
                    {rows}
                    <tr><td><kbd>"/"</kbd></td><td>"search"</td></tr>
                    <tr><td><kbd>"j"</kbd>" "<kbd>"k"</kbd></td><td>"down and up the list"</td></tr>
                    {acts}
                    <tr><td><kbd>"?"</kbd></td><td>"this list"</td></tr>
                </tbody>
            </table>
            <form method="dialog"><button class="button">"Close"</button></form>
        </dialog>
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::{cell::Cell, time::Duration};

    use leptos::{html::Dialog, prelude::*};
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement, KeyboardEvent};

    use super::{Meaning, meaning, next};
    use crate::{
        model::Timestamp,
        ui::clock::{ago, browser_now, local},
    };

    /// How long a `g` waits for its letter, in milliseconds.
    const PATIENCE: i64 = 1_500;

    pub(super) fn show(dialog: NodeRef<Dialog>) {
        if let Some(dialog) = dialog.get_untracked() {
            let _ = dialog.show_modal();
        }
    }

    pub(super) fn listen(now: Timestamp, dialog: NodeRef<Dialog>) {
        let prefixed = Cell::new(Timestamp(0));
        let handle = window_event_listener(leptos::ev::keydown, move |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || in_a_field(&event) {
                return;
            }
            let after_g = browser_now().since(prefixed.replace(Timestamp(0))) < PATIENCE;
            match meaning(&event.key(), after_g) {
                Some(Meaning::Prefix) => prefixed.set(browser_now()),
                Some(Meaning::Go(path)) => {
                    let _ = window().location().set_href(path);
                }
                Some(Meaning::Search) => {
                    event.prevent_default();
                    search();
                }
                Some(Meaning::Help) => show(dialog),
                Some(Meaning::Row(by)) => row(by),
                Some(Meaning::Press(letter)) => {
                    if let Some(found) = keyed(letter) {
                        event.prevent_default();
                        found.click();
                    }
                }
                Some(Meaning::Reach(letter)) => {
                    if let Some(found) = keyed(letter) {
                        // The letter is not to be typed into the field.
                        event.prevent_default();
                        let _ = found.focus();
                    }
                }
                None => {}
            }
        });
        on_cleanup(move || handle.remove());
        Effect::new(move |_| {
            let ahead = now.since(browser_now());
            stamps(now, true);
            own_zone();
            let tick = move || stamps(browser_now().plus_ms(ahead), false);
            if let Ok(handle) = set_interval_with_handle(tick, Duration::from_secs(5)) {
                on_cleanup(move || handle.clear());
            }
        });
    }

    fn in_a_field(event: &KeyboardEvent) -> bool {
        event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()).is_some_and(|at| {
            at.is_content_editable() || matches!(&*at.tag_name(), "INPUT" | "TEXTAREA" | "SELECT")
        })
    }

    fn search() {
        let field = document().query_selector("[data-search]").ok().flatten();
        match field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
            Some(field) => {
                let _ = field.focus();
            }
            None => {
                let _ = window().location().set_href("/tasks");
            }
        }
    }

    /// Moves the focus over the rows of the list, from the row where it is.
    fn row(by: i32) {
        let Ok(links) = document().query_selector_all(".list-area .list tbody .main-cell a") else { return };
        let links: Vec<HtmlElement> = (0..links.length())
            .filter_map(|index| links.get(index).and_then(|node| node.dyn_into().ok()))
            .collect();
        let focused = row_of_focus();
        let here = links.iter().position(|link| focused.as_ref().is_some_and(|row| row.contains(Some(link))));
        if let Some(link) = next(here, by, links.len()).and_then(|index| links.get(index)) {
            let _ = link.focus();
        }
    }

    fn row_of_focus() -> Option<Element> {
        document().active_element()?.closest("tr").ok().flatten()
    }

    /// What a letter is for, where it can be seen: in the row where the focus is, else on the page.
    fn keyed(letter: &str) -> Option<HtmlElement> {
        let seen = format!("[data-key={letter}]:not([hidden] *)");
        let in_row = row_of_focus().and_then(|row| row.query_selector(&seen).ok().flatten());
        let found =
            in_row.or_else(|| document().query_selector(&format!("main {seen}:not(td *)")).ok().flatten())?;
        found.dyn_into().ok()
    }

    /// Lets the times of a form be typed in the viewer's zone.
    fn own_zone() {
        let ahead = -js_sys::Date::new_0().get_timezone_offset();
        let Ok(Some(field)) = document().query_selector("input[name=zone_min]") else { return };
        let _ = field.set_attribute("value", &ahead.to_string());
        for id in ["o-not_before-hint", "o-deadline-hint"] {
            if let Some(hint) = document().get_element_by_id(id) {
                let text = hint.text_content().unwrap_or_default();
                hint.set_text_content(Some(&text.replacen("in UTC", "in your time", 1)));
            }
        }
    }

    /// Tells every time of the page afresh; the first time also the exact one, in the viewer's zone.
    fn stamps(now: Timestamp, first: bool) {
        let Ok(times) = document().query_selector_all("time.stamp") else { return };
        for index in 0..times.length() {
            let Some(time) = times.get(index).and_then(|node| node.dyn_into::<web_sys::Element>().ok())
            else {
                continue;
            };
            let Some(at) = time.get_attribute("datetime").and_then(|text| Timestamp::parse(&text).ok())
            else {
                continue;
            };
            time.set_text_content(Some(&ago(now, at)));
            if first {
                let _ = time.set_attribute("title", &local(at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Meaning, meaning, next};

    #[test]
    fn g_and_a_letter_go_somewhere_and_a_letter_alone_nowhere() {
        assert_eq!(meaning("g", false), Some(Meaning::Prefix));
        assert_eq!(meaning("t", true), Some(Meaning::Go("/tasks")));
        assert_eq!(meaning("t", false), None);
        assert_eq!(meaning("x", true), None);
        // The second g is a place, not a prefix.
        assert_eq!(meaning("g", true), Some(Meaning::Go("/gates")));
    }

    #[test]
    fn slash_searches_and_question_mark_helps() {
        assert_eq!(meaning("/", false), Some(Meaning::Search));
        assert_eq!(meaning("?", false), Some(Meaning::Help));
    }

    #[test]
    fn the_letters_of_the_desk_press_or_reach_and_go_nowhere_after_g() {
        assert_eq!(meaning("c", false), Some(Meaning::Press("c")));
        assert_eq!(meaning("e", false), Some(Meaning::Reach("e")));
        assert_eq!(meaning("a", true), None);
        assert_eq!(meaning("o", true), Some(Meaning::Go("/orders")));
    }

    #[test]
    fn rows_are_gone_over_one_by_one_and_not_past_the_ends() {
        assert_eq!(next(None, 1, 3), Some(0));
        assert_eq!(next(None, -1, 3), Some(2));
        assert_eq!(next(Some(1), 1, 3), Some(2));
        assert_eq!(next(Some(2), 1, 3), Some(2));
        assert_eq!(next(Some(0), -1, 3), Some(0));
        assert_eq!(next(None, 1, 0), None);
    }
}
