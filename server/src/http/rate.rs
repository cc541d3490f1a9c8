//! How fast one caller may ask.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter, clock::Clock};
use uuid::Uuid;

use crate::config::HttpSettings;

/// After so many checks those buckets are let go that are full again.
const TIDY_EVERY: u32 = 4_096;

/// A token bucket per caller. There are no more of them than accounts and tokens.
pub struct Rates {
    buckets: DefaultKeyedRateLimiter<Uuid>,
    checks: AtomicU32,
}

impl Rates {
    /// Buckets by the settings.
    #[must_use]
    pub fn new(settings: &HttpSettings) -> Self {
        let per_s =
            if settings.token_per_s.is_finite() { settings.token_per_s.clamp(0.001, 1e6) } else { 1e6 };
        let burst = NonZeroU32::new(settings.token_burst).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(Duration::from_secs_f64(1.0 / per_s))
            .expect("a period of a microsecond or more")
            .allow_burst(burst);
        Self { buckets: RateLimiter::keyed(quota), checks: AtomicU32::new(0) }
    }

    /// Takes one from a caller's bucket.
    ///
    /// # Errors
    /// The seconds until there is one again.
    pub fn take(&self, caller: Uuid) -> Result<(), u64> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % TIDY_EVERY == TIDY_EVERY - 1 {
            self.buckets.retain_recent();
        }
        self.buckets.check_key(&caller).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.buckets.clock().now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_burst_of_its_own_and_is_told_when_to_come_again() {
        let rates = Rates::new(&HttpSettings { token_per_s: 0.1, token_burst: 3 });
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for _ in 0..3 {
            rates.take(one).expect("within the burst");
        }
        assert_eq!(rates.take(one), Err(10));
        rates.take(other).expect("another's bucket");
    }

    #[test]
    fn settings_without_sense_are_no_panic() {
        for (per_s, burst) in [(0.0, 0), (-1.0, 1), (f64::NAN, 1), (f64::INFINITY, 1), (1e300, 1)] {
            let rates = Rates::new(&HttpSettings { token_per_s: per_s, token_burst: burst });
            rates.take(Uuid::nil()).expect("the first");
        }
    }
}
