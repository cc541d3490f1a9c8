//! What a signal shows: a site's from its gate and its breaker, the main one from the fleet's breaker.

use crate::{
    model::{Timestamp, breaker::BreakerState, gate::GateView},
    ui::clock,
};

/// Why a site's breaker stops.
const BREAKER_OPEN: &str = "breaker open";
/// What a half-open breaker shows.
const TWO_LIGHTS: &str = "breaker half-open: two white lights";

/// The aspect of a signal, with why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The next one is let through at once.
    Clear,
    /// The next one waits its turn: for the rate, or for one that runs there.
    Caution {
        /// Why, in words.
        why: String,
    },
    /// Two white lights: only a probe goes, to find out whether the trouble is over.
    Probe,
    /// Nobody is let through until then.
    Stop {
        /// Until when, where that is known.
        until: Option<Timestamp>,
        /// That the breaker is open, or what the site answered.
        why: String,
    },
}

impl Aspect {
    /// What a gate shows at a moment: of several reasons to wait, the first that a task is told.
    #[must_use]
    pub fn of(gate: &GateView, now: Timestamp) -> Self {
        if gate.breaker.state == BreakerState::Open {
            return Self::Stop { until: gate.breaker.until, why: BREAKER_OPEN.to_owned() };
        }
        if let Some(cooldown) = gate.cooldown.as_ref().filter(|cooldown| cooldown.until > now) {
            return Self::Stop { until: Some(cooldown.until), why: cooldown.why.clone() };
        }
        if gate.breaker.state == BreakerState::HalfOpen {
            return Self::Probe;
        }
        if gate.running >= u64::from(gate.concurrency) && gate.concurrency > 0 {
            return Self::Caution { why: format!("full: {} of {}", gate.running, gate.concurrency) };
        }
        match gate.next_clear_at.map(|at| at.since(now)).filter(|wait| *wait > 0) {
            Some(wait) => Self::Caution { why: format!("next in {}", clock::span(wait)) },
            None => Self::Clear,
        }
    }

    /// The aspect's name, for its looks.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Caution { .. } => "caution",
            Self::Probe => PROBE,
            Self::Stop { .. } => "stop",
        }
    }

    /// The aspect in a word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Probe => "probes only",
            other => other.name(),
        }
    }

    /// The aspect in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Clear => "clear".to_owned(),
            Self::Caution { why } => why.clone(),
            Self::Probe => self.word().to_owned(),
            Self::Stop { until: Some(until), .. } => format!("stop until {}", clock::of_day(*until)),
            Self::Stop { until: None, .. } => "stop".to_owned(),
        }
    }

    /// Why it is not clear.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Clear => None,
            Self::Probe => Some(TWO_LIGHTS),
            Self::Caution { why } | Self::Stop { why, .. } => Some(why),
        }
    }

    /// Until when it stops, where that is known.
    #[must_use]
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Stop { until, .. } => *until,
            _ => None,
        }
    }

    /// The aspect in words, with why.
    #[must_use]
    pub fn says(&self) -> String {
        match (self, self.why()) {
            (Self::Probe | Self::Stop { .. }, Some(why)) => format!("{} ({why})", self.words()),
            _ => self.words(),
        }
    }
}

/// The name of the aspect with the two white lights.
const PROBE: &str = "probe";

/// The name of what the main signal shows for a breaker.
#[must_use]
pub fn of_breaker(state: BreakerState) -> &'static str {
    match state {
        BreakerState::Closed => "clear",
        BreakerState::HalfOpen => PROBE,
        BreakerState::Open => "stop",
    }
}

/// A semaphore's arm of a length, as the rest of an SVG path from its pivot: level is stop, raised by 45°
/// caution, upright clear. With the two white lights it is level.
#[must_use]
pub fn arm(aspect: &str, length: i32) -> String {
    match aspect {
        "clear" => format!("v-{length}"),
        "caution" => {
            let side = length * 7 / 10;
            format!("l{side} -{side}")
        }
        _ => format!("h{length}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{breaker::BreakerBrief, gate::Cooldown};

    fn gate() -> GateView {
        GateView {
            domain: "shop.test".to_owned(),
            per_s: 1.0,
            burst: 1,
            concurrency: 2,
            next_clear_at: None,
            waiting: 0,
            running: 0,
            cooldown: None,
            breaker: Default::default(),
        }
    }

    const NOW: Timestamp = Timestamp(1_000_000);

    #[test]
    fn a_gate_that_asks_for_nothing_is_clear() {
        assert_eq!(Aspect::of(&gate(), NOW), Aspect::Clear);
        let past = GateView { next_clear_at: Some(NOW.plus_ms(-5)), ..gate() };
        assert_eq!(Aspect::of(&past, NOW), Aspect::Clear);
    }

    #[test]
    fn a_short_wait_and_a_full_site_are_caution_with_why() {
        let soon = GateView { next_clear_at: Some(NOW.plus_ms(1_200)), ..gate() };
        assert_eq!(Aspect::of(&soon, NOW).words(), "next in 1.2 s");
        let full = GateView { running: 2, ..gate() };
        assert_eq!(Aspect::of(&full, NOW).words(), "full: 2 of 2");
    }

    #[test]
    fn a_cooldown_is_stop_until_it_is_over() {
        let until = NOW.plus_ms(60_000);
        let cooling =
            GateView { cooldown: Some(Cooldown { until, why: "429".to_owned() }), running: 2, ..gate() };
        assert_eq!(Aspect::of(&cooling, NOW).name(), "stop");
        assert_eq!(Aspect::of(&cooling, until).name(), "caution");
    }

    #[test]
    fn an_open_breaker_is_stop_above_all_else() {
        let until = NOW.plus_ms(30_000);
        let breaker = BreakerBrief { state: BreakerState::Open, until: Some(until) };
        let cooldown = Some(Cooldown { until: NOW.plus_ms(90_000), why: "429".to_owned() });
        let open = Aspect::of(&GateView { breaker, cooldown, ..gate() }, NOW);
        assert_eq!((open.until(), open.why()), (Some(until), Some("breaker open")));
        assert!(open.says().starts_with("stop until ") && open.says().ends_with("(breaker open)"));
        let endless = BreakerBrief { until: None, ..breaker };
        assert_eq!(Aspect::of(&GateView { breaker: endless, ..gate() }, NOW).words(), "stop");
    }

    #[test]
    fn a_half_open_breaker_shows_two_white_lights_unless_the_site_asked_to_wait() {
        let breaker = BreakerBrief { state: BreakerState::HalfOpen, until: None };
        let half = Aspect::of(&GateView { breaker, running: 2, ..gate() }, NOW);
        assert_eq!((half.name(), half.word()), ("probe", "probes only"));
        let cooldown = Some(Cooldown { until: NOW.plus_ms(90_000), why: "429".to_owned() });
        assert_eq!(Aspect::of(&GateView { breaker, cooldown, ..gate() }, NOW).name(), "stop");
    }

    #[test]
    fn an_arm_is_upright_raised_or_level() {
        assert_eq!(arm("clear", 17), "v-17");
        assert_eq!(arm("caution", 17), "l11 -11");
        assert_eq!((arm("stop", 17), arm(PROBE, 17)), ("h17".to_owned(), "h17".to_owned()));
        assert_eq!(of_breaker(BreakerState::HalfOpen), PROBE);
    }
}
