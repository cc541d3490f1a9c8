//! Who passes when, as things stand: the door's order reckoned forward, taking nothing.

use std::collections::VecDeque;

use super::{Binding, bucket::Look, clock::Tick};

/// When somebody is let through, and what holds them until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The moment.
    pub at: Tick,
    /// What holds.
    pub binds: Binding,
    /// Whether nobody goes before.
    pub first: bool,
}

/// The passings to come, in order: (waiter, moment, what holds until then).
pub struct Forecast<'a> {
    now: Tick,
    /// The last passing reckoned with.
    reached: Tick,
    global: Look,
    lanes: Vec<Lane<'a>>,
}

/// The waiters of one site; a lane without a bucket waits on the global gate alone.
struct Lane<'a> {
    site: Option<&'a str>,
    bucket: Option<Look>,
    cooled: Tick,
    waiters: VecDeque<(u64, Tick)>,
}

impl Lane<'_> {
    /// Since when, or from when on, nothing but the global gate holds the first waiter; and which it is.
    fn ready(&self) -> Option<(Tick, u64)> {
        let (id, arrived) = self.waiters.front()?;
        let clear = self.bucket.map_or(0, |bucket| bucket.clear());
        Some((clear.max(self.cooled).max(*arrived), *id))
    }
}

impl<'a> Forecast<'a> {
    /// A forecast from `now` on, in which nobody waits yet.
    #[must_use]
    pub fn new(now: Tick, global: Look) -> Self {
        Self { now, reached: now, global, lanes: Vec::new() }
    }

    /// Adds a waiter behind those of its site. `gate` tells of the site: its bucket, and until when it asked
    /// to be left alone.
    pub fn join(
        &mut self,
        site: Option<&'a str>,
        id: u64,
        arrived: Tick,
        gate: impl FnOnce() -> (Option<Look>, Tick),
    ) {
        match self.lanes.iter_mut().find(|lane| lane.site == site) {
            Some(lane) => lane.waiters.push_back((id, arrived)),
            None => {
                let (bucket, cooled) = gate();
                self.lanes.push(Lane { site, bucket, cooled, waiters: VecDeque::from([(id, arrived)]) });
            }
        }
    }

    /// When a waiter is let through; none if it does not wait.
    #[must_use]
    pub fn turn_of(self, waiter: u64) -> Option<Turn> {
        self.enumerate().find(|(_, (id, ..))| *id == waiter).map(|(before, (_, at, binds))| Turn {
            at,
            binds,
            first: before == 0,
        })
    }
}

impl Iterator for Forecast<'_> {
    type Item = (u64, Tick, Binding);

    fn next(&mut self) -> Option<Self::Item> {
        let lanes = self.lanes.iter_mut().filter_map(|lane| Some((lane.ready()?, lane)));
        let ((ready, id), lane) = lanes.min_by_key(|(ready, _)| *ready)?;
        let at = ready.max(self.global.clear()).max(self.reached);
        let binds = if at <= self.now {
            Binding::Clear
        } else if at > ready {
            Binding::Global
        } else if lane.cooled == at {
            Binding::Cooldown
        } else {
            Binding::Domain
        };
        lane.waiters.pop_front();
        if let Some(bucket) = &mut lane.bucket {
            bucket.take(at);
        }
        self.global.take(at);
        self.reached = at;
        Some((id, at, binds))
    }
}
