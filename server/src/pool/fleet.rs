//! The instances of a pool and what is decided about them. Pure: a state, a call with its time, a new state.
//!
//! Who starts, connects and ends Chrome is told what to do ([`Fleet::launch`], [`Fleet::settle`]) and tells what
//! came of it.

use std::time::{Duration, Instant};

use app::model::pool::{InstanceState, InstanceView};

use crate::config::PoolSettings;

/// How long a lost instance stays in the view, for people to see why.
const LOST_SHOWN: Duration = Duration::from_secs(60);

/// How a context wants to live in its instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    /// Beside others.
    Shared,
    /// Alone in the instance as long as it lives.
    Alone,
}

/// The bounds within which instances live.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    contexts: u32,
    warm: u32,
    max_uses: u32,
    max_age: Duration,
    idle: Duration,
    max_pss_mib: u64,
}

impl From<&PoolSettings> for Bounds {
    fn from(settings: &PoolSettings) -> Self {
        Self {
            contexts: settings.contexts_per_instance.max(1),
            warm: settings.warm,
            max_uses: settings.max_uses.max(1),
            max_age: Duration::from_secs(settings.max_age_s),
            idle: Duration::from_secs(settings.idle_s),
            max_pss_mib: settings.max_pss_mib,
        }
    }
}

/// The instances, oldest first; `T` is the handle of a running one.
#[derive(Debug)]
pub(super) struct Fleet<T> {
    bounds: Bounds,
    members: Vec<Member<T>>,
    launched: u64,
    /// Requests that hold a slot and wait for an instance: beside others, and alone.
    wanting: (u32, u32),
}

#[derive(Debug)]
struct Member<T> {
    id: String,
    phase: Phase,
    handle: Option<T>,
    contexts: u32,
    uses: u32,
    alone: bool,
    born: Instant,
    /// When it became ready, was last left, or was lost.
    since: Instant,
    pss_mib: Option<u64>,
    why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Warming,
    Ready,
    Draining,
    Recycling,
    Lost,
}

impl<T: Clone> Fleet<T> {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, members: Vec::new(), launched: 0, wanting: (0, 0) }
    }

    /// Follows changed settings.
    pub(super) fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// A request begins to wait for an instance.
    pub(super) fn want(&mut self, company: Company) {
        *self.wanting_mut(company) += 1;
    }

    /// A request waits no more, whether served or not.
    pub(super) fn unwant(&mut self, company: Company) {
        let count = self.wanting_mut(company);
        *count = count.saturating_sub(1);
    }

    fn wanting_mut(&mut self, company: Company) -> &mut u32 {
        match company {
            Company::Shared => &mut self.wanting.0,
            Company::Alone => &mut self.wanting.1,
        }
    }

    /// Adds the instances that are missing, as warming, and names them.
    pub(super) fn launch(&mut self, now: Instant) -> Vec<String> {
        (0..self.missing()).map(|_| self.add(now)).collect()
    }

    /// How many more are needed for those who wait, and to have `warm` ones ready beyond that.
    fn missing(&self) -> u32 {
        let per = self.bounds.contexts;
        let open = self.members.iter().filter(|m| m.phase == Phase::Ready && !m.alone);
        let room: u32 = open.clone().filter(|m| m.contexts > 0).map(|m| per.saturating_sub(m.contexts)).sum();
        let empty = open.filter(|m| m.contexts == 0).count() as u32;
        let warming = self.members.iter().filter(|m| m.phase == Phase::Warming).count() as u32;
        let (shared, alone) = self.wanting;
        let needed = shared.saturating_sub(room).div_ceil(per) + alone + self.bounds.warm;
        needed.saturating_sub(empty + warming)
    }

    fn add(&mut self, now: Instant) -> String {
        self.launched += 1;
        let id = format!("c{}", self.launched);
        self.members.push(Member {
            id: id.clone(),
            phase: Phase::Warming,
            handle: None,
            contexts: 0,
            uses: 0,
            alone: false,
            born: now,
            since: now,
            pss_mib: None,
            why: None,
        });
        id
    }

    /// A warming instance has come up; `false` when it is not wanted any more and must be ended.
    pub(super) fn ready(&mut self, id: &str, handle: T, now: Instant) -> bool {
        let Some(member) = self.member(id).filter(|m| m.phase == Phase::Warming) else { return false };
        member.phase = Phase::Ready;
        member.handle = Some(handle);
        member.since = now;
        true
    }

    /// Takes room for one context: beside others in the fullest instance that has room, so that the others can
    /// become idle; alone in an empty one.
    pub(super) fn take(&mut self, company: Company) -> Option<(String, T)> {
        let per = self.bounds.contexts;
        let open = self.members.iter_mut().filter(|m| m.phase == Phase::Ready && !m.alone);
        let member = match company {
            Company::Shared => open.filter(|m| m.contexts < per).rev().max_by_key(|m| m.contexts),
            Company::Alone => open.filter(|m| m.contexts == 0).last(),
        }?;
        member.contexts += 1;
        member.uses += 1;
        member.alone = company == Company::Alone;
        Some((member.id.clone(), member.handle.clone()?))
    }

    /// A context has ended, whatever became of it.
    pub(super) fn give_back(&mut self, id: &str, now: Instant) {
        if let Some(member) = self.member(id) {
            member.contexts = member.contexts.saturating_sub(1);
            if member.phase != Phase::Lost {
                member.since = now;
            }
            if member.contexts == 0 {
                member.alone = false;
            }
        }
    }

    /// Lets an instance take no more contexts; it ends with its last one. `false` when there is no such.
    pub(super) fn drain(&mut self, id: &str, why: &str) -> bool {
        let Some(member) = self.member(id) else { return false };
        if member.phase == Phase::Ready {
            member.phase = Phase::Draining;
            member.why = Some(why.to_owned());
        }
        matches!(member.phase, Phase::Draining | Phase::Recycling)
    }

    /// An instance is gone. Its contexts are given back one by one, by those who hold them.
    pub(super) fn lost(&mut self, id: &str, why: &str, now: Instant) {
        if let Some(member) = self.member(id).filter(|m| m.phase != Phase::Recycling) {
            member.phase = Phase::Lost;
            member.handle = None;
            member.since = now;
            member.why = Some(why.to_owned());
        }
    }

    /// An instance never came up, or has been ended and cleared away.
    pub(super) fn remove(&mut self, id: &str) {
        self.members.retain(|member| member.id != id || member.phase == Phase::Lost);
    }

    /// Notes the memory of an instance.
    pub(super) fn measured(&mut self, id: &str, pss_mib: u64) {
        if let Some(member) = self.member(id) {
            member.pss_mib = Some(pss_mib);
        }
    }

    /// Applies the bounds; the instances that are to be ended now, each told once.
    pub(super) fn settle(&mut self, now: Instant) -> Vec<T> {
        self.members.retain(|m| m.phase != Phase::Lost || m.contexts > 0 || now - m.since < LOST_SHOWN);
        let bounds = self.bounds;
        let mut spare = self.members.iter().filter(|m| m.is_empty()).count() as u32;
        let mut ending = Vec::new();
        for member in &mut self.members {
            if member.phase == Phase::Ready {
                let surplus = member.is_empty() && spare > bounds.warm;
                if let Some(why) = member.outlived(&bounds, surplus, now) {
                    spare -= u32::from(member.is_empty());
                    member.phase = Phase::Draining;
                    member.why = Some(why);
                }
            }
            if member.phase == Phase::Draining && member.contexts == 0 {
                member.phase = Phase::Recycling;
                ending.extend(member.handle.take());
            }
        }
        ending
    }

    /// The handles of all that run, busy or not.
    pub(super) fn handles(&self) -> impl Iterator<Item = (&str, &T)> {
        self.members.iter().filter_map(|m| Some((m.id.as_str(), m.handle.as_ref()?)))
    }

    /// The instances as people see them, oldest first.
    pub(super) fn view(&self, node: &str, now: Instant) -> Vec<InstanceView> {
        self.members.iter().map(|member| member.view(node, now)).collect()
    }

    fn member(&mut self, id: &str) -> Option<&mut Member<T>> {
        self.members.iter_mut().find(|member| member.id == id)
    }
}

impl<T> Member<T> {
    fn is_empty(&self) -> bool {
        self.phase == Phase::Ready && self.contexts == 0
    }

    /// Why it is to be replaced, or ended as one too many.
    fn outlived(&self, bounds: &Bounds, surplus: bool, now: Instant) -> Option<String> {
        let (age, idle) = (now - self.born, now - self.since);
        if self.uses >= bounds.max_uses {
            Some(format!("used {} times", self.uses))
        } else if age >= bounds.max_age {
            Some(format!("{} s old", age.as_secs()))
        } else if let Some(mib) = self.pss_mib.filter(|mib| *mib > bounds.max_pss_mib) {
            Some(format!("uses {mib} MiB"))
        } else if surplus && idle >= bounds.idle {
            Some(format!("idle for {} s", idle.as_secs()))
        } else {
            None
        }
    }

    fn view(&self, node: &str, now: Instant) -> InstanceView {
        let state = match self.phase {
            Phase::Warming => InstanceState::Warming,
            Phase::Ready if self.contexts == 0 => InstanceState::Idle,
            Phase::Ready => InstanceState::Busy,
            Phase::Draining => InstanceState::Draining,
            Phase::Recycling => InstanceState::Recycling,
            Phase::Lost => InstanceState::Lost,
        };
        InstanceView {
            id: self.id.clone(),
            node: node.to_owned(),
            state,
            contexts: self.contexts,
            uses: self.uses,
            age_s: (now - self.born).as_secs(),
            pss_mib: self.pss_mib,
            why: self.why.clone(),
        }
    }
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
