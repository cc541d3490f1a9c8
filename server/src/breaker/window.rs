//! What a breaker remembers: the newest outcomes, bounded by number and age.

use std::collections::VecDeque;

use app::model::{Timestamp, breaker::BreakerWindow};
use serde::{Deserialize, Serialize};

use crate::config::BreakerSettings;

/// One outcome: when it came, in Unix milliseconds, and whether it was a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counted(i64, bool);

/// The outcomes, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Window(VecDeque<Counted>);

impl Window {
    /// Adds an outcome; what is too old or too much goes.
    pub fn count(&mut self, failed: bool, now: Timestamp, rules: &BreakerSettings) {
        self.0.push_back(Counted(now.0, failed));
        self.forget(now, rules);
    }

    /// Drops what is too old, and the oldest of what is too much.
    pub fn forget(&mut self, now: Timestamp, rules: &BreakerSettings) {
        let oldest = now.plus_ms(-millis(rules.window_s)).0;
        // Not only from the front: the clock may have been set back in between.
        self.0.retain(|counted| counted.0 >= oldest);
        let most = rules.window as usize;
        self.0.drain(..self.0.len().saturating_sub(most));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// When the newest outcome came.
    #[must_use]
    pub fn newest(&self) -> Option<Timestamp> {
        self.0.iter().map(|counted| Timestamp(counted.0)).max()
    }

    /// How many there are, and how many of them failed.
    #[must_use]
    pub fn sums(&self) -> BreakerWindow {
        let failed = self.0.iter().filter(|counted| counted.1).count();
        BreakerWindow { total: self.0.len() as u32, failed: failed as u32 }
    }
}

/// A setting in seconds as milliseconds.
pub(super) fn millis(seconds: u64) -> i64 {
    i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX)
}
