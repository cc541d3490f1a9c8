//! What a site's signal shows.

use crate::{
    model::{Timestamp, gate::GateView},
    ui::clock,
};

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
    /// Nobody is let through until then.
    Stop {
        /// Until when.
        until: Timestamp,
        /// What the site answered.
        why: String,
    },
}

impl Aspect {
    /// What a gate shows at a moment.
    #[must_use]
    pub fn of(gate: &GateView, now: Timestamp) -> Self {
        if let Some(cooldown) = gate.cooldown.as_ref().filter(|cooldown| cooldown.until > now) {
            return Self::Stop { until: cooldown.until, why: cooldown.why.clone() };
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
            Self::Stop { .. } => "stop",
        }
    }

    /// The aspect in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Clear => "clear".to_owned(),
            Self::Caution { why } => why.clone(),
            Self::Stop { until, .. } => format!("stop until {}", clock::of_day(*until)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::gate::Cooldown;

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
}
