//! What an attempt's end sets going beside its task: a rule that ends the task, the work order, the rules'
//! figures, the baseline. All of it in the write that ends the attempt.

use app::model::{
    Timestamp,
    attempt::Outcome,
    fault::{Fault, FaultClass},
    message::Message,
    rule::{FinishOutcome, RuleAction},
};
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::work::Ruling;
use crate::{
    orders::escalate,
    queue::decide::{Next, SPENT},
    rules::judge::{self, Did, Use},
    store::{StoreError, TaskRow, finish::Over, rules as sql},
};

/// What is decided where a rule ends the task: instead of an attempt, or after its fault.
pub(super) fn ruled(next: Next, ruling: &Ruling) -> (Next, Option<Uuid>) {
    let fault = match &next {
        // What was done or taken back stands.
        Next::Succeeded { .. } | Next::Cancelled if ruling.instead.is_none() => return (next, None),
        Next::Queued { fault, .. } => fault.clone(),
        Next::Escalated { fault } | Next::Quarantined { fault, .. } | Next::Failed { fault } => {
            Some(fault.clone())
        }
        Next::Succeeded { .. } | Next::Cancelled => None,
    };
    let rule = match &ruling.instead {
        Some(rule) => Some(rule.clone()),
        None => fault.as_ref().and_then(|fault| ruling.after(fault)),
    };
    match rule {
        Some((id, action)) => (ended_by(id, &action, fault, next), Some(id)),
        None => (next, None),
    }
}

fn ended_by(id: Uuid, action: &RuleAction, fault: Option<Fault>, next: Next) -> Next {
    let why = |code| fault.clone().unwrap_or_else(|| by_rule(id, code));
    match action {
        RuleAction::Finish { outcome: FinishOutcome::Succeeded } => {
            Next::Succeeded { result: serde_json::Value::Object(serde_json::Map::new()) }
        }
        RuleAction::Finish { outcome: FinishOutcome::Failed } => Next::Failed { fault: why("rule.finished") },
        RuleAction::Finish { outcome: FinishOutcome::Cancelled } => Next::Cancelled,
        RuleAction::Quarantine => Next::Quarantined { fault: why("rule.quarantined"), counters: SPENT },
        RuleAction::ReplaceSelectors { .. }
        | RuleAction::RewriteUrl { .. }
        | RuleAction::InsertStep { .. } => next,
    }
}

/// The fault of a task that a rule ends without an attempt.
pub(super) fn by_rule(id: Uuid, code: &'static str) -> Fault {
    Fault::new(FaultClass::Policy, Message::new(code).with("rule", id))
}

/// What a finished attempt leaves beside its task's state. Returns the order that the task went into.
pub(super) async fn settle(
    connection: &mut SqliteConnection,
    row: &TaskRow,
    over: &Over,
    next: &Next,
    ruling: &Ruling,
    ended_by: Option<Uuid>,
    now: Timestamp,
) -> Result<Option<Uuid>, StoreError> {
    let mut uses = judge::uses(&ruling.steps, &over.steps);
    uses.extend(ended_by.map(|rule| Use { rule, did: Did::Success }));
    sql::count(connection, &uses, now).await?;
    if let Some(rule) = ended_by {
        sql::add_to_attempt(connection, over.attempt, rule).await?;
    }
    if over.outcome == Outcome::Succeeded && !over.evidence.is_empty() && ruling.instead.is_none() {
        let planned = sql::Planned {
            flow: row.flow_name.clone(),
            version: row.flow_version,
            rules: ruling.rules.clone(),
        };
        sql::keep_baseline(connection, &planned, over.attempt, now).await?;
    }
    match next {
        Next::Escalated { fault } => {
            escalate::escalate(connection, row, over.attempt, fault, now).await.map(Some)
        }
        _ => Ok(None),
    }
}
