//! Which outcome of an attempt counts for which breaker: the last column of the design's table of faults.

use app::model::fault::{Fault, FaultClass};

use crate::queue::decide::Ended;

/// What an outcome says of whom a breaker guards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It is well.
    Good,
    /// It failed.
    Bad {
        /// How, for people.
        why: String,
    },
    /// Nothing: a wrong parameter, a 404 or a cancel is nobody's fault.
    #[default]
    Neither,
}

/// What an outcome says of its site and of the fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of its site.
    pub site: Verdict,
    /// Of the fleet.
    pub fleet: Verdict,
}

/// Reads an outcome. Of one after which it is not known whether a critical step took effect, whoever calls this
/// counts nothing: the design's table has `uncertain` for nobody.
#[must_use]
pub fn counts(ended: &Ended) -> Counts {
    match ended {
        Ended::Succeeded { .. } => Counts { site: Verdict::Good, fleet: Verdict::Good },
        Ended::Failed { fault, .. } => {
            let bad = || Verdict::Bad { why: fault.message() };
            match blames(fault) {
                Some(Blamed::Site) => Counts { site: bad(), fleet: Verdict::Neither },
                Some(Blamed::Fleet) => Counts { site: Verdict::Neither, fleet: bad() },
                None => Counts::default(),
            }
        }
        Ended::Lost | Ended::Cancelled | Ended::Returned { .. } => Counts::default(),
    }
}

impl Counts {
    /// What the fleet's breaker is told. Where it opened because sites failed together, one more site that
    /// fails says that they still do. A site whose own breaker is not closed is known to fail and says nothing.
    #[must_use]
    pub fn for_fleet(&self, opened_by_sites: bool, site_was_closed: bool) -> &Verdict {
        match (&self.fleet, &self.site) {
            (Verdict::Neither, bad @ Verdict::Bad { .. }) if opened_by_sites && site_was_closed => bad,
            (own, _) => own,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blamed {
    Site,
    Fleet,
}

fn blames(fault: &Fault) -> Option<Blamed> {
    use FaultClass as C;
    match fault.class {
        C::Navigation | C::Timeout | C::Blocked => Some(Blamed::Site),
        C::HttpStatus => fault.status.is_some_and(|status| status >= 500).then_some(Blamed::Site),
        C::InstanceLost | C::Internal => Some(Blamed::Fleet),
        C::Business
        | C::Selector
        | C::Auth
        | C::Download
        | C::Uncertain
        | C::RendererCrash
        | C::Policy
        | C::Deadline => None,
    }
}

#[cfg(test)]
mod tests {
    use app::model::message::Message;
    use serde_json::Value;

    use super::*;

    fn failed(class: FaultClass, status: Option<u16>) -> Ended {
        let fault = Fault { class, step: None, what: Message::new("internal"), status };
        Ended::Failed { fault, not_before: None, shared: false }
    }

    #[test]
    fn every_class_counts_where_the_table_says() {
        use FaultClass as C;
        let rows = [
            (C::Business, None, None),
            (C::Selector, None, None),
            (C::Auth, Some(401), None),
            (C::Download, None, None),
            (C::Uncertain, None, None),
            (C::Navigation, None, Some(Blamed::Site)),
            (C::Timeout, None, Some(Blamed::Site)),
            (C::HttpStatus, Some(500), Some(Blamed::Site)),
            (C::HttpStatus, Some(503), Some(Blamed::Site)),
            (C::HttpStatus, Some(404), None),
            (C::Blocked, Some(429), Some(Blamed::Site)),
            (C::Blocked, Some(503), Some(Blamed::Site)),
            (C::Blocked, Some(403), Some(Blamed::Site)),
            (C::RendererCrash, None, None),
            (C::InstanceLost, None, Some(Blamed::Fleet)),
            (C::Internal, None, Some(Blamed::Fleet)),
            (C::Policy, None, None),
            (C::Deadline, None, None),
        ];
        for (class, status, blamed) in rows {
            let counts = counts(&failed(class, status));
            let bad = |verdict: &Verdict| matches!(verdict, Verdict::Bad { .. });
            assert_eq!(bad(&counts.site), blamed == Some(Blamed::Site), "{class:?} {status:?}");
            assert_eq!(bad(&counts.fleet), blamed == Some(Blamed::Fleet), "{class:?} {status:?}");
            assert!(counts.site != Verdict::Good && counts.fleet != Verdict::Good);
        }
    }

    #[test]
    fn success_is_good_for_both_and_what_was_broken_off_says_nothing() {
        let good = counts(&Ended::Succeeded { result: Value::Null });
        assert_eq!(good, Counts { site: Verdict::Good, fleet: Verdict::Good });
        for ended in [Ended::Lost, Ended::Cancelled, Ended::Returned { not_before: None }] {
            assert_eq!(counts(&ended), Counts::default());
        }
    }

    #[test]
    fn another_failing_site_counts_for_a_fleet_that_opened_because_of_sites_only() {
        let down = counts(&failed(FaultClass::Navigation, None));
        assert!(matches!(down.for_fleet(true, true), Verdict::Bad { .. }));
        assert_eq!(down.for_fleet(true, false), &Verdict::Neither, "this one is known to be down");
        assert_eq!(down.for_fleet(false, true), &Verdict::Neither);
    }
}
