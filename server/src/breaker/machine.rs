//! One breaker, pure: a state and an event with its time make a new state and what follows from it.
//!
//! ```text
//!          enough failures                open_s is over
//! closed ──────────────────▶ open ───────────────────────▶ half-open
//!   ▲                         ▲    ◀──────────────────────     │
//!   │                         └─ a probe failed, or gave no    │
//!   └───────────────────────────  answer in half_open_s        │
//!              all probes succeeded  ◀─────────────────────────┘
//! ```
//!
//! A person may open or close it at any time. Closed again it counts anew, and only attempts that began after
//! that: those from before tell of the time before.

use app::model::{
    Timestamp,
    breaker::{BreakerBrief, BreakerSetting, BreakerState, BreakerView},
    message::Message,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    counts::Verdict,
    window::{Window, millis},
};
use crate::config::BreakerSettings;

/// How long a closed breaker is remembered after it has changed, so that attempts of the time before do not
/// count and people still see what happened.
const REMEMBERED_MS: i64 = 24 * 3_600_000;

/// A breaker. The default is one that has never changed: closed, with nothing counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    phase: Phase,
    /// When it last changed; the epoch while it never has.
    since: Timestamp,
    /// Openings since it was last closed: each stays open twice as long as the one before.
    openings: u32,
    /// Whether it opened because sites failed together.
    by_sites: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    /// Who has set it by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    window: Window,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    #[default]
    Closed,
    Open {
        until: Timestamp,
    },
    HalfOpen {
        /// The probes that are out.
        out: Vec<Probe>,
        /// Probes that have succeeded.
        passed: u32,
    },
}

/// A permit, tied to the attempt that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Probe {
    attempt: Uuid,
    since: Timestamp,
}

/// Why a breaker is as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// What the server found.
    Found(Message),
    /// What the person said who set it.
    Said(String),
}

impl Reason {
    /// In English.
    #[must_use]
    pub fn english(&self) -> String {
        match self {
            Self::Found(message) => message.english(),
            Self::Said(text) => text.clone(),
        }
    }
}

/// What happens to a breaker.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Time has passed.
    Tick,
    /// An attempt wants to begin.
    Asked {
        /// The attempt.
        attempt: Uuid,
    },
    /// An attempt is over, or lost.
    Over {
        /// The attempt.
        attempt: Uuid,
        /// When it began.
        began: Timestamp,
        /// What that says.
        verdict: Verdict,
    },
    /// One more site's breaker has opened by failures. For the fleet's.
    SiteOpened {
        /// So many are open now.
        open: u32,
    },
    /// A person sets it.
    Set {
        /// Which way.
        to: BreakerSetting,
        /// Who.
        by: String,
        /// Why.
        reason: String,
    },
}

/// A change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From.
    pub from: BreakerState,
    /// To; the same where a person has set it anew.
    pub to: BreakerState,
}

/// What follows from an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The changes of state, in order.
    pub turns: Vec<Turn>,
    /// Whether the attempt that asked may begin.
    pub admitted: bool,
}

/// What a breaker lets go now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Everybody.
    #[default]
    Closed,
    /// Nobody.
    Open {
        /// Before this.
        until: Timestamp,
    },
    /// Its probes.
    HalfOpen {
        /// How many more.
        permits: u32,
        /// When it opens again if those that are out have not answered.
        until: Option<Timestamp>,
    },
}

impl Standing {
    /// How many attempts may begin; none: as many as want to.
    #[must_use]
    pub fn room(self) -> Option<u32> {
        match self {
            Self::Closed => None,
            Self::Open { .. } => Some(0),
            Self::HalfOpen { permits, .. } => Some(permits),
        }
    }

    /// Whether it keeps back who waits.
    #[must_use]
    pub fn holds(self) -> bool {
        self.room() == Some(0)
    }

    /// When it changes by itself.
    #[must_use]
    pub fn until(self) -> Option<Timestamp> {
        match self {
            Self::Closed => None,
            Self::Open { until } => Some(until),
            Self::HalfOpen { until, .. } => until,
        }
    }

    /// The state in a word.
    #[must_use]
    pub fn state(self) -> BreakerState {
        match self {
            Self::Closed => BreakerState::Closed,
            Self::Open { .. } => BreakerState::Open,
            Self::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    /// As a gate shows it.
    #[must_use]
    pub fn brief(self) -> BreakerBrief {
        BreakerBrief { state: self.state(), until: self.until() }
    }
}

impl Breaker {
    /// The breaker after an event.
    #[must_use]
    pub fn after(mut self, event: Event, now: Timestamp, rules: &BreakerSettings) -> (Self, Effects) {
        let mut effects = Effects::default();
        self.pass_time(now, rules, &mut effects);
        match event {
            Event::Tick => {}
            Event::Asked { attempt } => effects.admitted = self.admit(attempt, now, rules),
            Event::Over { attempt, began, verdict } => {
                self.over(attempt, began, verdict, now, rules, &mut effects);
            }
            Event::SiteOpened { open } => {
                if self.phase == Phase::Closed && open >= rules.sites {
                    let found = Message::new("breaker.sites").with("sites", open);
                    self.open(Reason::Found(found), now, rules, &mut effects);
                    self.by_sites = true;
                }
            }
            Event::Set { to, by, reason } => {
                let reason = Reason::Said(reason);
                match to {
                    BreakerSetting::Open => {
                        self.openings = 0;
                        self.open(reason, now, rules, &mut effects);
                    }
                    BreakerSetting::Closed => self.close(reason, now, &mut effects),
                }
                self.by = Some(by);
            }
        }
        (self, effects)
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        match &self.phase {
            Phase::Closed => BreakerState::Closed,
            Phase::Open { .. } => BreakerState::Open,
            Phase::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    /// What it lets go.
    #[must_use]
    pub fn standing(&self, rules: &BreakerSettings) -> Standing {
        match &self.phase {
            Phase::Closed => Standing::Closed,
            Phase::Open { until } => Standing::Open { until: *until },
            Phase::HalfOpen { out, passed } => Standing::HalfOpen {
                permits: rules.probes.saturating_sub(out.len() as u32 + passed),
                until: limit(out, rules),
            },
        }
    }

    /// When it last changed; none while it never has.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        (self.since > Timestamp::default()).then_some(self.since)
    }

    /// Whether a person has set it as it is.
    #[must_use]
    pub fn by_hand(&self) -> bool {
        self.by.is_some()
    }

    /// Whether it opened because sites failed together, and is not closed yet.
    #[must_use]
    pub fn opened_by_sites(&self) -> bool {
        self.by_sites
    }

    /// Why it is as it is.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(Reason::english)
    }

    /// When it can be forgotten if it is closed and stays so.
    #[must_use]
    pub fn stale_at(&self, rules: &BreakerSettings) -> Timestamp {
        let counted = self.window.newest().map(|at| at.plus_ms(millis(rules.window_s)));
        let changed = self.since().map(|at| at.plus_ms(REMEMBERED_MS));
        counted.max(changed).unwrap_or_default()
    }

    /// The breaker for the API. `born` stands for the time of the last change where there was none.
    #[must_use]
    pub fn view(&self, domain: Option<&str>, born: Timestamp, rules: &BreakerSettings) -> BreakerView {
        let probes = match &self.phase {
            Phase::HalfOpen { out, .. } => out.len() as u32,
            Phase::Closed | Phase::Open { .. } => 0,
        };
        BreakerView {
            domain: domain.map(str::to_owned),
            state: self.state(),
            since: self.since().unwrap_or(born),
            until: self.standing(rules).until(),
            reason: self.reason(),
            by: self.by.clone(),
            window: self.window.sums(),
            probes,
        }
    }

    /// What happens by the clock alone.
    fn pass_time(&mut self, now: Timestamp, rules: &BreakerSettings, effects: &mut Effects) {
        self.window.forget(now, rules);
        self.heed_clock(now, rules);
        loop {
            match &self.phase {
                Phase::Open { until } if *until <= now => {
                    let at = *until;
                    self.turn(Phase::HalfOpen { out: Vec::new(), passed: 0 }, at, effects);
                }
                Phase::HalfOpen { out, passed } => match limit(out, rules) {
                    Some(at) if at <= now => {
                        let found = Message::new("breaker.no_answer").with("s", rules.half_open_s);
                        self.open(Reason::Found(found), at, rules, effects);
                    }
                    // Fewer may be asked for by now than when the last one was let go.
                    None if *passed >= rules.probes => self.recover(now, effects),
                    _ => return,
                },
                Phase::Closed | Phase::Open { .. } => return,
            }
        }
    }

    /// A clock that was set back, or a setting that was made shorter, must not make it wait longer than it may.
    fn heed_clock(&mut self, now: Timestamp, rules: &BreakerSettings) {
        let longest = now.plus_ms(self.open_ms(rules));
        self.since = self.since.min(now);
        match &mut self.phase {
            Phase::Closed => {}
            Phase::Open { until } => *until = (*until).min(longest),
            Phase::HalfOpen { out, .. } => {
                for probe in out {
                    probe.since = probe.since.min(now);
                }
            }
        }
    }

    fn admit(&mut self, attempt: Uuid, now: Timestamp, rules: &BreakerSettings) -> bool {
        let standing = self.standing(rules);
        if let Phase::HalfOpen { out, .. } = &mut self.phase
            && !standing.holds()
        {
            out.push(Probe { attempt, since: now });
        }
        !standing.holds()
    }

    fn over(
        &mut self,
        attempt: Uuid,
        began: Timestamp,
        verdict: Verdict,
        now: Timestamp,
        rules: &BreakerSettings,
        effects: &mut Effects,
    ) {
        match &mut self.phase {
            Phase::Closed if began >= self.since && verdict != Verdict::Neither => {
                self.window.count(matches!(verdict, Verdict::Bad { .. }), now, rules);
                let sums = self.window.sums();
                let rate = f64::from(sums.failed) / f64::from(sums.total.max(1));
                if sums.total >= rules.min && rate >= rules.failure_rate {
                    let found =
                        Message::new("breaker.tripped").with("failed", sums.failed).with("total", sums.total);
                    self.open(Reason::Found(found), now, rules, effects);
                }
            }
            Phase::HalfOpen { out, passed } => {
                // Whoever is no probe began before it opened and says nothing of now.
                let Some(at) = out.iter().position(|probe| probe.attempt == attempt) else { return };
                out.remove(at);
                match verdict {
                    // No answer either way: the next one is the probe.
                    Verdict::Neither => {}
                    Verdict::Good => {
                        *passed += 1;
                        if *passed >= rules.probes {
                            self.recover(now, effects);
                        }
                    }
                    Verdict::Bad { why } => {
                        let found = Message::new("breaker.probe_failed").with("why", why);
                        self.open(Reason::Found(found), now, rules, effects);
                    }
                }
            }
            Phase::Closed | Phase::Open { .. } => {}
        }
    }

    /// Opens, for longer than the last time where that was in vain.
    fn open(&mut self, reason: Reason, now: Timestamp, rules: &BreakerSettings, effects: &mut Effects) {
        self.openings = self.openings.saturating_add(1);
        self.reason = Some(reason);
        self.by = None;
        if self.openings == 1 {
            self.by_sites = false;
        }
        let until = now.plus_ms(self.open_ms(rules));
        self.turn(Phase::Open { until }, now, effects);
    }

    fn recover(&mut self, now: Timestamp, effects: &mut Effects) {
        self.close(Reason::Found(Message::new("breaker.recovered")), now, effects);
        self.by = None;
    }

    fn close(&mut self, reason: Reason, now: Timestamp, effects: &mut Effects) {
        self.openings = 0;
        self.by_sites = false;
        self.reason = Some(reason);
        self.window.clear();
        self.turn(Phase::Closed, now, effects);
    }

    fn turn(&mut self, phase: Phase, at: Timestamp, effects: &mut Effects) {
        let from = self.state();
        self.phase = phase;
        self.since = at;
        effects.turns.push(Turn { from, to: self.state() });
    }

    /// How long this opening lasts.
    fn open_ms(&self, rules: &BreakerSettings) -> i64 {
        let doublings = self.openings.saturating_sub(1).min(32);
        millis(rules.open_s.saturating_mul(1 << doublings).min(rules.open_cap_s))
    }
}

/// When a half-open breaker opens again: when its oldest probe has not answered in time.
fn limit(out: &[Probe], rules: &BreakerSettings) -> Option<Timestamp> {
    out.iter().map(|probe| probe.since.plus_ms(millis(rules.half_open_s))).min()
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
