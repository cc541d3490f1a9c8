//! One token bucket, by governor's arithmetic (GCRA), with the time passed in.
//!
//! governor keeps a single number per bucket: the moment at which it is full again. A state store of our
//! own holds that number where it can be looked at without taking, kept over a restart, and carried over
//! when the quota changes; a dial instead of a clock passes the time in.

use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use governor::{
    RateLimiter,
    clock::Clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{NotKeyed, StateStore},
};
use thiserror::Error;

use super::clock::Tick;

/// The slowest rate a gate may have: one document a day.
pub const SLOWEST_PER_S: f64 = 1.0 / 86_400.0;
/// The fastest rate a gate may have. Faster is as good as no gate.
pub const FASTEST_PER_S: f64 = 1_000_000.0;
/// The largest burst a gate may have.
pub const LARGEST_BURST: u32 = 10_000;

/// How much a gate lets through: in any window of `T` seconds at most `burst + per_s × T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quota {
    per_s: f64,
    burst: NonZeroU32,
}

/// A quota that no gate can keep.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum QuotaError {
    /// The rate is no number or out of bounds.
    #[error("a rate of {0} a second is not possible: it must be from one a day (0.0000116) to 1000000")]
    Rate(f64),
    /// The burst is out of bounds.
    #[error("a burst of {0} is not possible: it must be from 1 to 10000")]
    Burst(u32),
}

impl Quota {
    /// A rate in documents a second, and how many may come at once after a rest.
    ///
    /// # Errors
    /// When one of them is out of the bounds above.
    pub fn new(per_s: f64, burst: u32) -> Result<Self, QuotaError> {
        // A person writes a day's rate with a few digits: what rounds to it is meant.
        if !(SLOWEST_PER_S * 0.99..=FASTEST_PER_S).contains(&per_s) {
            return Err(QuotaError::Rate(per_s));
        }
        match NonZeroU32::new(burst) {
            Some(burst) if burst.get() <= LARGEST_BURST => Ok(Self { per_s, burst }),
            _ => Err(QuotaError::Burst(burst)),
        }
    }

    /// The nearest quota that is possible.
    #[must_use]
    pub fn nearest(per_s: f64, burst: u32) -> Self {
        let per_s = if per_s.is_nan() { SLOWEST_PER_S } else { per_s.clamp(SLOWEST_PER_S, FASTEST_PER_S) };
        let burst = NonZeroU32::new(burst.clamp(1, LARGEST_BURST)).unwrap_or(NonZeroU32::MIN);
        Self { per_s, burst }
    }

    /// Documents a second.
    #[must_use]
    pub fn per_s(self) -> f64 {
        self.per_s
    }

    /// How many at once after a rest.
    #[must_use]
    pub fn burst(self) -> u32 {
        self.burst.get()
    }

    /// Nanoseconds that one document costs; rounded up, so that rounding lets nothing more through.
    #[must_use]
    pub fn interval(self) -> Tick {
        (1e9 / self.per_s).ceil() as Tick
    }

    /// Nanoseconds in which an empty bucket is full again.
    #[must_use]
    pub fn fill(self) -> Tick {
        self.interval() * u64::from(self.burst())
    }
}

/// A bucket and the quota it keeps.
pub struct Bucket {
    quota: Quota,
    limiter: RateLimiter<NotKeyed, Store, Dial, NoOpMiddleware<Nanos>>,
    store: Store,
    dial: Dial,
}

impl Bucket {
    /// A bucket that is full again at a moment; one that is over means full now.
    #[must_use]
    pub fn full_at(quota: Quota, full_at: Tick) -> Self {
        let store = Store::default();
        store.0.store(full_at, SeqCst);
        // The limiter measures from the dial's position at its making: from zero, so that every limiter
        // has the same axis.
        let dial = Dial::default();
        let by = governor::Quota::with_period(Duration::from_nanos(quota.interval()))
            .expect("the interval of a quota is never zero")
            .allow_burst(quota.burst);
        let limiter = RateLimiter::new(by, store.clone(), dial.clone());
        Self { quota, limiter, store, dial }
    }

    /// The quota.
    #[must_use]
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// When the bucket is full again.
    #[must_use]
    pub fn is_full_at(&self) -> Tick {
        self.store.0.load(SeqCst)
    }

    /// When the next document is let through, looking from `now`. Takes nothing.
    #[must_use]
    pub fn next(&self, now: Tick) -> Tick {
        self.look().clear().max(now)
    }

    /// A copy of the bucket's state to reckon with.
    #[must_use]
    pub fn look(&self) -> Look {
        let interval = self.quota.interval();
        Look { full_at: self.is_full_at(), interval, slack: self.quota.fill() - interval }
    }

    /// Lets one document through at `now`, or says when the next one is.
    ///
    /// # Errors
    /// The moment of the next one.
    pub fn take(&mut self, now: Tick) -> Result<(), Tick> {
        self.dial.0.store(now, SeqCst);
        self.limiter.check().map_err(|not| not.earliest_possible().as_u64())
    }

    /// The bucket under another quota. What it owes is carried over in documents, not in time: in any
    /// window over the change, no more comes through than the later burst and what the rates gave.
    #[must_use]
    pub fn under(&self, quota: Quota, now: Tick) -> Self {
        let owed = u128::from(self.is_full_at().saturating_sub(now));
        let (old, new) = (u128::from(self.quota.interval()), u128::from(quota.interval()));
        let owed = u64::try_from((owed * new).div_ceil(old)).unwrap_or(u64::MAX / 4);
        Self::full_at(quota, now + owed)
    }
}

/// A bucket's state to reckon with: taking from it takes nothing from the bucket.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    full_at: Tick,
    interval: Tick,
    slack: Tick,
}

impl Look {
    /// Since when, or from when on, a document is let through.
    #[must_use]
    pub fn clear(&self) -> Tick {
        self.full_at.saturating_sub(self.slack)
    }

    /// Reckons with one that is let through at `at`.
    pub fn take(&mut self, at: Tick) {
        self.full_at = self.full_at.max(at).saturating_add(self.interval);
    }
}

/// governor's state: the moment at which the bucket is full again. Shared with the bucket, which looks.
#[derive(Clone, Debug, Default)]
struct Store(Arc<AtomicU64>);

impl StateStore for Store {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut old = self.0.load(SeqCst);
        loop {
            let (outcome, new) = decide(Some(Nanos::new(old)))?;
            match self.0.compare_exchange_weak(old, new.as_u64(), SeqCst, SeqCst) {
                Ok(_) => return Ok(outcome),
                Err(current) => old = current,
            }
        }
    }
}

/// governor's clock: shows what it was set to.
#[derive(Clone, Debug, Default)]
struct Dial(Arc<AtomicU64>);

impl Clock for Dial {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::new(self.0.load(SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: Tick = 1_000_000;

    fn quota(per_s: f64, burst: u32) -> Quota {
        Quota::new(per_s, burst).expect("a possible quota")
    }

    #[test]
    fn a_quota_out_of_bounds_is_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.000_001, 2e6] {
            assert!(matches!(Quota::new(rate, 1), Err(QuotaError::Rate(_))), "{rate}");
            assert!(Quota::new(Quota::nearest(rate, 0).per_s(), 1).is_ok());
        }
        assert_eq!(Quota::new(1.0, 0), Err(QuotaError::Burst(0)));
        assert_eq!(Quota::new(1.0, 10_001), Err(QuotaError::Burst(10_001)));
        assert!(Quota::new(0.0116 / 1_000.0, 1).is_ok(), "one a day, as a person writes it");
    }

    #[test]
    fn the_slowest_quota_with_the_largest_burst_does_not_overflow() {
        let mut bucket = Bucket::full_at(quota(SLOWEST_PER_S, LARGEST_BURST), 0);
        for _ in 0..LARGEST_BURST {
            assert_eq!(bucket.take(5), Ok(()));
        }
        assert!(bucket.take(5).is_err());
        let _ = bucket.under(quota(FASTEST_PER_S, 1), 5).under(quota(SLOWEST_PER_S, 1), 6);
    }

    #[test]
    fn a_faster_quota_shortens_what_is_owed_and_a_slower_one_lengthens_it() {
        let mut bucket = Bucket::full_at(quota(0.1, 1), 0);
        bucket.take(0).expect("full");
        assert_eq!(bucket.under(quota(10.0, 1), 0).next(0), 100 * MS);
        assert_eq!(bucket.under(quota(0.01, 1), 0).next(0), 100_000 * MS);
    }

    /// What a random story does to a bucket.
    #[derive(Clone, Debug)]
    enum Act {
        Arrive,
        Look,
        Swap(f64, u32),
    }

    fn story() -> impl Strategy<Value = Vec<(u64, Act)>> {
        let act = prop_oneof![
            6 => Just(Act::Arrive),
            2 => Just(Act::Look),
            1 => (0.2_f64..50.0, 1_u32..6).prop_map(|(per_s, burst)| Act::Swap(per_s, burst)),
        ];
        prop::collection::vec((0_u64..400 * MS, act), 1..200)
    }

    proptest! {
        #[test]
        fn no_window_holds_more_than_burst_and_rate_also_over_swaps(story in story(), full_at in 0..2_000 * MS) {
            let mut now = 0;
            let mut bucket = Bucket::full_at(quota(5.0, 3), full_at);
            let mut passes: Vec<(Tick, u32)> = Vec::new();
            let mut rates: Vec<(Tick, f64)> = vec![(0, 5.0)];
            for (gap, act) in story {
                now += gap;
                match act {
                    Act::Arrive => match bucket.take(now) {
                        Ok(()) => passes.push((now, bucket.quota().burst())),
                        Err(next) => prop_assert_eq!(next, bucket.next(now)),
                    },
                    Act::Look => { let _ = bucket.next(now); }
                    Act::Swap(per_s, burst) => {
                        bucket = bucket.under(quota(per_s, burst), now);
                        rates.push((now, per_s));
                    }
                }
            }
            // What the rates give from the start to a moment.
            let given = |at: Tick| -> f64 {
                rates.iter().enumerate().map(|(i, (from, per_s))| {
                    let to = rates.get(i + 1).map_or(Tick::MAX, |(to, _)| *to).min(at);
                    to.saturating_sub(*from) as f64 / 1e9 * per_s
                }).sum()
            };
            for (first, (from, _)) in passes.iter().enumerate() {
                for (last, (to, burst)) in passes.iter().enumerate().skip(first) {
                    let count = (last - first + 1) as f64;
                    prop_assert!(count <= f64::from(*burst) + given(*to) - given(*from) + 1e-6);
                }
            }
        }

        #[test]
        fn a_look_agrees_with_what_governor_then_does(
            takes in prop::collection::vec(0_u64..900 * MS, 0..20), per_s in 0.5_f64..40.0, burst in 1_u32..6,
            ahead in 0_usize..8,
        ) {
            let mut now = 0;
            let mut bucket = Bucket::full_at(quota(per_s, burst), 0);
            for gap in takes {
                now += gap;
                let next = bucket.next(now);
                let before = bucket.is_full_at();
                prop_assert_eq!(bucket.next(now), next, "looking takes nothing");
                prop_assert_eq!(bucket.is_full_at(), before);
                prop_assert_eq!(bucket.take(now).is_ok(), next == now);
            }
            let mut look = bucket.look();
            for _ in 0..=ahead {
                let at = look.clear().max(now);
                look.take(at);
                if at > now {
                    prop_assert_eq!(bucket.take(at - 1), Err(at));
                }
                prop_assert_eq!(bucket.take(at), Ok(()));
                now = at;
            }
        }
    }
}
