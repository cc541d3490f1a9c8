//! Rules: conclusions made executable.
//!
//! - [`key`]: what a rule holds on to its step by;
//! - [`plan`]: from a flow version and the active rules to what an attempt will do, pure;
//! - [`judge`]: what a rule makes of a fault, and what an attempt tells of its rules, pure;
//! - [`check`]: whether a rule can be, naming every place that is at fault.
//!
//! The active rules are read from the store when an attempt begins. Whatever a rule does is said on the attempt.

pub mod check;
pub mod judge;
pub mod key;
pub mod plan;

use app::model::{
    Timestamp,
    rule::{RuleAction, RuleMatch},
};
use uuid::Uuid;

/// A rule as far as plans know it.
#[derive(Clone, Debug, PartialEq)]
pub struct Active {
    /// Its id.
    pub id: Uuid,
    /// Where it applies.
    pub place: RuleMatch,
    /// The key of its step.
    pub step_key: Option<String>,
    /// What it does.
    pub action: RuleAction,
    /// The share of tasks that it is applied to.
    pub canary: f64,
    /// When it was made: of two that are alike the newer one stands.
    pub created_at: Timestamp,
}

/// The task that a plan is made for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The task: the share of a canary is drawn by it.
    pub task: Uuid,
    /// The flow's name.
    pub flow: &'a str,
    /// The site's key; empty for none.
    pub domain: &'a str,
}

/// How closely a rule is meant for a task; the greater one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    flow_and_step: bool,
    flow: bool,
    host: bool,
    class: bool,
    created_at: Timestamp,
    id: Uuid,
}

impl Active {
    /// Whether the rule is meant for this task at all.
    #[must_use]
    pub fn is_for(&self, subject: Subject<'_>) -> bool {
        self.place.flow.as_deref().is_none_or(|flow| flow == subject.flow)
            && covers(self.place.domain.as_deref(), subject.domain)
            && self.draws(subject.task)
    }

    /// Flow and step before flow before host before `*.host`, then with a class, then the newest.
    #[must_use]
    pub fn rank(&self) -> Rank {
        let flow = self.place.flow.is_some();
        Rank {
            flow_and_step: flow && self.place.step.is_some(),
            flow,
            host: self.place.domain.as_deref().is_none_or(|domain| !domain.starts_with("*.")),
            class: self.place.class.is_some(),
            created_at: self.created_at,
            id: self.id,
        }
    }

    /// Whether the task is of the share that the rule is applied to: for a task always the same answer.
    fn draws(&self, task: Uuid) -> bool {
        // The ends of both ids are random.
        let mixed = (task.as_u128() ^ self.id.as_u128().rotate_left(64)) as u64;
        let drawn = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
        self.canary >= 1.0 || (drawn as f64) < self.canary * (1u64 << 53) as f64
    }
}

/// Whether a rule's site covers a task's.
fn covers(rule: Option<&str>, domain: &str) -> bool {
    match rule {
        None => domain.is_empty(),
        Some(rule) => match rule.strip_prefix("*.") {
            Some(parent) => {
                domain.strip_suffix(parent).is_some_and(|left| left.len() > 1 && left.ends_with('.'))
            }
            None => rule == domain,
        },
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn rule(id: u128, domain: &str, flow: Option<&str>, step: Option<u32>) -> Active {
        Active {
            id: Uuid::from_u128(id),
            place: RuleMatch {
                domain: Some(domain.to_owned()),
                flow: flow.map(str::to_owned),
                step,
                class: None,
            },
            step_key: None,
            action: RuleAction::Quarantine,
            canary: 1.0,
            created_at: Timestamp(id as i64),
        }
    }

    #[test]
    fn a_wildcard_covers_subdomains_and_not_the_domain_itself_or_a_namesake() {
        assert!(covers(Some("*.shop.test"), "a.shop.test"));
        assert!(covers(Some("*.shop.test"), "a.b.shop.test"));
        assert!(!covers(Some("*.shop.test"), "shop.test"));
        assert!(!covers(Some("*.shop.test"), "myshop.test"));
        assert!(!covers(Some("*.shop.test"), ".shop.test"));
        assert!(covers(None, "") && !covers(None, "shop.test") && !covers(Some("shop.test"), ""));
    }

    #[test]
    fn the_more_closely_meant_rule_ranks_higher() {
        let with_class = |mut rule: Active| {
            rule.place.class = Some(app::model::fault::FaultClass::Selector);
            rule
        };
        let ordered = [
            rule(9, "*.shop.test", None, None),
            rule(8, "a.shop.test", None, None),
            rule(10, "a.shop.test", None, None),
            with_class(rule(7, "a.shop.test", None, None)),
            rule(6, "*.shop.test", Some("f"), None),
            rule(5, "a.shop.test", Some("f"), None),
            rule(4, "*.shop.test", Some("f"), Some(1)),
            rule(3, "a.shop.test", Some("f"), Some(1)),
            with_class(rule(2, "a.shop.test", Some("f"), Some(1))),
        ];
        for pair in ordered.windows(2) {
            assert!(pair[0].rank() < pair[1].rank(), "{pair:#?}");
        }
    }

    #[test]
    fn a_canary_takes_its_share_of_the_tasks_and_always_the_same() {
        let canary = Active { canary: 0.25, ..rule(u128::from(u64::MAX) << 7, "a", None, None) };
        let subject =
            |n: u128| Subject { task: Uuid::from_u128(n * 0x9E37_79B9_7F4A_7C15), flow: "f", domain: "a" };
        let taken: Vec<bool> = (0..4_000).map(|n| canary.is_for(subject(n))).collect();
        let share = taken.iter().filter(|taken| **taken).count();
        assert!((800..1_200).contains(&share), "{share}");
        assert_eq!(taken, (0..4_000).map(|n| canary.is_for(subject(n))).collect::<Vec<_>>());
        let none = Active { canary: 0.0, ..canary };
        assert!((0..1_000).all(|n| !none.is_for(subject(n))));
    }
}
