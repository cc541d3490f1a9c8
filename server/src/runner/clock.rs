//! An attempt's own clock: it stands still while a gate holds the attempt, so that no step and no task times
//! out for the sake of pacing.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

/// Running time since the attempt began.
#[derive(Debug)]
pub(super) struct Clock {
    started: Instant,
    holds: Mutex<Holds>,
    holding: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Holds {
    /// How many gate waits are under way; several pages may wait at once, and count once.
    now: u32,
    since: Option<Instant>,
    total: Duration,
}

impl Holds {
    /// Another wait begins; tells whether it is the only one.
    fn begin(&mut self, now: Instant) -> bool {
        self.now += 1;
        self.since.get_or_insert(now);
        self.now == 1
    }

    /// A wait ends; tells whether it was the last.
    fn end(&mut self, now: Instant) -> bool {
        self.now -= 1;
        if self.now == 0
            && let Some(since) = self.since.take()
        {
            self.total += now - since;
        }
        self.now == 0
    }

    fn held(&self, now: Instant) -> Duration {
        self.total + self.since.map_or(Duration::ZERO, |since| now - since)
    }
}

impl Clock {
    pub fn start() -> Arc<Self> {
        let (holding, _) = watch::channel(false);
        Arc::new(Self { started: Instant::now(), holds: Mutex::default(), holding })
    }

    /// Running time: gate waits not counted.
    pub fn now(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.held())
    }

    /// Time at gates so far.
    pub fn held(&self) -> Duration {
        self.holds.lock().held(Instant::now())
    }

    /// Time since the attempt began, gate waits included: for the trace.
    pub fn at_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Stops the clock until the guard is dropped.
    pub fn hold(self: &Arc<Self>) -> Hold {
        // Told under the lock, so that it is told in the order in which it happens.
        let mut holds = self.holds.lock();
        if holds.begin(Instant::now()) {
            self.holding.send_replace(true);
        }
        drop(holds);
        Hold(self.clone())
    }

    /// Returns when the clock shows this running time or more.
    pub async fn until(&self, at: Duration) {
        let mut holding = self.holding.subscribe();
        loop {
            if holding.wait_for(|holding| !holding).await.is_err() {
                return;
            }
            let left = at.saturating_sub(self.now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }

    /// Waits for a future, at most until the clock shows this running time.
    pub async fn within<F: Future>(&self, at: Duration, future: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = self.until(at) => None,
        }
    }
}

/// Holds a clock still.
#[derive(Debug)]
pub(super) struct Hold(Arc<Clock>);

impl Drop for Hold {
    fn drop(&mut self) {
        let mut holds = self.0.holds.lock();
        if holds.end(Instant::now()) {
            self.0.holding.send_replace(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_overlap_count_once() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut holds = Holds::default();
        assert!(holds.begin(at(100)));
        assert!(!holds.begin(at(400)));
        assert_eq!(holds.held(at(450)), Duration::from_millis(350));
        assert!(!holds.end(at(450)));
        assert!(holds.end(at(500)));
        assert_eq!(holds.held(at(9_000)), Duration::from_millis(400));
    }

    #[tokio::test]
    async fn a_deadline_moves_with_a_wait() {
        let clock = Clock::start();
        let hold = clock.hold();
        let deadline = clock.now() + Duration::from_millis(30);
        let wait = {
            let clock = clock.clone();
            tokio::spawn(async move { clock.within(deadline, std::future::pending::<()>()).await })
        };
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert!(!wait.is_finished());
        drop(hold);
        assert_eq!(wait.await.expect("no panic"), None);
        assert!(clock.now() >= deadline && clock.held() >= Duration::from_millis(60));
    }
}
