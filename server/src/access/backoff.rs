//! How long a name must wait after failed sign-ins: guessing is slowed per name, whether there is an
//! account of that name or not.
//!
//! Every try counts as failed until it is known to have succeeded, so that tries sent at once are counted
//! like tries sent one after the other. The table is bounded; the longest wait is short enough that
//! strangers cannot keep a person out for long by guessing at the name.

use std::collections::HashMap;

use app::model::Timestamp;

/// Tries that are free before the waits begin.
const FREE: u32 = 10;
/// Longest wait between two tries.
const LONGEST_MS: i64 = 60_000;
/// A name that was left alone so long begins anew.
const FORGET_MS: i64 = 3_600_000;
/// Most names that are remembered.
const MOST: usize = 4_096;

#[derive(Clone, Copy, Debug)]
struct Entry {
    failures: u32,
    last: Timestamp,
    until: Timestamp,
}

/// The failed tries by name.
#[derive(Debug, Default)]
pub struct Backoff {
    names: HashMap<String, Entry>,
}

impl Backoff {
    /// Begins a try: counted as failed until [`Backoff::succeeded`] or [`Backoff::withdrawn`].
    ///
    /// # Errors
    /// The milliseconds to wait where it is too early.
    pub fn attempt(&mut self, name: &str, now: Timestamp) -> Result<(), i64> {
        if !self.names.contains_key(name) && self.names.len() >= MOST {
            self.make_room(now);
        }
        let entry = self.names.entry(name.to_owned()).or_insert(Entry { failures: 0, last: now, until: now });
        if now.since(entry.last) > FORGET_MS {
            entry.failures = 0;
            entry.until = now;
        }
        let wait = entry.until.since(now);
        if wait > 0 {
            return Err(wait);
        }
        entry.failures = entry.failures.saturating_add(1);
        entry.last = now;
        entry.until = now.plus_ms(wait_after(entry.failures));
        Ok(())
    }

    /// The name's password was right.
    pub fn succeeded(&mut self, name: &str) {
        self.names.remove(name);
    }

    /// The try was not carried out.
    pub fn withdrawn(&mut self, name: &str, now: Timestamp) {
        if let Some(entry) = self.names.get_mut(name) {
            entry.failures = entry.failures.saturating_sub(1);
            entry.until = now;
        }
    }

    /// Forgets what is old, or else the name that may come again first.
    fn make_room(&mut self, now: Timestamp) {
        self.names.retain(|_, entry| now.since(entry.last) <= FORGET_MS);
        if self.names.len() >= MOST {
            let first = self.names.iter().min_by_key(|(_, entry)| entry.until).map(|(name, _)| name.clone());
            if let Some(first) = first {
                self.names.remove(&first);
            }
        }
    }
}

/// The wait after so many failures: none at first, then 1 s, doubling to the longest.
fn wait_after(failures: u32) -> i64 {
    match failures.checked_sub(FREE) {
        None => 0,
        Some(over) => 1_000_i64.checked_shl(over.min(16)).unwrap_or(LONGEST_MS).min(LONGEST_MS),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_tries_are_free_and_then_the_wait_doubles_to_its_longest() {
        let mut backoff = Backoff::default();
        let mut now = Timestamp(0);
        for _ in 0..FREE {
            backoff.attempt("ada", now).expect("free");
        }
        let mut waits = Vec::new();
        for _ in 0..8 {
            let wait = backoff.attempt("ada", now).expect_err("too early");
            waits.push(wait);
            now = now.plus_ms(wait);
            backoff.attempt("ada", now).expect("it is time");
        }
        assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
        backoff.attempt("bob", now).expect("another name is not held up");
    }

    #[test]
    fn success_and_a_long_rest_begin_anew() {
        let mut backoff = Backoff::default();
        for _ in 0..FREE {
            backoff.attempt("ada", Timestamp(0)).expect("free");
        }
        backoff.succeeded("ada");
        backoff.attempt("ada", Timestamp(1)).expect("begun anew");
        for at in 2..=i64::from(FREE) {
            backoff.attempt("ada", Timestamp(at)).expect("free");
        }
        assert!(backoff.attempt("ada", Timestamp(20)).is_err());
        backoff.attempt("ada", Timestamp(30 + FORGET_MS)).expect("begun anew");
        backoff.attempt("ada", Timestamp(30 + FORGET_MS)).expect("free");
    }

    #[test]
    fn a_withdrawn_try_does_not_count() {
        let mut backoff = Backoff::default();
        for _ in 0..1_000 {
            backoff.attempt("ada", Timestamp(0)).expect("free");
            backoff.withdrawn("ada", Timestamp(0));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn the_table_stays_bounded_and_no_wait_is_too_long(
            tries in prop::collection::vec((0_u32..6_000, 0_i64..5_000), 0..6_000),
        ) {
            let mut backoff = Backoff::default();
            let mut now = Timestamp(0);
            for (name, pause) in tries {
                now = now.plus_ms(pause);
                if let Err(wait) = backoff.attempt(&name.to_string(), now) {
                    prop_assert!(wait > 0 && wait <= LONGEST_MS);
                }
                prop_assert!(backoff.names.len() <= MOST);
            }
        }
    }
}
