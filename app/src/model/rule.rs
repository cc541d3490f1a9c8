//! A rule: a conclusion made executable. What it matches and what it does never change once it is made; a
//! better one is a new rule, so that the rules of an attempt tell what its plan was.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Timestamp,
    fault::FaultClass,
    flow::{Chain, words::cut},
};

/// Whether a rule is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleState {
    /// Waits for a person's yes.
    #[default]
    Candidate,
    /// Resolved into plans.
    Active,
    /// Applied nowhere.
    Disabled,
}

impl RuleState {
    /// Every state.
    pub const ALL: [RuleState; 3] = [Self::Candidate, Self::Active, Self::Disabled];

    /// The state as the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Active => "active",
            Self::Disabled => "disabled",
        }
    }
}

impl std::str::FromStr for RuleState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no state of a rule: candidate, active or disabled"))
    }
}

/// Where a rule applies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RuleMatch {
    /// The site's canonical key, with the port where it is not the scheme's own; `*.` before it for its
    /// subdomains. Absent only in a rule that an order of a task without a site has made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The flow's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// The step, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// The class of fault that it answers. `finish` and `quarantine` wait for such a fault; for what is
    /// resolved into the plan it only ranks the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<FaultClass>,
}

/// How a rule ends a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FinishOutcome {
    /// As done, without a result.
    Succeeded,
    /// As failed.
    Failed,
    /// As taken back.
    Cancelled,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RuleAction {
    /// These chains stand instead of the recorded ones.
    ReplaceSelectors {
        /// The step, counted from 0.
        step: u32,
        /// The chains, tried in order.
        selectors: Vec<Chain>,
        /// Whether the recorded chains are tried after them.
        #[serde(default)]
        keep_recorded: bool,
    },
    /// Navigation to an address that begins so goes elsewhere; what follows in the address stays.
    RewriteUrl {
        /// The beginning of the address, up to a `/`, `?`, `#` or its end.
        from: String,
        /// What stands there instead.
        to: String,
    },
    /// Another step is done before one of the recording; no step's number changes.
    InsertStep {
        /// Before this one, counted from 0.
        before: u32,
        /// The step, as in a recording.
        #[cfg_attr(feature = "ssr", schema(value_type = Object))]
        step: Value,
    },
    /// The task ends so. Operators only.
    Finish {
        /// How.
        outcome: FinishOutcome,
    },
    /// The task is set aside. Operators only.
    Quarantine,
}

impl RuleAction {
    /// The step that it is about, counted from 0.
    #[must_use]
    pub fn step(&self) -> Option<u32> {
        match self {
            Self::ReplaceSelectors { step, .. } => Some(*step),
            Self::InsertStep { before, .. } => Some(*before),
            Self::RewriteUrl { .. } | Self::Finish { .. } | Self::Quarantine => None,
        }
    }

    /// The kind as the API writes it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ReplaceSelectors { .. } => "replace_selectors",
            Self::RewriteUrl { .. } => "rewrite_url",
            Self::InsertStep { .. } => "insert_step",
            Self::Finish { .. } => "finish",
            Self::Quarantine => "quarantine",
        }
    }

    /// Whether it takes an operator to make one.
    #[must_use]
    pub fn needs_operator(&self) -> bool {
        matches!(self, Self::Finish { .. } | Self::Quarantine)
    }
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Rule {
    /// UUIDv7.
    pub id: Uuid,
    /// Goes up by one with every change of its state; counting its uses is none.
    pub version: i64,
    /// Whether it is applied.
    pub state: RuleState,
    /// True where it became active without a proof.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unproven: bool,
    /// True where its step stands no longer in the flow's newest version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Where it applies.
    pub r#match: RuleMatch,
    /// The key by which it holds on to its step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_key: Option<String>,
    /// What it does.
    pub action: RuleAction,
    /// The share of tasks that it is applied to, from 0 to 1; always the same tasks.
    pub canary: f64,
    /// The order whose conclusion it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_order: Option<Uuid>,
    /// Who made it.
    pub author: String,
    /// Who last changed its state, and why, where somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
    /// Attempts that came to what it is about with the rule in their plan.
    pub hits: u64,
    /// Of these, the ones in which what it did served.
    pub successes: u64,
    /// Of these, the ones that failed there.
    pub failures: u64,
    /// The last of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// The rule in a sentence.
    pub words: String,
}

/// A rule to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// Where it applies. With an order, what is absent is the order's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#match: Option<RuleMatch>,
    /// What it does.
    pub action: RuleAction,
    /// The share of tasks, from 0 to 1; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<f64>,
    /// `candidate` by default; one that closes an order is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<RuleState>,
    /// The order that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_order: Option<Uuid>,
}

/// What may change of a rule; what is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RulePatch {
    /// Enable or disable it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<RuleState>,
    /// Another share of tasks, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<f64>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The version that was seen: another one is a conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// Which rules of the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleFilter {
    /// In this state.
    pub state: Option<RuleState>,
    /// For this flow.
    pub flow: Option<String>,
    /// For this site, as the rule writes it.
    pub domain: Option<String>,
    /// Of this order.
    pub order: Option<Uuid>,
}

/// A rule in a sentence: where it applies, then what it does. Steps are counted from 1.
#[must_use]
pub fn sentence(place: &RuleMatch, action: &RuleAction) -> String {
    let mut out = String::from("On ");
    match place.domain.as_deref() {
        None => out.push_str("flows without a site"),
        Some(domain) => match domain.strip_prefix("*.") {
            Some(parent) => out.push_str(&format!("every subdomain of {parent}")),
            None => out.push_str(domain),
        },
    }
    if let Some(flow) = &place.flow {
        out.push_str(&format!(", in the flow {flow}"));
    }
    let answers = |out: &mut String, lead: &str| {
        if let Some(step) = place.step.filter(|_| action.step().is_none()) {
            out.push_str(&format!(", at step {}", step + 1));
        }
        if let Some(class) = place.class {
            out.push_str(&format!(", {lead} {}", class.as_str()));
        }
    };
    match action {
        RuleAction::ReplaceSelectors { step, selectors, keep_recorded } => {
            answers(&mut out, "against a fault of class");
            let chains: Vec<String> =
                selectors.iter().map(|chain| format!("“{}”", cut(&chain.join(" >> "), 120))).collect();
            let then = if *keep_recorded { ", then by the recorded selectors" } else { "" };
            out.push_str(&format!(
                ": find the element of step {} by {}{then}{}.",
                step + 1,
                chains.join(", then by "),
                if *keep_recorded { "" } else { " instead of the recorded selectors" },
            ));
        }
        RuleAction::RewriteUrl { from, to } => {
            answers(&mut out, "against a fault of class");
            out.push_str(&format!(": go to {} instead of {}.", cut(to, 200), cut(from, 200)));
        }
        RuleAction::InsertStep { before, step } => {
            answers(&mut out, "against a fault of class");
            let what = step.get("type").and_then(Value::as_str).unwrap_or("step");
            out.push_str(&format!(": do one more step ({what}) before step {}.", before + 1));
        }
        RuleAction::Finish { outcome } => {
            answers(&mut out, "after a fault of class");
            let how = match outcome {
                FinishOutcome::Succeeded => "as succeeded",
                FinishOutcome::Failed => "as failed",
                FinishOutcome::Cancelled => "as cancelled",
            };
            out.push_str(&format!(": end the task {how}."));
        }
        RuleAction::Quarantine => {
            answers(&mut out, "after a fault of class");
            out.push_str(": set the task aside in quarantine.");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_said_in_a_sentence_with_steps_counted_from_one() {
        let place = RuleMatch {
            domain: Some("shop.test".to_owned()),
            flow: Some("checkout".to_owned()),
            step: Some(3),
            class: Some(FaultClass::Selector),
        };
        let action = RuleAction::ReplaceSelectors {
            step: 3,
            selectors: vec![vec!["#buy".to_owned()], vec!["my-shop".to_owned(), "button".to_owned()]],
            keep_recorded: false,
        };
        assert_eq!(
            sentence(&place, &action),
            "On shop.test, in the flow checkout, against a fault of class selector: find the element of step 4 by \
             “#buy”, then by “my-shop >> button” instead of the recorded selectors."
        );
        let all = RuleMatch { domain: Some("*.shop.test".to_owned()), ..RuleMatch::default() };
        assert_eq!(
            sentence(&all, &RuleAction::Quarantine),
            "On every subdomain of shop.test: set the task aside in quarantine."
        );
    }

    #[test]
    fn an_actions_kind_is_inside_and_unknown_fields_are_refused() {
        let json = serde_json::json!({"kind": "replace_selectors", "step": 1, "selectors": [["#buy"]]});
        let action: RuleAction = serde_json::from_value(json).expect("an action");
        assert_eq!((action.kind(), action.step()), ("replace_selectors", Some(1)));
        let odd = serde_json::json!({"kind": "rewrite_url", "from": "a", "to": "b", "too": 1});
        assert!(serde_json::from_value::<RuleAction>(odd).is_err());
        for kind in ["finish", "quarantine", "rewrite_url"] {
            assert!(
                serde_json::from_value::<RuleAction>(serde_json::json!({"kind": kind})).is_ok()
                    == (kind == "quarantine")
            );
        }
    }
}
