//! From the form as it was typed to what it asks for, and a shelf that keeps it between the two steps of
//! closing and where something was refused, so that nothing typed is lost.

use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

use super::{
    chains,
    form::{CloseForm, Previewed},
    spot,
};
use crate::{
    model::{
        order::{CloseOrder, ConclusionKind, NewConclusion, Order, TasksThen},
        problem::{AppError, FieldError},
        rule::{NewRule, RuleAction, RuleMatch, sentence},
    },
    ui::{clock::server_now, note::Shelf},
};

impl CloseForm {
    /// What was found, where the form says.
    #[must_use]
    pub fn found(&self) -> Option<ConclusionKind> {
        self.kind.trim().parse().ok()
    }

    /// What becomes of the tasks that wait; by default they are released.
    #[must_use]
    pub fn then(&self) -> TasksThen {
        self.tasks.trim().parse().unwrap_or_default()
    }

    /// Whether the rule is for every flow of the order's site.
    #[must_use]
    pub fn whole_site(&self, order: &Order) -> bool {
        self.scope == "site" && order.group.domain.is_some()
    }

    /// The rule that it asks for; none where its conclusion makes none.
    ///
    /// # Errors
    /// Every field that cannot be.
    pub fn rule(&self, order: &Order) -> Result<Option<NewRule>, Vec<FieldError>> {
        let action = match self.found() {
            Some(ConclusionKind::SelectorChanged) => self.replacement(order)?,
            Some(ConclusionKind::EntryMoved) => self.rewriting()?,
            _ => return Ok(None),
        };
        let place = RuleMatch {
            domain: order.group.domain.clone(),
            flow: (!self.whole_site(order)).then(|| order.group.flow.clone()),
            step: action.step(),
            class: None,
        };
        Ok(Some(NewRule { r#match: Some(place), action, canary: None, state: None, origin_order: None }))
    }

    fn replacement(&self, order: &Order) -> Result<RuleAction, Vec<FieldError>> {
        let Some(step) = order.group.step else {
            let why =
                "cannot be replaced: this order's failures belong to no step. Choose another conclusion";
            return Err(vec![FieldError::new(spot::SELECTORS, why)]);
        };
        let selectors = chains::read(&self.selectors, spot::SELECTORS)?;
        Ok(RuleAction::ReplaceSelectors { step, selectors, keep_recorded: !self.keep_recorded.is_empty() })
    }

    fn rewriting(&self) -> Result<RuleAction, Vec<FieldError>> {
        let (from, to) = (self.from.trim(), self.to.trim());
        let mut errors: Vec<FieldError> = [("from", from), ("to", to)]
            .into_iter()
            .filter(|(_, address)| !is_address(address))
            .map(|(name, _)| {
                let why = "must be an address that starts with http:// or https://";
                FieldError::new(format!("/rule/action/{name}"), why)
            })
            .collect();
        if errors.is_empty() && from == to {
            errors.push(FieldError::new("/rule/action/to", "is the address that stands there already"));
        }
        if errors.is_empty() {
            Ok(RuleAction::RewriteUrl { from: from.to_owned(), to: to.to_owned() })
        } else {
            Err(errors)
        }
    }

    /// The end of the order that it asks for.
    ///
    /// # Errors
    /// Every field that cannot be.
    pub fn close(&self, order: &Order) -> Result<CloseOrder, Vec<FieldError>> {
        let mut errors = Vec::new();
        let kind = self.found().unwrap_or_else(|| {
            errors.push(FieldError::new("/conclusion/kind", "is missing: say what was found"));
            ConclusionKind::Other
        });
        let rule = self.rule(order).unwrap_or_else(|found| {
            errors.extend(found);
            None
        });
        let claim_token = self.claim_token.trim().parse().unwrap_or_else(|_| {
            errors.push(FieldError::new("/claim_token", "claim the order first"));
            Uuid::nil()
        });
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(CloseOrder {
            claim_token,
            // The claim keeps others from writing; further failures that join meanwhile are closed with the rest.
            version: None,
            conclusion: NewConclusion { kind, text: self.text.trim().to_owned() },
            rule,
            tasks: self.then(),
        })
    }

    /// Whether something was typed that a rule could be made of.
    fn begun(&self) -> bool {
        match self.found() {
            Some(ConclusionKind::SelectorChanged) => !self.selectors.trim().is_empty(),
            Some(ConclusionKind::EntryMoved) => !self.to.trim().is_empty(),
            _ => false,
        }
    }

    /// The rule that it would make, in words, or why there is none yet.
    #[must_use]
    pub fn preview(&self, order: &Order) -> Previewed {
        if !self.begun() {
            return Previewed::default();
        }
        match self.rule(order) {
            Ok(rule) => Previewed { words: rule.as_ref().map(in_words), faults: Vec::new() },
            Err(errors) => Previewed {
                words: None,
                faults: errors.iter().map(|error| spot::said(error, &self.selectors)).collect(),
            },
        }
    }
}

/// A rule in a sentence.
#[must_use]
pub fn in_words(rule: &NewRule) -> String {
    sentence(&rule.r#match.clone().unwrap_or_default(), &rule.action)
}

fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty()) && !text.chars().any(char::is_whitespace)
}

/// What somebody typed on an order's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// The close form.
    Close(Box<CloseForm>),
    /// An annotation.
    Annotation(String),
}

/// What is kept of an order's page, with why it was refused; without, it only waits to be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The order.
    pub order: Uuid,
    /// What was typed.
    pub typed: Typed,
    /// Why it was refused.
    pub why: Option<AppError>,
}

static KEPT: Mutex<Shelf<Kept>> = Mutex::new(Shelf::new());

/// Keeps what was typed for the page that shows it again.
#[must_use]
pub fn keep(owner: Uuid, kept: Kept) -> Uuid {
    let id = Uuid::now_v7();
    let bytes = 1_000
        + match &kept.typed {
            Typed::Close(form) => form.text.len() + form.selectors.len() + form.from.len() + form.to.len(),
            Typed::Annotation(text) => text.len(),
        };
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).put(id, owner, server_now(), bytes, kept);
    id
}

/// What an address says was kept of an order's page, for the one who typed it.
#[must_use]
pub fn kept(id: &str, owner: Uuid, order: Uuid) -> Option<Kept> {
    let id = id.parse().ok()?;
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).get(id, owner, server_now())?;
    (kept.order == order).then_some(kept)
}

/// Tests, and the order that those of the neighbours use too.
#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::model::{
        Timestamp,
        fault::{Fault, FaultClass},
        message::Message,
        order::{OrderGroup, OrderState, Severity},
    };

    /// An order about the third step of a flow.
    pub fn order() -> Order {
        Order {
            id: Uuid::from_u128(1),
            state: OrderState::Claimed,
            group: OrderGroup {
                flow: "search".to_owned(),
                step: Some(2),
                step_key: Some("k".to_owned()),
                domain: Some("shop.test".to_owned()),
                class: FaultClass::Selector,
            },
            title: "search: step 3 finds no element".to_owned(),
            severity: Severity::High,
            due_at: Timestamp(9_000),
            occurrences: 3,
            waiting: 2,
            flow_version: 1,
            step_words: Some("Click “Buy”".to_owned()),
            selectors: Some(vec![vec!["#buy".to_owned()]]),
            url: None,
            fault: Fault::new(FaultClass::Selector, Message::new("selector.none")).at(2),
            evidence: Vec::new(),
            good: None,
            assigned_to: None,
            claimed_by: Some("Ada".to_owned()),
            claimed_by_id: Some(Uuid::from_u128(7)),
            claim_until: Some(Timestamp(5_000)),
            claim_token: Some(Uuid::from_u128(8)),
            annotations: Vec::new(),
            draft: None,
            conclusion: None,
            rule: None,
            opened_at: Timestamp(1_000),
            last_at: Timestamp(2_000),
            closed_at: None,
            version: 4,
        }
    }

    fn form(kind: &str) -> CloseForm {
        CloseForm {
            claim_token: Uuid::from_u128(8).to_string(),
            kind: kind.to_owned(),
            ..CloseForm::default()
        }
    }

    fn places(errors: Vec<FieldError>) -> Vec<String> {
        errors.into_iter().map(|error| error.pointer).collect()
    }

    #[test]
    fn a_changed_selector_becomes_a_rule_for_this_flow_unless_it_is_said_otherwise() {
        let typed =
            CloseForm { selectors: "#order\nmy-shop >> button".to_owned(), ..form("selector_changed") };
        let close = typed.close(&order()).expect("an end");
        assert_eq!((close.version, close.tasks), (None, TasksThen::Release));
        let rule = close.rule.expect("a rule");
        assert_eq!(
            in_words(&rule),
            "On shop.test, in the flow search: find the element of step 3 by “#order”, then by “my-shop >> button” instead of the recorded selectors."
        );
        let wide = CloseForm { scope: "site".to_owned(), keep_recorded: "on".to_owned(), ..typed.clone() };
        let place = wide.rule(&order()).expect("a rule").and_then(|rule| rule.r#match).expect("a place");
        assert_eq!((place.flow, place.domain.as_deref()), (None, Some("shop.test")));
        // Without a site there is no wider place.
        let mut nowhere = order();
        nowhere.group.domain = None;
        let place = wide.rule(&nowhere).expect("a rule").and_then(|rule| rule.r#match).expect("a place");
        assert_eq!(place.flow.as_deref(), Some("search"));
    }

    #[test]
    fn a_moved_entry_becomes_a_rewritten_address() {
        let typed = CloseForm {
            from: " http://shop.test/old ".to_owned(),
            to: "http://shop.test/new".to_owned(),
            ..form("entry_moved")
        };
        let rule = typed.rule(&order()).expect("a rule").expect("a rule");
        assert_eq!(rule.action.kind(), "rewrite_url");
        let bad = CloseForm { from: "shop.test".to_owned(), to: String::new(), ..typed.clone() };
        assert_eq!(places(bad.rule(&order()).expect_err("faults")), ["/rule/action/from", "/rule/action/to"]);
        let same = CloseForm { to: typed.from.clone(), ..typed };
        assert_eq!(places(same.rule(&order()).expect_err("a fault")), ["/rule/action/to"]);
    }

    #[test]
    fn other_conclusions_make_no_rule_whatever_else_was_typed() {
        for kind in ConclusionKind::ALL.map(ConclusionKind::as_str).into_iter().skip(2) {
            let typed = CloseForm { selectors: "#order".to_owned(), tasks: "fail".to_owned(), ..form(kind) };
            let close = typed.close(&order()).expect("an end");
            assert_eq!((close.rule, close.tasks), (None, TasksThen::Fail));
        }
    }

    #[test]
    fn every_field_that_is_missing_is_named_at_once() {
        let typed = CloseForm::default();
        assert_eq!(places(typed.close(&order()).expect_err("faults")), ["/conclusion/kind", "/claim_token"]);
        let typed = CloseForm { selectors: "#a\nb >> ".to_owned(), ..form("selector_changed") };
        assert_eq!(places(typed.close(&order()).expect_err("a fault")), ["/rule/action/selectors/1"]);
        let mut stepless = order();
        stepless.group.step = None;
        assert_eq!(places(typed.close(&stepless).expect_err("a fault")), ["/rule/action/selectors"]);
    }

    #[test]
    fn a_preview_says_the_rule_or_the_line_at_fault_and_nothing_before_anything_is_typed() {
        assert_eq!(form("selector_changed").preview(&order()), Previewed::default());
        assert_eq!(form("transient").preview(&order()), Previewed::default());
        let typed = CloseForm { selectors: "\n#a >>".to_owned(), ..form("selector_changed") };
        assert_eq!(typed.preview(&order()).faults, ["Line 2 has nothing before or after one of its >>"]);
        let typed = CloseForm { selectors: "#a".to_owned(), ..form("selector_changed") };
        assert!(typed.preview(&order()).words.is_some_and(|words| words.contains("“#a”")));
    }

    #[test]
    fn what_is_kept_comes_back_to_its_owner_on_its_order_only() {
        let (me, other, order) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
        let thing = Kept { order, typed: Typed::Close(Box::new(form("other"))), why: None };
        let id = keep(me, thing.clone()).to_string();
        assert_eq!(kept(&id, me, order), Some(thing));
        assert_eq!(kept(&id, other, order), None);
        assert_eq!(kept(&id, me, other), None);
        assert_eq!(kept("junk", me, order), None);
    }
}
