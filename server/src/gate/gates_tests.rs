//! What the gates promise, under a clock that moves only when told to.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Duration,
};

use app::model::Timestamp;
use futures::{
    executor::LocalPool,
    future::{AbortHandle, Abortable},
    task::LocalSpawnExt as _,
};
use proptest::prelude::*;

use super::{
    clock::{Clock as _, ManualClock},
    *,
};
use crate::config::GateSettings;

const START: Timestamp = Timestamp(1_796_030_100_000);
const LONG: Duration = Duration::from_secs(100_000);

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

fn settings(global: (f64, u32), domain: (f64, u32)) -> GateSettings {
    GateSettings {
        global_per_s: global.0,
        global_burst: global.1,
        domain_per_s: domain.0,
        domain_burst: domain.1,
        ..GateSettings::default()
    }
}

/// Gates, their time, and documents that want through.
struct Stage {
    clock: ManualClock,
    gates: Gates,
    pool: LocalPool,
    /// (number, domain, milliseconds since the start), as they passed.
    passed: Rc<RefCell<Vec<(usize, String, u64)>>>,
    /// (number, why) of those that were refused.
    refused: Rc<RefCell<Vec<(usize, GateError)>>>,
    documents: Vec<AbortHandle>,
    open: Rc<Cell<usize>>,
}

impl Stage {
    fn new(settings: &GateSettings) -> Self {
        let clock = ManualClock::starting_at(START);
        let gates = Gates::new(settings, clock.clone());
        let (passed, refused) = Default::default();
        Self {
            clock,
            gates,
            pool: LocalPool::new(),
            passed,
            refused,
            documents: Vec::new(),
            open: Rc::default(),
        }
    }

    /// A document wants through; its number.
    fn arrive(&mut self, domain: &str, limit: Duration) -> usize {
        let number = self.documents.len();
        let (abort, registration) = AbortHandle::new_pair();
        let (gates, clock, domain) = (self.gates.clone(), self.clock.clone(), domain.to_owned());
        let (passed, refused, open) = (self.passed.clone(), self.refused.clone(), self.open.clone());
        open.set(open.get() + 1);
        let document = async move {
            let outcome = Abortable::new(gates.pass(&domain, limit), registration).await;
            open.set(open.get() - 1);
            match outcome {
                Ok(Ok(_)) => passed.borrow_mut().push((number, domain, clock.now() / 1_000_000)),
                Ok(Err(error)) => refused.borrow_mut().push((number, error)),
                Err(_) => {}
            }
        };
        self.pool.spawner().spawn_local(document).expect("the pool runs");
        self.documents.push(abort);
        self.pool.run_until_stalled();
        number
    }

    fn leave(&mut self, number: usize) {
        self.documents[number].abort();
        self.pool.run_until_stalled();
    }

    /// Lets time pass, stopping wherever somebody waits for a moment.
    fn advance(&mut self, by: Duration) {
        let end = self.clock.now() + clock::ticks(by);
        self.pool.run_until_stalled();
        while let Some(next) = self.clock.next_wake().filter(|next| *next <= end) {
            self.clock.advance(Duration::from_nanos(next - self.clock.now()));
            self.pool.run_until_stalled();
        }
        self.clock.advance(Duration::from_nanos(end - self.clock.now()));
        self.pool.run_until_stalled();
    }

    fn passed(&self) -> Vec<(usize, u64)> {
        self.passed.borrow().iter().map(|(number, _, at)| (*number, *at)).collect()
    }

    fn clear(&self, domain: &str, ahead: u32) -> (i64, Binding) {
        let clearance = self.gates.clear_at(Some(domain), ahead);
        (clearance.at.since(START), clearance.binds)
    }
}

#[test]
fn documents_of_one_site_pass_an_interval_apart_in_the_order_they_came() {
    let mut stage = Stage::new(&settings((50.0, 50), (0.5, 1)));
    for _ in 0..3 {
        stage.arrive("a.example", LONG);
    }
    stage.advance(seconds(10.0));
    assert_eq!(stage.passed(), [(0, 0), (1, 2_000), (2, 4_000)]);
}

#[test]
fn a_burst_passes_at_once_after_a_rest() {
    let mut stage = Stage::new(&settings((50.0, 50), (1.0, 3)));
    for _ in 0..5 {
        stage.arrive("a.example", LONG);
    }
    stage.advance(seconds(10.0));
    assert_eq!(stage.passed(), [(0, 0), (1, 0), (2, 0), (3, 1_000), (4, 2_000)]);
}

#[test]
fn no_global_token_is_spent_while_the_site_holds() {
    let mut stage = Stage::new(&settings((1.0, 1), (1.0, 1)));
    stage.gates.cool_down("a.example", START.plus_ms(10_000), "429");
    stage.arrive("a.example", LONG);
    stage.arrive("b.example", LONG);
    assert_eq!(stage.passed(), [(1, 0)]);
    stage.advance(seconds(20.0));
    assert_eq!(stage.passed(), [(1, 0), (0, 10_000)]);
}

#[test]
fn between_sites_the_one_that_is_clear_the_longest_goes_first() {
    let mut stage = Stage::new(&settings((1.0, 1), (100.0, 1)));
    for domain in ["a.example", "a.example", "a.example", "b.example"] {
        stage.arrive(domain, LONG);
    }
    stage.advance(seconds(1.5));
    // The second of `a` counts from when its site was clear again, after `b`; the third does so after `c`.
    stage.arrive("c.example", LONG);
    stage.advance(seconds(10.0));
    assert_eq!(stage.passed(), [(0, 0), (3, 1_000), (1, 2_000), (4, 3_000), (2, 4_000)]);
}

#[test]
fn a_waiter_that_leaves_spends_nothing_and_frees_its_place() {
    let mut stage = Stage::new(&settings((1.0, 1), (1.0, 1)));
    stage.arrive("a.example", LONG);
    let leaves = stage.arrive("a.example", LONG);
    stage.arrive("a.example", LONG);
    assert_eq!(stage.clear("a.example", 0), (3_000, Binding::Domain));
    stage.leave(leaves);
    assert_eq!(stage.clear("a.example", 0), (2_000, Binding::Domain));
    stage.advance(seconds(5.0));
    assert_eq!(stage.passed(), [(0, 0), (2, 1_000)]);
}

#[test]
fn a_pause_holds_who_is_at_the_door_already_and_no_other_site() {
    let mut stage = Stage::new(&settings((50.0, 50), (1.0, 1)));
    stage.arrive("a.example", LONG);
    stage.arrive("a.example", LONG);
    stage.advance(seconds(0.5));
    stage.gates.cool_down("a.example", START.plus_ms(3_000), "429");
    stage.gates.cool_down("a.example", START.plus_ms(1_000), "429 again, shorter");
    assert_eq!(stage.clear("b.example", 0), (500, Binding::Clear));
    assert_eq!(stage.clear("a.example", 0).0, 4_000, "after the one at the door");
    stage.advance(seconds(1.0));
    let view = stage.gates.view("a.example");
    assert_eq!(view.cooldown.map(|c| (c.until, c.why)), Some((START.plus_ms(3_000), "429".to_owned())));
    stage.advance(seconds(5.0));
    assert_eq!(stage.passed(), [(0, 0), (1, 3_000)]);
    assert_eq!(stage.gates.view("a.example").cooldown, None);
}

#[test]
fn a_pause_that_a_person_ends_lets_the_waiters_go() {
    let mut stage = Stage::new(&settings((50.0, 50), (1.0, 1)));
    stage.gates.cool_down("a.example", START.plus_ms(60_000), "503");
    assert_eq!(stage.clear("a.example", 0), (60_000, Binding::Cooldown));
    stage.arrive("a.example", LONG);
    stage.advance(seconds(1.0));
    assert!(stage.gates.clear_cooldown("a.example"));
    assert!(!stage.gates.clear_cooldown("a.example"));
    stage.advance(seconds(1.0));
    assert_eq!(stage.passed(), [(0, 1_000)]);
}

#[test]
fn a_wait_that_must_become_too_long_is_refused_at_once_and_spends_nothing() {
    let mut stage = Stage::new(&settings((50.0, 50), (0.1, 1)));
    stage.arrive("a.example", seconds(0.0));
    stage.arrive("a.example", seconds(9.0));
    assert_eq!(
        *stage.refused.borrow(),
        [(
            1,
            GateError::TooLong {
                domain: "a.example".to_owned(),
                waited: Duration::ZERO,
                until: START.plus_ms(10_000),
                binds: Binding::Domain,
            }
        )]
    );
    stage.arrive("a.example", seconds(10.0));
    stage.advance(seconds(10.0));
    assert_eq!(stage.passed(), [(0, 0), (2, 10_000)]);
}

#[test]
fn a_pause_that_comes_while_waiting_refuses_whose_limit_it_passes() {
    let mut stage = Stage::new(&settings((50.0, 50), (1.0, 1)));
    stage.arrive("a.example", seconds(5.0));
    stage.arrive("a.example", seconds(5.0));
    stage.gates.cool_down("a.example", START.plus_ms(60_000), "503");
    stage.advance(seconds(0.0));
    assert!(matches!(stage.refused.borrow()[..], [(1, GateError::TooLong { binds: Binding::Cooldown, .. })]));
}

#[test]
fn a_new_quota_reaches_who_waits() {
    let mut stage = Stage::new(&settings((50.0, 50), (0.01, 1)));
    stage.arrive("a.example", LONG);
    stage.arrive("a.example", LONG);
    stage.advance(seconds(1.0));
    stage.gates.set_quota("a.example", 1.0, 1).expect("a possible quota");
    stage.advance(seconds(5.0));
    // 99 of the 100 seconds were still owed: 0.99 of a document, which the new rate gives in 0.99 s.
    assert_eq!(stage.passed(), [(0, 0), (1, 1_990)]);
    assert!(stage.gates.set_quota("a.example", 0.0, 1).is_err());
    assert_eq!(stage.gates.view("a.example").per_s, 1.0);
    stage.gates.reset_quota("a.example");
    assert_eq!(stage.gates.view("a.example").per_s, 0.01);
    stage.gates.set_default(0.5, 2).expect("a possible quota");
    assert_eq!((stage.gates.view("b.example").per_s, stage.gates.view("a.example").burst), (0.5, 2));
}

#[test]
fn without_a_domain_only_the_global_gate_is_looked_at() {
    let mut stage = Stage::new(&settings((1.0, 2), (0.001, 1)));
    assert_eq!(stage.gates.clear_at(None, 1), Clearance { at: START, binds: Binding::Clear });
    stage.arrive("a.example", LONG);
    stage.arrive("b.example", LONG);
    let clearance = stage.gates.clear_at(None, 1);
    assert_eq!(clearance, Clearance { at: START.plus_ms(2_000), binds: Binding::Global });
}

#[test]
fn quotas_and_pauses_are_still_enforced_after_a_restart() {
    let mut stage = Stage::new(&settings((50.0, 50), (0.1, 1)));
    stage.arrive("a.example", LONG);
    stage.gates.cool_down("b.example", START.plus_ms(60_000), "503");
    stage.arrive("c.example", LONG);
    let kept = serde_json::to_string(&stage.gates.export()).expect("json");

    let clock = ManualClock::starting_at(START.plus_ms(4_000));
    let after = Gates::new(&settings((50.0, 50), (0.1, 1)), clock.clone());
    after.seed(&serde_json::from_str(&kept).expect("as written"), Ended::Cleanly);
    let at = |gates: &Gates, domain| gates.clear_at(Some(domain), 0).at.since(START);
    assert_eq!(at(&after, "a.example"), 10_000);
    assert_eq!(after.clear_at(Some("b.example"), 0).binds, Binding::Cooldown);
    assert_eq!(at(&after, "b.example"), 60_000);
    assert_eq!(at(&after, "d.example"), 4_000);

    let faster = Gates::new(&settings((50.0, 50), (1.0, 1)), clock.clone());
    faster.seed(&serde_json::from_str(&kept).expect("as written"), Ended::Cleanly);
    assert_eq!(at(&faster, "a.example"), 4_600, "what is owed is a part of a document");

    let after_a_crash = Gates::new(&settings((50.0, 50), (0.1, 1)), clock);
    after_a_crash.seed(&serde_json::from_str(&kept).expect("as written"), Ended::Abruptly);
    assert_eq!(at(&after_a_crash, "a.example"), 14_000);
    assert_eq!(at(&after_a_crash, "d.example"), 14_000, "it may have passed just before the crash");
    assert_eq!(at(&after_a_crash, "b.example"), 60_000);
}

#[test]
fn a_site_at_rest_is_listed_no_more() {
    let mut stage = Stage::new(&settings((50.0, 50), (1.0, 1)));
    stage.arrive("a.example", LONG);
    stage.gates.set_quota("own.example", 2.0, 1).expect("a possible quota");
    assert_eq!(stage.gates.domains(), ["a.example", "own.example"]);
    stage.advance(seconds(1.0));
    assert_eq!(stage.gates.domains(), ["own.example"]);
    assert_eq!(stage.gates.export().sites, []);
}

#[tokio::test]
async fn in_real_time_documents_are_an_interval_apart() {
    let gates = Gates::new(&settings((1_000.0, 50), (25.0, 1)), SystemClock::default());
    let passes = (0..4).map(|_| async {
        gates.pass("a.example", LONG).await.expect("no limit in the way");
        std::time::Instant::now()
    });
    let at = futures::future::join_all(passes).await;
    for pair in at.windows(2) {
        // The moments are read after the passing, so that they may lie a little closer than the passes.
        assert!(pair[1] - pair[0] >= Duration::from_millis(38), "{:?}", pair[1] - pair[0]);
    }
}

/// What happens at random.
#[derive(Clone, Debug)]
enum Act {
    Arrive(usize),
    Leave(usize),
    Look(usize),
    CoolDown(usize, u64),
    ClearCooldown(usize),
    Quota(usize, f64, u32),
    Global(f64, u32),
}

const SITES: [&str; 3] = ["a.example", "b.example", "c.example"];

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let site = 0..SITES.len();
    let act = prop_oneof![
        8 => site.clone().prop_map(Act::Arrive),
        2 => any::<prop::sample::Index>().prop_map(|i| Act::Leave(i.index(1_000))),
        3 => site.clone().prop_map(Act::Look),
        1 => (site.clone(), 0_u64..3_000).prop_map(|(s, ms)| Act::CoolDown(s, ms)),
        1 => site.clone().prop_map(Act::ClearCooldown),
        1 => (site, 0.5_f64..20.0, 1_u32..4).prop_map(|(s, r, b)| Act::Quota(s, r, b)),
        1 => (1.0_f64..30.0, 1_u32..5).prop_map(|(r, b)| Act::Global(r, b)),
    ];
    prop::collection::vec((0_u64..500, act), 1..60)
}

/// What a gate may give: its quotas with the moments (ms) from which they held.
struct Given(Vec<(u64, f64, u32)>);

impl Given {
    fn most(&self, from: u64, to: u64) -> f64 {
        let spans = self.0.iter().enumerate().map(|(i, (start, per_s, _))| {
            let end = self.0.get(i + 1).map_or(u64::MAX, |(next, ..)| *next).min(to);
            end.saturating_sub(*start.max(&from)) as f64 / 1_000.0 * per_s
        });
        let bursts = self.0.iter().enumerate().filter(|(i, (start, ..))| {
            *start <= to && self.0.get(i + 1).is_none_or(|(next, ..)| *next >= from)
        });
        spans.sum::<f64>() + f64::from(bursts.map(|(_, (.., burst))| *burst).max().unwrap_or(0))
    }

    fn check(&self, passes: &[u64]) -> Result<(), TestCaseError> {
        for (i, from) in passes.iter().enumerate() {
            for (j, to) in passes.iter().enumerate().skip(i) {
                // Passes are counted in whole milliseconds.
                let most = self.most(from.saturating_sub(1), to + 1);
                prop_assert!((j - i + 1) as f64 <= most, "{} from {from} to {to}, at most {most}", j - i + 1);
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn quotas_hold_in_any_window_and_nobody_starves(acts in acts()) {
        let mut stage = Stage::new(&settings((10.0, 3), (2.0, 2)));
        let mut global = Given(vec![(0, 10.0, 3)]);
        let mut sites = [0; 3].map(|_| Given(vec![(0, 2.0, 2)]));
        for (gap, act) in acts {
            stage.advance(Duration::from_millis(gap));
            let now = stage.clock.now() / 1_000_000;
            let until = |ms: u64| START.plus_ms((now + ms) as i64);
            match act {
                Act::Arrive(site) => { stage.arrive(SITES[site], LONG); }
                Act::Leave(number) if !stage.documents.is_empty() => stage.leave(number % stage.documents.len()),
                Act::Leave(_) => {}
                Act::Look(site) => {
                    let before = (stage.gates.export(), stage.clear(SITES[site], 2));
                    prop_assert_eq!(before, (stage.gates.export(), stage.clear(SITES[site], 2)));
                }
                Act::CoolDown(site, ms) => stage.gates.cool_down(SITES[site], until(ms), "429"),
                Act::ClearCooldown(site) => { stage.gates.clear_cooldown(SITES[site]); }
                Act::Quota(site, per_s, burst) => {
                    sites[site].0.push((now, per_s, burst));
                    stage.gates.set_quota(SITES[site], per_s, burst).expect("a possible quota");
                }
                Act::Global(per_s, burst) => {
                    global.0.push((now, per_s, burst));
                    stage.gates.set_global(per_s, burst).expect("a possible quota");
                }
            }
        }
        // The slowest quota, for everybody who may still wait, and the longest pause.
        stage.advance(Duration::from_secs(60 * 2 + 3));
        prop_assert_eq!(stage.open.get(), 0, "everybody passed or left");

        let passed = stage.passed.borrow();
        let all: Vec<u64> = passed.iter().map(|(.., at)| *at).collect();
        global.check(&all)?;
        for (site, given) in SITES.iter().zip(&sites) {
            let mine: Vec<_> = passed.iter().filter(|(_, domain, _)| domain == site).collect();
            prop_assert!(mine.is_sorted_by_key(|(number, ..)| *number), "in the order they came");
            given.check(&mine.iter().map(|(.., at)| *at).collect::<Vec<_>>())?;
        }
    }

    #[test]
    fn a_look_foretells_when_a_document_passes(
        before in prop::collection::vec((0_u64..600, 0..SITES.len(), prop::option::weighted(0.1, 0_u64..2_000)), 0..25),
        site in 0..SITES.len(), ahead in 0_u32..4, domain_burst in 1_u32..3, global in 1.0_f64..6.0,
    ) {
        let mut stage = Stage::new(&settings((global, 2), (2.0, domain_burst)));
        for (gap, site, pause) in before {
            stage.advance(Duration::from_millis(gap));
            match pause {
                Some(ms) => {
                    let now = (stage.clock.now() / 1_000_000) as i64;
                    stage.gates.cool_down(SITES[site], START.plus_ms(now + ms as i64), "429");
                }
                None => { stage.arrive(SITES[site], LONG); }
            }
        }
        let (told, binds) = stage.clear(SITES[site], ahead);
        let now = (stage.clock.now() / 1_000_000) as i64;
        prop_assert_eq!(binds == Binding::Clear, told == now);
        let mut last = 0;
        for _ in 0..=ahead {
            last = stage.arrive(SITES[site], LONG);
        }
        stage.advance(Duration::from_secs(60));
        let passed = stage.passed.borrow();
        let at = passed.iter().find(|(number, ..)| *number == last).map(|(.., at)| *at as i64);
        let at = at.expect("it passed");
        // The look rounds up to whole milliseconds, the stage rounds down.
        prop_assert!(told - 1 <= at && at <= told, "foretold {told}, passed at {at}");
    }
}
