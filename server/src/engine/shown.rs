//! Work orders as they are shown.

use app::{
    api::room::Answer,
    model::{
        Timestamp,
        caller::Caller,
        flow::{Action, parse},
        order::{Conclusion, Order, OrderEvidence, OrderGroup, OrderState},
    },
};
use uuid::Uuid;

use super::{Engine, errors::store, orders::unknown};
use crate::{
    orders::{markdown, title},
    store::{
        StoreError, attempts, flows,
        orders::{self as sql, OrderRow},
        rules,
    },
};

/// Failed attempts that an order shows.
const ATTEMPTS: i64 = 5;

/// An order without what is written about it and without its evidence.
pub(super) fn brief(row: &OrderRow, now: Timestamp) -> Result<Order, StoreError> {
    let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let class = row.class()?;
    let step = row.step.map(|step| step as u32);
    let held = row.holding(now)?;
    let state = match (row.closed != 0, &held) {
        (true, _) => OrderState::Closed,
        (false, Some(_)) => OrderState::Claimed,
        (false, None) => OrderState::Open,
    };
    let named = step.zip(row.step_words.as_deref());
    Ok(Order {
        id: row.order_id()?,
        state,
        title: title(class, &row.flow, named, &row.domain).english(),
        group: OrderGroup {
            flow: row.flow.clone(),
            step,
            step_key: some(&row.step_key),
            domain: some(&row.domain),
            class,
        },
        severity: row.severity(),
        due_at: Timestamp(row.due_at),
        occurrences: row.occurrences as u64,
        waiting: row.waiting.max(0) as u64,
        flow_version: row.flow_version as u32,
        step_words: row.step_words.clone(),
        selectors: None,
        url: None,
        fault: row.fault()?,
        evidence: Vec::new(),
        good: None,
        assigned_to: row.assigned_to.clone(),
        claimed_by: held.as_ref().map(|held| held.name.clone()),
        claimed_by_id: held.as_ref().map(|held| held.holder),
        claim_until: held.as_ref().map(|held| held.until),
        claim_token: None,
        annotations: Vec::new(),
        draft: None,
        conclusion: row.conclusion()?.map(|kept| Conclusion {
            kind: kept.found.kind,
            html: markdown::to_html(&kept.found.text),
            text: kept.found.text,
            by: kept.by,
            at: kept.at,
            tasks: kept.tasks,
        }),
        rule: row.rule()?,
        opened_at: Timestamp(row.opened_at),
        last_at: Timestamp(row.last_at),
        closed_at: row.closed_at.map(Timestamp),
        version: row.version,
    })
}

impl Engine {
    /// An order with all its parts; what is the holder's alone only for the holder.
    pub(super) async fn whole_order(&self, id: Uuid, caller: Option<&Caller>) -> Answer<Order> {
        let read = self.store().read();
        let row = sql::get(read, id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        let now = self.now();
        let mut order = brief(&row, now).map_err(store)?;
        let held = row.holding(now).map_err(store)?;
        if let (Some(held), Some(caller)) = (held, caller)
            && held.holder == caller.id
        {
            order.claim_token = Some(held.token);
            order.draft = row.draft().map_err(store)?;
        }
        order.annotations = sql::notes(read, id, markdown::to_html).await.map_err(store)?;
        for (attempt, task, at) in sql::attempts(read, id, ATTEMPTS).await.map_err(store)? {
            let kinds = attempts::kinds(read, attempt).await.map_err(store)?;
            order.evidence.push(OrderEvidence { attempt, task, at, kinds });
        }
        if let Some((attempt, task, at)) = rules::newest_baseline(read, &row.flow).await.map_err(store)? {
            let kinds = attempts::kinds(read, attempt).await.map_err(store)?;
            order.good = Some(OrderEvidence { attempt, task, at, kinds });
        }
        if let Some(step) = order.group.step {
            let flow = flows::version_of(read, &row.flow, row.flow_version).await.map_err(store)?;
            let recording = flow.map(|flow| flow.recording()).transpose().map_err(store)?;
            let flow = recording.and_then(|recording| parse::flow(&recording).ok());
            if let Some(step) = flow.as_ref().and_then(|flow| flow.steps.get(step as usize)) {
                order.selectors = step.action.selectors().map(<[_]>::to_vec);
                order.url = match &step.action {
                    Action::Navigate { url } => Some(url.clone()),
                    _ => None,
                };
            }
        }
        Ok(order)
    }
}
