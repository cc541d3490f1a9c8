//! The end of a work order: the conclusion, the rule that comes of it, and the tasks that waited, all in one
//! write.

use app::{
    api::room::{Answer, allow},
    model::{
        caller::{Caller, Role},
        order::{CloseOrder, NewConclusion},
        problem::{AppError, FieldError},
        rule::{NewRule, RuleState},
    },
};
use futures::FutureExt;
use uuid::Uuid;

use super::{
    Engine,
    errors::{WorkError, store},
    orders::{proven, seen, text, unknown},
    rules::Ground,
};
use crate::store::{
    orders::{self as sql, KeptConclusion},
    rules,
};

/// The same faults, named inside the rule of a larger body.
fn inside_rule(error: AppError) -> AppError {
    match error {
        AppError::BadInput { errors } => AppError::BadInput {
            errors: errors
                .into_iter()
                .map(|error| FieldError::new(format!("/rule{}", error.pointer), error.message))
                .collect(),
        },
        other => other,
    }
}

/// What closing settles by itself must not be asked for otherwise.
fn settled_by_closing(new: &NewRule, order: Uuid) -> Answer<()> {
    let mut errors = Vec::new();
    let mut refuse = |place: &str, why: &str| errors.push(FieldError::new(place, why));
    if new.state.is_some_and(|state| state != RuleState::Active) {
        refuse("/rule/state", "a rule that closes an order is active: leave it out");
    }
    if new.origin_order.is_some_and(|origin| origin != order) {
        refuse("/rule/origin_order", "is the order that is closed: leave it out");
    }
    if new.canary.is_some_and(|share| share < 1.0) {
        refuse("/rule/canary", "a rule that closes an order is for every task: leave it out, or say 1");
    }
    if errors.is_empty() { Ok(()) } else { Err(AppError::BadInput { errors }) }
}

impl Engine {
    pub(super) async fn conclude(&self, caller: &Caller, id: Uuid, close: CloseOrder) -> Answer<()> {
        let now = self.now();
        let order = sql::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        // Who may not write at all is told that before what is wrong with the rule.
        let may = proven(&order, caller.id, close.claim_token, now);
        self.with_current(caller, id, may).await?;
        let found = NewConclusion {
            text: text("/conclusion/text", close.conclusion.text, false)?,
            kind: close.conclusion.kind,
        };
        let rule = match close.rule {
            Some(new) => {
                if new.action.needs_operator() {
                    allow(caller, Role::Operator)?;
                }
                settled_by_closing(&new, id)?;
                let new = NewRule { state: Some(RuleState::Active), origin_order: Some(id), ..new };
                let ground = Ground::of_order(self.store().read(), &order).await?;
                Some(self.rule_row(caller, new, Some(ground)).await.map_err(inside_rule)?)
            }
            None => None,
        };
        let age_step_ms = (self.settings().queue.age_step_s as i64).saturating_mul(1_000);
        let (holder, name) = (caller.id, caller.name.clone());
        let gone = self
            .store()
            .write(move |connection| {
                async move {
                    let row = sql::get(&mut *connection, id).await?.ok_or_else(|| unknown(id))?;
                    proven(&row, holder, close.claim_token, now)?;
                    seen(&row, close.version)?;
                    let kept = KeptConclusion { found, by: name, at: now, tasks: close.tasks };
                    let made = match &rule {
                        Some(rule) => {
                            rules::insert(&mut *connection, rule).await?;
                            Some(rule.id)
                        }
                        None => None,
                    };
                    let gone = sql::let_tasks_go(&mut *connection, id, close.tasks, age_step_ms, now).await?;
                    sql::close(connection, id, &kept, made).await?;
                    Ok::<_, WorkError>(gone)
                }
                .boxed()
            })
            .await;
        let gone = self.with_current(caller, id, gone).await?;
        tracing::info!(order = %id, tasks = gone.len(), "an order was closed");
        self.changes().order(id);
        for (task, domain) in &gone {
            if let Ok(task) = Uuid::parse_str(task) {
                self.changes().task(task);
            }
            if !domain.is_empty() {
                self.changes().gate(domain);
            }
        }
        self.scheduler().wake();
        Ok(())
    }
}
