//! What the pages said and asked for while an attempt ran, bounded: the newest lines stay.

use std::collections::VecDeque;

use app::model::evidence::{ConsoleLine, DialogLine, NetworkLine};

use super::classify::cut;

/// The most lines of each kind.
const CONSOLE: usize = 200;
const NETWORK: usize = 300;
const DIALOGS: usize = 50;

/// The most characters of one text.
const TEXT: usize = 1_000;

/// The lines so far.
#[derive(Debug, Default)]
pub(super) struct Journal {
    console: VecDeque<ConsoleLine>,
    network: VecDeque<(String, NetworkLine)>,
    dialogs: VecDeque<DialogLine>,
    dropped: u32,
}

impl Journal {
    pub fn console(&mut self, at_ms: u64, level: &str, text: &str) {
        let line = ConsoleLine { at_ms, level: level.to_owned(), text: cut(text, TEXT) };
        self.dropped += push(&mut self.console, line, CONSOLE);
    }

    pub fn dialog(&mut self, at_ms: u64, kind: &str, text: &str) {
        let line = DialogLine { at_ms, kind: kind.to_owned(), text: cut(text, TEXT) };
        self.dropped += push(&mut self.dialogs, line, DIALOGS);
    }

    pub fn request(&mut self, at_ms: u64, id: &str, method: &str, url: &str) {
        let line =
            NetworkLine { at_ms, method: method.to_owned(), url: cut(url, TEXT), status: None, error: None };
        self.dropped += push(&mut self.network, (id.to_owned(), line), NETWORK);
    }

    pub fn answer(&mut self, id: &str, status: u16) {
        if let Some(line) = self.line(id) {
            line.status = Some(status);
        }
    }

    pub fn failure(&mut self, id: &str, error: &str) {
        if let Some(line) = self.line(id) {
            line.error = Some(cut(error, 200));
        }
    }

    /// The request's newest line: each hop of a redirect has one of its own.
    fn line(&mut self, id: &str) -> Option<&mut NetworkLine> {
        self.network.iter_mut().rev().find(|(known, _)| known == id).map(|(_, line)| line)
    }

    /// The lines, and how many were left out.
    pub fn lines(&self) -> (Vec<ConsoleLine>, Vec<NetworkLine>, Vec<DialogLine>, u32) {
        (
            self.console.iter().cloned().collect(),
            self.network.iter().map(|(_, line)| line.clone()).collect(),
            self.dialogs.iter().cloned().collect(),
            self.dropped,
        )
    }
}

/// Adds a line; tells how many went for it.
fn push<T>(lines: &mut VecDeque<T>, line: T, most: usize) -> u32 {
    let full = lines.len() == most;
    if full {
        lines.pop_front();
    }
    lines.push_back(line);
    u32::from(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_stay_and_the_others_are_counted() {
        let mut journal = Journal::default();
        for i in 0..(CONSOLE + 7) {
            journal.console(i as u64, "log", &i.to_string());
        }
        let (console, .., dropped) = journal.lines();
        assert_eq!((console.len(), dropped), (CONSOLE, 7));
        assert_eq!(console[0].text, "7");
    }

    #[test]
    fn an_answer_goes_to_the_newest_hop() {
        let mut journal = Journal::default();
        journal.request(0, "1", "GET", "http://s/a");
        journal.answer("1", 302);
        journal.request(1, "1", "GET", "http://s/b");
        journal.answer("1", 200);
        let (_, network, ..) = journal.lines();
        assert_eq!(network.iter().map(|line| line.status).collect::<Vec<_>>(), [Some(302), Some(200)]);
    }
}
