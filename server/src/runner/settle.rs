//! What comes of a step: navigations, and the address that was expected.

use std::time::Duration;

use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Action, Step};
use app::model::message::Message;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::classify::is_at;
use super::frame::CallError;
use super::run::{Attempt, Marks};
use super::stop::Stop;
use super::world::state::State;

/// How long a navigation that a page has announced may take to begin.
const ANNOUNCED: Duration = Duration::from_millis(250);

/// How long a page that is already at the expected address may take to navigate to it once more.
const QUIET: Duration = Duration::from_millis(500);

/// How often a page that never finishes is looked at for the next step's element.
const PEEK: Duration = Duration::from_millis(150);

impl Attempt {
    /// Calls a function in a frame; none where its document went away meanwhile.
    pub async fn on_page<T: DeserializeOwned>(
        &self,
        frame: &str,
        function: &str,
        args: Value,
    ) -> Result<Option<T>, Stop> {
        match self.world().call(frame, self.deadline(), function, args).await {
            Ok(answer) => Ok(Some(answer)),
            Err(CallError::Gone) => Ok(None),
            Err(other) => Err(self.failed_call(other)),
        }
    }

    /// Waits before another try; stops where the step's time is over.
    pub async fn again(&self, look: &mut usize) -> Result<(), Stop> {
        self.check()?;
        let deadline = self.deadline();
        if self.clock().now() >= deadline {
            let what = Message::new("selector.moving").with("ms", self.step_ms());
            return Err(Fault::new(FaultClass::Selector, what).into());
        }
        self.pause(Self::between(*look), deadline).await;
        *look += 1;
        Ok(())
    }

    /// After input: lets the page act on it, and waits for the navigation that it began.
    pub async fn after_input(&self, frame: &str, page: &str) -> Result<(), Stop> {
        // What a click brings about is queued behind it: when this has run, it has begun.
        match self.world().call::<Value>(frame, self.deadline(), "breath", json!([])).await {
            Ok(_) | Err(CallError::Gone | CallError::Threw(_)) => {}
            Err(CallError::Slow(_)) => return self.check(),
            Err(other @ CallError::Chrome(_)) => return Err(self.failed_call(other)),
        }
        self.arrive(page).await
    }

    /// Waits until a page's navigation, if one is under way, has brought a document that can be worked with.
    pub async fn arrive(&self, page: &str) -> Result<(), Stop> {
        self.world().drain();
        let deadline = self.deadline();
        let announced = deadline.min(self.clock().now() + ANNOUNCED);
        self.world()
            .until(announced, |state| {
                let pending = state.page(page).is_some_and(|p| p.is_open() && p.requested.is_some());
                (!pending || self.alarmed(state)).then_some(())
            })
            .await;
        let committed = self
            .world()
            .until(deadline, |state| {
                let under_way = state.page(page).is_some_and(|p| p.is_open() && p.in_flight.is_some());
                (!under_way || self.alarmed(state)).then_some(())
            })
            .await;
        self.check()?;
        if committed.is_none() {
            let url = self.world().look(|state| self.heading_for(state, page));
            let what = Message::new("timeout.navigation").with("url", url).with("ms", self.step_ms());
            return Err(Fault::new(FaultClass::Timeout, what).into());
        }
        self.parsed(page).await
    }

    /// Waits until a page's document is parsed, or holds what the next step needs: a page that never ends must
    /// not hold the attempt up.
    pub async fn parsed(&self, page: &str) -> Result<(), Stop> {
        loop {
            let deadline = self.deadline();
            let soon = deadline.min(self.clock().now() + PEEK);
            let ready = self
                .world()
                .until(soon, |state| {
                    let frame = state
                        .page(page)
                        .filter(|p| p.is_open())
                        .and_then(|p| state.frames.get(&p.main_frame));
                    (frame.is_none_or(|frame| frame.parsed) || self.alarmed(state)).then_some(())
                })
                .await;
            self.check()?;
            if ready.is_some() || self.clock().now() >= deadline || self.next_is_there(page).await {
                return Ok(());
            }
        }
    }

    /// Whether the page holds what the next step looks for.
    async fn next_is_there(&self, page: &str) -> bool {
        let Some(next) = self.next_step() else { return false };
        let plain = next.frame.is_empty() && next.target.as_deref().unwrap_or("main") == "main";
        let Some(chains) = next.action.selectors().filter(|chains| plain && !chains.is_empty()) else {
            return false;
        };
        // Several of something are complete only when the document is.
        if matches!(next.action, Action::Extract { all: true, .. } | Action::WaitForElement { .. }) {
            return false;
        }
        let Some(frame) = self.world().look(|state| state.page(page).map(|p| p.main_frame.clone())) else {
            return false;
        };
        let found = self.world().call::<u32>(&frame, self.deadline(), "count", json!([chains])).await;
        found.is_ok_and(|found| found > 0)
    }

    /// The address that a page's navigation goes to.
    fn heading_for(&self, state: &State, page: &str) -> String {
        state.page(page).and_then(|page| page.heading.clone()).unwrap_or_default()
    }

    /// Waits for the navigations that the step is expected to bring.
    pub async fn asserted(&self, step: &Step) -> Result<(), Stop> {
        for event in &step.asserted_events {
            let marks = self.marks();
            let deadline = self.deadline();
            let quiet = deadline.min(self.clock().now() + QUIET);
            let url = event.url.as_deref();
            let moved = |state: &State| came(state, &marks, url, true) || self.alarmed(state);
            let there = |state: &State| came(state, &marks, url, false) || self.alarmed(state);
            let mut arrived = self.world().until(quiet, |state| moved(state).then_some(())).await;
            if arrived.is_none() {
                arrived = self.world().until(deadline, |state| there(state).then_some(())).await;
            }
            self.check()?;
            if arrived.is_none() {
                return Err(self.not_asserted(url).into());
            }
            if let Some((page, _)) = &marks.page {
                self.parsed(page).await?;
            }
        }
        Ok(())
    }

    fn not_asserted(&self, url: Option<&str>) -> Fault {
        let now = self.place().ok().and_then(|frame| {
            self.world().look(|state| state.frames.get(&frame).map(|frame| frame.url.clone()))
        });
        let what = Message::new("timeout.asserted")
            .with("url", url.unwrap_or("another page"))
            .with("ms", self.step_ms())
            .with("now", now.as_deref().unwrap_or("no page"));
        Fault::new(FaultClass::Timeout, what)
    }
}

/// Whether an expected navigation has come: in the step's page or a frame of it, or in a page that was opened
/// since. `must_move`: the page must have navigated since the step began.
fn came(state: &State, marks: &Marks, url: Option<&str>, must_move: bool) -> bool {
    let at = |frame: &str| {
        url.is_none_or(|url| state.frames.get(frame).is_some_and(|frame| is_at(&frame.url, url)))
    };
    let opened = state.pages.iter().skip(marks.pages).any(|page| at(&page.main_frame));
    let Some((page, navigations)) = marks.page.as_ref().and_then(|(id, n)| Some((state.page(id)?, *n)))
    else {
        return opened;
    };
    let moved = page.navigations > navigations;
    let inside = url.is_some() && state.descendants(&page.main_frame).iter().any(|frame| at(frame));
    let here = at(&page.main_frame) && (moved || (!must_move && url.is_some()));
    opened || here || inside
}
