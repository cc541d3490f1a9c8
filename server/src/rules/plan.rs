//! From a flow version and the active rules to what an attempt will do.

use std::collections::{BTreeMap, BTreeSet};

use app::model::{
    flow::{Action, Chain, Flow, Step, params, parse},
    rule::RuleAction,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Active, Subject};

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What is done.
    pub step: Step,
    /// The step of the recording, counted from 0; of one that was put in, the step that it stands before.
    pub index: u32,
    /// The rule that the step follows, or that has put it in.
    pub rule: Option<Uuid>,
    /// The chains that the rule gave, where the recorded ones were kept behind them.
    pub chains: Option<Vec<Chain>>,
}

/// What an attempt will do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<Planned>,
    /// The rules in it, each once.
    pub rules: Vec<Uuid>,
    /// A rule that ends the task before anything is done.
    pub instead: Option<(Uuid, RuleAction)>,
}

/// Resolves rules into a flow: of each kind of action and step the one that is most closely meant. `keys` are
/// those of the recorded steps, `values` the task's, for places in what a rule holds.
#[must_use]
pub fn resolve(
    flow: Flow,
    keys: &[String],
    rules: &[Active],
    subject: Subject<'_>,
    values: &BTreeMap<String, String>,
) -> Plan {
    let mut meant: Vec<&Active> = rules.iter().filter(|rule| rule.is_for(subject)).collect();
    meant.sort_by_key(|rule| std::cmp::Reverse(rule.rank()));
    let mut plan = Plan::default();
    let at_once = |rule: &&&Active| {
        rule.action.needs_operator() && rule.place.class.is_none() && rule.place.step.is_none()
    };
    if let Some(rule) = meant.iter().find(at_once) {
        plan.instead = Some((rule.id, rule.action.clone()));
        plan.rules.push(rule.id);
        return plan;
    }
    for (index, step) in flow.steps.into_iter().enumerate() {
        let key = keys.get(index).map(String::as_str);
        let inserted = meant.iter().find_map(|rule| match &rule.action {
            RuleAction::InsertStep { step, .. } if holds(rule, key) => {
                Some((rule.id, inserted(step, values)?))
            }
            _ => None,
        });
        if let Some((id, step)) = inserted {
            plan.steps.push(Planned { step, index: index as u32, rule: Some(id), chains: None });
        }
        let mut planned = Planned { step, index: index as u32, rule: None, chains: None };
        rewrite(&mut planned, &meant, key, values);
        replace(&mut planned, &meant, key, values);
        plan.steps.push(planned);
    }
    let mut seen = BTreeSet::new();
    plan.rules = plan.steps.iter().filter_map(|step| step.rule).filter(|id| seen.insert(*id)).collect();
    plan
}

/// Whether a rule holds on to the step with this key.
fn holds(rule: &Active, key: Option<&str>) -> bool {
    rule.step_key.is_some() && rule.step_key.as_deref() == key
}

/// The step that a rule puts in, its places filled.
fn inserted(step: &Value, values: &BTreeMap<String, String>) -> Option<Step> {
    let one = json!({"title": "one step", "steps": [params::fill(step, values)]});
    // It was read when the rule was made; one that a value has made unreadable is left out.
    parse::flow(&one).ok()?.steps.pop()
}

/// Sends a navigation elsewhere.
fn rewrite(planned: &mut Planned, meant: &[&Active], key: Option<&str>, values: &BTreeMap<String, String>) {
    let Action::Navigate { url } = &mut planned.step.action else { return };
    let found = meant.iter().find_map(|rule| match &rule.action {
        RuleAction::RewriteUrl { from, to } if rule.step_key.is_none() || holds(rule, key) => {
            let rest = after(url, &params::fill_text(from, values))?;
            Some((rule.id, format!("{}{rest}", params::fill_text(to, values))))
        }
        _ => None,
    });
    if let Some((id, there)) = found {
        *url = there;
        planned.rule = Some(id);
    }
}

/// What follows in an address after a beginning that ends where a part of it ends.
fn after(url: &str, from: &str) -> Option<String> {
    let rest = url.strip_prefix(from)?;
    let ends = rest.is_empty()
        || from.ends_with(['/', '?', '#', '&', '='])
        || rest.starts_with(['/', '?', '#', '&']);
    ends.then(|| rest.to_owned())
}

/// Puts a rule's chains instead of the recorded ones, or before them.
fn replace(planned: &mut Planned, meant: &[&Active], key: Option<&str>, values: &BTreeMap<String, String>) {
    let Some(recorded) = selectors_mut(&mut planned.step.action) else { return };
    let found = meant.iter().find_map(|rule| match &rule.action {
        RuleAction::ReplaceSelectors { selectors, keep_recorded, .. } if holds(rule, key) => {
            Some((rule.id, selectors, *keep_recorded))
        }
        _ => None,
    });
    let Some((id, selectors, keep_recorded)) = found else { return };
    let mut chains: Vec<Chain> = selectors
        .iter()
        .map(|chain| chain.iter().map(|part| params::fill_text(part, values)).collect())
        .collect();
    if keep_recorded {
        planned.chains = Some(chains.clone());
        chains.append(recorded);
    }
    *recorded = chains;
    planned.rule = Some(id);
}

fn selectors_mut(action: &mut Action) -> Option<&mut Vec<Chain>> {
    match action {
        Action::Click { selectors, .. }
        | Action::DoubleClick { selectors, .. }
        | Action::Hover { selectors }
        | Action::Change { selectors, .. }
        | Action::Scroll { selectors, .. }
        | Action::WaitForElement { selectors, .. }
        | Action::Extract { selectors, .. }
        | Action::Screenshot { selectors, .. }
        | Action::AssertText { selectors, .. } => Some(selectors),
        _ => None,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
