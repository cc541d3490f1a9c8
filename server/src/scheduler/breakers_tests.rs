//! Breakers beside real claims on a real database.

use std::{collections::HashMap, path::Path, time::Duration};

use app::model::{
    breaker::BreakerSetting,
    fault::{Fault, FaultClass},
    message::Message,
};

use super::*;
use crate::{
    breaker::counts,
    config::GateSettings,
    gate::{Gates, SystemClock},
    queue::{decide::Ended, order::LaneTurn},
    scheduler::claim::{self as claims, Claimed, Request},
    store::{
        Store,
        tasks::{self, NewRow},
    },
};

const SITE: &str = "shop.example";

/// A store with its gates, as a scheduler has them.
struct House {
    store: Store,
    gates: Gates,
    gate: GateSettings,
    rules: BreakerSettings,
}

impl House {
    async fn open(folder: &Path) -> Self {
        let gate = GateSettings {
            domain_per_s: 1_000.0,
            domain_burst: 1_000,
            domain_concurrency: 1,
            ..GateSettings::default()
        };
        Self {
            store: Store::open(&folder.join("test.db")).await.expect("opens"),
            gates: Gates::new(&gate, SystemClock::default()),
            gate,
            rules: BreakerSettings {
                window: 4,
                min: 2,
                open_s: 600,
                open_cap_s: 6_000,
                ..Default::default()
            },
        }
    }

    async fn add(&self, domain: &str, lane: &'static str) {
        let now = crate::clock::now();
        let row = NewRow {
            id: Uuid::now_v7(),
            name: "task".to_owned(),
            flow_name: "flow".to_owned(),
            flow_version: 1,
            parameters: "{}".to_owned(),
            words: String::new(),
            lane,
            priority: 5,
            domain: domain.to_owned(),
            account: None,
            key: None,
            body_hash: String::new(),
            order_key: now.0,
            run_at: now,
            not_before: None,
            deadline: None,
            max_attempts: 3,
            timeout_s: 300,
            retry_of: None,
            now,
        };
        self.store.write(move |c| async move { tasks::insert(c, &row).await }.boxed()).await.expect("stored");
    }

    async fn claim(&self, free: u32) -> Claimed {
        let request = Request {
            free,
            slots: 100,
            lease: Duration::from_secs(60),
            node: "n".to_owned(),
            turn: LaneTurn::default(),
            approaching: HashMap::new(),
            gate: self.gate.clone(),
            gates: self.gates.clone(),
            breaker: self.rules.clone(),
        };
        self.store
            .write(move |c| async move { claims::claim(c, request).await }.boxed())
            .await
            .expect("the claim runs")
    }

    /// The attempts that a claim has begun.
    async fn begun(&self, free: u32) -> Vec<Uuid> {
        self.claim(free).await.taken.iter().map(|(_, lease)| lease.attempt).collect()
    }

    async fn over(&self, domain: &str, attempt: Uuid, ended: Ended) -> Vec<Changed> {
        let (rules, domain) = (self.rules.clone(), domain.to_owned());
        self.store
            .write(move |c| {
                async move {
                    let mut breakers = Breakers::new(&rules, crate::clock::now());
                    breakers.over(c, &domain, attempt, &counts(&ended)).await?;
                    Ok::<_, StoreError>(breakers.changed())
                }
                .boxed()
            })
            .await
            .expect("told")
    }

    /// Lets attempts fail that began with the claim of a task each, until a site's breaker has opened.
    async fn trip(&self, domain: &str) {
        for _ in 0..2 {
            // An attempt that is known to nobody counts as one that began long ago; no breaker has changed yet.
            self.over(domain, Uuid::now_v7(), failed()).await;
        }
        assert_eq!(self.breaker(domain).await.state(), BreakerState::Open);
    }

    async fn breaker(&self, scope: &str) -> Breaker {
        sql::get(self.store.read(), scope).await.expect("read")
    }

    /// As if the time that it stays open were over.
    async fn half_open(&self, scope: &'static str) {
        let rules = self.rules.clone();
        self.store
            .write(move |c| {
                async move {
                    let breaker = sql::get(&mut *c, scope).await?;
                    let until = breaker.standing(&rules).until().expect("it is open");
                    // The machine's clock runs ahead for this one step only: probes are timed by the real one.
                    let mut breakers = Breakers::new(&rules, until);
                    breakers.step(c, scope, breaker, [Event::Tick]).await?;
                    Ok::<_, StoreError>(())
                }
                .boxed()
            })
            .await
            .expect("time passes");
        assert_eq!(self.breaker(scope).await.state(), BreakerState::HalfOpen);
    }

    async fn set(&self, scope: &'static str, to: BreakerSetting) {
        let rules = self.rules.clone();
        self.store
            .write(move |c| {
                async move {
                    let mut breakers = Breakers::new(&rules, crate::clock::now());
                    let breaker = sql::get(&mut *c, scope).await?;
                    let event = Event::Set { to, by: "Grace".to_owned(), reason: "why".to_owned() };
                    breakers.step(c, scope, breaker, [event]).await?;
                    Ok::<_, StoreError>(())
                }
                .boxed()
            })
            .await
            .expect("set");
    }

    async fn held_by(&self) -> Option<String> {
        tasks::hold_of(self.store.read(), "main", SITE).await.expect("read").map(|(why, _)| why)
    }
}

fn failed() -> Ended {
    let fault = Fault::new(FaultClass::Timeout, Message::new("timeout.task").with("s", 1));
    Ended::Failed { fault, not_before: None, shared: false }
}

fn good() -> Ended {
    Ended::Succeeded { result: serde_json::Value::Null }
}

#[tokio::test]
async fn half_open_gives_exactly_its_probes_over_both_lanes_and_a_lost_one_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut house = House::open(folder.path()).await;
    house.rules.probes = 2;
    house.gate.domain_concurrency = 20;
    for _ in 0..5 {
        house.add(SITE, "main").await;
        house.add(SITE, "rerun").await;
    }
    house.trip(SITE).await;
    assert!(house.begun(9).await.is_empty());
    house.half_open(SITE).await;
    let probes = house.begun(9).await;
    assert_eq!(probes.len(), 2);
    assert!(house.begun(9).await.is_empty());
    assert_eq!(house.held_by().await.as_deref(), Some(SITE_BREAKER));
    house.over(SITE, probes[0], Ended::Lost).await;
    let another = house.begun(9).await;
    assert_eq!(another.len(), 1, "the permit came back and no more");
    house.over(SITE, another[0], good()).await;
    assert!(house.begun(9).await.is_empty(), "the other probe is still out");
    house.over(SITE, probes[1], good()).await;
    assert_eq!(house.begun(9).await.len(), 7, "closed: all go");
}

#[tokio::test]
async fn the_breaker_is_what_a_site_shows_before_its_concurrency_and_before_a_pause() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::open(folder.path()).await;
    for _ in 0..3 {
        house.add(SITE, "main").await;
    }
    let first = house.begun(9).await;
    assert_eq!((first.len(), house.held_by().await.as_deref()), (1, Some("domain_concurrency")));
    house.trip(SITE).await;
    assert_eq!(house.held_by().await.as_deref(), Some(SITE_BREAKER));
    house.gates.cool_down(SITE, crate::clock::now().plus_ms(60_000), "answered 429");
    house.add(SITE, "rerun").await;
    assert!(house.begun(9).await.is_empty(), "the lane that was empty is held too");
    assert_eq!(house.held_by().await.as_deref(), Some(SITE_BREAKER));
    house.half_open(SITE).await;
    house.gates.clear_cooldown(SITE);
    // The first attempt has not ended, so that the probe finds the site busy.
    assert!(house.begun(9).await.is_empty());
    assert_eq!(house.held_by().await.as_deref(), Some("domain_concurrency"));
    house.set(SITE, BreakerSetting::Open).await;
    assert_eq!(house.held_by().await.as_deref(), Some(SITE_BREAKER));
    house.gates.cool_down(SITE, crate::clock::now().plus_ms(60_000), "answered 429");
    house.set(SITE, BreakerSetting::Closed).await;
    assert_eq!(house.held_by().await, None, "at the next look it is what else holds it");
}

#[tokio::test]
async fn while_the_fleets_is_open_nothing_begins_and_half_open_lets_its_probe_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::open(folder.path()).await;
    for domain in ["a.example", "b.example", ""] {
        house.add(domain, "main").await;
    }
    house.set(FLEET, BreakerSetting::Open).await;
    let claimed = house.claim(9).await;
    assert!(claimed.taken.is_empty());
    assert_eq!(claimed.look_again, house.breaker(FLEET).await.standing(&house.rules).until());
    // Opened anew without having been closed: what a start finds after a kill.
    let again = House::open(folder.path()).await;
    assert!(again.claim(9).await.taken.is_empty());
    again.half_open(FLEET).await;
    let probe = again.begun(9).await;
    assert_eq!((probe.len(), again.begun(9).await.len()), (1, 0));
    again.over("a.example", probe[0], failed()).await;
    assert_eq!(
        again.breaker(FLEET).await.state(),
        BreakerState::HalfOpen,
        "a site's fault says nothing of the fleet"
    );
    let probe = again.begun(9).await;
    again.over("", probe[0], good()).await;
    assert_eq!(again.begun(9).await.len(), 1);
}

#[tokio::test]
async fn sites_that_fail_together_open_the_fleets_once_and_one_more_failing_site_keeps_it_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::open(folder.path()).await;
    house.set("by-hand.example", BreakerSetting::Open).await;
    for domain in ["a.example", "b.example"] {
        house.trip(domain).await;
    }
    assert_eq!(house.breaker(FLEET).await.state(), BreakerState::Closed, "who was set by hand is no failure");
    house.trip("c.example").await;
    assert_eq!(house.breaker(FLEET).await.state(), BreakerState::Open);
    house.half_open(FLEET).await;
    house.add("d.example", "main").await;
    let probe = house.begun(9).await;
    let changed = house.over("d.example", probe[0], failed()).await;
    assert_eq!(house.breaker(FLEET).await.state(), BreakerState::Open);
    assert_eq!(changed.len(), 2, "the site's and the fleet's");
    house.set(FLEET, BreakerSetting::Closed).await;
    assert_eq!(
        house.breaker(FLEET).await.state(),
        BreakerState::Closed,
        "a person wins over three open sites"
    );
}

#[tokio::test]
async fn a_breaker_that_cannot_be_read_begins_anew_and_keeps_nothing_from_going() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::open(folder.path()).await;
    house.add(SITE, "main").await;
    house.trip(SITE).await;
    house
        .store
        .write(|c| {
            async move {
                sqlx::query("UPDATE breakers SET machine = '{\"phase\": 7}', until_at = 1")
                    .execute(c)
                    .await
                    .map_err(StoreError::from)?;
                Ok::<_, StoreError>(())
            }
            .boxed()
        })
        .await
        .expect("spoilt");
    assert_eq!(house.begun(9).await.len(), 1);
    let due = sql::any_due(house.store.read(), crate::clock::now()).await.expect("read");
    assert!(!due, "it is not due for ever");
}

#[tokio::test]
async fn what_is_closed_and_counts_nothing_is_forgotten() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::open(folder.path()).await;
    house.over(SITE, Uuid::now_v7(), good()).await;
    house.trip("a.example").await;
    let forget = |at: Timestamp| {
        let store = house.store.clone();
        async move {
            store.write(move |c| async move { sql::forget(c, at).await }.boxed()).await.expect("forgotten")
        }
    };
    let now = crate::clock::now();
    assert_eq!(forget(now).await, 0);
    assert_eq!(forget(now.plus_ms(301_000)).await, 2, "the site's and the fleet's windows are empty by then");
    assert_eq!(house.breaker("a.example").await.state(), BreakerState::Open, "one that is open never is");
}
