//! What hit the site and when, for tests and for the curious.

use std::collections::VecDeque;

use serde::Serialize;

/// Most entries that are kept; the oldest go first.
const KEEP: usize = 20_000;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// When its head had been read, in Unix milliseconds.
    pub at_ms: u64,
    /// The method.
    pub method: String,
    /// The host it was sent to, with its port.
    pub host: String,
    /// The path, without the query.
    pub path: String,
    /// The names in the query, in order, without their values.
    pub query: Vec<String>,
    /// What was answered; absent while it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// The newest entries, numbered from 0 since the last reset.
#[derive(Debug, Default)]
pub(super) struct AccessLog {
    entries: VecDeque<Entry>,
    /// The number of the oldest entry that is kept.
    first: u64,
    /// Goes up with every reset, so that a late status finds no stranger's entry.
    generation: u64,
}

/// Which entry: the log's generation and the number in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryId(u64, u64);

impl AccessLog {
    pub(super) fn push(&mut self, entry: Entry) -> EntryId {
        if self.entries.len() == KEEP {
            self.entries.pop_front();
            self.first += 1;
        }
        self.entries.push_back(entry);
        EntryId(self.generation, self.first + self.entries.len() as u64 - 1)
    }

    pub(super) fn set_status(&mut self, EntryId(generation, number): EntryId, status: u16) {
        if generation != self.generation {
            return;
        }
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        if let Some(entry) = index.and_then(|index| self.entries.get_mut(index)) {
            entry.status = Some(status);
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.first = 0;
        self.generation += 1;
    }

    /// The entries, oldest first, and how many older ones are gone.
    pub(super) fn read(&self) -> (Vec<Entry>, u64) {
        (self.entries.iter().cloned().collect(), self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        Entry {
            at_ms: 0,
            method: "GET".into(),
            host: "shop".into(),
            path: path.into(),
            query: Vec::new(),
            status: None,
        }
    }

    #[test]
    fn the_oldest_entries_go_first_and_are_counted() {
        let mut log = AccessLog::default();
        for index in 0..KEEP + 3 {
            log.push(entry(&format!("/{index}")));
        }
        let (entries, gone) = log.read();
        assert_eq!((entries.len(), gone), (KEEP, 3));
        assert_eq!(entries[0].path, "/3");
    }

    #[test]
    fn a_status_that_comes_after_a_reset_marks_no_other_entry() {
        let mut log = AccessLog::default();
        let old = log.push(entry("/old"));
        log.clear();
        let new = log.push(entry("/new"));
        log.set_status(old, 500);
        assert_eq!(log.read().0[0].status, None);
        log.set_status(new, 200);
        assert_eq!(log.read().0[0].status, Some(200));
    }
}
