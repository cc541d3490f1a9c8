//! One promise each.

use std::time::Duration;

use super::{LONG, START, Stage, seconds, settings};
use crate::gate::{Binding, Clearance, Ended, GateError, Gates, SystemClock, clock::ManualClock};

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
