//! Work orders and rules in memory: one order, held by the reviewer.

use app::{
    api::room::{Answer, Orders, Rules, allow},
    model::{
        Timestamp,
        caller::{Caller, Role},
        fault::{Fault, FaultClass},
        message::Message,
        order::{
            Annotation, AssignOrder, Claim, ClaimOrder, ClaimProof, CloseOrder, NewAnnotation, Order,
            OrderDraft, OrderFilter, OrderGroup, OrderState, ReopenOrder, Severity, TakeOver,
        },
        page::{Page, PageQuery},
        problem::AppError,
        rule::{NewRule, Rule, RuleFilter, RulePatch, sentence},
        task::Task,
    },
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::fake::{Room, TASK, task};

/// The token of the claim.
pub const TOKEN: Uuid = Uuid::from_u128(9);

fn order() -> Order {
    Order {
        id: TASK,
        state: OrderState::Claimed,
        group: OrderGroup {
            flow: "search".to_owned(),
            step: Some(1),
            step_key: Some("k".to_owned()),
            domain: None,
            class: FaultClass::Selector,
        },
        title: "Step 2 of search".to_owned(),
        severity: Severity::Medium,
        due_at: Timestamp(0),
        occurrences: 1,
        waiting: 1,
        flow_version: 1,
        step_words: None,
        selectors: None,
        url: None,
        fault: Fault::new(FaultClass::Selector, Message::new("selector.disabled")),
        evidence: Vec::new(),
        good: None,
        assigned_to: None,
        claimed_by: Some("reviewer".to_owned()),
        claimed_by_id: None,
        claim_until: Some(Timestamp(0)),
        claim_token: None,
        annotations: Vec::new(),
        draft: None,
        conclusion: None,
        rule: None,
        opened_at: Timestamp(0),
        last_at: Timestamp(0),
        closed_at: None,
        version: 3,
    }
}

fn known(id: Uuid) -> Answer<Order> {
    if id == TASK { Ok(order()) } else { Err(AppError::not_found(format!("order {id}"))) }
}

/// Lets the holder write, and refuses everybody else with what is there.
fn write(caller: &Caller, id: Uuid, token: Option<Uuid>) -> Answer<Order> {
    allow(caller, Role::Reviewer)?;
    let order = known(id)?;
    if token.is_some_and(|token| token != TOKEN) {
        let current = Box::new(serde_json::to_value(&order).expect("an order is plain data"));
        return Err(AppError::Stale { detail: "reviewer holds this order".to_owned(), current });
    }
    Ok(order)
}

const CLAIM: Claim = Claim { claim_token: TOKEN, claim_until: Timestamp(0) };

#[async_trait]
impl Orders for Room {
    async fn orders(&self, caller: &Caller, filter: OrderFilter, _: PageQuery) -> Answer<Page<Order>> {
        allow(caller, Role::Viewer)?;
        *self.ordered.lock() = Some(filter);
        Ok(Page { items: vec![order()], next: None })
    }

    async fn order(&self, caller: &Caller, id: Uuid) -> Answer<Order> {
        allow(caller, Role::Viewer)?;
        known(id)
    }

    async fn order_tasks(&self, caller: &Caller, id: Uuid, _: PageQuery) -> Answer<Page<Task>> {
        allow(caller, Role::Viewer)?;
        known(id)?;
        Ok(Page { items: vec![task(TASK)], next: None })
    }

    async fn claim_order(&self, caller: &Caller, id: Uuid, _: ClaimOrder) -> Answer<Claim> {
        let token = if caller.name == "reviewer" { TOKEN } else { Uuid::nil() };
        write(caller, id, Some(token)).map(|_| CLAIM)
    }

    async fn heartbeat_order(&self, caller: &Caller, id: Uuid, proof: ClaimProof) -> Answer<Claim> {
        write(caller, id, Some(proof.claim_token)).map(|_| CLAIM)
    }

    async fn release_order(&self, caller: &Caller, id: Uuid, proof: ClaimProof) -> Answer<Order> {
        write(caller, id, Some(proof.claim_token))
    }

    async fn annotate_order(&self, caller: &Caller, id: Uuid, new: NewAnnotation) -> Answer<Annotation> {
        write(caller, id, new.claim_token)?;
        let author = caller.name.clone();
        Ok(Annotation { id: TOKEN, at: Timestamp(0), author, html: new.text.clone(), text: new.text })
    }

    async fn draft_order(&self, caller: &Caller, id: Uuid, draft: OrderDraft) -> Answer<Order> {
        write(caller, id, Some(draft.claim_token))
    }

    async fn close_order(&self, caller: &Caller, id: Uuid, close: CloseOrder) -> Answer<Order> {
        let order = write(caller, id, Some(close.claim_token))?;
        *self.closed.lock() = Some(close);
        Ok(Order { state: OrderState::Closed, ..order })
    }

    async fn reopen_order(&self, caller: &Caller, id: Uuid, _: ReopenOrder) -> Answer<Order> {
        write(caller, id, None)
    }

    async fn assign_order(&self, caller: &Caller, id: Uuid, assign: AssignOrder) -> Answer<Order> {
        Ok(Order { assigned_to: assign.to, ..write(caller, id, None)? })
    }

    async fn take_over_order(&self, caller: &Caller, id: Uuid, _: TakeOver) -> Answer<Claim> {
        allow(caller, Role::Operator)?;
        known(id).map(|_| CLAIM)
    }
}

fn rule(new: NewRule) -> Rule {
    let place = new.r#match.unwrap_or_default();
    Rule {
        id: TASK,
        version: 1,
        state: new.state.unwrap_or_default(),
        unproven: false,
        stale: false,
        words: sentence(&place, &new.action),
        r#match: place,
        step_key: None,
        action: new.action,
        canary: 1.0,
        origin_order: None,
        author: "reviewer".to_owned(),
        changed: None,
        hits: 0,
        successes: 0,
        failures: 0,
        last_used_at: None,
        created_at: Timestamp(0),
    }
}

fn there() -> Rule {
    let new = serde_json::json!({"match": {"domain": "shop.test"}, "action": {"kind": "quarantine"}});
    rule(serde_json::from_value(new).expect("a rule"))
}

#[async_trait]
impl Rules for Room {
    async fn rules(&self, caller: &Caller, _: RuleFilter, _: PageQuery) -> Answer<Page<Rule>> {
        allow(caller, Role::Viewer)?;
        Ok(Page { items: vec![there()], next: None })
    }

    async fn rule(&self, caller: &Caller, id: Uuid) -> Answer<Rule> {
        allow(caller, Role::Viewer)?;
        if id == TASK { Ok(there()) } else { Err(AppError::not_found(format!("rule {id}"))) }
    }

    async fn create_rule(&self, caller: &Caller, new: NewRule) -> Answer<Rule> {
        allow(caller, Role::Reviewer)?;
        Ok(rule(new))
    }

    async fn patch_rule(&self, caller: &Caller, id: Uuid, patch: RulePatch) -> Answer<Rule> {
        allow(caller, Role::Reviewer)?;
        let rule = self.rule(caller, id).await?;
        Ok(Rule { state: patch.state.unwrap_or(rule.state), ..rule })
    }
}
