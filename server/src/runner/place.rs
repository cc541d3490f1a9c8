//! Where a step acts: its target page or frame, and the way to a frame inside it.

use app::model::fault::{Fault, FaultClass};
use app::model::message::Message;
use url::Url;

use super::classify::{cut, is_at};
use super::run::Attempt;
use super::stop::Stop;
use super::world::state::State;
use crate::cdp::Session;

impl Attempt {
    /// The frame that the step acts in, as things stand.
    pub fn place(&self) -> Result<String, Fault> {
        self.world().look(|state| self.place_in(state))
    }

    /// As [`Attempt::place`], in a state that is already looked at.
    pub fn place_in(&self, state: &State) -> Result<String, Fault> {
        let Some(step) = self.this_step() else { return Err(no_target("main")) };
        let target = step.target.as_deref().unwrap_or("main");
        let mut frame = if target == "main" {
            let main = state.pages.first().filter(|page| page.is_open());
            main.map(|page| page.main_frame.clone()).ok_or_else(|| no_target("main"))?
        } else {
            locate(state, target).ok_or_else(|| no_target(target))?
        };
        for (depth, index) in step.frame.iter().enumerate() {
            let child = state.children(&frame).get(*index).map(|child| (*child).to_owned());
            frame = child.ok_or_else(|| {
                let path = format!("{:?}", &step.frame[..=depth]);
                Fault::new(FaultClass::Selector, Message::new("selector.frame").with("path", path))
            })?;
        }
        Ok(frame)
    }

    /// The page that a frame is in: its id and the session that takes input for it.
    pub fn page_of(&self, frame: &str) -> Result<(String, Session), Stop> {
        self.world()
            .look(|state| state.page_of(frame).map(|page| (page.id.clone(), page.session.clone())))
            .ok_or_else(|| crate::cdp::CdpError::Detached.into())
    }

    /// The frame that the step acts in, waited for within the step's time.
    pub async fn reach_place(&self) -> Result<String, Stop> {
        let found = self
            .world()
            .until(self.deadline(), |state| {
                if self.alarmed(state) { Some(None) } else { self.place_in(state).ok().map(Some) }
            })
            .await;
        self.check()?;
        match found.flatten() {
            Some(frame) => Ok(frame),
            None => self.place().map_err(Stop::from),
        }
    }
}

fn no_target(target: &str) -> Fault {
    Fault::new(FaultClass::Selector, Message::new("selector.target").with("target", cut(target, 300)))
}

/// The frame with an address: a popup's main frame, the newest first; a frame, which may or may not be a target
/// of its own; the main page. Where none is exactly there, the only one whose address differs in its query.
fn locate(state: &State, target: &str) -> Option<String> {
    let open = || state.pages.iter().filter(|page| page.is_open());
    let popups = open().skip(1).map(|page| page.main_frame.as_str()).collect::<Vec<_>>().into_iter().rev();
    let is_main = |id: &str| state.pages.iter().any(|page| page.main_frame == id);
    let mut frames: Vec<(&str, u64)> = state
        .frames
        .iter()
        .filter(|(id, frame)| !is_main(id) && frame.session.is_gone().is_none())
        .map(|(id, frame)| (id.as_str(), frame.order))
        .collect();
    frames.sort_by_key(|(_, order)| *order);
    let main = open().take(1).map(|page| page.main_frame.as_str());
    let candidates: Vec<&str> = popups.chain(frames.into_iter().map(|(id, _)| id)).chain(main).collect();
    let url = |id: &str| state.frames.get(id).map(|frame| frame.url.as_str()).unwrap_or_default();
    if let Some(exact) = candidates.iter().find(|id| is_at(url(id), target)) {
        return Some((*exact).to_owned());
    }
    let mut near = candidates.iter().filter(|id| same_path(url(id), target));
    match (near.next(), near.next()) {
        (Some(only), None) => Some((*only).to_owned()),
        _ => None,
    }
}

/// Whether two addresses differ in query and fragment only.
fn same_path(a: &str, b: &str) -> bool {
    let bare = |text: &str| {
        let mut url = Url::parse(text).ok()?;
        url.set_query(None);
        url.set_fragment(None);
        Some(url)
    };
    matches!((bare(a), bare(b)), (Some(a), Some(b)) if a == b && a.has_host())
}
