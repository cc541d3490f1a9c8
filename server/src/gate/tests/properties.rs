//! At random: quotas hold in any window, nobody starves, and a look foretells what then happens.

use std::time::Duration;

use proptest::prelude::*;

use super::{LONG, START, Stage, settings};
use crate::gate::{Binding, clock::Clock as _};

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
