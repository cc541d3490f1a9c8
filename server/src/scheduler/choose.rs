//! Which site's first task is next, or what holds it.

use app::model::Timestamp;

use crate::{
    breaker::Standing,
    gate::{Binding, Clearance},
    store::claim::{Head, UNTIL_CLEARED},
};

/// What a choice goes by beside the heads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Attempts at once on one site.
    pub concurrency: u32,
    /// Attempts at once in all.
    pub slots: u32,
    /// How long before its gate is clear a task may be given a slot, in milliseconds.
    pub lead_ms: u64,
}

/// What is next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// This site's first task.
    Take(String),
    /// Nobody before this time: the global gate holds.
    NotBefore(Timestamp),
    /// Nobody among these heads.
    Nobody,
}

/// A site that is found to be held, until when, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hold {
    pub domain: String,
    pub until: i64,
    pub why: &'static str,
}

/// Why a site is held whose breaker lets nobody go.
pub(super) const SITE_BREAKER: &str = "site_breaker";

impl Hold {
    /// Held by the site's breaker: until it changes by itself, or until a probe's end clears it.
    pub(super) fn by_breaker(domain: &str, breaker: Standing) -> Self {
        let until = breaker.until().map_or(UNTIL_CLEARED, |at| at.0);
        Self { domain: domain.to_owned(), until, why: SITE_BREAKER }
    }
}

/// Looks through heads in order. Besides the choice, tells which of the sites that it passed over are held,
/// so that they are not looked at again before their time.
pub(super) fn choose(
    heads: &[Head],
    bounds: Bounds,
    now: Timestamp,
    clearance: impl Fn(&str) -> Clearance,
) -> (Choice, Vec<Hold>) {
    let mut holds = Vec::new();
    for (index, head) in heads.iter().enumerate() {
        if head.domain.is_empty() {
            return (Choice::Take(String::new()), holds);
        }
        // Looked at first, because it is the first that a waiting task is to show.
        if head.breaker.holds() {
            holds.push(Hold::by_breaker(&head.domain, head.breaker));
            continue;
        }
        if head.running >= i64::from(bounds.concurrency) {
            holds.push(Hold { domain: head.domain.clone(), until: UNTIL_CLEARED, why: "domain_concurrency" });
            continue;
        }
        // One site may fill the last slot only while nobody else could use it.
        let others_wait = heads.len() > 1 && (index + 1 < heads.len() || index > holds.len());
        if others_wait && bounds.slots > 1 && head.running >= i64::from(bounds.slots - 1) {
            continue;
        }
        let clear = clearance(&head.domain);
        if clear.at.since(now) <= bounds.lead_ms as i64 {
            return (Choice::Take(head.domain.clone()), holds);
        }
        let look_again = clear.at.plus_ms(-(bounds.lead_ms as i64));
        match clear.binds {
            Binding::Global => return (Choice::NotBefore(look_again), holds),
            Binding::Cooldown => {
                holds.push(Hold { domain: head.domain.clone(), until: look_again.0, why: "cooldown" });
            }
            Binding::Domain | Binding::Clear => {
                holds.push(Hold { domain: head.domain.clone(), until: look_again.0, why: "gate_domain" });
            }
        }
    }
    (Choice::Nobody, holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(10_000);
    const BOUNDS: Bounds = Bounds { concurrency: 2, slots: 4, lead_ms: 300 };

    fn head(domain: &str, running: i64) -> Head {
        Head { domain: domain.to_owned(), head_key: 0, running, breaker: Standing::Closed }
    }

    fn clear(_: &str) -> Clearance {
        Clearance { at: NOW, binds: Binding::Clear }
    }

    #[test]
    fn the_first_that_nothing_holds_is_taken() {
        let (choice, holds) = choose(&[head("a", 2), head("b", 0)], BOUNDS, NOW, clear);
        assert_eq!(choice, Choice::Take("b".to_owned()));
        assert_eq!(holds, [Hold { domain: "a".to_owned(), until: UNTIL_CLEARED, why: "domain_concurrency" }]);
    }

    #[test]
    fn a_site_whose_gate_is_shut_is_held_until_shortly_before_it_opens() {
        let later = |domain: &str| match domain {
            "a" => Clearance { at: NOW.plus_ms(1_000), binds: Binding::Domain },
            _ => Clearance { at: NOW.plus_ms(300), binds: Binding::Domain },
        };
        let (choice, holds) = choose(&[head("a", 0), head("b", 0)], BOUNDS, NOW, later);
        assert_eq!(choice, Choice::Take("b".to_owned()), "within the lead");
        assert_eq!(holds, [Hold { domain: "a".to_owned(), until: 10_700, why: "gate_domain" }]);
    }

    #[test]
    fn the_global_gate_holds_everybody() {
        let shut = |_: &str| Clearance { at: NOW.plus_ms(2_000), binds: Binding::Global };
        let (choice, holds) = choose(&[head("a", 0), head("b", 0)], BOUNDS, NOW, shut);
        assert_eq!((choice, holds), (Choice::NotBefore(Timestamp(11_700)), Vec::new()));
    }

    #[test]
    fn a_site_whose_breaker_is_open_is_held_by_it_before_all_else() {
        let until = NOW.plus_ms(5_000);
        let open = Head { breaker: Standing::Open { until }, ..head("a", 2) };
        let spent = Head { breaker: Standing::HalfOpen { permits: 0, until: None }, ..head("b", 0) };
        let probing = Head { breaker: Standing::HalfOpen { permits: 1, until: None }, ..head("c", 0) };
        let shut = |domain: &str| match domain {
            "c" => Clearance { at: NOW, binds: Binding::Clear },
            _ => Clearance { at: NOW.plus_ms(9_000), binds: Binding::Cooldown },
        };
        let (choice, holds) = choose(&[open, spent, probing], BOUNDS, NOW, shut);
        assert_eq!(choice, Choice::Take("c".to_owned()));
        let hold = |domain: &str, until| Hold { domain: domain.to_owned(), until, why: SITE_BREAKER };
        assert_eq!(holds, [hold("a", until.0), hold("b", UNTIL_CLEARED)]);
    }

    #[test]
    fn one_site_leaves_a_slot_to_others_that_wait() {
        let bounds = Bounds { concurrency: 9, slots: 3, lead_ms: 300 };
        assert_eq!(choose(&[head("a", 2), head("b", 0)], bounds, NOW, clear).0, Choice::Take("b".to_owned()));
        assert_eq!(
            choose(&[head("a", 2)], bounds, NOW, clear).0,
            Choice::Take("a".to_owned()),
            "nobody else waits"
        );
    }

    #[test]
    fn a_task_without_a_site_waits_on_no_gate() {
        let shut = |_: &str| Clearance { at: NOW.plus_ms(2_000), binds: Binding::Global };
        assert_eq!(choose(&[head("", 5)], BOUNDS, NOW, shut).0, Choice::Take(String::new()));
    }
}
