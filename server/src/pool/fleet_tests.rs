//! The decisions of [`Fleet`], without a Chrome.

use super::*;

fn fleet(change: impl FnOnce(&mut PoolSettings)) -> Fleet<&'static str> {
    let mut settings = PoolSettings { contexts_per_instance: 2, warm: 0, ..PoolSettings::default() };
    change(&mut settings);
    Fleet::new(Bounds::from(&settings))
}

fn start(fleet: &mut Fleet<&'static str>, now: Instant) {
    for id in fleet.launch(now) {
        assert!(fleet.ready(&id, "running", now));
    }
}

fn states(fleet: &Fleet<&'static str>, now: Instant) -> Vec<InstanceState> {
    fleet.view("n", now).iter().map(|view| view.state).collect()
}

#[test]
fn as_many_are_started_as_those_who_wait_need() {
    let mut fleet = fleet(|_| {});
    for _ in 0..3 {
        fleet.want(Company::Shared);
    }
    assert_eq!(fleet.launch(Instant::now()).len(), 2, "three contexts at two each");
    assert!(fleet.launch(Instant::now()).is_empty(), "those that start are counted");
}

#[test]
fn a_warm_one_is_ready_beyond_those_in_use() {
    let (mut fleet, now) = (fleet(|s| s.warm = 1), Instant::now());
    start(&mut fleet, now);
    assert!(fleet.launch(now).is_empty());
    fleet.take(Company::Shared).expect("room");
    assert_eq!(fleet.launch(now).len(), 1);
}

#[test]
fn contexts_gather_in_the_fullest_instance_that_has_room() {
    let (mut fleet, now) = (fleet(|s| s.warm = 2), Instant::now());
    start(&mut fleet, now);
    let first = fleet.take(Company::Shared).expect("room").0;
    assert_eq!(fleet.take(Company::Shared).expect("room").0, first);
    assert_ne!(fleet.take(Company::Shared).expect("room").0, first, "the first is full");
}

#[test]
fn who_is_alone_gets_an_empty_instance_and_no_company() {
    let (mut fleet, now) = (fleet(|s| s.warm = 1), Instant::now());
    start(&mut fleet, now);
    let (id, _) = fleet.take(Company::Alone).expect("an empty one");
    assert!(fleet.take(Company::Shared).is_none());
    fleet.give_back(&id, now);
    fleet.take(Company::Shared).expect("shared again");
    assert!(fleet.take(Company::Alone).is_none());
}

#[test]
fn a_used_up_instance_drains_before_it_ends_and_says_why() {
    let (mut fleet, now) = (fleet(|s| (s.warm, s.max_uses) = (1, 2)), Instant::now());
    start(&mut fleet, now);
    let id = fleet.take(Company::Shared).expect("room").0;
    fleet.take(Company::Shared).expect("room");
    fleet.give_back(&id, now);
    assert!(fleet.settle(now).is_empty(), "one context is still open");
    assert_eq!(states(&fleet, now), [InstanceState::Draining]);
    fleet.give_back(&id, now);
    assert_eq!(fleet.settle(now).len(), 1);
    assert!(fleet.settle(now).is_empty(), "told once");
    assert_eq!(fleet.view("n", now)[0].why.as_deref(), Some("used 2 times"));
}

#[test]
fn age_and_memory_replace_an_instance() {
    let (mut aged, now) = (fleet(|s| (s.warm, s.max_age_s) = (1, 10)), Instant::now());
    start(&mut aged, now);
    assert!(aged.settle(now + Duration::from_secs(9)).is_empty());
    assert_eq!(aged.settle(now + Duration::from_secs(10)).len(), 1);

    let mut large = fleet(|s| (s.warm, s.max_pss_mib) = (1, 100));
    start(&mut large, now);
    large.measured("c1", 101);
    assert_eq!(large.settle(now).len(), 1);
    assert_eq!(large.view("n", now)[0].why.as_deref(), Some("uses 101 MiB"));
}

#[test]
fn an_idle_instance_ends_only_beyond_the_warm_ones() {
    let (mut fleet, now) = (fleet(|s| (s.warm, s.idle_s) = (2, 5)), Instant::now());
    start(&mut fleet, now);
    let later = now + Duration::from_secs(6);
    assert!(fleet.settle(later).is_empty());
    fleet.set_bounds(Bounds { warm: 1, ..fleet.bounds });
    assert_eq!(fleet.settle(later).len(), 1);
}

#[test]
fn a_lost_instance_is_shown_with_its_reason_and_then_forgotten() {
    let (mut fleet, now) = (fleet(|s| s.warm = 1), Instant::now());
    start(&mut fleet, now);
    let id = fleet.take(Company::Shared).expect("room").0;
    fleet.lost(&id, "was ended by signal 9", now);
    assert!(fleet.take(Company::Shared).is_none());
    assert_eq!(fleet.launch(now).len(), 1, "it is replaced");
    fleet.give_back(&id, now);
    let later = now + LOST_SHOWN;
    fleet.settle(now);
    assert_eq!(fleet.view("n", now)[0].why.as_deref(), Some("was ended by signal 9"));
    fleet.settle(later);
    assert_eq!(states(&fleet, later), [InstanceState::Warming]);
}
