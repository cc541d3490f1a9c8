//! Finding a step's element: every chain in its order, again and again, until one serves or the step's time is
//! over.

use std::time::Duration;

use app::model::evidence::SelectorTry;
use app::model::fault::{Fault, FaultClass};
use app::model::flow::Chain;
use app::model::message::Message;
use serde::Deserialize;
use serde_json::json;

use super::classify::cut;
use super::frame::CallError;
use super::run::Attempt;
use super::stop::Stop;

/// Between two looks: short at first, for pages that are nearly there.
const LOOKS: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(40),
    Duration::from_millis(75),
];

/// How long the first chain alone may serve, so that a page that is still being built is not entered by another
/// way; at most this, at most a quarter of the step's time.
const FIRST_ALONE: Duration = Duration::from_millis(500);

/// What an element is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Pressed: in view, at rest, enabled, uncovered.
    Click,
    /// Pointed at: in view, at rest, uncovered.
    Hover,
    /// Filled: visible and enabled.
    Field,
    /// Scrolled: visible.
    Scroll,
    /// Read: there.
    Read,
}

impl Need {
    fn as_str(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Hover => "hover",
            Self::Field => "field",
            Self::Scroll => "scroll",
            Self::Read => "read",
        }
    }
}

/// An element that serves.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The frame it is in.
    pub frame: String,
    /// Its number in the frame's script.
    pub element: u64,
    /// Where input reaches it, in the frame's own pixels.
    pub point: Option<(f64, f64)>,
    /// How activating it submits a form.
    pub submits: Option<String>,
    /// Whether a click may send what was typed.
    pub sends: bool,
}

/// What the script answers.
#[derive(Debug, Deserialize)]
struct Looked {
    served: Option<Served>,
    tries: Vec<Tried>,
    loading: bool,
}

#[derive(Debug, Deserialize)]
struct Served {
    index: usize,
    element: u64,
    point: Option<Point>,
    submits: Option<String>,
    sends: bool,
}

/// A point in a frame.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// What one chain came to at the last look.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Tried {
    pub matched: u32,
    pub why: Option<String>,
    pub detail: Option<String>,
}

/// Where to look and what did not come of it.
#[derive(Debug, Default)]
pub(super) struct Missed {
    /// There was no such page or frame.
    pub place: Option<Fault>,
    pub tries: Vec<Tried>,
}

impl Attempt {
    /// The element of a step, for what it is needed for.
    pub async fn find(
        &self,
        chains: &[Chain],
        need: Need,
        offset: Option<(f64, f64)>,
    ) -> Result<Found, Stop> {
        let began = self.clock().now();
        let deadline = self.deadline();
        let alone = began + FIRST_ALONE.min(deadline.saturating_sub(began) / 4);
        let mut missed = Missed::default();
        let mut look = 0;
        let mut was_loading = true;
        loop {
            self.check()?;
            match self.place() {
                Err(fault) => missed.place = Some(fault),
                Ok(frame) => {
                    missed.place = None;
                    let others = self.clock().now() >= alone && !was_loading;
                    let may = if others { chains.len() } else { 1 };
                    if need != Need::Read {
                        self.world().to_front(&frame).await?;
                    }
                    let args = json!([chains, may, need.as_str(), offset.map(|(x, y)| [x, y])]);
                    match self.world().call::<Looked>(&frame, deadline, "find", args).await {
                        Ok(looked) => {
                            was_loading = looked.loading && self.clock().now() < alone + FIRST_ALONE;
                            missed.tries = looked.tries;
                            if let Some(served) = looked.served {
                                self.served(chains, served.index, &missed.tries);
                                return Ok(Found {
                                    frame,
                                    element: served.element,
                                    point: served.point.map(|point| (point.x, point.y)),
                                    submits: served.submits,
                                    sends: served.sends,
                                });
                            }
                        }
                        Err(CallError::Gone) => {}
                        Err(other) => return Err(self.failed_call(other)),
                    }
                }
            }
            self.tried(chains, &missed.tries);
            if self.clock().now() >= deadline {
                return Err(self.not_found(chains, missed).await);
            }
            self.pause(LOOKS[look.min(LOOKS.len() - 1)], deadline).await;
            look += 1;
        }
    }

    /// Waits a little, at most until `deadline`.
    pub async fn pause(&self, a_little: Duration, deadline: Duration) {
        let _ = self.clock().within(deadline, tokio::time::sleep(a_little)).await;
    }

    /// Between two looks, by how many there were.
    pub fn between(look: usize) -> Duration {
        LOOKS[look.min(LOOKS.len() - 1)]
    }

    /// Writes down that a chain served.
    pub fn served(&self, chains: &[Chain], index: usize, tries: &[Tried]) {
        self.ledger(|ledger| {
            let step = ledger.current();
            step.selector_used = chains.get(index).map(|chain| chain.join(" >> "));
            step.tries = index as u32 + 1;
            step.rescued = index > 0;
        });
        self.tried(chains, tries);
    }

    /// Writes down what the chains came to.
    pub fn tried(&self, chains: &[Chain], tries: &[Tried]) {
        self.ledger(|ledger| {
            let step = ledger.current();
            if step.selector_used.is_none() {
                step.tries = tries.len() as u32;
            }
            step.looked = chains
                .iter()
                .zip(tries)
                .map(|(chain, tried)| SelectorTry {
                    chain: chain.join(" >> "),
                    matched: tried.matched,
                    why: tried.in_words(),
                })
                .collect();
        });
    }

    /// Why no element served.
    pub async fn not_found(&self, chains: &[Chain], missed: Missed) -> Stop {
        if let Some(fault) = missed.place {
            return fault.into();
        }
        let ms = self.step_ms();
        let fault = missing(chains, &missed.tries, ms);
        if missed.tries.iter().all(|tried| tried.matched == 0)
            && let Some(frame) = self.frame_that_has(chains).await
        {
            let what = Message::new("selector.in_frame")
                .with("frame", frame)
                .with("tried", tried(chains, &missed.tries));
            return Fault::new(FaultClass::Selector, what).into();
        }
        fault.into()
    }

    /// The address of a frame, other than the step's own, in which the chains find something.
    async fn frame_that_has(&self, chains: &[Chain]) -> Option<String> {
        let own = self.place().ok()?;
        let frames = self.world().look(|state| state.descendants(&own));
        let deadline = self.clock().now() + Duration::from_millis(500);
        for frame in frames.into_iter().take(30) {
            let found = self.world().call::<u32>(&frame, deadline, "count", json!([chains])).await;
            if found.is_ok_and(|found| found > 0) {
                let path = self.world().look(|state| path_of(state, &own, &frame));
                let url = self.world().look(|state| state.frames.get(&frame).map(|f| f.url.clone()))?;
                return Some(format!("{path:?} ({})", cut(&url, 200)));
            }
        }
        None
    }
}

/// The way from one frame to another inside it, by positions.
fn path_of(state: &super::world::state::State, from: &str, to: &str) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = to.to_owned();
    while at != from {
        let Some(parent) = state.frames.get(&at).and_then(|frame| frame.parent.clone()) else { break };
        path.extend(state.children(&parent).iter().position(|child| *child == at));
        at = parent;
    }
    path.reverse();
    path
}

impl Tried {
    /// Why what a chain matched could not be used.
    fn in_words(&self) -> Option<String> {
        let why = self.why.as_deref()?;
        let detail = self.detail.as_deref().unwrap_or_default();
        Some(match why {
            "bad" => format!("not valid: {detail}"),
            "covered" => format!("covered by {detail}"),
            "many" => "several match".to_owned(),
            other => other.to_owned(),
        })
    }
}

/// The chains with how many elements each matched, for a message.
fn tried(chains: &[Chain], tries: &[Tried]) -> String {
    let each: Vec<String> = chains
        .iter()
        .enumerate()
        .map(|(i, chain)| {
            format!("{}: {}", cut(&chain.join(" >> "), 80), tries.get(i).map_or(0, |t| t.matched))
        })
        .collect();
    cut(&each.join(", "), 400)
}

/// The fault of chains that did not serve. Pure.
pub(super) fn missing(chains: &[Chain], tries: &[Tried], ms: u64) -> Fault {
    let fault = |message: Message| Fault::new(FaultClass::Selector, message);
    let why = |tried: &&Tried| tried.why.as_deref() != Some("many") && tried.why.as_deref() != Some("bad");
    // What was found alone but could not be used says most; that it has no box, least of these.
    let unusable = tries.iter().filter(why).filter(|tried| tried.why.is_some());
    let worst = unusable.min_by_key(|tried| tried.why.as_deref() == Some("invisible"));
    if let Some((why, detail)) =
        worst.and_then(|tried| Some((tried.why.as_deref()?, tried.detail.as_deref())))
    {
        return fault(match why {
            "covered" => Message::new("selector.covered").with("by", detail.unwrap_or("another element")),
            "disabled" => Message::new("selector.disabled"),
            "moving" | "gone" => Message::new("selector.moving").with("ms", ms),
            "outside" => Message::new("selector.outside"),
            _ => Message::new("selector.invisible"),
        });
    }
    if let Some(several) = tries.iter().find(|tried| tried.why.as_deref() == Some("many")) {
        let what =
            Message::new("selector.many").with("count", several.matched).with("tried", tried(chains, tries));
        return fault(what);
    }
    let bad = tries.iter().position(|tried| tried.why.as_deref() == Some("bad"));
    if let Some(index) = bad.filter(|_| tries.iter().all(|tried| tried.why.is_some())) {
        let detail = tries[index].detail.as_deref().unwrap_or("it cannot be read");
        let selector = chains.get(index).map(|chain| chain.join(" >> ")).unwrap_or_default();
        return fault(Message::new("selector.bad").with("selector", cut(&selector, 200)).with("why", detail));
    }
    let what = Message::new("selector.none")
        .with("chains", chains.len())
        .with("ms", ms)
        .with("tried", tried(chains, tries));
    fault(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chains() -> Vec<Chain> {
        vec![vec!["#a".to_owned()], vec!["aria/A".to_owned()]]
    }

    fn because(matched: u32, why: &str) -> Tried {
        Tried { matched, why: Some(why.to_owned()), detail: Some("a banner".to_owned()) }
    }

    #[test]
    fn what_could_not_be_used_says_more_than_what_was_not_found() {
        let code = |tries: &[Tried]| missing(&chains(), tries, 100).what.code;
        assert_eq!(code(&[Tried::default(), because(1, "covered")]), "selector.covered");
        assert_eq!(code(&[because(1, "invisible"), because(1, "disabled")]), "selector.disabled");
        assert_eq!(code(&[because(3, "many"), Tried::default()]), "selector.many");
        assert_eq!(code(&[because(0, "bad"), because(0, "bad")]), "selector.bad");
        assert_eq!(code(&[because(0, "bad"), Tried::default()]), "selector.none");
        assert_eq!(code(&[Tried::default(), Tried::default()]), "selector.none");
    }

    #[test]
    fn the_message_says_what_each_chain_matched() {
        let fault = missing(&chains(), &[Tried::default(), Tried::default()], 100);
        assert_eq!(fault.message(), "No element matched any of 2 selectors within 100 ms (#a: 0, aria/A: 0)");
    }
}
