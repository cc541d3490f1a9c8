//! How fast the queue gets shorter, measured.

use std::collections::VecDeque;

use app::model::Timestamp;

/// Ends that are remembered.
const MOST: usize = 64;
/// Ends older than this say nothing of now.
const WINDOW_MS: i64 = 300_000;

/// The times at which tasks left the queue.
#[derive(Debug, Default)]
pub(super) struct DrainRate(VecDeque<Timestamp>);

impl DrainRate {
    /// A task has left the queue for good.
    pub(super) fn left(&mut self, now: Timestamp) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(now);
    }

    /// Seconds between two that leave; none where nothing has left lately.
    pub(super) fn seconds_per_task(&self, now: Timestamp) -> Option<f64> {
        let recent = self.0.iter().filter(|at| now.since(**at) <= WINDOW_MS);
        let (n, first) = recent.fold((0u32, None), |(n, first), at| (n + 1, first.or(Some(*at))));
        first.map(|first| now.since(first).max(0) as f64 / 1_000.0 / f64::from(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minutes() {
        let mut rate = DrainRate::default();
        assert_eq!(rate.seconds_per_task(Timestamp(0)), None);
        for second in 0..10 {
            rate.left(Timestamp(second * 2_000));
        }
        assert_eq!(rate.seconds_per_task(Timestamp(20_000)), Some(2.0));
        assert_eq!(rate.seconds_per_task(Timestamp(1_000_000)), None, "what was long ago says nothing");
    }
}
