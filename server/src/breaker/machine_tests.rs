use proptest::prelude::*;

use super::*;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn rules() -> BreakerSettings {
    BreakerSettings { window: 6, window_s: 60, min: 4, probes: 2, ..BreakerSettings::default() }
}

fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

fn bad() -> Verdict {
    Verdict::Bad { why: "it answered 500".to_owned() }
}

/// A breaker that is told of one thing after the other.
struct Told {
    breaker: Breaker,
    now: Timestamp,
    rules: BreakerSettings,
}

impl Told {
    fn new(rules: BreakerSettings) -> Self {
        Self { breaker: Breaker::default(), now: NOW, rules }
    }

    fn tell(&mut self, event: Event) -> Effects {
        let (after, effects) = self.breaker.clone().after(event, self.now, &self.rules);
        self.breaker = after;
        effects
    }

    fn wait(&mut self, s: i64) -> Effects {
        self.now = self.now.plus_ms(s * 1_000);
        self.tell(Event::Tick)
    }

    fn ask(&mut self, n: u128) -> bool {
        self.tell(Event::Asked { attempt: id(n) }).admitted
    }

    fn over(&mut self, n: u128, verdict: Verdict) -> Effects {
        self.over_since(n, self.now, verdict)
    }

    fn over_since(&mut self, n: u128, began: Timestamp, verdict: Verdict) -> Effects {
        self.tell(Event::Over { attempt: id(n), began, verdict })
    }

    fn set(&mut self, to: BreakerSetting) -> Effects {
        self.tell(Event::Set { to, by: "Grace".to_owned(), reason: "I know why".to_owned() })
    }

    fn opened() -> Self {
        let mut told = Self::new(rules());
        for n in 0..4 {
            told.over(n, bad());
        }
        assert_eq!(told.state(), BreakerState::Open);
        told
    }

    fn half_open() -> Self {
        let mut told = Self::opened();
        told.wait(60);
        assert_eq!(told.state(), BreakerState::HalfOpen);
        told
    }

    fn state(&self) -> BreakerState {
        self.breaker.state()
    }

    fn view(&self) -> BreakerView {
        self.breaker.view(None, Timestamp(7), &self.rules)
    }
}

#[test]
fn it_opens_at_the_rate_once_enough_are_counted() {
    let mut told = Told::new(rules());
    told.over(1, bad());
    told.over(2, bad());
    told.over(3, Verdict::Neither);
    told.over(4, Verdict::Good);
    assert_eq!((told.state(), told.view().window.total), (BreakerState::Closed, 3), "one is nobody's fault");
    assert_eq!(told.view().since, Timestamp(7), "it has never changed");
    let turns = told.over(5, Verdict::Good).turns;
    assert_eq!(turns, [Turn { from: BreakerState::Closed, to: BreakerState::Open }], "2 of 4 is half");
    let view = told.view();
    assert_eq!(view.reason.as_deref(), Some("2 of the last 4 attempts failed"));
    assert_eq!((view.since, view.until), (NOW, Some(NOW.plus_ms(60_000))));
    assert!(!told.ask(6), "nobody begins");
}

#[test]
fn what_is_too_old_or_too_much_is_forgotten() {
    let mut told = Told::new(rules());
    for n in 0..3 {
        told.over(n, bad());
    }
    told.wait(61);
    assert_eq!(told.view().window.total, 0);
    for n in 0..9 {
        told.over(n, Verdict::Good);
    }
    assert_eq!(told.view().window.total, 6);
    told.over(20, bad());
    told.over(21, bad());
    assert_eq!(told.view().window.failed, 2, "2 of 6 is not half");
    assert_eq!(told.state(), BreakerState::Closed);
}

#[test]
fn half_open_lets_exactly_its_probes_go_and_closes_when_all_have_succeeded() {
    let mut told = Told::half_open();
    let view = told.view();
    assert_eq!((view.probes, view.until), (0, None), "nobody has asked yet: there is no hurry");
    assert!(told.ask(10) && told.ask(11) && !told.ask(12));
    assert_eq!(told.view().until, Some(told.now.plus_ms(120_000)));
    told.over(10, Verdict::Good);
    assert!(!told.ask(13), "two were enough");
    told.over(11, Verdict::Good);
    let view = told.view();
    assert_eq!((view.state, view.window, view.until), (BreakerState::Closed, Default::default(), None));
    assert_eq!(view.reason.as_deref(), Some("Its probes succeeded"));
}

#[test]
fn a_failed_probe_opens_it_again_for_twice_as_long_up_to_the_cap() {
    let mut told = Told::half_open();
    for (n, s) in [(10, 120), (11, 240), (12, 480), (13, 900), (14, 900)] {
        assert!(told.ask(n));
        told.over(n, bad());
        assert_eq!(told.view().until, Some(told.now.plus_ms(s * 1_000)), "{n}");
        assert_eq!(told.view().reason.as_deref(), Some("A probe failed: it answered 500"));
        told.wait(s - 1);
        assert!(!told.ask(99));
        told.wait(1);
    }
    assert!(told.ask(20) && told.ask(21));
    told.over(20, Verdict::Good);
    told.over(21, Verdict::Good);
    for n in 30..34 {
        told.over(n, bad());
    }
    assert_eq!(told.view().until, Some(told.now.plus_ms(60_000)), "it begins anew");
}

#[test]
fn a_probe_that_says_nothing_gives_its_permit_back() {
    let mut told = Told::half_open();
    assert!(told.ask(10) && told.ask(11) && !told.ask(12));
    told.over(10, Verdict::Neither);
    assert_eq!(told.state(), BreakerState::HalfOpen);
    assert!(told.ask(12) && !told.ask(13));
}

#[test]
fn a_probe_without_an_answer_opens_it_again() {
    let mut told = Told::half_open();
    told.wait(500);
    assert!(told.ask(10), "without a probe it stays half-open");
    told.wait(119);
    assert_eq!(told.state(), BreakerState::HalfOpen);
    told.wait(1);
    let view = told.view();
    assert_eq!(
        (view.state, view.reason.as_deref()),
        (BreakerState::Open, Some("A probe gave no answer within 120 s"))
    );
    told.over(10, Verdict::Good);
    assert_eq!(told.state(), BreakerState::Open, "its answer comes too late");
}

#[test]
fn attempts_from_before_the_opening_change_nothing_after_it() {
    let mut told = Told::half_open();
    told.over_since(5, NOW, bad());
    told.over_since(6, NOW, Verdict::Good);
    assert_eq!(told.state(), BreakerState::HalfOpen);
    assert!(told.ask(10) && told.ask(11));
    told.over(10, Verdict::Good);
    told.over(11, Verdict::Good);
    told.over_since(7, NOW, bad());
    assert_eq!(told.view().window.total, 0, "closed, it counts only who began after that");
    told.over(12, bad());
    assert_eq!(told.view().window.total, 1);
}

#[test]
fn a_person_opens_and_closes_it_at_any_time() {
    let mut told = Told::new(rules());
    told.set(BreakerSetting::Open);
    let view = told.view();
    assert_eq!((view.by.as_deref(), view.reason.as_deref()), (Some("Grace"), Some("I know why")));
    assert_eq!(view.until, Some(NOW.plus_ms(60_000)));
    told.set(BreakerSetting::Closed);
    assert!(told.ask(1));
    for n in 0..4 {
        told.over(n, bad());
    }
    let view = told.view();
    assert_eq!((view.state, view.by), (BreakerState::Open, None), "it still trips by itself");
    told.wait(60);
    told.ask(10);
    told.set(BreakerSetting::Closed);
    told.over(10, bad());
    assert_eq!(told.view().window.total, 1, "the probe is an attempt like others now");
}

#[test]
fn the_fleets_opens_when_enough_sites_are_open_at_once() {
    let mut told = Told::new(rules());
    told.tell(Event::SiteOpened { open: 2 });
    assert_eq!(told.state(), BreakerState::Closed);
    told.tell(Event::SiteOpened { open: 3 });
    assert!(told.breaker.opened_by_sites());
    assert_eq!(
        told.view().reason.as_deref(),
        Some("3 sites failed together: their breakers are open at once")
    );
    told.wait(60);
    told.tell(Event::SiteOpened { open: 9 });
    assert_eq!(told.state(), BreakerState::HalfOpen, "only its own probes decide now");
}

#[test]
fn a_clock_that_was_set_back_does_not_keep_it_open_longer() {
    let mut told = Told::opened();
    told.now = NOW.plus_ms(-86_400_000);
    told.tell(Event::Tick);
    told.wait(60);
    assert_eq!(told.state(), BreakerState::HalfOpen);
}

#[test]
fn fewer_probes_by_a_new_setting_leave_nothing_stuck() {
    let mut told = Told::half_open();
    told.ask(10);
    told.over(10, Verdict::Good);
    told.rules.probes = 1;
    told.tell(Event::Tick);
    assert_eq!(told.state(), BreakerState::Closed);
}

/// What may happen, with the seconds that pass before it.
#[derive(Clone, Debug)]
enum Happens {
    Nothing,
    Asks,
    Ends(usize, u8),
    Site(u32),
    Set(bool),
}

fn happens() -> impl Strategy<Value = (i64, Happens)> {
    let what = prop_oneof![
        1 => Just(Happens::Nothing),
        6 => Just(Happens::Asks),
        8 => (0usize..8, 0u8..3).prop_map(|(which, how)| Happens::Ends(which, how)),
        1 => (0u32..6).prop_map(Happens::Site),
        1 => any::<bool>().prop_map(Happens::Set),
    ];
    (prop_oneof![4 => 0i64..3, 1 => 0i64..200], what)
}

fn some_rules() -> impl Strategy<Value = BreakerSettings> {
    (1u32..8, 1u32..8, 1u64..100, 1u64..40, 1u32..4, 0.1f64..1.0).prop_map(
        |(window, min, window_s, open_s, probes, failure_rate)| BreakerSettings {
            window,
            min: min.min(window),
            window_s,
            failure_rate,
            open_s,
            open_cap_s: open_s * 3,
            probes,
            half_open_s: 30,
            sites: 3,
        },
    )
}

/// Whatever happens in whatever order: probes, window and opening keep to their rules, a person always wins,
/// and a breaker that was stored and read again behaves like one that was not.
fn lives(rules: &BreakerSettings, history: Vec<(i64, Happens)>) -> Result<(), TestCaseError> {
    let mut now = NOW;
    let mut breaker = Breaker::default();
    // The attempts that run: when they began, and whether the current half-open phase let them go.
    let mut running: Vec<(Uuid, Timestamp)> = Vec::new();
    let mut counted: Vec<(Timestamp, bool)> = Vec::new();
    let mut let_go = 0u32;
    let mut next = 0u128;
    for (s, what) in history {
        now = now.plus_ms(s * 1_000);
        let ticked = breaker.clone().after(Event::Tick, now, rules);
        let before = ticked.0.state();
        if ticked.1.turns.iter().any(|turn| turn.to == BreakerState::HalfOpen) {
            let_go = 0;
        }
        let event = match &what {
            Happens::Nothing => Event::Tick,
            Happens::Asks => {
                next += 1;
                Event::Asked { attempt: id(next) }
            }
            Happens::Ends(which, how) => {
                if running.is_empty() {
                    continue;
                }
                let (attempt, began) = running.remove(which % running.len());
                let verdict = match how {
                    0 => Verdict::Good,
                    1 => bad(),
                    _ => Verdict::Neither,
                };
                if before == BreakerState::HalfOpen && verdict == Verdict::Neither {
                    let probes = ticked.0.view(None, now, rules).probes;
                    let left = ticked
                        .0
                        .clone()
                        .after(Event::Over { attempt, began, verdict: Verdict::Neither }, now, rules)
                        .0
                        .view(None, now, rules)
                        .probes;
                    let_go -= probes - left;
                }
                Event::Over { attempt, began, verdict }
            }
            Happens::Site(open) => Event::SiteOpened { open: *open },
            Happens::Set(true) => {
                Event::Set { to: BreakerSetting::Open, by: "a".to_owned(), reason: "r".to_owned() }
            }
            Happens::Set(false) => {
                Event::Set { to: BreakerSetting::Closed, by: "a".to_owned(), reason: "r".to_owned() }
            }
        };
        let stored = serde_json::to_string(&breaker).expect("JSON");
        let again: Breaker = serde_json::from_str(&stored).expect("read back");
        prop_assert_eq!(&again, &breaker);
        let (after, effects) = breaker.after(event.clone(), now, rules);
        prop_assert_eq!(&again.after(event.clone(), now, rules).0, &after);

        match (&what, before) {
            (Happens::Asks, BreakerState::Closed) => prop_assert!(effects.admitted),
            (Happens::Asks, BreakerState::Open) => prop_assert!(!effects.admitted),
            (Happens::Asks, BreakerState::HalfOpen) if effects.admitted => {
                let_go += 1;
                prop_assert!(let_go <= rules.probes, "{} were let go", let_go);
            }
            (Happens::Set(true), _) => prop_assert_eq!(after.state(), BreakerState::Open),
            (Happens::Set(false), _) => {
                prop_assert_eq!(after.state(), BreakerState::Closed);
                prop_assert_eq!(after.view(None, now, rules).window.total, 0);
            }
            _ => {}
        }
        if effects.admitted
            && let Event::Asked { attempt } = event
        {
            running.push((attempt, now));
        }
        let window = after.view(None, now, rules).window;
        prop_assert!(window.total <= rules.window && window.failed <= window.total);
        if let (Event::Over { began, verdict, .. }, BreakerState::Closed) = (&event, before)
            && *verdict != Verdict::Neither
            && *began >= ticked.0.since().unwrap_or_default()
        {
            counted.push((now, *verdict != Verdict::Good));
        }
        let oldest = now.plus_ms(-(rules.window_s as i64) * 1_000);
        let lately = counted.iter().filter(|(at, _)| *at >= oldest).count();
        prop_assert!(window.total as usize <= lately, "{} of {} are too old", window.total, lately);
        let tripped = before == BreakerState::Closed
            && after.state() == BreakerState::Open
            && matches!(what, Happens::Ends(..));
        if tripped {
            let rate = f64::from(window.failed) / f64::from(window.total);
            prop_assert!(window.total >= rules.min && rate >= rules.failure_rate);
        }
        let probes = after.view(None, now, rules).probes;
        prop_assert!(probes <= rules.probes);
        if let Standing::HalfOpen { permits, .. } = after.standing(rules) {
            prop_assert!(permits + probes <= rules.probes);
        }
        if after.state() == BreakerState::Closed && before != BreakerState::Closed {
            prop_assert_eq!(window.total, 0);
        }
        breaker = after;
    }
    Ok(())
}

proptest! {
    #[test]
    fn it_keeps_its_rules_through_any_history(
        rules in some_rules(), history in proptest::collection::vec(happens(), 0..120)
    ) {
        lives(&rules, history)?;
    }
}
