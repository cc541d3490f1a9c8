//! The gates as the rest of the server uses them: look, pass, cool down, change, keep over a restart.

use std::{sync::Arc, time::Duration};

use app::model::{
    Timestamp,
    breaker::BreakerBrief,
    gate::{Cooldown, GateView},
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::Notify;

use super::{
    bucket::{Bucket, Quota, QuotaError},
    clock::{Clock, Now, Tick, ticks},
    door::{Door, Knock},
};
use crate::config::GateSettings;

/// Documents on their way that a look reckons with; beyond it the answer is that of this many.
const MOST_AHEAD: u32 = 1_024;

/// What holds a document back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Nothing.
    Clear,
    /// The rate over all sites.
    Global,
    /// The site's own rate.
    Domain,
    /// The site asked to be left alone.
    Cooldown,
}

/// When the next document would be let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clearance {
    /// The moment; now where nothing holds.
    pub at: Timestamp,
    /// What holds until then.
    pub binds: Binding,
}

/// A document was let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// How long it stood at the door.
    pub waited: Duration,
}

/// Why a document was not let through. Nothing was spent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GateError {
    /// The wait was, or is known to become, longer than its limit.
    #[error("{domain} is not clear before {until}, longer than the wait's limit")]
    TooLong {
        /// The site's key.
        domain: String,
        /// How long it stood at the door.
        waited: Duration,
        /// When it would be let through, as things stand.
        until: Timestamp,
        /// What holds until then.
        binds: Binding,
    },
}

/// A gate's state, to be kept over a restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptGate {
    /// When its bucket is full again.
    pub full_at: Timestamp,
    /// The rate it was under.
    pub per_s: f64,
    /// The burst it was under.
    pub burst: u32,
}

/// A site's state, to be kept over a restart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptSite {
    /// The site's key.
    pub domain: String,
    /// Its gate.
    pub gate: KeptGate,
    /// Until when it asked to be left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooldown: Option<Cooldown>,
}

/// What must be kept over a restart so that quotas and pauses are still enforced after it. Sites at rest
/// are not in it; quotas set for one site are settings and kept there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptGates {
    /// The gate over all sites.
    pub global: KeptGate,
    /// The sites.
    pub sites: Vec<KeptSite>,
}

/// How the run before ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// In order: its last export came after its last document.
    Cleanly,
    /// It broke off, and documents may have passed after its last export. Every bucket is taken as empty at
    /// the start, which with the default quotas costs one second.
    Abruptly,
}

/// All gates of this node. Clones are the same gates.
#[derive(Clone)]
pub struct Gates(Arc<Inner>);

struct Inner {
    door: Mutex<Door>,
    clock: Box<dyn Clock>,
    concurrency: u32,
}

impl Gates {
    /// Gates by the settings. A quota that is not possible becomes the nearest one that is, with a warning.
    #[must_use]
    pub fn new(settings: &GateSettings, clock: impl Clock) -> Self {
        let quota = |per_s, burst| {
            Quota::new(per_s, burst).unwrap_or_else(|error| {
                let nearest = Quota::nearest(per_s, burst);
                tracing::warn!(%error, ?nearest, "a quota of [gate] is not possible: the nearest is used");
                nearest
            })
        };
        let door = Door::new(
            quota(settings.global_per_s, settings.global_burst),
            quota(settings.domain_per_s, settings.domain_burst),
        );
        let concurrency = settings.domain_concurrency;
        Self(Arc::new(Inner { door: Mutex::new(door), clock: Box::new(clock), concurrency }))
    }

    /// When one more document would be let through, if `ahead` others of the same kind that are on their way
    /// to the door come first; those at the door already are reckoned with. Without a domain it is the
    /// global gate alone. Takes nothing.
    #[must_use]
    pub fn clear_at(&self, domain: Option<&str>, ahead: u32) -> Clearance {
        let now = self.now();
        let turn = self.0.door.lock().foresee(domain, ahead.min(MOST_AHEAD) + 1, now.tick);
        Clearance { at: now.to_timestamp(turn.at), binds: turn.binds }
    }

    /// Waits at the door of a site until the global gate and the site's are both clear and it is this
    /// caller's turn, then takes both tokens together. Dropping the future gives up the place and spends
    /// nothing. A wait that is bound to be longer than its limit is refused at once.
    ///
    /// # Errors
    /// When the limit does not suffice.
    pub async fn pass(&self, domain: &str, limit: Duration) -> Result<Passed, GateError> {
        let clock = &self.0.clock;
        let entered = clock.now();
        let deadline = entered.saturating_add(ticks(limit));
        let place = Place::take(self, domain, entered);
        loop {
            let now = clock.now();
            let knock = self.0.door.lock().knock(place.id, now);
            let waited = Duration::from_nanos(now - entered);
            let turn = match knock {
                Knock::Through => return Ok(Passed { waited }),
                Knock::Wait(turn) => turn,
            };
            if turn.at > deadline || now >= deadline {
                let until = self.now().to_timestamp(turn.at);
                return Err(GateError::TooLong {
                    domain: domain.to_owned(),
                    waited,
                    until,
                    binds: turn.binds,
                });
            }
            // Who is not first is woken by the passing or leaving of those before.
            let wake = if turn.first { turn.at } else { deadline };
            tokio::select! {
                () = place.bell.notified() => {}
                () = clock.sleep_until(wake) => {}
            }
        }
    }

    /// Keeps every document from a site until a moment, those at the door too. Only ever extends.
    pub fn cool_down(&self, domain: &str, until: Timestamp, why: &str) {
        let now = self.now();
        self.0.door.lock().cool_down(domain, now.to_tick(until), why, now.tick);
    }

    /// Ends a site's pause; whether there was one.
    pub fn clear_cooldown(&self, domain: &str) -> bool {
        self.0.door.lock().clear_cooldown(domain, self.0.clock.now())
    }

    /// Gives a site a quota of its own.
    ///
    /// # Errors
    /// When no gate can keep it.
    pub fn set_quota(&self, domain: &str, per_s: f64, burst: u32) -> Result<(), QuotaError> {
        let quota = Quota::new(per_s, burst)?;
        self.0.door.lock().set_quota(domain, Some(quota), self.0.clock.now());
        Ok(())
    }

    /// Gives a site the default quota again.
    pub fn reset_quota(&self, domain: &str) {
        self.0.door.lock().set_quota(domain, None, self.0.clock.now());
    }

    /// Changes the quota of every site that has none of its own.
    ///
    /// # Errors
    /// When no gate can keep it.
    pub fn set_default(&self, per_s: f64, burst: u32) -> Result<(), QuotaError> {
        let quota = Quota::new(per_s, burst)?;
        self.0.door.lock().set_default(quota, self.0.clock.now());
        Ok(())
    }

    /// Changes the quota over all sites.
    ///
    /// # Errors
    /// When no gate can keep it.
    pub fn set_global(&self, per_s: f64, burst: u32) -> Result<(), QuotaError> {
        let quota = Quota::new(per_s, burst)?;
        self.0.door.lock().set_global(quota, self.0.clock.now());
        Ok(())
    }

    /// One site's gate for the API. What is queued and running is for others to fill in.
    #[must_use]
    pub fn view(&self, domain: &str) -> GateView {
        let now = self.now();
        let door = self.0.door.lock();
        let quota = door.quota(domain);
        let clear_at = door.foresee(Some(domain), 1, now.tick).at;
        GateView {
            domain: domain.to_owned(),
            per_s: quota.per_s(),
            burst: quota.burst(),
            concurrency: self.0.concurrency,
            next_clear_at: (clear_at > now.tick).then(|| now.to_timestamp(clear_at)),
            waiting: 0,
            running: 0,
            cooldown: door
                .cooldown(domain, now.tick)
                .map(|(until, why)| Cooldown { until: now.to_timestamp(until), why: why.to_owned() }),
            breaker: BreakerBrief::default(),
        }
    }

    /// The keys of the sites that are not at rest or have a quota of their own, in order.
    #[must_use]
    pub fn domains(&self) -> Vec<String> {
        let now = self.0.clock.now();
        let door = self.0.door.lock();
        let mut keys: Vec<String> =
            door.sites().filter(|(_, site)| !site.rests(now)).map(|(key, _)| key.to_owned()).collect();
        keys.sort();
        keys
    }

    /// What must be kept over a restart.
    #[must_use]
    pub fn export(&self) -> KeptGates {
        let now = self.now();
        let door = self.0.door.lock();
        let mut sites: Vec<KeptSite> = door
            .sites()
            .map(|(key, site)| KeptSite {
                domain: key.to_owned(),
                gate: keep(&site.bucket, now),
                cooldown: door
                    .cooldown(key, now.tick)
                    .map(|(until, why)| Cooldown { until: now.to_timestamp(until), why: why.to_owned() }),
            })
            .filter(|site| site.cooldown.is_some() || site.gate.full_at > now.to_timestamp(now.tick))
            .collect();
        sites.sort_by(|a, b| a.domain.cmp(&b.domain));
        KeptGates { global: keep(door.global(), now), sites }
    }

    /// Takes over what was kept by the run before; never loosens what holds already. A quota may have
    /// changed in between: what a gate owes is carried over in documents. Called once, before anything
    /// passes and after quotas of single sites are set.
    pub fn seed(&self, kept: &KeptGates, ended: Ended) {
        let now = self.now();
        let mut door = self.0.door.lock();
        if ended == Ended::Abruptly {
            door.assume_empty(now.tick);
        }
        door.seed_global(revive(&kept.global, now), now.tick);
        for site in &kept.sites {
            door.seed_site(&site.domain, revive(&site.gate, now), now.tick);
            if let Some(cooldown) = &site.cooldown {
                door.cool_down(&site.domain, now.to_tick(cooldown.until), &cooldown.why, now.tick);
            }
        }
    }

    fn now(&self) -> Now {
        Now::read(&*self.0.clock)
    }
}

fn keep(bucket: &Bucket, now: Now) -> KeptGate {
    let quota = bucket.quota();
    KeptGate { full_at: now.to_timestamp(bucket.is_full_at()), per_s: quota.per_s(), burst: quota.burst() }
}

fn revive(kept: &KeptGate, now: Now) -> Bucket {
    let quota = Quota::nearest(kept.per_s, kept.burst);
    // A clock that was set back in between must not make a gate owe more than it can.
    let full_at = now.to_tick(kept.full_at).min(now.tick + quota.fill());
    Bucket::full_at(quota, full_at)
}

/// A place at the door; given up when dropped.
struct Place {
    gates: Gates,
    id: u64,
    bell: Arc<Notify>,
}

impl Place {
    fn take(gates: &Gates, domain: &str, now: Tick) -> Self {
        let (id, bell) = gates.0.door.lock().enter(domain, now);
        Self { gates: gates.clone(), id, bell }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let now = self.gates.0.clock.now();
        self.gates.0.door.lock().leave(self.id, now);
    }
}
