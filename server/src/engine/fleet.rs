//! The fleet as a whole, for the control room.

use std::collections::{BTreeMap, HashMap};

use app::{
    api::room::{Answer, Fleet, allow},
    model::{
        Timestamp,
        breaker::{BreakerView, SetBreaker},
        caller::{Caller, Role},
        gate::GateView,
        overview::{Berth, LaneLoad, Overview, Recent},
        page::{Page, PageQuery},
        pool::{PoolPatch, PoolView},
        problem::AppError,
    },
};
use async_trait::async_trait;

use super::{Engine, errors::store};
use crate::{
    breaker::Standing,
    scheduler::bucket_ms,
    store::{
        orders,
        stats::{self, SiteLoad},
        tasks,
    },
};

/// Sites that the overview shows.
const BUSIEST: i64 = 8;
/// The overview's window in minutes.
const HOUR: i64 = 60;
/// The window of the throughput in minutes.
const LATELY: i64 = 5;

#[async_trait]
impl Fleet for Engine {
    async fn overview(&self, caller: &Caller) -> Answer<Overview> {
        allow(caller, Role::Viewer)?;
        self.fleet_now().await
    }

    async fn pool(&self, caller: &Caller) -> Answer<PoolView> {
        allow(caller, Role::Viewer)?;
        Ok(self.pool_now())
    }

    async fn patch_pool(&self, caller: &Caller, patch: PoolPatch) -> Answer<PoolView> {
        allow(caller, Role::Operator)?;
        if patch.slots.is_some_and(|slots| slots == 0 || slots > 1_000) {
            return Err(AppError::bad_input("/slots", "must be from 1 to 1000"));
        }
        let pool = self.pool();
        let known: Vec<String> = pool.view().instances.into_iter().map(|instance| instance.id).collect();
        for (place, ids) in [("/drain", &patch.drain), ("/recycle", &patch.recycle)] {
            for (index, id) in ids.iter().flatten().enumerate() {
                if !known.contains(id) {
                    return Err(AppError::bad_input(
                        format!("{place}/{index}"),
                        format!("there is no instance {id}"),
                    ));
                }
            }
        }
        if let Some(slots) = patch.slots {
            pool.resize(slots);
            self.scheduler().wake();
        }
        // One that ended by itself since the look above has what was asked for.
        for id in patch.drain.iter().flatten() {
            let _gone = pool.drain(id);
        }
        for id in patch.recycle.iter().flatten() {
            let _gone = pool.recycle(id);
        }
        self.changes().pool();
        Ok(self.pool_now())
    }

    async fn gates(&self, caller: &Caller, page: PageQuery) -> Answer<Page<GateView>> {
        allow(caller, Role::Viewer)?;
        let limit = page.bounded_limit() as usize;
        let after = page.after.unwrap_or_default();
        let mut sites = stats::sites(self.store().read(), &after, limit as i64 + 1).await.map_err(store)?;
        let more = sites.len() > limit;
        sites.truncate(limit);
        let next = sites.last().filter(|_| more).map(|site| site.domain.clone());
        Ok(Page { items: self.gate_views(&sites).await?, next })
    }

    async fn breaker(&self, caller: &Caller, domain: Option<String>) -> Answer<BreakerView> {
        allow(caller, Role::Viewer)?;
        self.one_breaker(domain).await
    }

    async fn breakers(&self, caller: &Caller) -> Answer<Vec<BreakerView>> {
        allow(caller, Role::Viewer)?;
        self.breakers_now().await
    }

    async fn set_breaker(&self, caller: &Caller, set: SetBreaker) -> Answer<BreakerView> {
        allow(caller, Role::Operator)?;
        self.set_breaker_by(caller, set).await
    }
}

impl Engine {
    /// The pool, with what the slots hold.
    pub(super) fn pool_now(&self) -> PoolView {
        let mut view = self.pool().view();
        view.busy = self.scheduler().running().len() as u32;
        view
    }

    /// One site's gate.
    pub(super) async fn gate_now(&self, domain: &str) -> Answer<GateView> {
        let load = stats::site(self.store().read(), domain).await.map_err(store)?;
        let standings = self.standings(&[domain]).await?;
        Ok(self.gate_view(&load, &standings))
    }

    /// Some sites' gates.
    pub(super) async fn gate_views(&self, loads: &[SiteLoad]) -> Answer<Vec<GateView>> {
        let domains: Vec<&str> = loads.iter().map(|load| load.domain.as_str()).collect();
        let standings = self.standings(&domains).await?;
        Ok(loads.iter().map(|load| self.gate_view(load, &standings)).collect())
    }

    fn gate_view(&self, load: &SiteLoad, standings: &HashMap<String, Standing>) -> GateView {
        let mut view = self.0.rooms.gates.view(&load.domain);
        view.waiting = load.waiting.max(0) as u64;
        view.running = load.running.max(0) as u64;
        view.breaker = standings.get(&load.domain).copied().unwrap_or_default().brief();
        view
    }

    /// The fleet at a glance.
    pub(super) async fn fleet_now(&self) -> Answer<Overview> {
        let read = self.store().read();
        let now = self.now();
        let counts = tasks::counts(read).await.map_err(store)?;
        let lanes = stats::lanes(read).await.map_err(store)?;
        let busiest = stats::busiest(read, BUSIEST).await.map_err(store)?;
        let gate = &self.settings().gate;
        Ok(Overview {
            at: now,
            tasks: counts.into_iter().map(|(state, n)| (state.as_str().to_owned(), n)).collect(),
            lanes: lanes
                .into_iter()
                .map(|(lane, ready, held)| {
                    (lane, LaneLoad { ready: ready.max(0) as u64, held: held.max(0) as u64 })
                })
                .collect(),
            capacity: self.settings().queue.capacity,
            pool: self.pool_now(),
            berths: self.berths(),
            global_per_s: gate.global_per_s,
            global_burst: gate.global_burst,
            gates: self.gate_views(&busiest).await?,
            breaker: self.breaker_now(None).await?,
            desk: orders::desk(read, now).await.map_err(store)?,
            recent: self.recent(now).await?,
        })
    }

    fn berths(&self) -> Vec<Berth> {
        let running = self.scheduler().running().all().into_iter();
        running
            .map(|one| Berth {
                task: one.task,
                name: one.name,
                domain: one.domain,
                since: one.since,
                step: one.step,
            })
            .collect()
    }

    async fn recent(&self, now: Timestamp) -> Answer<Recent> {
        let read = self.store().read();
        let minute = now.0 / 60_000;
        let hour = stats::since(read, minute - HOUR).await.map_err(store)?;
        let lately = stats::since(read, minute - LATELY).await.map_err(store)?;
        let of = |counts: &BTreeMap<String, u64>, name: &str| counts.get(name).copied().unwrap_or(0);
        let waits: BTreeMap<u32, u64> = hour
            .iter()
            .filter_map(|(name, n)| Some((name.strip_prefix("wait:")?.parse().ok()?, *n)))
            .collect();
        Ok(Recent {
            attempts: of(&hour, "attempts"),
            succeeded: of(&hour, "succeeded"),
            escalated: of(&hour, "escalated"),
            per_minute: of(&lately, "ended") as f64 / LATELY as f64,
            wait_p50_ms: percentile(&waits, 0.5),
            wait_p95_ms: percentile(&waits, 0.95),
            faults: hour
                .iter()
                .filter_map(|(name, n)| Some((name.strip_prefix("fault:")?.to_owned(), *n)))
                .collect(),
        })
    }
}

/// A percentile of waits that are counted in buckets: the upper bound of the bucket that holds it.
fn percentile(buckets: &BTreeMap<u32, u64>, share: f64) -> Option<u64> {
    let total: u64 = buckets.values().sum();
    let wanted = (total as f64 * share).ceil().max(1.0) as u64;
    let mut seen = 0;
    for (bucket, n) in buckets {
        seen += n;
        if seen >= wanted {
            return Some(bucket_ms(*bucket));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::bucket;

    #[test]
    fn a_percentile_is_right_to_its_bucket() {
        let mut buckets = BTreeMap::new();
        for ms in 1..=1_000u64 {
            *buckets.entry(bucket(ms)).or_default() += 1;
        }
        for (share, exact) in [(0.5, 500.0), (0.95, 950.0)] {
            let found = percentile(&buckets, share).expect("there are waits") as f64;
            assert!(found >= exact && found <= exact * 1.42, "{share}: {found}");
        }
        assert_eq!(percentile(&BTreeMap::new(), 0.5), None);
    }
}
