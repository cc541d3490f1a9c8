//! Whether a rule can be, naming every place that is at fault.

use app::model::{
    flow::{Action, Flow, params, parse},
    problem::FieldError,
    rule::{NewRule, RuleAction, RuleMatch},
};
use serde_json::{Value, json};

use crate::{config::SiteBy, gate::canonical_domain};

/// Most chains in one rule: each is looked for at every look of its step.
const MOST_CHAINS: usize = 20;
/// Longest part of a chain, or address, in characters.
const LONGEST: usize = 2_000;

/// Puts a rule's place in its canonical form.
///
/// # Errors
/// Every fault with its place, as pointers into the rule.
pub fn place(place: &RuleMatch, action: &RuleAction, by: SiteBy) -> Result<RuleMatch, Vec<FieldError>> {
    let mut faults = Vec::new();
    let domain = place.domain.as_deref().map(|text| domain(text, by));
    let domain = match domain.transpose() {
        Ok(domain) => domain,
        Err(why) => {
            faults.push(FieldError::new("/match/domain", why));
            None
        }
    };
    if let (Some(step), Some(acts)) = (place.step, action.step())
        && step != acts
    {
        faults.push(FieldError::new(
            "/match/step",
            format!("the rule is placed at step {step} and acts at step {acts}: they must be the same"),
        ));
    }
    if faults.is_empty() { Ok(RuleMatch { domain, ..place.clone() }) } else { Err(faults) }
}

fn domain(text: &str, by: SiteBy) -> Result<String, String> {
    match text.trim().strip_prefix("*.") {
        Some(parent) => canonical_domain(parent, by).map(|parent| format!("*.{parent}")),
        None => canonical_domain(text, by),
    }
}

/// The faults of what a rule does. `recording` is the one that its step is in, its places not filled, where
/// there is one.
#[must_use]
pub fn action(new: &NewRule, recording: Option<&Value>) -> Vec<FieldError> {
    let mut faults = Vec::new();
    let flow = recording.and_then(|recording| parse::flow(recording).ok());
    match &new.action {
        RuleAction::ReplaceSelectors { step, selectors, .. } => {
            chains(selectors, &mut faults);
            known_step(*step, "/action/step", flow.as_ref(), true, &mut faults);
        }
        RuleAction::RewriteUrl { from, to } => {
            for (place, text) in [("/action/from", from), ("/action/to", to)] {
                if !is_address(text) {
                    faults.push(FieldError::new(
                        place,
                        "must be an address that begins with http:// or https://",
                    ));
                } else if text.chars().count() > LONGEST {
                    faults.push(FieldError::new(place, format!("must be at most {LONGEST} characters")));
                }
            }
            if let (Some(step), Some(flow)) = (new.r#match.as_ref().and_then(|place| place.step), &flow)
                && flow
                    .steps
                    .get(step as usize)
                    .is_some_and(|found| !matches!(found.action, Action::Navigate { .. }))
            {
                faults.push(FieldError::new("/match/step", "this step goes to no address"));
            }
            if from == to {
                faults.push(FieldError::new("/action/to", "is the same address: nothing would change"));
            }
        }
        RuleAction::InsertStep { before, step } => {
            let one = json!({"title": "one step", "steps": [step]});
            if let Err(errors) = parse::flow(&one) {
                faults.extend(errors.into_iter().map(|error| {
                    let rest = error.pointer.strip_prefix("/steps/0").unwrap_or_default();
                    FieldError::new(format!("/action/step{rest}"), error.message)
                }));
            }
            known_step(*before, "/action/before", flow.as_ref(), false, &mut faults);
        }
        RuleAction::Finish { .. } | RuleAction::Quarantine => {}
    }
    places(new, recording, &mut faults);
    if new.canary.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        faults.push(FieldError::new("/canary", "must be a share from 0 to 1"));
    }
    faults
}

fn chains(selectors: &[Vec<String>], faults: &mut Vec<FieldError>) {
    if selectors.len() > MOST_CHAINS {
        faults.push(FieldError::new("/action/selectors", format!("at most {MOST_CHAINS} chains are tried")));
    }
    // The recording's own reader says what a selector may be.
    let click = json!({"title": "one step", "steps": [{"type": "click", "selectors": selectors}]});
    for error in parse::flow(&click).err().unwrap_or_default() {
        if let Some(rest) = error.pointer.strip_prefix("/steps/0") {
            faults.push(FieldError::new(format!("/action{rest}"), error.message));
        }
    }
    for (index, chain) in selectors.iter().enumerate() {
        if chain.iter().any(|part| part.chars().count() > LONGEST) {
            let place = format!("/action/selectors/{index}");
            faults.push(FieldError::new(place, format!("must be at most {LONGEST} characters")));
        }
    }
}

fn known_step(step: u32, place: &str, flow: Option<&Flow>, selects: bool, faults: &mut Vec<FieldError>) {
    let Some(flow) = flow else { return };
    match flow.steps.get(step as usize) {
        None => {
            let many = flow.steps.len();
            faults.push(FieldError::new(place, format!("the flow has {many} steps, counted from 0")));
        }
        Some(found) if selects && found.action.selectors().is_none_or(<[_]>::is_empty) => {
            let kind = found.action.type_name();
            faults.push(FieldError::new(place, format!("this step ({kind}) looks for no element")));
        }
        Some(_) => {}
    }
}

/// A place that the flow does not have would never be filled.
fn places(new: &NewRule, recording: Option<&Value>, faults: &mut Vec<FieldError>) {
    let Some(recording) = recording else { return };
    let known = params::names(recording);
    let Ok(action) = serde_json::to_value(&new.action) else { return };
    for name in params::names(&action) {
        if !known.contains(&name) {
            faults.push(FieldError::new("/action", format!("the flow has no parameter {name}")));
        }
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://") || text.starts_with("{{")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(step: u32, selectors: Value) -> NewRule {
        let action = json!({"kind": "replace_selectors", "step": step, "selectors": selectors});
        serde_json::from_value(json!({"action": action})).expect("a rule")
    }

    fn at(new: &NewRule, recording: Option<&Value>) -> Vec<String> {
        let faults = action(new, recording);
        faults.into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn every_place_that_is_at_fault_is_named() {
        let flow = json!({"title": "t", "steps": [
            {"type": "navigate", "url": "http://shop.test/{{id}}"}, {"type": "click", "selectors": [["#a"]]},
        ]});
        assert!(at(&replace(1, json!([["#b-{{id}}"], ["my-app", "#c"]])), Some(&flow)).is_empty());
        assert_eq!(at(&replace(1, json!([])), Some(&flow)), ["/action/selectors"]);
        assert_eq!(at(&replace(1, json!([["#a"], ["aria/"]])), None), ["/action/selectors/1"]);
        assert_eq!(
            at(&replace(0, json!([["#a"]])), Some(&flow)),
            ["/action/step"],
            "a navigation has no element"
        );
        assert_eq!(at(&replace(2, json!([["#a"]])), Some(&flow)), ["/action/step"]);
        assert_eq!(at(&replace(1, json!([["#{{no}}"]])), Some(&flow)), ["/action"]);
        let canary = NewRule { canary: Some(1.5), ..replace(1, json!([["#a"]])) };
        assert_eq!(at(&canary, None), ["/canary"]);
        let insert = json!({"action": {"kind": "insert_step", "before": 0, "step": {"type": "click"}}});
        let insert: NewRule = serde_json::from_value(insert).expect("a rule");
        assert_eq!(at(&insert, Some(&flow)), ["/action/step/selectors"]);
        let moved = json!({"action": {"kind": "rewrite_url", "from": "/a", "to": "http://shop.test/b"}});
        let moved: NewRule = serde_json::from_value(moved).expect("a rule");
        assert_eq!(at(&moved, None), ["/action/from"]);
    }

    #[test]
    fn a_place_is_canonical_and_its_step_is_no_other_than_the_actions() {
        let new = replace(1, json!([["#a"]]));
        let asked = RuleMatch { domain: Some("*.Shop.Test.".to_owned()), ..RuleMatch::default() };
        let found = place(&asked, &new.action, SiteBy::Host).expect("a place");
        assert_eq!(
            (found.domain.as_deref(), found.step),
            (Some("*.shop.test"), None),
            "a step that is not said stays so"
        );
        let other = RuleMatch { step: Some(2), domain: Some("a b".to_owned()), ..RuleMatch::default() };
        let faults = place(&other, &new.action, SiteBy::Host).expect_err("faults");
        assert_eq!(
            faults.iter().map(|f| f.pointer.as_str()).collect::<Vec<_>>(),
            ["/match/domain", "/match/step"]
        );
    }
}
