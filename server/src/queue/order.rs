//! The order in a lane, and which lane is next.

use app::model::{Timestamp, task::Lane};

/// The one stored key that orders a lane: the time of entry, pushed back by `age_step_s` for each step of
/// priority. So a task of priority 5 that has waited five steps goes before one of priority 0 that has just
/// come, and nothing starves.
#[must_use]
pub fn key(entered: Timestamp, priority: u8, age_step_s: u64) -> i64 {
    let step_ms = i64::try_from(age_step_s.saturating_mul(1_000)).unwrap_or(i64::MAX / 16);
    entered.0.saturating_add(i64::from(priority).saturating_mul(step_ms))
}

/// Of four slots in a row, `main` gets three and `rerun` one when both wait.
const MAIN_SHARE: u32 = 3;

/// Remembers which lanes were served, to share slots between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneTurn {
    main_in_a_row: u32,
}

impl LaneTurn {
    /// The lanes in the order in which they are to be asked for the next slot.
    #[must_use]
    pub fn order(self) -> [Lane; 2] {
        if self.main_in_a_row >= MAIN_SHARE { [Lane::Rerun, Lane::Main] } else { [Lane::Main, Lane::Rerun] }
    }

    /// The memory after a lane was served. `other_waits`: whether the other lane had a task to give.
    #[must_use]
    pub fn served(self, lane: Lane, other_waits: bool) -> Self {
        let main_in_a_row = match lane {
            // While nothing waits on the other lane, taking is no advantage that must be paid back.
            Lane::Main if other_waits => self.main_in_a_row + 1,
            Lane::Main | Lane::Rerun | Lane::Proof => 0,
        };
        Self { main_in_a_row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lanes_share_three_to_one_when_both_wait() {
        let mut turn = LaneTurn::default();
        let mut served = Vec::new();
        for _ in 0..12 {
            let lane = turn.order()[0];
            served.push(lane);
            turn = turn.served(lane, true);
        }
        assert_eq!(served.iter().filter(|lane| **lane == Lane::Rerun).count(), 3);
        assert_eq!(&served[..4], [Lane::Main, Lane::Main, Lane::Main, Lane::Rerun]);
    }

    proptest! {
        #[test]
        fn an_older_task_of_the_same_priority_goes_first(a in 0i64..1 << 45, b in 0i64..1 << 45, p in 0u8..10) {
            prop_assert_eq!(a < b, key(Timestamp(a), p, 900) < key(Timestamp(b), p, 900));
        }

        #[test]
        fn nothing_starves(entered in 0i64..1 << 45, p in 0u8..10, newer in 0u8..10) {
            let later = entered + 10 * 900_000;
            prop_assert!(key(Timestamp(entered), p, 900) < key(Timestamp(later), newer, 900));
        }
    }
}
