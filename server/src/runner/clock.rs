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
        let holds = self.holds.lock();
        holds.total + holds.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Time since the attempt began, gate waits included: for the trace.
    pub fn at_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Stops the clock until the guard is dropped.
    pub fn hold(self: &Arc<Self>) -> Hold {
        let mut holds = self.holds.lock();
        holds.now += 1;
        if holds.now == 1 {
            holds.since = Some(Instant::now());
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
        holds.now -= 1;
        if holds.now == 0 {
            if let Some(since) = holds.since.take() {
                holds.total += since.elapsed();
            }
            self.0.holding.send_replace(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_stands_still_while_held_and_overlapping_holds_count_once() {
        let clock = Clock::start();
        tokio::time::advance(Duration::from_millis(100)).await;
        let first = clock.hold();
        tokio::time::advance(Duration::from_millis(300)).await;
        let second = clock.hold();
        tokio::time::advance(Duration::from_millis(50)).await;
        drop(first);
        tokio::time::advance(Duration::from_millis(50)).await;
        drop(second);
        tokio::time::advance(Duration::from_millis(10)).await;
        assert_eq!(clock.now(), Duration::from_millis(110));
        assert_eq!(clock.held(), Duration::from_millis(400));
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_moves_with_a_hold() {
        let clock = Clock::start();
        let hold = clock.hold();
        let wait = {
            let clock = clock.clone();
            tokio::spawn(
                async move { clock.within(Duration::from_secs(1), std::future::pending::<()>()).await },
            )
        };
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!wait.is_finished());
        drop(hold);
        let begun = Instant::now();
        assert_eq!(wait.await.expect("no panic"), None);
        assert!(begun.elapsed() >= Duration::from_millis(990) && begun.elapsed() < Duration::from_secs(2));
    }
}
