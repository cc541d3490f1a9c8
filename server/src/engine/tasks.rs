//! Tasks, for the control room.

use std::{collections::HashMap, time::Duration};

use app::{
    api::room::{Answer, Tasks, allow},
    model::{
        Timestamp,
        caller::{Caller, Role},
        evidence::EvidenceKind,
        message::Message,
        page::{Page, PageQuery},
        problem::AppError,
        task::{
            FlowInput, Lane, NewTask, ParameterValue, RetryEdits, Submitted, Task, TaskFilter, TaskState,
            WaitKind, WaitingOn, waiting,
        },
    },
};
use async_trait::async_trait;
use futures::FutureExt;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    Engine,
    errors::{WorkError, internal, store},
    submit::{self, Ready, Source},
};
use crate::{
    breaker::Standing,
    evidence::{Keep, KeepError},
    gate::Binding,
    queue::order,
    store::{TaskRow, attempts, flows, tasks},
};

/// Places in a lane that are told exactly.
const EXACT_PLACES: i64 = 500;
/// What stands for a private value.
const MASK: &str = "•••";

#[async_trait]
impl Tasks for Engine {
    async fn submit(&self, caller: &Caller, new: NewTask) -> Answer<Submitted> {
        allow(caller, Role::Operator)?;
        self.submit_as(new, None).await
    }

    async fn tasks(&self, caller: &Caller, filter: TaskFilter, page: PageQuery) -> Answer<Page<Task>> {
        allow(caller, Role::Viewer)?;
        if page.after.as_ref().is_some_and(|after| after.parse::<i64>().is_err()) {
            return Err(AppError::bad_input("after", "is no cursor of this list: take the `next` of a page"));
        }
        let rows = tasks::list(self.store().read(), &filter, &page).await.map_err(store)?;
        let mut around = Around::default();
        let mut items = Vec::with_capacity(rows.items.len());
        for row in &rows.items {
            items.push(self.shown(row, &mut around).await?);
        }
        Ok(Page { items, next: rows.next })
    }

    async fn task(&self, caller: &Caller, id: Uuid) -> Answer<Task> {
        allow(caller, Role::Viewer)?;
        self.whole_task(id).await
    }

    async fn cancel(&self, caller: &Caller, id: Uuid) -> Answer<Task> {
        allow(caller, Role::Operator)?;
        let now = self.now();
        let row = self
            .store()
            .write(move |connection| {
                async move {
                    let row = tasks::find(connection, id).await?.ok_or_else(|| unknown(id))?;
                    let row = match row.state()? {
                        TaskState::Cancelled => row,
                        TaskState::Running => tasks::ask_cancel(connection, id, now).await?,
                        state if state.is_end() => {
                            return Err(AppError::conflict(format!(
                                "the task has ended: it {}",
                                state.as_str()
                            ))
                            .into());
                        }
                        _ => tasks::cancel_idle(connection, id, now).await?,
                    };
                    Ok::<TaskRow, WorkError>(row)
                }
                .boxed()
            })
            .await?;
        self.scheduler().cancel(id);
        self.changed(&row);
        self.whole_task(id).await
    }

    async fn release(&self, caller: &Caller, id: Uuid) -> Answer<Task> {
        allow(caller, Role::Operator)?;
        self.requeue(id, Lane::Rerun, &[TaskState::Escalated, TaskState::Quarantined], "released").await?;
        self.whole_task(id).await
    }

    async fn retry(&self, caller: &Caller, id: Uuid, edits: RetryEdits) -> Answer<Submitted> {
        allow(caller, Role::Operator)?;
        let row = tasks::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        let state = row.state().map_err(store)?;
        if !state.is_end() {
            return Err(AppError::conflict(format!(
                "only an ended task can be retried; this one is {}",
                state.as_str()
            )));
        }
        if edits.is_empty() && state != TaskState::Succeeded {
            self.requeue(id, Lane::Main, &[TaskState::Failed, TaskState::Cancelled], "retried").await?;
            return Ok(Submitted { task: self.whole_task(id).await?, created: false });
        }
        let new = edited(&row, edits).map_err(store)?;
        self.submit_as(new, Some(id)).await
    }

    async fn evidence(&self, caller: &Caller, attempt: Uuid, kind: EvidenceKind) -> Answer<Vec<u8>> {
        allow(caller, Role::Reviewer)?;
        let missing = || AppError::not_found(format!("{} of attempt {attempt}", kind.as_str()));
        let digest = attempts::evidence(self.store().read(), attempt, kind)
            .await
            .map_err(store)?
            .ok_or_else(missing)?;
        match self.evidence_store().get(digest.parse().map_err(internal)?).await {
            Ok(bytes) => Ok(bytes),
            Err(KeepError::Missing(_)) => Err(missing()),
            Err(error) => Err(internal(error)),
        }
    }
}

fn unknown(id: Uuid) -> AppError {
    AppError::not_found(format!("task {id}"))
}

/// A submission that repeats a task with edits.
fn edited(row: &TaskRow, edits: RetryEdits) -> Result<NewTask, crate::store::StoreError> {
    let mut parameters = row.values()?;
    let flow =
        edits.flow.unwrap_or_else(|| FlowInput::Name(format!("{}@{}", row.flow_name, row.flow_version)));
    for (name, value) in edits.parameters.unwrap_or_default() {
        parameters.insert(name, value.into_text());
    }
    Ok(NewTask {
        parameters: parameters.into_iter().map(|(name, value)| (name, ParameterValue::Text(value))).collect(),
        name: Some(row.name.clone()),
        priority: edits.priority.or(Some(row.priority as u8)),
        domain: None,
        account: row.account.clone(),
        attempts: Some(row.max_attempts as u32),
        timeout_s: Some(row.timeout_s as u64),
        ..NewTask::of(flow)
    })
}

/// What stands around the tasks of a page, read once for it.
#[derive(Default)]
pub(super) struct Around {
    /// The first order keys of each lane.
    fronts: Vec<(String, Vec<i64>)>,
    /// What breakers let go, by scope.
    breakers: HashMap<String, Standing>,
}

impl Engine {
    async fn submit_as(&self, new: NewTask, retry_of: Option<Uuid>) -> Answer<Submitted> {
        let ready = submit::prepare(self.store().read(), self.settings(), new, retry_of, self.now()).await?;
        let until = Instant::now() + Duration::from_secs(ready.wait_s);
        loop {
            // Listened for before the look, so that room made in between is not missed.
            let room = self.scheduler().room_made();
            match self.admit(ready.clone()).await {
                Ok((row, created)) => {
                    if created {
                        self.scheduler().wake();
                        self.changed(&row);
                    }
                    let task = self.whole_task(row.task_id().map_err(store)?).await?;
                    return Ok(Submitted { task, created });
                }
                Err(full @ AppError::Busy { .. }) => {
                    if tokio::time::timeout_at(until, room).await.is_err() {
                        return Err(full);
                    }
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Accepts a task in one transaction: the first one's where its key is known.
    async fn admit(&self, ready: Ready) -> Answer<(TaskRow, bool)> {
        let capacity = self.settings().queue.capacity;
        let retry_after_s = self.scheduler().retry_after_s().await;
        let admitted = self
            .store()
            .write(move |connection| {
                async move {
                    let Ready { source, mut row, .. } = ready;
                    if let Some(key) = &row.key
                        && let Some(first) = tasks::by_key(connection, key).await?
                    {
                        if first.body_hash == row.body_hash {
                            return Ok((first, false));
                        }
                        let id = &first.id;
                        let detail =
                            format!("the key '{key}' is already that of task {id}, whose body differs");
                        return Err(AppError::conflict(detail).into());
                    }
                    let queued = tasks::queued(connection).await?;
                    if queued >= capacity {
                        let detail = format!("the queue is full: {queued} tasks wait, and {capacity} may");
                        return Err(AppError::Busy { detail, retry_after_s }.into());
                    }
                    if let Source::New(version) = &source {
                        row.flow_version = flows::keep(connection, version).await?.version as u32;
                    }
                    Ok::<_, WorkError>((tasks::insert(connection, &row).await?, true))
                }
                .boxed()
            })
            .await?;
        Ok(admitted)
    }

    async fn requeue(
        &self,
        id: Uuid,
        lane: Lane,
        from: &'static [TaskState],
        done: &'static str,
    ) -> Answer<()> {
        let now = self.now();
        let age_step_s = self.settings().queue.age_step_s;
        let row = self
            .store()
            .write(move |connection| {
                async move {
                    let row = tasks::find(connection, id).await?.ok_or_else(|| unknown(id))?;
                    let state = row.state()?;
                    if !from.contains(&state) {
                        let detail = format!("the task is {} and cannot be {done}", state.as_str());
                        return Err(AppError::conflict(detail).into());
                    }
                    let order_key = order::key(now, row.priority as u8, age_step_s);
                    Ok::<_, WorkError>(
                        tasks::requeue_afresh(connection, id, lane.as_str(), order_key, now).await?,
                    )
                }
                .boxed()
            })
            .await?;
        self.scheduler().wake();
        self.changed(&row);
        Ok(())
    }

    /// Tells whoever watches that a task has changed, and its site's gate with it.
    pub(super) fn changed(&self, row: &TaskRow) {
        if let Ok(id) = row.task_id() {
            self.changes().task(id);
        }
        if !row.domain.is_empty() {
            self.changes().gate(&row.domain);
        }
    }

    /// A task with its attempts.
    pub(super) async fn whole_task(&self, id: Uuid) -> Answer<Task> {
        let row = tasks::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        let mut task = self.shown(&row, &mut Around::default()).await?;
        let mut attempts = attempts::of_task(self.store().read(), id).await.map_err(store)?;
        if let (Some(running), Some(last)) = (self.scheduler().progress(id), attempts.last_mut())
            && last.outcome.is_none()
        {
            last.at_step = running.step.map(|(at, _)| at);
        }
        task.attempts = Some(attempts);
        Ok(task)
    }

    /// A task as anybody may see it, with what it waits on.
    pub(super) async fn brief_task(&self, id: Uuid) -> Answer<Task> {
        let row = tasks::get(self.store().read(), id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        self.shown(&row, &mut Around::default()).await
    }

    pub(super) async fn shown(&self, row: &TaskRow, around: &mut Around) -> Answer<Task> {
        let mut task = row.to_task().map_err(store)?;
        for name in self.private_parameters(row).await?.iter() {
            if let Some(value) = task.parameters.get_mut(name) {
                *value = MASK.to_owned();
            }
        }
        if task.state == TaskState::Queued {
            task.waiting_on = Some(self.waiting_on(row, around).await?);
        }
        Ok(task)
    }

    async fn waiting_on(&self, row: &TaskRow, around: &mut Around) -> Answer<WaitingOn> {
        let until = Timestamp(row.run_at);
        if row.ready == 0 {
            let (kind, code) = match row.wait.as_deref() {
                Some("retry") => (WaitKind::Retry, "wait.retry"),
                _ => (WaitKind::Schedule, "wait.schedule"),
            };
            return Ok(waiting(kind, &Message::new(code).with("until", until), Some(until)));
        }
        if let Some(waits) = self.waits_on_breaker(&row.domain, &mut around.breakers).await? {
            return Ok(waits);
        }
        let held = tasks::hold_of(self.store().read(), &row.lane, &row.domain).await.map_err(store)?;
        if let Some((why, clear_at)) = held {
            return self.held_by(row, &why, clear_at).await;
        }
        let global = self.gates().clear_at(None, 0);
        if global.binds == Binding::Global {
            return Ok(waiting(WaitKind::GateGlobal, &Message::new("wait.gate_global"), Some(global.at)));
        }
        let place = around.place(self, &row.lane, row.order_key).await?;
        let place =
            if place > EXACT_PLACES as usize { format!("{EXACT_PLACES}+") } else { place.to_string() };
        Ok(waiting(WaitKind::Turn, &Message::new("wait.turn").with("place", place), None))
    }

    async fn held_by(&self, row: &TaskRow, why: &str, clear_at: i64) -> Answer<WaitingOn> {
        let domain = &row.domain;
        let until = (clear_at != crate::store::claim::UNTIL_CLEARED).then_some(Timestamp(clear_at));
        Ok(match why {
            "domain_concurrency" => {
                let load = crate::store::stats::site(self.store().read(), domain).await.map_err(store)?;
                let detail = Message::new("wait.domain_concurrency")
                    .with("domain", domain)
                    .with("running", load.running);
                waiting(WaitKind::DomainConcurrency, &detail, until)
            }
            "cooldown" => {
                waiting(WaitKind::GateDomain, &Message::new("wait.cooldown").with("domain", domain), until)
            }
            _ => {
                waiting(WaitKind::GateDomain, &Message::new("wait.gate_domain").with("domain", domain), until)
            }
        })
    }
}

impl Around {
    /// The place of an order key in its lane, from 1.
    async fn place(&mut self, engine: &Engine, lane: &str, order_key: i64) -> Answer<usize> {
        let known = self.fronts.iter().position(|(name, _)| name == lane);
        let at = match known {
            Some(at) => at,
            None => {
                let keys = tasks::front(engine.store().read(), lane, EXACT_PLACES).await.map_err(store)?;
                self.fronts.push((lane.to_owned(), keys));
                self.fronts.len() - 1
            }
        };
        let keys = &self.fronts[at].1;
        let before = keys.partition_point(|key| *key < order_key);
        // Past the end of what was read, unless the lane is that short.
        let past = before == keys.len() && keys.len() == EXACT_PLACES as usize;
        Ok(if past { EXACT_PLACES as usize + 1 } else { before + 1 })
    }
}
