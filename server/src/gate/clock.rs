//! The gates' time: a monotonic count of nanoseconds to wait by, and the calendar to speak of it.
//!
//! Quotas hold by the monotonic clock, so that setting the computer's time lets nothing more through.
//! Moments that come from outside or go there are translated at that instant.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use app::model::Timestamp;
use parking_lot::Mutex;

/// A point on the monotonic axis, in nanoseconds.
pub type Tick = u64;

/// A wait for a moment.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where the gates take their time from.
pub trait Clock: Send + Sync + 'static {
    /// Now, on an axis that never goes back.
    fn now(&self) -> Tick;
    /// Now, by the calendar: nanoseconds since the Unix epoch.
    fn wall_ns(&self) -> i64;
    /// Ends when `now()` has reached the moment.
    fn sleep_until(&self, at: Tick) -> Sleep;
}

/// The time of the machine, by tokio's timers.
#[derive(Clone, Debug)]
pub struct SystemClock {
    origin: tokio::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { origin: tokio::time::Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Tick {
        ticks(self.origin.elapsed())
    }

    fn wall_ns(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }

    fn sleep_until(&self, at: Tick) -> Sleep {
        Box::pin(tokio::time::sleep_until(self.origin + Duration::from_nanos(at)))
    }
}

/// A time that moves only when told to. For tests.
#[derive(Clone, Debug, Default)]
pub struct ManualClock {
    dial: Arc<Mutex<Dial>>,
}

#[derive(Debug, Default)]
struct Dial {
    now: Tick,
    wall_origin: i64,
    /// Who waits for which moment, by the number of the wait.
    sleepers: BTreeMap<u64, (Tick, Waker)>,
    numbered: u64,
}

impl ManualClock {
    /// A clock that starts at a moment of the calendar.
    #[must_use]
    pub fn starting_at(wall: Timestamp) -> Self {
        let clock = Self::default();
        clock.dial.lock().wall_origin = wall.0.saturating_mul(1_000_000);
        clock
    }

    /// Lets time pass and wakes who waited for it.
    pub fn advance(&self, by: Duration) {
        let mut dial = self.dial.lock();
        dial.now += ticks(by);
        let now = dial.now;
        let due: Vec<Waker> =
            dial.sleepers.values().filter(|(at, _)| *at <= now).map(|(_, waker)| waker.clone()).collect();
        drop(dial);
        due.into_iter().for_each(Waker::wake);
    }

    /// The next moment that somebody waits for.
    #[must_use]
    pub fn next_wake(&self) -> Option<Tick> {
        self.dial.lock().sleepers.values().map(|(at, _)| *at).min()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Tick {
        self.dial.lock().now
    }

    fn wall_ns(&self) -> i64 {
        let dial = self.dial.lock();
        dial.wall_origin.saturating_add_unsigned(dial.now)
    }

    fn sleep_until(&self, at: Tick) -> Sleep {
        let mut dial = self.dial.lock();
        dial.numbered += 1;
        Box::pin(ManualSleep { clock: self.clone(), number: dial.numbered, at })
    }
}

struct ManualSleep {
    clock: ManualClock,
    number: u64,
    at: Tick,
}

impl Future for ManualSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut dial = self.clock.dial.lock();
        if dial.now >= self.at {
            return Poll::Ready(());
        }
        dial.sleepers.insert(self.number, (self.at, cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for ManualSleep {
    fn drop(&mut self) {
        self.clock.dial.lock().sleepers.remove(&self.number);
    }
}

/// One instant on both clocks, to translate between them.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// On the axis.
    pub tick: Tick,
    wall_ns: i64,
}

impl Now {
    /// Reads both clocks.
    #[must_use]
    pub fn read(clock: &dyn Clock) -> Self {
        Self { tick: clock.now(), wall_ns: clock.wall_ns() }
    }

    /// A point of the axis as a moment of the calendar, rounded up: never too early.
    #[must_use]
    pub fn to_timestamp(self, tick: Tick) -> Timestamp {
        let ahead = i128::from(tick) - i128::from(self.tick);
        let ms = (i128::from(self.wall_ns) + ahead + 999_999).div_euclid(1_000_000);
        Timestamp(i64::try_from(ms).unwrap_or(i64::MAX))
    }

    /// A moment of the calendar as a point of the axis; one that is over means now.
    #[must_use]
    pub fn to_tick(self, moment: Timestamp) -> Tick {
        let ahead = i128::from(moment.0) * 1_000_000 - i128::from(self.wall_ns);
        self.tick.saturating_add(u64::try_from(ahead.max(0)).unwrap_or(u64::MAX))
    }
}

/// A duration on the axis; what is longer than some five hundred years ends there.
#[must_use]
pub fn ticks(duration: Duration) -> Tick {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
