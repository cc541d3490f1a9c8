//! Going to an address, and judging what its documents answered.

use std::time::Duration;

use app::model::fault::{Fault, FaultClass};
use app::model::message::Message;
use serde_json::json;

use super::classify;
use super::run::Attempt;
use super::stop::Stop;
use super::wire::Navigated;
use super::world::state::{Answer, Trouble};
use crate::cdp::ask::{ask, tell};

impl Attempt {
    /// Goes to an address and waits for its document.
    pub async fn navigate(&self, url: &str) -> Result<(), Stop> {
        if !classify::may_navigate(url) {
            return Err(classify::scheme(url).into());
        }
        let frame = self.reach_place().await?;
        let (page, session) = self.page_of(&frame)?;
        // Chrome answers when the document is there or will not be, and a gate may hold it for long: only the
        // clock knows.
        let go = ask::<Navigated>("Page.navigate", json!({"url": url}));
        let going = session.call_within(Duration::from_secs(86_400), go);
        let answer = self.clock().within(self.deadline(), going).await;
        self.check()?;
        let navigated = match answer {
            Some(answer) => answer?,
            None => {
                let _ = session.tell(tell("Page.stopLoading", json!({})));
                let what = Message::new("timeout.navigation").with("url", url).with("ms", self.step_ms());
                return Err(Fault::new(FaultClass::Timeout, what).into());
            }
        };
        if navigated.is_download {
            return Err(classify::download(url).into());
        }
        if let Some(error) = navigated.error_text.filter(|error| !error.is_empty()) {
            return self.unanswered(url, &error).await;
        }
        if let Some(loader) = navigated.loader_id {
            // The document's coming is told after the answer.
            self.world()
                .until(self.deadline(), |state| {
                    let known = state.page(&page).and_then(|p| state.frames.get(&p.main_frame));
                    let here = known.is_none_or(|frame| frame.loader == loader);
                    let gone = state.page(&page).is_none_or(|p| !p.is_open() || p.in_flight.is_none());
                    (here || gone || self.alarmed(state)).then_some(())
                })
                .await;
        }
        self.arrive(&page).await
    }

    /// A navigation that ended without a document: a status that the flow may expect, a download, or a fault.
    async fn unanswered(&self, url: &str, error: &str) -> Result<(), Stop> {
        if error == "net::ERR_ABORTED" || error == "net::ERR_HTTP_RESPONSE_CODE_FAILURE" {
            // What it was is told by another event, which may be a moment behind.
            let soon = self.deadline().min(self.clock().now() + Duration::from_millis(500));
            let answered = self.marks().answered;
            self.world()
                .until(soon, |state| {
                    (self.alarmed(state) || (self.governed() && state.answered > answered)).then_some(())
                })
                .await;
            self.check()?;
            if self.governed() && self.world().look(|state| state.answered > answered) {
                return Ok(());
            }
        }
        Err(self.failed_navigation(url, error).into())
    }

    /// Judges the document of the step before.
    pub async fn expect_status(&self, wanted: &[u16]) -> Result<(), Stop> {
        let before = self.answered_before();
        // The step before may have begun a navigation whose answer is still to come.
        let answer = self
            .world()
            .until(self.deadline(), |state| {
                if self.alarmed(state) {
                    return Some(None);
                }
                let settled =
                    state.pages.iter().all(|page| page.in_flight.is_none() && page.requested.is_none());
                (state.answered > before && settled).then(|| state.answers.back().cloned())
            })
            .await
            .flatten();
        self.check()?;
        let answer: Option<Answer> =
            answer.or_else(|| self.world().look(|state| state.answers.back().cloned()));
        self.world().change(|state| state.troubles.retain(|trouble| !matches!(trouble, Trouble::Status(_))));
        let Some(answer) = answer else {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            let what =
                Message::new("timeout.status").with("wanted", wanted.join(" or ")).with("ms", self.step_ms());
            return Err(Fault::new(FaultClass::Timeout, what).into());
        };
        if wanted.contains(&answer.status) {
            return Ok(());
        }
        let usual = classify::status(&answer.url, answer.status, answer.retry_after, answer.until);
        Err(classify::unexpected(&answer.url, answer.status, wanted, usual).into())
    }
}
