//! What a site means by `Retry-After`: seconds or an HTTP date, read into a moment.

use std::time::{Duration, UNIX_EPOCH};

use app::model::Timestamp;

/// Until when a site asks to be left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryAfter {
    /// The moment; never before the time of reading.
    pub until: Timestamp,
    /// Whether the site asked for longer than the cap. Worth a warning.
    pub capped: bool,
    /// Whether the header could be read; else `until` is the default back-off's end.
    pub understood: bool,
}

/// Reads the header at the time `now`. A time that is over means now; a negative number and what is
/// neither a number nor a date mean the `default` back-off; nothing reaches further than `cap`.
#[must_use]
pub fn read(header: &str, now: Timestamp, default: Duration, cap: Duration) -> RetryAfter {
    let header = header.trim();
    let asked = if !header.is_empty() && header.bytes().all(|b| b.is_ascii_digit()) {
        // A number too large for 64 bits is a very long time, not junk.
        Some(header.parse::<i64>().map_or(i64::MAX, |s| s.saturating_mul(1_000)))
    } else {
        // A date before 1970 is over, too.
        httpdate::parse_http_date(header).ok().map(|date| {
            let at = date.duration_since(UNIX_EPOCH).map_or(0, millis);
            Timestamp(at).since(now).max(0)
        })
    };
    let cap = millis(cap);
    let wait = asked.unwrap_or_else(|| millis(default));
    RetryAfter {
        until: now.plus_ms(wait.min(cap)),
        capped: asked.is_some_and(|ms| ms > cap),
        understood: asked.is_some(),
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-11-30 09:15:00 UTC.
    const NOW: Timestamp = Timestamp(1_796_030_100_000);
    const DEFAULT: Duration = Duration::from_secs(30);
    const CAP: Duration = Duration::from_secs(3_600);

    fn wait_ms(header: &str) -> i64 {
        read(header, NOW, DEFAULT, CAP).until.since(NOW)
    }

    #[test]
    fn seconds_and_dates_are_honoured() {
        assert_eq!(wait_ms("3"), 3_000);
        assert_eq!(wait_ms(" 120 "), 120_000);
        assert_eq!(wait_ms("Mon, 30 Nov 2026 09:16:00 GMT"), 60_000);
        assert_eq!(wait_ms("Monday, 30-Nov-26 09:16:00 GMT"), 60_000);
        assert_eq!(wait_ms("Mon Nov 30 09:16:00 2026"), 60_000);
    }

    #[test]
    fn a_time_that_is_over_means_now() {
        assert_eq!(wait_ms("0"), 0);
        assert_eq!(wait_ms("Sun, 29 Nov 2026 09:15:00 GMT"), 0);
    }

    #[test]
    fn negative_and_junk_mean_the_default() {
        for junk in ["-1", "", "soon", "1.5", "3 s", "+3", "٣", "Mon, 99 Nov 2026 09:16:00 GMT"] {
            let read = read(junk, NOW, DEFAULT, CAP);
            assert_eq!(
                read,
                RetryAfter { until: NOW.plus_ms(30_000), capped: false, understood: false },
                "{junk}"
            );
        }
    }

    #[test]
    fn a_huge_wait_is_capped_and_says_so() {
        for huge in ["3601", "9999999999", "99999999999999999999999", "Fri, 31 Dec 2100 23:59:59 GMT"] {
            let read = read(huge, NOW, DEFAULT, CAP);
            assert_eq!(
                read,
                RetryAfter { until: NOW.plus_ms(3_600_000), capped: true, understood: true },
                "{huge}"
            );
        }
        assert!(!read("3600", NOW, DEFAULT, CAP).capped);
    }

    proptest! {
        #[test]
        fn the_answer_is_never_past_nor_beyond_the_cap(header in "\\PC{0,40}", now in 0_i64..4_102_444_800_000) {
            let wait = read(&header, Timestamp(now), DEFAULT, CAP).until.since(Timestamp(now));
            prop_assert!((0..=3_600_000).contains(&wait));
        }
    }
}
