//! What is known of a context's pages and frames. Changed only by what Chrome says.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use app::model::Timestamp;

use crate::cdp::{CdpError, Session};
use crate::runner::job::Held;
use crate::runner::journal::Journal;

/// Everything that is known.
#[derive(Debug, Default)]
pub(in crate::runner) struct State {
    /// Every page that was opened, in order; the first is the main one.
    pub pages: Vec<Page>,
    pub frames: HashMap<String, Frame>,
    /// The page that is in front: another draws nothing and takes no input.
    pub front: Option<String>,
    pub journal: Journal,
    /// What went wrong with documents and was not told yet.
    pub troubles: VecDeque<Trouble>,
    /// What main documents answered, the newest last; bounded.
    pub answers: VecDeque<Answer>,
    /// How many there were.
    pub answered: u64,
    /// Redirects of requests under way, by their network id.
    pub hops: HashMap<String, Hop>,
    /// A gate did not let the attempt through.
    pub held: Option<Held>,
    /// Until when the site asked to be left alone.
    pub retry_at: Option<Timestamp>,
    pub next_order: u64,
}

/// A page: the main one or a popup.
#[derive(Debug)]
pub(in crate::runner) struct Page {
    /// The target's id.
    pub id: String,
    pub session: Session,
    pub main_frame: String,
    /// Whether it was let run: sent somewhere while it is paused, it can crash.
    pub runs: bool,
    /// The request of a document for the main frame that is under way.
    pub in_flight: Option<String>,
    /// The address of the newest request of a document for the main frame.
    pub heading: Option<String>,
    /// When the page last said that it is about to navigate, on the attempt's clock.
    pub requested: Option<Duration>,
    /// How often the main frame has navigated, within a document too.
    pub navigations: u64,
    /// Where the last answered main document came from; a later failure of the same is no news.
    pub last_document: Option<String>,
}

impl Page {
    /// Whether it is still there.
    pub fn is_open(&self) -> bool {
        self.session.is_gone().is_none()
    }

    /// Whether its renderer crashed.
    pub fn crashed(&self) -> bool {
        self.session.is_gone() == Some(CdpError::Crashed)
    }
}

/// A frame, in whichever process it is.
#[derive(Debug)]
pub(in crate::runner) struct Frame {
    pub parent: Option<String>,
    /// The session that speaks for it: its page's, or its own where it is a target of its own.
    pub session: Session,
    pub url: String,
    /// The document; changes with each one.
    pub loader: String,
    /// Whether the document is parsed. Followed for the frames that a session is of.
    pub parsed: bool,
    /// When it was attached, among all.
    pub order: u64,
    /// The isolated world in its document.
    pub world: Option<i64>,
    /// The page's own world in its document.
    pub page_world: Option<i64>,
}

/// What a main document answered.
#[derive(Clone, Debug)]
pub(in crate::runner) struct Answer {
    pub url: String,
    pub status: u16,
    pub retry_after: bool,
    pub until: Option<Timestamp>,
}

/// What went wrong with a main document.
#[derive(Clone, Debug)]
pub(in crate::runner) enum Trouble {
    /// It answered 400 or more.
    Status(Answer),
    /// It never came.
    Failed { url: String, error: String },
    /// It is a download.
    Download { url: String },
    /// It redirects without end.
    Redirects { url: String },
}

/// A request that was redirected.
#[derive(Clone, Debug)]
pub(in crate::runner) struct Hop {
    pub url: String,
    pub count: u32,
}

impl State {
    pub fn page(&self, id: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.id == id)
    }

    /// A page was let run.
    pub fn resumed(&mut self, id: &str) {
        if let Some(page) = self.pages.iter_mut().find(|page| page.id == id) {
            page.runs = true;
        }
    }

    /// The page whose main frame this is.
    pub fn page_of_main(&mut self, frame: &str) -> Option<&mut Page> {
        self.pages.iter_mut().find(|page| page.main_frame == frame)
    }

    /// The page that a frame is in.
    pub fn page_of(&self, frame: &str) -> Option<&Page> {
        let mut at = frame;
        // A chain of frames is short; the bound is against one that Chrome would describe as a ring.
        for _ in 0..100 {
            match self.frames.get(at)?.parent.as_deref() {
                Some(parent) => at = parent,
                None => return self.pages.iter().find(|page| page.main_frame == at),
            }
        }
        None
    }

    /// Whether a frame is in another process than the one around it.
    pub fn is_apart(&self, frame: &str) -> bool {
        let session = |id: &str| self.frames.get(id).map(|frame| frame.session.id().map(str::to_owned));
        let parent = self.frames.get(frame).and_then(|frame| frame.parent.as_deref());
        parent.is_some_and(|parent| session(parent) != session(frame))
    }

    /// A frame's children in the order in which they were attached.
    pub fn children(&self, frame: &str) -> Vec<&str> {
        let mut children: Vec<(&str, u64)> = self
            .frames
            .iter()
            .filter(|(_, child)| child.parent.as_deref() == Some(frame))
            .map(|(id, child)| (id.as_str(), child.order))
            .collect();
        children.sort_by_key(|(_, order)| *order);
        children.into_iter().map(|(id, _)| id).collect()
    }

    /// Every frame under a frame, outer ones first.
    pub fn descendants(&self, frame: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut open = VecDeque::from([frame.to_owned()]);
        while let Some(at) = open.pop_front() {
            for child in self.children(&at) {
                if found.len() < 200 && !found.iter().any(|known| known == child) {
                    found.push(child.to_owned());
                    open.push_back(child.to_owned());
                }
            }
        }
        found
    }

    /// Forgets a frame and what is in it.
    pub fn remove_frame(&mut self, frame: &str) {
        for inner in self.descendants(frame) {
            self.frames.remove(&inner);
        }
        self.frames.remove(frame);
    }

    pub fn order(&mut self) -> u64 {
        self.next_order += 1;
        self.next_order
    }
}
