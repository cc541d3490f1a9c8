//! What a form's answer says on the next page: kept on the server for a while, named in the address.
//!
//! The address names a note and does not carry it: a link cannot put words into the control room's mouth.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use leptos::prelude::*;
use uuid::Uuid;

use super::clock::server_now;
use crate::model::{
    Timestamp,
    problem::{AppError, FieldError},
};

/// How long things are kept for the next page.
const KEPT_MS: i64 = 3_600_000;
/// Bytes that all kept things of a shelf may take.
const MOST_BYTES: usize = 32 * 1024 * 1024;
/// Things on a shelf.
const MOST_THINGS: usize = 500;

/// Things that are kept for a page that comes soon, each for one person; the oldest go first when there
/// are too many.
pub struct Shelf<T> {
    things: VecDeque<Thing<T>>,
    bytes: usize,
}

struct Thing<T> {
    id: Uuid,
    owner: Uuid,
    at: Timestamp,
    bytes: usize,
    what: T,
}

impl<T: Clone> Shelf<T> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self { things: VecDeque::new(), bytes: 0 }
    }

    /// Puts a thing of about so many bytes on the shelf.
    pub fn put(&mut self, id: Uuid, owner: Uuid, now: Timestamp, bytes: usize, what: T) {
        self.bytes += bytes;
        self.things.push_back(Thing { id, owner, at: now, bytes, what });
        while self.things.len() > MOST_THINGS
            || self.bytes > MOST_BYTES
            || self.things.front().is_some_and(|thing| now.since(thing.at) > KEPT_MS)
        {
            let Some(old) = self.things.pop_front() else { break };
            self.bytes -= old.bytes;
        }
    }

    /// A thing by its id, for its owner only.
    #[must_use]
    pub fn get(&self, id: Uuid, owner: Uuid, now: Timestamp) -> Option<T> {
        self.things
            .iter()
            .find(|thing| thing.id == id && thing.owner == owner && now.since(thing.at) <= KEPT_MS)
            .map(|thing| thing.what.clone())
    }
}

impl<T: Clone> Default for Shelf<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// What was done, or why it was not.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Whether it was done.
    pub done: bool,
    /// In words.
    pub said: String,
    /// The faults of the input, each with its place.
    pub errors: Vec<FieldError>,
}

impl Note {
    /// It was done.
    #[must_use]
    pub fn done(said: String) -> Self {
        Self { done: true, said, errors: Vec::new() }
    }

    /// It was refused.
    #[must_use]
    pub fn refused(error: &AppError) -> Self {
        match error {
            AppError::BadInput { errors } => {
                Self { done: false, said: "This was not accepted:".to_owned(), errors: errors.clone() }
            }
            other => Self { done: false, said: other.to_string(), errors: Vec::new() },
        }
    }
}

static NOTES: Mutex<Shelf<Note>> = Mutex::new(Shelf::new());

/// A path with a note for the next page.
#[must_use]
pub fn with(path: &str, owner: Uuid, note: Note) -> String {
    let id = Uuid::now_v7();
    NOTES.lock().unwrap_or_else(PoisonError::into_inner).put(id, owner, server_now(), 200, note);
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}note={id}")
}

/// The note that an address names, for the one it is for.
#[must_use]
pub fn named(id: &str, owner: Uuid) -> Option<Note> {
    let id = id.parse().ok()?;
    NOTES.lock().unwrap_or_else(PoisonError::into_inner).get(id, owner, server_now())
}

/// A note on a page.
pub fn view(note: Note) -> impl IntoView {
    let class = if note.done { "note is-done" } else { "note is-refused" };
    let role = if note.done { "status" } else { "alert" };
    view! {
        <div class=class role=role>
            <p>{note.said}</p>
            {faults(note.errors)}
        </div>
    }
}

/// The faults of an input, each with its place in words.
pub fn faults(errors: Vec<FieldError>) -> impl IntoView {
    (!errors.is_empty()).then(|| {
        view! {
            <ul class="fault-list">
                {errors
                    .into_iter()
                    .map(|error| {
                        let place = super::submit::check::place(&error.pointer);
                        view! { <li><strong>{place}</strong>" "{error.message}</li> }
                    })
                    .collect_view()}
            </ul>
        }
    })
}

/// A path of this server and nothing else; the start where it is not one.
#[must_use]
pub fn local_path(path: &str) -> &str {
    let fine = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains('\\')
        && path.chars().all(|c| c.is_ascii_graphic());
    if fine { path } else { "/" }
}

/// A text as one segment of an address.
#[must_use]
pub fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'@') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    #[test]
    fn a_kept_thing_is_for_its_owner_and_for_an_hour() {
        let mut shelf = Shelf::new();
        shelf.put(id(1), id(7), Timestamp(0), 10, "kept");
        assert_eq!(shelf.get(id(1), id(7), Timestamp(KEPT_MS)), Some("kept"));
        assert_eq!(shelf.get(id(1), id(8), Timestamp(0)), None);
        assert_eq!(shelf.get(id(1), id(7), Timestamp(KEPT_MS + 1)), None);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_or_they_are_too_large() {
        let mut shelf = Shelf::new();
        for n in 0..=MOST_THINGS as u128 {
            shelf.put(id(n), id(7), Timestamp(0), 1, n);
        }
        assert_eq!(shelf.get(id(0), id(7), Timestamp(0)), None);
        assert_eq!(shelf.get(id(1), id(7), Timestamp(0)), Some(1));
        shelf.put(id(9_999), id(7), Timestamp(0), MOST_BYTES, 9_999);
        assert_eq!(shelf.get(id(1), id(7), Timestamp(0)), None);
        assert_eq!(shelf.get(id(9_999), id(7), Timestamp(0)), Some(9_999));
    }

    #[test]
    fn only_paths_of_this_server_are_gone_to() {
        assert_eq!(local_path("/tasks?state=queued"), "/tasks?state=queued");
        for elsewhere in ["", "https://else.test/", "//else.test/", "/\\else.test", "/a\nb", "tasks"] {
            assert_eq!(local_path(elsewhere), "/");
        }
    }

    #[test]
    fn a_segment_keeps_its_meaning() {
        assert_eq!(segment("search-2@3"), "search-2@3");
        assert_eq!(segment("a/b?c"), "a%2Fb%3Fc");
        assert_eq!(segment("搜"), "%E6%90%9C");
    }
}
