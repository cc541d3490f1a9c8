//! Slots: how many attempts may run at once, given out in the order of asking.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{oneshot, watch};

/// A counted, resizable set of slots.
#[derive(Debug)]
pub(super) struct Slots {
    state: Mutex<State>,
    /// Counts the changes.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    limit: u32,
    busy: u32,
    closed: bool,
    waiting: VecDeque<oneshot::Sender<Slot>>,
}

/// One slot; dropping it gives it back to whoever has waited longest.
#[derive(Debug)]
pub(super) struct Slot(Option<Arc<Slots>>);

impl Slots {
    pub(super) fn new(limit: u32, changes: watch::Sender<u64>) -> Arc<Self> {
        let state = State { limit, busy: 0, closed: false, waiting: VecDeque::new() };
        Arc::new(Self { state: Mutex::new(state), changes })
    }

    /// Waits for a slot; `None` when the slots are closed. A dropped wait leaves the line.
    pub(super) async fn take(self: &Arc<Self>) -> Option<Slot> {
        let place = {
            let mut state = self.state.lock();
            if state.closed {
                return None;
            }
            if state.busy < state.limit && state.waiting.is_empty() {
                state.busy += 1;
                drop(state);
                self.changed();
                return Some(Slot(Some(self.clone())));
            }
            let (sender, place) = oneshot::channel();
            state.waiting.push_back(sender);
            place
        };
        place.await.ok()
    }

    /// `(limit, busy)`; busy may be above the limit for a while after a resize.
    pub(super) fn count(&self) -> (u32, u32) {
        let state = self.state.lock();
        (state.limit, state.busy)
    }

    /// Changes how many there are. Fewer take effect as slots come back.
    pub(super) fn resize(self: &Arc<Self>, limit: u32) {
        self.state.lock().limit = limit;
        self.hand_on();
        self.changed();
    }

    /// Gives out no more; those who wait are told.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.waiting.clear();
    }

    fn changed(&self) {
        self.changes.send_modify(|version| *version += 1);
    }

    /// Gives free slots to those who wait.
    fn hand_on(self: &Arc<Self>) {
        loop {
            let mut state = self.state.lock();
            if state.closed || state.busy >= state.limit {
                return;
            }
            let Some(next) = state.waiting.pop_front() else { return };
            state.busy += 1;
            drop(state);
            if let Err(mut slot) = next.send(Slot(Some(self.clone()))) {
                // Nobody waits there any more: the slot is taken back here, as its drop would come back to here.
                slot.0 = None;
                self.state.lock().busy -= 1;
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(slots) = self.0.take() {
            slots.state.lock().busy -= 1;
            slots.hand_on();
            slots.changed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    fn fresh(limit: u32) -> Arc<Slots> {
        Slots::new(limit, watch::Sender::new(0))
    }

    #[test]
    fn slots_are_given_in_the_order_of_asking() {
        let slots = fresh(1);
        let first = slots.take().now_or_never().flatten().expect("free");
        let (mut second, mut third) = (Box::pin(slots.take()), Box::pin(slots.take()));
        assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
        drop(first);
        assert!(third.as_mut().now_or_never().is_none(), "the third may not pass the second");
        let taken = second.as_mut().now_or_never().flatten();
        drop(taken.expect("the second's turn"));
        assert!(third.as_mut().now_or_never().flatten().is_some());
    }

    #[test]
    fn a_wait_that_is_given_up_holds_no_slot() {
        let slots = fresh(1);
        let first = slots.take().now_or_never().flatten().expect("free");
        let mut given_up = Box::pin(slots.take());
        assert!(given_up.as_mut().now_or_never().is_none());
        drop(given_up);
        drop(first);
        assert_eq!(slots.count(), (1, 0));
        assert!(slots.take().now_or_never().flatten().is_some());
    }

    #[test]
    fn a_slot_that_was_handed_over_but_never_seen_comes_back() {
        let slots = fresh(1);
        let first = slots.take().now_or_never().flatten().expect("free");
        let mut unseen = Box::pin(slots.take());
        assert!(unseen.as_mut().now_or_never().is_none());
        drop(first);
        drop(unseen);
        assert_eq!(slots.count(), (1, 0));
    }

    #[test]
    fn resizing_takes_effect_at_once_upwards_and_as_slots_come_back_downwards() {
        let slots = fresh(2);
        let held: Vec<_> = (0..2).map(|_| slots.take().now_or_never().flatten().expect("free")).collect();
        slots.resize(1);
        let mut waiting = Box::pin(slots.take());
        assert!(waiting.as_mut().now_or_never().is_none());
        let mut held = held.into_iter();
        drop(held.next());
        assert!(waiting.as_mut().now_or_never().is_none(), "one is busy of one");
        slots.resize(2);
        assert!(waiting.as_mut().now_or_never().flatten().is_some());
    }

    #[test]
    fn closing_tells_those_who_wait() {
        let slots = fresh(1);
        let _first = slots.take().now_or_never().flatten().expect("free");
        let mut waiting = Box::pin(slots.take());
        assert!(waiting.as_mut().now_or_never().is_none());
        slots.close();
        assert!(matches!(waiting.as_mut().now_or_never(), Some(None)));
    }
}
