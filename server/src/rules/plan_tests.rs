use app::model::{
    Timestamp,
    rule::{FinishOutcome, RuleMatch},
};
use proptest::prelude::*;

use super::*;
use crate::rules::{key, tests::rule};

const SHOP: Subject<'_> = Subject { task: Uuid::from_u128(1), flow: "buy", domain: "shop.test" };

fn flow() -> Flow {
    parse::flow(&json!({"title": "Buy", "steps": [
        {"type": "navigate", "url": "http://shop.test/a/item?id=1"},
        {"type": "click", "selectors": [["#buy"], ["aria/Buy"]]},
        {"type": "click", "selectors": [["#buy"], ["aria/Buy"]]},
    ]}))
    .expect("a flow")
}

trait Acting {
    fn doing(self, action: RuleAction, key: Option<&str>) -> Active;
}

impl Acting for Active {
    fn doing(self, action: RuleAction, key: Option<&str>) -> Active {
        Active { action, step_key: key.map(str::to_owned), ..self }
    }
}

fn by(selector: &str) -> RuleAction {
    RuleAction::ReplaceSelectors { step: 1, selectors: vec![vec![selector.to_owned()]], keep_recorded: false }
}

fn resolved(rules: &[Active]) -> Plan {
    let flow = flow();
    let keys = key::keys(&flow);
    resolve(flow, &keys, rules, SHOP, &BTreeMap::from([("id".to_owned(), "7".to_owned())]))
}

fn chains(plan: &Plan, at: usize) -> Vec<String> {
    plan.steps[at]
        .step
        .action
        .selectors()
        .unwrap_or_default()
        .iter()
        .map(|chain| chain.join(" >> "))
        .collect()
}

#[test]
fn without_rules_a_plan_is_the_flow() {
    let plan = resolved(&[]);
    assert_eq!(plan.steps.iter().map(|one| one.step.clone()).collect::<Vec<_>>(), flow().steps);
    assert_eq!(plan.steps.iter().map(|one| one.index).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(plan.rules.is_empty() && plan.instead.is_none());
}

#[test]
fn a_rules_chains_stand_instead_of_the_recorded_ones_at_its_step_alone() {
    let keys = key::keys(&flow());
    let plan =
        resolved(&[rule(1, "shop.test", Some("buy"), Some(1)).doing(by("#order-{{id}}"), Some(&keys[1]))]);
    assert_eq!(chains(&plan, 1), ["#order-7"]);
    assert_eq!(chains(&plan, 2), ["#buy", "aria/Buy"], "recorded alike, and another step");
    assert_eq!(
        (plan.steps[1].rule, plan.rules.clone()),
        (Some(Uuid::from_u128(1)), vec![Uuid::from_u128(1)])
    );
}

#[test]
fn the_recorded_chains_come_after_them_where_the_rule_keeps_them() {
    let keys = key::keys(&flow());
    let action = RuleAction::ReplaceSelectors {
        step: 1,
        selectors: vec![vec!["#new".to_owned()]],
        keep_recorded: true,
    };
    let plan = resolved(&[rule(1, "shop.test", None, None).doing(action, Some(&keys[1]))]);
    assert_eq!(chains(&plan, 1), ["#new", "#buy", "aria/Buy"]);
    assert_eq!(plan.steps[1].chains, Some(vec![vec!["#new".to_owned()]]));
}

#[test]
fn of_one_kind_and_step_the_most_closely_meant_rule_stands_alone() {
    let keys = key::keys(&flow());
    let host = rule(9, "shop.test", None, None).doing(by("#host"), Some(&keys[1]));
    let flow_wide = rule(5, "shop.test", Some("buy"), None).doing(by("#flow"), Some(&keys[1]));
    let step = rule(2, "shop.test", Some("buy"), Some(1)).doing(by("#step"), Some(&keys[1]));
    let newer = rule(3, "shop.test", Some("buy"), Some(1)).doing(by("#newer"), Some(&keys[1]));
    let all = [host.clone(), flow_wide.clone(), step.clone(), newer];
    assert_eq!(chains(&resolved(&all), 1), ["#newer"]);
    assert_eq!(chains(&resolved(&all[..3]), 1), ["#step"]);
    assert_eq!(chains(&resolved(&all[..2]), 1), ["#flow"]);
    assert_eq!(
        chains(
            &resolved(&[host, rule(8, "else.test", Some("buy"), Some(1)).doing(by("#x"), Some(&keys[1]))]),
            1
        ),
        ["#host"]
    );
}

#[test]
fn an_address_is_rewritten_up_to_where_a_part_of_it_ends() {
    let moved = |from: &str| {
        let action = RuleAction::RewriteUrl { from: from.to_owned(), to: "http://shop.test/b".to_owned() };
        match &resolved(&[rule(1, "shop.test", None, None).doing(action, None)]).steps[0].step.action {
            Action::Navigate { url } => url.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(moved("http://shop.test/a"), "http://shop.test/b/item?id=1");
    assert_eq!(moved("http://shop.test/a/item"), "http://shop.test/b?id=1");
    assert_eq!(moved("http://shop.test/a/it"), "http://shop.test/a/item?id=1", "not in the middle of a name");
}

#[test]
fn a_step_that_is_put_in_shifts_nobodys_number() {
    let keys = key::keys(&flow());
    let action = RuleAction::InsertStep {
        before: 1,
        step: json!({"type": "click", "selectors": [["#accept-{{id}}"]]}),
    };
    let plan = resolved(&[rule(1, "shop.test", None, None).doing(action, Some(&keys[1]))]);
    assert_eq!(
        plan.steps.iter().map(|one| (one.index, one.rule.is_some())).collect::<Vec<_>>(),
        [(0, false), (1, true), (1, false), (2, false)]
    );
    assert_eq!(chains(&plan, 1), ["#accept-7"]);
}

#[test]
fn a_rule_without_class_and_step_ends_the_task_before_anything_is_done() {
    let finish = RuleAction::Finish { outcome: FinishOutcome::Cancelled };
    let plan = resolved(&[rule(1, "shop.test", Some("buy"), None).doing(finish.clone(), None)]);
    assert_eq!(plan.instead, Some((Uuid::from_u128(1), finish.clone())));
    assert!(plan.steps.is_empty());
    let mut at_a_fault = rule(1, "shop.test", Some("buy"), None).doing(finish, None);
    at_a_fault.place.class = Some(app::model::fault::FaultClass::Selector);
    assert_eq!(resolved(&[at_a_fault]).instead, None);
}

fn any_rule() -> impl Strategy<Value = Active> {
    let place = (
        prop_oneof![Just("shop.test"), Just("*.test"), Just("else.test")],
        proptest::option::of(prop_oneof![Just("buy"), Just("sell")]),
        proptest::option::of(0u32..3),
        any::<bool>(),
    );
    let action = prop_oneof![
        (0u32..3, "[a-z]{1,3}").prop_map(|(step, name)| RuleAction::ReplaceSelectors {
            step,
            selectors: vec![vec![format!("#{name}")]],
            keep_recorded: false,
        }),
        "[a-z]{1,3}".prop_map(|to| RuleAction::RewriteUrl {
            from: "http://shop.test/a".to_owned(),
            to: format!("http://shop.test/{to}"),
        }),
        (0u32..3).prop_map(|before| RuleAction::InsertStep {
            before,
            step: json!({"type": "keyDown", "key": "Enter"}),
        }),
    ];
    (place, action, 0usize..4, 1u128..1_000, 0i64..10).prop_map(
        |((domain, of, step, class), action, key, id, at)| {
            let keys = key::keys(&flow());
            Active {
                id: Uuid::from_u128(id),
                place: RuleMatch {
                    domain: Some(domain.to_owned()),
                    flow: of.map(str::to_owned),
                    step,
                    class: class.then_some(app::model::fault::FaultClass::Selector),
                },
                step_key: keys.get(key).cloned(),
                action,
                canary: 1.0,
                created_at: Timestamp(at),
            }
        },
    )
}

proptest! {
    #[test]
    fn the_order_in_which_rules_are_read_changes_nothing(
        (rules, shuffled) in proptest::collection::vec(any_rule(), 0..12)
            .prop_flat_map(|rules| (Just(rules.clone()), Just(rules).prop_shuffle())),
    ) {
        // Ids are unique in the store.
        let mut ids: Vec<_> = rules.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assume!(ids.len() == rules.len());
        prop_assert_eq!(resolved(&rules), resolved(&shuffled));
    }

    #[test]
    fn every_recorded_step_stands_once_in_order_and_no_rule_acts_where_it_is_not_meant(
        rules in proptest::collection::vec(any_rule(), 0..12),
    ) {
        let plan = resolved(&rules);
        let (flow, keys) = (flow(), key::keys(&flow()));
        let mut last = 0;
        let mut own = 0;
        for one in &plan.steps {
            prop_assert!(one.index >= last);
            last = one.index;
            let recorded = one.step.action.type_name() == flow.steps[one.index as usize].action.type_name();
            own += u32::from(recorded);
            let Some(id) = one.rule else {
                prop_assert_eq!(&one.step, &flow.steps[one.index as usize]);
                continue;
            };
            let meant: Vec<_> = rules.iter().filter(|rule| rule.id == id).collect();
            prop_assert!(meant.iter().any(|rule| rule.is_for(SHOP)));
            let placed = meant.iter().any(|rule| match rule.action {
                RuleAction::RewriteUrl { .. } if rule.step_key.is_none() => one.index == 0,
                _ => rule.step_key.as_ref() == Some(&keys[one.index as usize]),
            });
            prop_assert!(placed);
        }
        prop_assert_eq!(own, 3);
        prop_assert!(plan.steps.len() <= 6, "one step put in before each at most");
    }

    #[test]
    fn what_stands_outranks_every_other_that_could(rules in proptest::collection::vec(any_rule(), 1..12)) {
        let plan = resolved(&rules);
        let keys = key::keys(&flow());
        for (at, key) in keys.iter().enumerate() {
            let best = rules
                .iter()
                .filter(|rule| rule.is_for(SHOP) && rule.step_key.as_ref() == Some(key))
                .filter(|rule| matches!(rule.action, RuleAction::ReplaceSelectors { .. }))
                .max_by_key(|rule| rule.rank());
            let step = plan.steps.iter().rfind(|one| one.index == at as u32).expect("the step");
            if let (Some(best), Some(chains)) = (best, step.step.action.selectors()) {
                let RuleAction::ReplaceSelectors { selectors, .. } = &best.action else { unreachable!() };
                prop_assert_eq!(chains, selectors.as_slice());
            }
        }
    }
}
