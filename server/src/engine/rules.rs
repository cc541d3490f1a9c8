//! Rules, for the control room.

use std::{collections::HashMap, sync::Arc};

use app::{
    api::room::{Answer, Rules, allow},
    model::{
        caller::{Caller, Role},
        page::{Page, PageQuery},
        problem::{AppError, FieldError},
        rule::{NewRule, Rule, RuleAction, RuleFilter, RuleMatch, RulePatch, RuleState},
    },
};
use async_trait::async_trait;
use futures::FutureExt;
use serde_json::Value;
use sqlx::SqlitePool;
use uuid::Uuid;

use super::{
    Engine,
    errors::{WorkError, store},
    orders::{text, unknown as unknown_order},
};
use crate::{
    rules::{check, key},
    store::{
        flows,
        orders::{self, OrderRow},
        rules::{self as sql, NewRuleRow, RuleRow},
    },
};

/// What a rule stands on: the recording that its step is in, and what its place is where it does not say.
pub(super) struct Ground {
    recording: Option<Value>,
    place: RuleMatch,
}

impl Ground {
    /// That of an order: the version of its newest failure.
    pub(super) async fn of_order(read: &SqlitePool, order: &OrderRow) -> Answer<Self> {
        let flow = flows::version_of(read, &order.flow, order.flow_version).await.map_err(store)?;
        let recording = flow.map(|flow| flow.recording()).transpose().map_err(store)?;
        let place = RuleMatch {
            domain: Some(order.domain.clone()).filter(|domain| !domain.is_empty()),
            flow: Some(order.flow.clone()),
            step: order.step.map(|step| step as u32),
            class: Some(order.class().map_err(store)?),
        };
        Ok(Self { recording, place })
    }
}

#[async_trait]
impl Rules for Engine {
    async fn rules(&self, caller: &Caller, filter: RuleFilter, page: PageQuery) -> Answer<Page<Rule>> {
        allow(caller, Role::Viewer)?;
        if page.after.as_ref().is_some_and(|after| after.parse::<i64>().is_err()) {
            return Err(AppError::bad_input("after", "is no cursor of this list: take the `next` of a page"));
        }
        let rows = sql::list(self.store().read(), &filter, &page).await.map_err(store)?;
        let mut standing = Standing::default();
        let mut items = Vec::with_capacity(rows.items.len());
        for row in &rows.items {
            items.push(self.shown_rule(row, &mut standing).await?);
        }
        Ok(Page { items, next: rows.next })
    }

    async fn rule(&self, caller: &Caller, id: Uuid) -> Answer<Rule> {
        allow(caller, Role::Viewer)?;
        let row = sql::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        self.shown_rule(&row, &mut Standing::default()).await
    }

    async fn create_rule(&self, caller: &Caller, new: NewRule) -> Answer<Rule> {
        allow(caller, Role::Reviewer)?;
        if new.action.needs_operator() {
            allow(caller, Role::Operator)?;
        }
        let read = self.store().read();
        let ground = match new.origin_order {
            Some(order) => {
                let row = orders::get(read, order).await.map_err(store)?;
                let row = row
                    .ok_or_else(|| AppError::bad_input("/origin_order", unknown_order(order).to_string()))?;
                Some(Ground::of_order(read, &row).await?)
            }
            None => None,
        };
        let row = self.rule_row(caller, new, ground).await?;
        let made = self
            .store()
            .write(move |connection| {
                async move { Ok::<_, WorkError>(sql::insert(connection, &row).await?) }.boxed()
            })
            .await?;
        self.shown_rule(&made, &mut Standing::default()).await
    }

    async fn patch_rule(&self, caller: &Caller, id: Uuid, patch: RulePatch) -> Answer<Rule> {
        allow(caller, Role::Reviewer)?;
        if patch.canary.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(AppError::bad_input("/canary", "must be a share from 0 to 1"));
        }
        let reason = text("/reason", patch.reason.unwrap_or_default(), false)?;
        let row = sql::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        let seen = self.shown_rule(&row, &mut Standing::default()).await?;
        if seen.action.needs_operator() {
            allow(caller, Role::Operator)?;
        }
        let name = caller.name.clone();
        let changed = self
            .store()
            .write(move |connection| {
                async move {
                    let row = sql::get(&mut *connection, id).await?.ok_or_else(|| unknown(id))?;
                    if patch.version.is_some_and(|version| version != row.version) {
                        let current = serde_json::to_value(row.to_rule(seen.stale)?).unwrap_or_default();
                        let detail = "the rule has changed since you saw it".to_owned();
                        return Err(AppError::Stale { detail, current: Box::new(current) }.into());
                    }
                    let was: RuleState = row.to_rule(false)?.state;
                    let state = patch.state.unwrap_or(was);
                    // A candidate that a person makes active was not proven on a task.
                    let unproven =
                        row.unproven != 0 || (was == RuleState::Candidate && state == RuleState::Active);
                    let canary = patch.canary.unwrap_or(row.canary);
                    if state == was && canary == row.canary && reason.is_empty() {
                        return Ok(row);
                    }
                    let what = if state == was { "Changed" } else { said(state) };
                    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
                    let changed = format!("{what} by {name}{reason}");
                    Ok::<_, WorkError>(sql::change(connection, id, state, unproven, canary, &changed).await?)
                }
                .boxed()
            })
            .await?;
        self.shown_rule(&changed, &mut Standing::default()).await
    }
}

fn said(state: RuleState) -> &'static str {
    match state {
        RuleState::Active => "Enabled",
        RuleState::Disabled => "Disabled",
        RuleState::Candidate => "Set back to a candidate",
    }
}

fn unknown(id: Uuid) -> AppError {
    AppError::not_found(format!("rule {id}"))
}

/// The keys that stand in the newest version of each flow, read once for a page.
#[derive(Default)]
struct Standing(HashMap<String, Arc<[String]>>);

impl Engine {
    /// A rule that is ready to be stored: its place canonical, its step's key found, every fault named.
    pub(super) async fn rule_row(
        &self,
        caller: &Caller,
        new: NewRule,
        ground: Option<Ground>,
    ) -> Answer<NewRuleRow> {
        let by = self.settings().gate.site;
        let asked = match (&new.r#match, &ground) {
            (Some(asked), Some(ground)) => completed(asked.clone(), &ground.place),
            (Some(asked), None) => asked.clone(),
            (None, Some(ground)) => of_order(&new.action, &ground.place),
            (None, None) => return Err(AppError::bad_input("/match", "is needed: say at least the domain")),
        };
        if asked.domain.is_none() && ground.is_none() {
            return Err(AppError::bad_input("/match/domain", "is needed"));
        }
        let mut faults = Vec::new();
        let place = check::place(&asked, &new.action, by).unwrap_or_else(|errors| {
            faults.extend(errors);
            asked.clone()
        });
        let recording = match ground {
            Some(ground) if place.flow.is_none() || place.flow == ground.place.flow => ground.recording,
            _ => self.newest_recording(place.flow.as_deref(), &mut faults).await?,
        };
        faults.extend(check::action(&new, recording.as_ref()));
        // A rule that is not placed at a step holds on to the one that it acts at all the same.
        let step_key = match place.step.or(new.action.step()) {
            Some(step) => {
                let key = recording
                    .as_ref()
                    .and_then(|recording| key::step_keys(recording).into_iter().nth(step as usize));
                if key.is_none() && faults.is_empty() {
                    faults.push(match recording {
                        None => FieldError::new("/match/flow", "is needed with a step: it says which flow's"),
                        Some(_) => FieldError::new("/match/step", format!("the flow has no step {step}")),
                    });
                }
                key
            }
            None => None,
        };
        if !faults.is_empty() {
            return Err(AppError::BadInput { errors: faults });
        }
        let state = new.state.unwrap_or_default();
        Ok(NewRuleRow {
            id: Uuid::now_v7(),
            state,
            unproven: state == RuleState::Active,
            place,
            step_key,
            action: new.action,
            canary: new.canary.unwrap_or(1.0),
            origin_order: new.origin_order,
            author: caller.name.clone(),
            now: self.now(),
        })
    }

    /// The recording of a flow's newest listed version, else of its newest.
    async fn newest_recording(
        &self,
        flow: Option<&str>,
        faults: &mut Vec<FieldError>,
    ) -> Answer<Option<Value>> {
        let Some(name) = flow else { return Ok(None) };
        let read = self.store().read();
        let Some((listed, newest)) = flows::newest(read, name).await.map_err(store)? else {
            faults.push(FieldError::new("/match/flow", format!("there is no flow '{name}'")));
            return Ok(None);
        };
        let row = flows::version_of(read, name, listed.unwrap_or(newest)).await.map_err(store)?;
        row.map(|row| row.recording()).transpose().map_err(store)
    }

    async fn shown_rule(&self, row: &RuleRow, standing: &mut Standing) -> Answer<Rule> {
        let stale = match &row.step_key {
            Some(key) if !row.flow.is_empty() => !self.stands(&row.flow, key, standing).await?,
            _ => false,
        };
        row.to_rule(stale).map_err(store)
    }

    /// Whether a step's key stands in the flow's newest version.
    async fn stands(&self, flow: &str, key: &str, standing: &mut Standing) -> Answer<bool> {
        if !standing.0.contains_key(flow) {
            let recording = self.newest_recording(Some(flow), &mut Vec::new()).await?;
            let keys = recording.map(|recording| key::step_keys(&recording)).unwrap_or_default();
            standing.0.insert(flow.to_owned(), keys.into());
        }
        Ok(standing.0.get(flow).is_some_and(|keys| keys.iter().any(|known| known == key)))
    }
}

/// The place of a rule that says none: the order's. What ends tasks answers the order's step and class; what mends
/// a step is for it, whatever goes wrong there; an address is for the whole flow.
fn of_order(action: &RuleAction, order: &RuleMatch) -> RuleMatch {
    match action {
        RuleAction::Finish { .. } | RuleAction::Quarantine => order.clone(),
        other => RuleMatch { step: other.step(), class: None, ..order.clone() },
    }
}

/// A place with what it does not say taken from the order's. A rule for every flow of the site says so by
/// naming a domain and no flow.
fn completed(asked: RuleMatch, order: &RuleMatch) -> RuleMatch {
    if asked == RuleMatch::default() {
        return RuleMatch { step: None, class: None, ..order.clone() };
    }
    RuleMatch { domain: asked.domain.or_else(|| order.domain.clone()), ..asked }
}
