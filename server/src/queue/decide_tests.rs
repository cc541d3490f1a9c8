use proptest::prelude::*;

use super::*;

const NOW: Timestamp = Timestamp(1_000_000);

fn fault(class: FaultClass, status: Option<u16>) -> Fault {
    Fault { class, step: Some(1), what: Message::new("internal"), status }
}

fn decide(spent: Spent, ended: Ended) -> Next {
    next(spent, ended, NOW, &QueueSettings::default(), &QuarantineSettings::default(), 0.5)
}

fn fail(spent: Spent, fault: Fault) -> Next {
    decide(spent, Ended::Failed { fault, not_before: None, shared: false })
}

fn fresh() -> Spent {
    Spent { max_attempts: 3, ..Spent::default() }
}

/// The design's table: class, status, whether it is retried, what it becomes when spent.
#[test]
fn every_class_goes_the_way_of_the_table() {
    use FaultClass as C;
    let rows = [
        (C::Business, None, false, "escalated"),
        (C::Selector, None, false, "escalated"),
        (C::Auth, Some(401), false, "escalated"),
        (C::Download, None, false, "escalated"),
        (C::Uncertain, None, false, "escalated"),
        (C::Navigation, None, true, "escalated"),
        (C::Timeout, None, true, "escalated"),
        (C::HttpStatus, Some(500), true, "escalated"),
        (C::HttpStatus, Some(404), false, "escalated"),
        (C::Blocked, Some(429), true, "escalated"),
        (C::Blocked, Some(503), true, "escalated"),
        (C::Blocked, Some(403), false, "escalated"),
        (C::RendererCrash, None, true, "escalated"),
        (C::InstanceLost, None, true, "escalated"),
        (C::Internal, None, true, "failed"),
        (C::Policy, None, false, "failed"),
        (C::Deadline, None, false, "failed"),
    ];
    for (class, status, retried, spent) in rows {
        let first = fail(fresh(), fault(class, status));
        assert_eq!(matches!(first, Next::Queued { .. }), retried, "{class:?} {status:?}");
        let last = fail(Spent { attempts: 2, ..fresh() }, fault(class, status));
        let became = match last {
            Next::Escalated { .. } => "escalated",
            Next::Failed { .. } => "failed",
            _ => "something else",
        };
        assert_eq!(became, spent, "{class:?} {status:?}");
    }
}

#[test]
fn a_redirect_loop_is_not_tried_again() {
    let what = Fault::new(FaultClass::Navigation, Message::new("navigation.redirect_loop"));
    assert!(matches!(fail(fresh(), what), Next::Escalated { .. }));
}

#[test]
fn after_a_critical_step_nothing_is_repeated() {
    let critical = Spent { critical_step: Some(4), ..fresh() };
    for ended in [
        Ended::Lost,
        Ended::Returned { not_before: None },
        Ended::Failed { fault: fault(FaultClass::Timeout, None), not_before: None, shared: false },
        Ended::Failed { fault: fault(FaultClass::InstanceLost, None), not_before: None, shared: true },
    ] {
        match decide(critical, ended.clone()) {
            Next::Escalated { fault } => assert_eq!(fault.class, FaultClass::Uncertain),
            other => panic!("{ended:?} became {other:?}"),
        }
    }
    match fail(critical, fault(FaultClass::Business, None)) {
        Next::Escalated { fault } => assert_eq!(fault.class, FaultClass::Business, "the others keep theirs"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn crashes_in_a_row_lead_to_quarantine_before_attempts_are_spent() {
    let twice = Spent { crashes: 2, attempts: 2, max_attempts: 9, ..fresh() };
    assert!(matches!(fail(twice, fault(FaultClass::RendererCrash, None)), Next::Quarantined { .. }));
    match fail(twice, fault(FaultClass::Timeout, None)) {
        Next::Queued { counters, .. } => {
            assert_eq!(counters.crashes, -1, "another fault begins the row anew")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_instance_that_others_were_in_blames_nobody() {
    let lost =
        |shared| Ended::Failed { fault: fault(FaultClass::InstanceLost, None), not_before: None, shared };
    match decide(fresh(), lost(true)) {
        Next::Queued { counters, .. } => {
            assert_eq!(counters, Counters { alone: 1, ..Counters::default() });
        }
        other => panic!("{other:?}"),
    }
    match decide(Spent { alone: true, ..fresh() }, lost(false)) {
        Next::Queued { counters, .. } => assert_eq!((counters.attempts, counters.crashes), (1, 1)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cancel_wins_over_redelivery_but_not_over_a_result() {
    let cancelled = Spent { cancel: true, ..fresh() };
    assert_eq!(fail(cancelled, fault(FaultClass::Timeout, None)), Next::Cancelled);
    assert_eq!(decide(cancelled, Ended::Lost), Next::Cancelled);
    let result = Value::from(1);
    assert!(matches!(decide(cancelled, Ended::Succeeded { result }), Next::Succeeded { .. }));
}

#[test]
fn a_task_lost_again_and_again_is_quarantined() {
    match decide(Spent { lost: 3, ..fresh() }, Ended::Lost) {
        Next::Queued { counters, .. } => assert_eq!((counters.attempts, counters.lost), (0, 1)),
        other => panic!("{other:?}"),
    }
    let spent = decide(Spent { lost: 4, ..fresh() }, Ended::Lost);
    assert!(matches!(spent, Next::Quarantined { .. }));
    assert_eq!((spent.counters().attempts, spent.counters().lost), (0, 1), "a counter of its own");
}

#[test]
fn an_end_after_a_critical_step_is_uncertain_where_it_would_be_retried_and_only_there() {
    let begun = Spent { critical_step: Some(1), ..fresh() };
    assert!(fail(begun, fault(FaultClass::HttpStatus, Some(500))).is_uncertain());
    assert!(decide(begun, Ended::Lost).is_uncertain());
    assert!(!fail(begun, fault(FaultClass::Selector, None)).is_uncertain());
    assert!(!fail(fresh(), fault(FaultClass::HttpStatus, Some(500))).is_uncertain());
}

#[test]
fn a_return_costs_nothing() {
    match decide(Spent { attempts: 2, ..fresh() }, Ended::Returned { not_before: None }) {
        Next::Queued { at, counters, .. } => assert_eq!((at, counters), (NOW, Counters::default())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_passed_deadline_fails_the_task_instead_of_trying_again() {
    let late = Spent { deadline: Some(NOW), ..fresh() };
    match fail(late, fault(FaultClass::Timeout, None)) {
        Next::Failed { fault } => assert_eq!(fault.class, FaultClass::Deadline),
        other => panic!("{other:?}"),
    }
}

#[test]
fn forty_that_fail_together_do_not_come_back_together() {
    let queue = QueueSettings::default();
    let asked = NOW.plus_ms(3_000);
    let mut seconds: Vec<i64> = (0..40)
        .map(|n| retry_at(NOW, Some(asked), 3, &queue, f64::from(n) / 40.0).since(asked) / 1_000)
        .collect();
    assert!(seconds.iter().all(|s| (0..20).contains(s)), "within 5 s doubled twice: {seconds:?}");
    seconds.dedup();
    assert_eq!(seconds.len(), 20, "two in each second");
}

proptest! {
    #[test]
    fn a_retry_is_never_before_what_the_site_asked_for(
        ahead in 0i64..10_000_000, attempts in 1u32..50, random in 0.0f64..1.0
    ) {
        let queue = QueueSettings::default();
        let asked = NOW.plus_ms(ahead);
        let at = retry_at(NOW, Some(asked), attempts, &queue, random);
        prop_assert!(at >= asked);
        prop_assert!(at.since(asked) <= queue.retry_cap_s as i64 * 1_000);
    }

    #[test]
    fn no_task_is_tried_more_often_than_it_may(max in 1u32..10, random in 0.0f64..1.0) {
        let mut spent = Spent { max_attempts: max, ..Spent::default() };
        let mut runs = 0;
        loop {
            runs += 1;
            let ended = Ended::Failed { fault: fault(FaultClass::Timeout, None), not_before: None, shared: false };
            match next(spent, ended, NOW, &QueueSettings::default(), &QuarantineSettings::default(), random) {
                Next::Queued { counters, .. } => spent.attempts += counters.attempts as u32,
                _ => break,
            }
        }
        prop_assert_eq!(runs, max);
    }
}
