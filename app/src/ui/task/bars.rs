//! Where an attempt's time went, as a bar: all bars of a task have one scale, so that they compare.

use super::shown::AttemptShown;
use crate::model::Timestamp;

/// The width of the drawing; the longest attempt fills it.
pub const WIDTH: u64 = 1_000;
/// The narrowest that a part with any time is drawn.
const LEAST: u64 = 4;

/// What an attempt's time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// Waiting for its turn.
    Queue,
    /// Waiting at the gates.
    Gate,
    /// Getting its browser context.
    Start,
    /// Running its steps.
    Run,
}

impl Spent {
    /// Its name, for its looks.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Gate => "gate",
            Self::Start => "start",
            Self::Run => "run",
        }
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Queue => "queue wait",
            Self::Gate => "gate wait",
            Self::Start => "start",
            Self::Run => "run",
        }
    }
}

/// One part of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it was spent on.
    pub spent: Spent,
    /// How long.
    pub ms: u64,
    /// Where it begins.
    pub x: u64,
    /// How wide it is.
    pub width: u64,
}

/// The times of an attempt; what still runs goes on to `now`.
#[must_use]
pub fn times(attempt: &AttemptShown, now: Timestamp) -> [(Spent, u64); 4] {
    let timing = attempt.timing;
    let run = match attempt.ended_at {
        Some(_) => timing.run_ms,
        None => {
            let since = u64::try_from(now.since(attempt.started_at)).unwrap_or(0);
            since.saturating_sub(timing.gate_ms + timing.context_ms).max(timing.run_ms)
        }
    };
    [
        (Spent::Queue, timing.queued_ms),
        (Spent::Gate, timing.gate_ms),
        (Spent::Start, timing.context_ms),
        (Spent::Run, run),
    ]
}

/// The longest of some attempts, in milliseconds: the scale of their bars.
#[must_use]
pub fn scale(attempts: &[AttemptShown], now: Timestamp) -> u64 {
    attempts.iter().map(|attempt| times(attempt, now).iter().map(|(_, ms)| ms).sum()).max().unwrap_or(0)
}

/// The bar of one attempt: parts without any time are left out.
#[must_use]
pub fn bar(attempt: &AttemptShown, now: Timestamp, scale: u64) -> Vec<Part> {
    let scale = scale.max(1);
    let mut x = 0;
    let parts = times(attempt, now).into_iter().filter(|(_, ms)| *ms > 0);
    parts
        .map(|(spent, ms)| {
            let width = (ms * WIDTH / scale).max(LEAST).min(WIDTH.saturating_sub(x));
            let part = Part { spent, ms, x, width };
            x += width;
            part
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::model::attempt::Timing;

    fn attempt(timing: Timing, ended: bool) -> AttemptShown {
        AttemptShown {
            id: Uuid::nil(),
            number: 1,
            started_at: Timestamp(1_000),
            ended_at: ended.then_some(Timestamp(9_000)),
            instance: None,
            node: "here".to_owned(),
            outcome: None,
            fault: None,
            rules: Vec::new(),
            timing,
            steps: Vec::new(),
            evidence: Vec::new(),
            at_step: None,
        }
    }

    #[test]
    fn an_attempt_that_runs_grows_with_the_clock() {
        let running = attempt(Timing { gate_ms: 500, ..Timing::default() }, false);
        assert_eq!(times(&running, Timestamp(3_000))[3], (Spent::Run, 1_500));
        assert_eq!(times(&running, Timestamp(0))[3], (Spent::Run, 0));
    }

    proptest! {
        #[test]
        fn parts_follow_one_another_inside_the_width(
            queued_ms in 0u64..100_000, gate_ms in 0u64..100_000, context_ms in 0u64..1_000, run_ms in 0u64..100_000,
            more in 0u64..100_000,
        ) {
            let ended = attempt(Timing { queued_ms, gate_ms, context_ms, run_ms }, true);
            let scale = scale(std::slice::from_ref(&ended), Timestamp(0)) + more;
            let parts = bar(&ended, Timestamp(0), scale);
            let mut at = 0;
            for part in &parts {
                prop_assert_eq!(part.x, at);
                prop_assert!(part.ms > 0);
                at += part.width;
            }
            prop_assert!(at <= WIDTH);
        }
    }
}
