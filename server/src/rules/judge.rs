//! What a rule makes of a fault, and what an attempt tells of the rules in its plan.

use app::model::{attempt::StepRecord, fault::Fault};
use uuid::Uuid;

use super::{Active, Subject, plan::Planned};

/// How a rule did in one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// The attempt came to it, and something else than the rule served.
    Hit,
    /// What it did served.
    Success,
    /// The attempt failed there.
    Failure,
}

/// A rule's part in one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The rule.
    pub rule: Uuid,
    /// How it did.
    pub did: Did,
}

/// The rule that ends a task after this fault, where one does. `key` is that of the step at which it happened.
#[must_use]
pub fn after<'a>(
    rules: &'a [Active],
    subject: Subject<'_>,
    fault: &Fault,
    key: Option<&str>,
) -> Option<&'a Active> {
    let answers = |rule: &&Active| {
        let placed = match (&rule.step_key, rule.place.step) {
            (Some(wanted), _) => key == Some(wanted),
            (None, Some(step)) => fault.step == Some(step),
            (None, None) => rule.place.class.is_some(),
        };
        rule.action.needs_operator() && placed && rule.place.class.is_none_or(|class| class == fault.class)
    };
    rules.iter().filter(|rule| rule.is_for(subject)).filter(answers).max_by_key(|rule| rule.rank())
}

/// How each rule of a plan did, by what each step came to. A rule whose steps were not come to is left out; one
/// that failed anywhere has failed.
#[must_use]
pub fn uses(plan: &[Planned], records: &[StepRecord]) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    // The records are those of the plan's first steps, in order.
    for (planned, record) in plan.iter().zip(records) {
        let Some(rule) = planned.rule else { continue };
        let served = match (&planned.chains, &record.selector_used) {
            (Some(given), Some(used)) => given.iter().any(|chain| chain.join(" >> ") == *used),
            _ => true,
        };
        let did = match (&record.error, served) {
            (Some(_), _) => Did::Failure,
            (None, true) => Did::Success,
            (None, false) => Did::Hit,
        };
        match uses.iter_mut().find(|known| known.rule == rule) {
            Some(known) => known.did = known.did.and(did),
            None => uses.push(Use { rule, did }),
        }
    }
    uses
}

impl Did {
    /// Of two steps of one rule.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Failure, _) | (_, Self::Failure) => Self::Failure,
            (Self::Success, _) | (_, Self::Success) => Self::Success,
            (Self::Hit, Self::Hit) => Self::Hit,
        }
    }
}

#[cfg(test)]
mod tests {
    use app::model::{
        fault::FaultClass,
        flow::{Action, Step},
        message::Message,
    };

    use super::*;
    use crate::rules::tests::rule;

    const SHOP: Subject<'_> = Subject { task: Uuid::from_u128(1), flow: "buy", domain: "shop.test" };

    fn planned(rule: Option<u128>, chains: Option<&str>) -> Planned {
        Planned {
            step: Step {
                action: Action::Close,
                timeout_ms: None,
                target: None,
                frame: Vec::new(),
                asserted_events: Vec::new(),
                critical: None,
            },
            index: 0,
            rule: rule.map(Uuid::from_u128),
            chains: chains.map(|chain| vec![vec![chain.to_owned()]]),
        }
    }

    fn record(used: Option<&str>, error: Option<&str>) -> StepRecord {
        StepRecord {
            index: 0,
            r#type: "click".to_owned(),
            selector_used: used.map(str::to_owned),
            tries: 1,
            rescue: None,
            rule: None,
            ms: 1,
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn a_rule_is_judged_by_the_steps_it_came_to() {
        let plan = [
            planned(None, None),
            planned(Some(1), None),
            planned(Some(2), Some("#new")),
            planned(Some(3), None),
        ];
        let ran = [record(None, None), record(Some("#a"), None), record(Some("#old"), Some("covered"))];
        assert_eq!(
            uses(&plan, &ran),
            [
                Use { rule: Uuid::from_u128(1), did: Did::Success },
                Use { rule: Uuid::from_u128(2), did: Did::Failure },
            ]
        );
        let kept = [record(None, None), record(Some("#a"), None), record(Some("#old"), None)];
        assert_eq!(uses(&plan, &kept)[1].did, Did::Hit, "the recorded chain served");
    }

    #[test]
    fn a_rule_that_serves_two_steps_has_failed_where_one_failed() {
        let plan = [planned(Some(1), None), planned(Some(1), None)];
        assert_eq!(uses(&plan, &[record(None, None), record(None, Some("x"))])[0].did, Did::Failure);
        assert_eq!(uses(&plan, &[record(None, None), record(None, None)])[0].did, Did::Success);
    }

    #[test]
    fn a_rule_that_ends_tasks_answers_its_class_at_its_step_only() {
        let fault = Fault::new(FaultClass::Auth, Message::new("auth.status")).at(2);
        let mut ends = rule(1, "shop.test", Some("buy"), None);
        assert!(
            after(std::slice::from_ref(&ends), SHOP, &fault, None).is_none(),
            "it acts before the attempt"
        );
        ends.place.class = Some(FaultClass::Auth);
        assert!(after(std::slice::from_ref(&ends), SHOP, &fault, None).is_some());
        ends.place.step = Some(3);
        assert!(after(std::slice::from_ref(&ends), SHOP, &fault, None).is_none());
        ends.step_key = Some("k".to_owned());
        assert!(
            after(std::slice::from_ref(&ends), SHOP, &fault, Some("k")).is_some(),
            "its step stands elsewhere"
        );
        ends.place.class = Some(FaultClass::Selector);
        assert!(after(std::slice::from_ref(&ends), SHOP, &fault, Some("k")).is_none());
    }
}
