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
    orders::{proven, stale, text, unknown},
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

impl Engine {
    pub(super) async fn conclude(&self, caller: &Caller, id: Uuid, close: CloseOrder) -> Answer<()> {
        let now = self.now();
        let order = sql::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        // Who may not write at all is told that before what is wrong with the rule.
        proven(&order, caller.id, close.claim_token, now)?;
        let found = NewConclusion {
            text: text("/conclusion/text", close.conclusion.text, false)?,
            kind: close.conclusion.kind,
        };
        let rule = match close.rule {
            Some(new) => {
                if new.action.needs_operator() {
                    allow(caller, Role::Operator)?;
                }
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
                    if close.version.is_some_and(|seen| seen != row.version) {
                        return Err(
                            stale("the order has changed since you saw it".to_owned(), &row, now)?.into()
                        );
                    }
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
            .await?;
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
