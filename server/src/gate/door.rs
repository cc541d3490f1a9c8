//! The door before the sites, as a pure state: who waits, who is next, and when.
//!
//! Each site's waiters go in the order in which they came. Between sites the one goes first whose site has
//! been clear the longest, so that no site can keep another from the global gate for ever. Global and
//! site's token are taken together or not at all. Time is passed in; waiting itself is [`super::Gates`]'.

use std::{collections::HashMap, sync::Arc};

use tokio::sync::Notify;

use super::{
    Binding,
    bucket::{Bucket, Look, Quota},
    clock::Tick,
    forecast::{Forecast, Turn},
};

/// Sites kept before those at rest are first looked for.
const SWEEP_FROM: usize = 256;

/// What the gates know of one site.
pub struct Site {
    /// Its bucket.
    pub bucket: Bucket,
    /// Whether its quota was set for it; else it follows the default.
    pub own_quota: bool,
    /// Until when it asked to be left alone, and why.
    pub cooldown: Option<(Tick, String)>,
}

impl Site {
    fn cooled_until(&self) -> Tick {
        self.cooldown.as_ref().map_or(0, |(until, _)| *until)
    }

    /// Whether nothing of it needs to be known: it owes nothing, has no pause and no quota of its own.
    #[must_use]
    pub fn rests(&self, now: Tick) -> bool {
        !self.own_quota && self.bucket.is_full_at() <= now && self.cooled_until() <= now
    }
}

/// What came of knocking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knock {
    /// Let through; both tokens are spent.
    Through,
    /// Not yet.
    Wait(Turn),
}

struct Ticket {
    id: u64,
    site: String,
    arrived: Tick,
    bell: Arc<Notify>,
}

/// Gates, sites and waiters.
pub struct Door {
    default: Quota,
    global: Bucket,
    sites: HashMap<String, Site>,
    /// In the order of arrival; no more than there are running attempts.
    waiting: Vec<Ticket>,
    next_id: u64,
    /// A moment at which every bucket must be taken as empty, because what went before is not known.
    empty_at: Option<Tick>,
    sweep_at: usize,
}

impl Door {
    /// A door where nothing has passed yet.
    #[must_use]
    pub fn new(global: Quota, default: Quota) -> Self {
        Self {
            default,
            global: Bucket::full_at(global, 0),
            sites: HashMap::new(),
            waiting: Vec::new(),
            next_id: 0,
            empty_at: None,
            sweep_at: SWEEP_FROM,
        }
    }

    /// Takes a place; the bell rings when it is worth knocking again.
    pub fn enter(&mut self, site: &str, now: Tick) -> (u64, Arc<Notify>) {
        let (id, bell) = (self.next_id, Arc::new(Notify::new()));
        self.next_id += 1;
        self.waiting.push(Ticket { id, site: site.to_owned(), arrived: now, bell: Arc::clone(&bell) });
        (id, bell)
    }

    /// Gives a place up. One that was let through has none any more.
    pub fn leave(&mut self, id: u64, now: Tick) {
        if let Some(at) = self.waiting.iter().position(|ticket| ticket.id == id) {
            self.waiting.remove(at);
            self.ring_first(now);
        }
    }

    /// Lets a waiter through if it is its turn, taking both tokens; else says when it will be.
    pub fn knock(&mut self, id: u64, now: Tick) -> Knock {
        let turn = self.turn_of(id, now);
        if !turn.first || turn.at > now {
            return Knock::Wait(turn);
        }
        let Some(place) = self.waiting.iter().position(|ticket| ticket.id == id) else {
            return Knock::Wait(turn);
        };
        let site = self.waiting[place].site.clone();
        let taken = self.site_mut(&site, now).bucket.take(now).and_then(|()| self.global.take(now));
        debug_assert!(taken.is_ok(), "the look and governor disagree");
        self.waiting.remove(place);
        self.ring_first(now);
        Knock::Through
    }

    /// When a waiter is let through, as things stand.
    fn turn_of(&self, id: u64, now: Tick) -> Turn {
        // Who has left is never let through.
        let never = Turn { at: Tick::MAX, binds: Binding::Domain, first: false };
        self.forecast(now).turn_of(id).unwrap_or(never)
    }

    /// When the last of `count` more documents would be let through if they came now. Takes nothing.
    #[must_use]
    pub fn foresee(&self, site: Option<&str>, count: u32, now: Tick) -> Turn {
        let mut forecast = self.forecast(now);
        let mut last = self.next_id;
        for id in (self.next_id..).take(count as usize) {
            forecast.join(site, id, now, || self.gate_of(site));
            last = id;
        }
        forecast.turn_of(last).unwrap_or(Turn { at: now, binds: Binding::Clear, first: true })
    }

    fn forecast(&self, now: Tick) -> Forecast<'_> {
        let mut forecast = Forecast::new(now, self.global.look());
        for ticket in &self.waiting {
            let site = Some(ticket.site.as_str());
            forecast.join(site, ticket.id, ticket.arrived, || self.gate_of(site));
        }
        forecast
    }

    /// What a forecast needs to know of a site: its bucket, and until when it asked to be left alone.
    fn gate_of(&self, site: Option<&str>) -> (Option<Look>, Tick) {
        match site.map(|key| self.sites.get(key)) {
            None => (None, 0),
            Some(None) => (Some(fresh_bucket(self.default, self.empty_at).look()), 0),
            Some(Some(site)) => (Some(site.bucket.look()), site.cooled_until()),
        }
    }

    /// Keeps everybody from a site until a moment; a pause that is longer already stays.
    pub fn cool_down(&mut self, site: &str, until: Tick, why: &str, now: Tick) {
        if until <= now {
            return;
        }
        let site = self.site_mut(site, now);
        if until > site.cooled_until() {
            site.cooldown = Some((until, why.to_owned()));
            self.ring();
        }
    }

    /// Ends a site's pause; whether there was one.
    pub fn clear_cooldown(&mut self, site: &str, now: Tick) -> bool {
        let Some(cooldown) = self.sites.get_mut(site).and_then(|site| site.cooldown.take()) else {
            return false;
        };
        self.ring();
        cooldown.0 > now
    }

    /// Gives a site a quota of its own, or with none the default again.
    pub fn set_quota(&mut self, site: &str, quota: Option<Quota>, now: Tick) {
        let to = quota.unwrap_or(self.default);
        let site = self.site_mut(site, now);
        site.own_quota = quota.is_some();
        requota(&mut site.bucket, to, now);
        self.ring();
    }

    /// Changes the quota of every site that has none of its own.
    pub fn set_default(&mut self, quota: Quota, now: Tick) {
        self.default = quota;
        for site in self.sites.values_mut().filter(|site| !site.own_quota) {
            requota(&mut site.bucket, quota, now);
        }
        self.ring();
    }

    /// Changes the quota over all sites.
    pub fn set_global(&mut self, quota: Quota, now: Tick) {
        requota(&mut self.global, quota, now);
        self.ring();
    }

    /// Takes every bucket as emptied at `now`, because what passed just before is not known.
    pub fn assume_empty(&mut self, now: Tick) {
        self.empty_at = Some(now);
        self.seed_global(Bucket::full_at(self.global.quota(), now + self.global.quota().fill()), now);
        for site in self.sites.values_mut() {
            let full_at = now + site.bucket.quota().fill();
            tighten(&mut site.bucket, full_at);
        }
        self.ring();
    }

    /// Takes over what is known of the global gate from before; never loosens it.
    pub fn seed_global(&mut self, before: Bucket, now: Tick) {
        let full_at = before.under(self.global.quota(), now).is_full_at();
        tighten(&mut self.global, full_at);
    }

    /// Takes over what is known of a site's gate from before; never loosens it.
    pub fn seed_site(&mut self, site: &str, before: Bucket, now: Tick) {
        let site = self.site_mut(site, now);
        let full_at = before.under(site.bucket.quota(), now).is_full_at();
        tighten(&mut site.bucket, full_at);
    }

    /// The global gate.
    #[must_use]
    pub fn global(&self) -> &Bucket {
        &self.global
    }

    /// The quota of a site.
    #[must_use]
    pub fn quota(&self, site: &str) -> Quota {
        self.sites.get(site).map_or(self.default, |site| site.bucket.quota())
    }

    /// The sites that are not at rest, or have a quota of their own.
    pub fn sites(&self) -> impl Iterator<Item = (&str, &Site)> {
        self.sites.iter().map(|(key, site)| (key.as_str(), site))
    }

    /// A site's pause that is not over.
    #[must_use]
    pub fn cooldown(&self, site: &str, now: Tick) -> Option<(Tick, &str)> {
        let (until, why) = self.sites.get(site)?.cooldown.as_ref()?;
        (*until > now).then_some((*until, why.as_str()))
    }

    fn site_mut(&mut self, site: &str, now: Tick) -> &mut Site {
        if !self.sites.contains_key(site) && self.sites.len() >= self.sweep_at {
            let waiting = &self.waiting;
            self.sites
                .retain(|key, site| !site.rests(now) || waiting.iter().any(|ticket| ticket.site == *key));
            self.sweep_at = SWEEP_FROM.max(self.sites.len() * 2);
        }
        let (quota, empty_at) = (self.default, self.empty_at);
        self.sites.entry(site.to_owned()).or_insert_with(|| Site {
            bucket: fresh_bucket(quota, empty_at),
            own_quota: false,
            cooldown: None,
        })
    }

    /// Has the one knock who is first now. Nobody else's turn comes before that one has passed or left.
    fn ring_first(&self, now: Tick) {
        if let Some((first, ..)) = self.forecast(now).next()
            && let Some(ticket) = self.waiting.iter().find(|ticket| ticket.id == first)
        {
            ticket.bell.notify_one();
        }
    }

    /// Has everybody knock again, because what they wait for has changed.
    fn ring(&self) {
        self.waiting.iter().for_each(|ticket| ticket.bell.notify_one());
    }
}

/// The bucket of a site of which nothing is known.
fn fresh_bucket(quota: Quota, empty_at: Option<Tick>) -> Bucket {
    Bucket::full_at(quota, empty_at.map_or(0, |at| at + quota.fill()))
}

/// Swaps a bucket whole for one under another quota. The same quota changes nothing, so that repeating it
/// rounds nothing up.
fn requota(bucket: &mut Bucket, quota: Quota, now: Tick) {
    if bucket.quota() != quota {
        *bucket = bucket.under(quota, now);
    }
}

fn tighten(bucket: &mut Bucket, full_at: Tick) {
    if full_at > bucket.is_full_at() {
        *bucket = Bucket::full_at(bucket.quota(), full_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_at_rest_are_forgotten_and_the_others_kept() {
        let quota = Quota::nearest(1.0, 1);
        let mut door = Door::new(Quota::nearest(1e6, 1), quota);
        door.set_quota("own.example", Some(Quota::nearest(2.0, 1)), 0);
        door.cool_down("cooling.example", Tick::MAX, "503", 0);
        let mut now = 0;
        for number in 0..20_000_u64 {
            now += 10_000_000;
            let (id, _) = door.enter(&format!("{number}.example"), now);
            assert_eq!(door.knock(id, now), Knock::Through);
        }
        assert!(door.sites().count() <= 2 * SWEEP_FROM, "{} sites", door.sites().count());
        let kept: Vec<&str> = door.sites().map(|(key, _)| key).collect();
        assert!(
            kept.contains(&"own.example")
                && kept.contains(&"cooling.example")
                && kept.contains(&"19999.example")
        );
    }

    #[test]
    fn looking_at_an_unknown_site_keeps_nothing_of_it() {
        let door = Door::new(Quota::nearest(1.0, 1), Quota::nearest(1.0, 1));
        assert_eq!(
            door.foresee(Some("new.example"), 1, 7),
            Turn { at: 7, binds: Binding::Clear, first: true }
        );
        assert_eq!(door.sites().count(), 0);
    }
}
