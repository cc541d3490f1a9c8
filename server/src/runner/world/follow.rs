//! How an event changes what is known.

use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::World;
use super::state::{Answer, Frame, Page, State, Trouble};
use crate::cdp::ask::{Remote, tell};
use crate::cdp::{Event, Session};
use crate::runner::wire::{self, read};

/// The most answers that are remembered, and as many troubles.
const ANSWERS: usize = 50;

/// The most frames that are followed.
const FRAMES: usize = 2_000;

impl World {
    /// Takes up one event.
    pub(super) fn take(self: &Arc<Self>, event: &Event) {
        let Some(session) = event.session_id().map(|id| self.connection.session(id)) else { return };
        match event.method() {
            "Fetch.requestPaused" => {
                if let Some(paused) = read(event) {
                    self.paused(session, paused);
                }
            }
            "Page.javascriptDialogOpening" => self.dialog(&session, event),
            "Network.responseReceived" => self.response(event),
            _ => {
                let at_ms = self.clock.at_ms();
                let now = self.clock.now();
                self.change(|state| state.take(event, &session, at_ms, now));
            }
        }
    }

    /// Answers a dialog at once: nothing in the page goes on before.
    fn dialog(&self, session: &Session, event: &Event) {
        let Some(dialog) = read::<wire::DialogOpening>(event) else { return };
        // Leaving is what a page is asked for that is about to close or to navigate.
        let accept = dialog.kind == "beforeunload";
        let _ = session.tell(tell("Page.handleJavaScriptDialog", json!({"accept": accept})));
        let at_ms = self.clock.at_ms();
        self.change(|state| state.journal.dialog(at_ms, &dialog.kind, &dialog.message));
    }

    fn response(&self, event: &Event) {
        let Some(received) = read::<wire::ResponseReceived>(event) else { return };
        let wire::ResponseReceived { request_id, response, kind, frame_id } = received;
        self.change(|state| {
            state.journal.answer(&request_id, response.status);
            if kind != "Document" {
                return;
            }
            let page = frame_id.as_deref().and_then(|frame| state.page_of_main(frame)).map(|page| {
                page.last_document = Some(request_id.clone());
            });
            let (Some(()), Ok(url)) = (page, Url::parse(&response.url)) else { return };
            let retry_after = response.header("retry-after");
            let until = self.outside.door.answered(&url, response.status, retry_after);
            state.retry_at = until.or(state.retry_at);
            let answer = Answer {
                url: response.url.clone(),
                status: response.status,
                retry_after: retry_after.is_some(),
                until,
            };
            state.answered += 1;
            if answer.status >= 400 {
                state.troubles.push_back(Trouble::Status(answer.clone()));
            }
            state.answers.push_back(answer);
            // What governs them lets them gather.
            if state.answers.len() > ANSWERS {
                state.answers.pop_front();
            }
            if state.troubles.len() > ANSWERS {
                state.troubles.pop_front();
            }
        });
    }
}

impl State {
    /// Takes up an event that asks for nothing to be done.
    fn take(&mut self, event: &Event, session: &Session, at_ms: u64, now: std::time::Duration) {
        match event.method() {
            "Page.frameAttached" => with(event, |e| self.frame_attached(session, e)),
            "Page.frameDetached" => with(event, |e| self.frame_detached(session, &e)),
            "Page.frameNavigated" => with(event, |e: wire::FrameNavigated| self.navigated(session, e.frame)),
            "Page.navigatedWithinDocument" => with(event, |e| self.navigated_within(e)),
            "Page.domContentEventFired" | "Page.loadEventFired" => self.parsed(session),
            "Page.frameRequestedNavigation" => with(event, |e: wire::RequestedNavigation| {
                let web =
                    e.url.starts_with("http") && (e.disposition.is_empty() || e.disposition == "currentTab");
                if let Some(page) = self.page_of_main(&e.frame_id).filter(|_| web) {
                    page.requested = Some(now);
                }
            }),
            "Page.downloadWillBegin" => with(event, |e: wire::DownloadBegins| {
                if let Some(page) = self.page_of_main(&e.frame_id) {
                    page.in_flight = None;
                    page.requested = None;
                    self.troubles.push_back(Trouble::Download { url: e.url });
                }
            }),
            "Network.requestWillBeSent" => with(event, |e| self.request_sent(e, at_ms)),
            "Network.loadingFailed" => with(event, |e| self.loading_failed(&e)),
            "Runtime.executionContextCreated" => with(event, |e: wire::ContextCreated| {
                let Some(aux) = e.context.aux_data.filter(|aux| aux.is_default) else { return };
                if let Some(frame) = aux.frame_id.and_then(|id| self.frames.get_mut(&id)) {
                    frame.page_world = Some(e.context.id);
                }
            }),
            "Runtime.consoleAPICalled" => with(event, |e: wire::ConsoleCalled| {
                let text: Vec<String> = e.args.iter().map(Remote::shown).collect();
                self.journal.console(at_ms, &e.kind, &text.join(" "));
            }),
            "Runtime.exceptionThrown" => with(event, |e: wire::ExceptionThrown| {
                self.journal.console(at_ms, "exception", &e.exception_details.shown());
            }),
            _ => {}
        }
    }

    fn frame_attached(&mut self, session: &Session, event: wire::FrameAttached) {
        if self.frames.len() >= FRAMES {
            return;
        }
        let order = self.order();
        let frame = self.frames.entry(event.frame_id).or_insert_with(|| Frame {
            parent: None,
            session: session.clone(),
            url: String::new(),
            loader: String::new(),
            parsed: false,
            order,
            world: None,
            page_world: None,
        });
        frame.parent = Some(event.parent_frame_id);
    }

    fn frame_detached(&mut self, session: &Session, event: &wire::FrameDetached) {
        let elsewhere =
            self.frames.get(&event.frame_id).is_some_and(|frame| frame.session.id() != session.id());
        // A frame that moves to another process is told to be detached, by the process that it leaves.
        if event.reason != "swap" && !elsewhere {
            self.remove_frame(&event.frame_id);
        }
    }

    fn navigated(&mut self, session: &Session, event: wire::NavigatedFrame) {
        let url = format!("{}{}", event.url, event.url_fragment);
        // What was in the document before is gone.
        for inner in self.descendants(&event.id) {
            self.frames.remove(&inner);
        }
        let order = self.order();
        let frame = self.frames.entry(event.id.clone()).or_insert_with(|| Frame {
            parent: event.parent_id.clone(),
            session: session.clone(),
            url: String::new(),
            loader: String::new(),
            parsed: false,
            order,
            world: None,
            page_world: None,
        });
        frame.session = session.clone();
        frame.url = url;
        frame.loader = event.loader_id;
        frame.parsed = false;
        frame.world = None;
        if let Some(page) = self.page_of_main(&event.id) {
            page.arrived();
            page.in_flight = None;
        }
    }

    fn navigated_within(&mut self, event: wire::NavigatedWithin) {
        if let Some(frame) = self.frames.get_mut(&event.frame_id) {
            frame.url = event.url;
        }
        if let Some(page) = self.page_of_main(&event.frame_id) {
            page.arrived();
        }
    }

    /// The document of the frame that a session is of is parsed.
    fn parsed(&mut self, session: &Session) {
        let of_page =
            self.pages.iter().find(|page| page.session.id() == session.id()).map(|p| p.main_frame.clone());
        let own = of_page.or_else(|| {
            let mine = |frame: &&Frame| frame.session.id() == session.id();
            let outside = |frame: &Frame| {
                frame
                    .parent
                    .as_ref()
                    .and_then(|p| self.frames.get(p))
                    .is_none_or(|p| p.session.id() != session.id())
            };
            self.frames.iter().find(|(_, frame)| mine(frame) && outside(frame)).map(|(id, _)| id.clone())
        });
        if let Some(frame) = own.and_then(|id| self.frames.get_mut(&id)) {
            frame.parsed = true;
        }
    }

    fn request_sent(&mut self, event: wire::RequestSent, at_ms: u64) {
        if let Some(redirect) = &event.redirect_response {
            self.journal.answer(&event.request_id, redirect.status);
        }
        self.journal.request(at_ms, &event.request_id, &event.request.method, &event.request.url);
        if event.kind == "Document"
            && let Some(page) = event.frame_id.as_deref().and_then(|frame| self.page_of_main(frame))
        {
            page.in_flight = Some(event.request_id);
            page.heading = Some(format!("{}{}", event.request.url, event.request.url_fragment));
            page.requested = None;
        }
    }

    fn loading_failed(&mut self, event: &wire::LoadingFailed) {
        self.journal.failure(&event.request_id, &event.error_text);
        let id = Some(&event.request_id);
        let Some(page) = self.pages.iter_mut().find(|page| page.in_flight.as_ref() == id) else { return };
        page.in_flight = None;
        let answered = page.last_document.as_ref() == id;
        // An aborted one was followed by another, is a download, or has no content; one that answered has told
        // its status already.
        if answered || event.error_text == "net::ERR_ABORTED" || self.held.is_some() {
            return;
        }
        let endless = self.troubles.iter().any(|trouble| matches!(trouble, Trouble::Redirects { .. }));
        if let Some(hop) = self.hops.get(&event.request_id).filter(|_| !endless) {
            let trouble = Trouble::Failed { url: hop.url.clone(), error: event.error_text.clone() };
            self.troubles.push_back(trouble);
        }
    }
}

impl Page {
    fn arrived(&mut self) {
        self.navigations += 1;
        self.requested = None;
    }
}

fn with<T: serde::de::DeserializeOwned>(event: &Event, take: impl FnOnce(T)) {
    if let Some(event) = read(event) {
        take(event);
    }
}
