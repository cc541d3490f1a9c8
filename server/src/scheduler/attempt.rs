//! One attempt from lease to result.

use std::{sync::Arc, time::Duration};

use app::model::{
    Timestamp,
    attempt::Timing,
    evidence::EvidenceKind,
    fault::{Fault, FaultClass},
    message::Message,
    rule::{FinishOutcome, RuleAction},
};
use async_trait::async_trait;
use futures::FutureExt;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    Scheduler, aftermath,
    breakers::{self, Breakers},
    door::SiteDoor,
    running::{Entry, Progress, Stop},
    work::{Ruling, Work},
};
use crate::{
    breaker,
    evidence::Keep,
    pool::{ContextLease, ContextOptions},
    queue::decide::{self, Ended},
    runner::{self, Job, NotRecorded, Report, Stage},
    store::{
        StoreError, TaskRow,
        claim::{self as claims, Lease},
        finish::{self, Held, Over},
        rules, stats,
    },
};

/// Longest rest between two tries to store an end.
const LONGEST_REST: Duration = Duration::from_secs(5);
/// How long the pool may take to know why an instance was lost.
const LOSS_KNOWN: Duration = Duration::from_secs(2);
/// How long a task rests for which no context could be had.
const NO_CONTEXT: Duration = Duration::from_secs(10);

/// What an attempt was: how it ended, and what it leaves.
struct Finished {
    ended: Ended,
    over: Over,
    ruling: Ruling,
}

impl Finished {
    /// One that no rule has a part in.
    fn plain(ended: Ended, over: Over) -> Self {
        Self { ended, over, ruling: Ruling::default() }
    }
}

impl Scheduler {
    /// Enters a claimed task among what runs, before anything else looks for free slots.
    pub(super) fn admit(&self, row: &TaskRow, lease: &Lease) -> Option<Arc<Entry>> {
        let task = row.task_id().ok()?;
        let entry = Arc::new(Entry::new(Progress {
            task,
            name: row.name.clone(),
            domain: Some(row.domain.clone()).filter(|domain| !domain.is_empty()),
            since: Timestamp(row.updated_at),
            step: None,
        }));
        let good_until = Instant::now() + Duration::from_secs(self.rooms().settings.queue.lease_s);
        self.0.leases.hold(Held { task, token: lease.token }, entry.clone(), good_until);
        self.0.running.enter(task, entry.clone());
        if row.cancel != 0 {
            entry.stop(Stop::Cancel);
        }
        Some(entry)
    }

    pub(super) async fn run_attempt(self, row: TaskRow, lease: Lease, entry: Arc<Entry>) {
        let Ok(task) = row.task_id() else { return };
        let held = Held { task, token: lease.token };
        self.tell(&row);
        // A panic of ours ends as a fault of ours, not as a task that runs for ever.
        let work =
            std::panic::AssertUnwindSafe(self.execute(&row, &lease, held, &entry)).catch_unwind().await;
        let finished = work.unwrap_or_else(|_| {
            Finished::plain(failed(internal("the attempt panicked")), Over::lost(lease.attempt))
        });
        self.conclude(held, finished, &entry).await;
        self.0.leases.let_go(held);
        self.0.running.leave(task, &entry);
        self.tell(&row);
        self.wake();
    }

    /// Keeps every job from the DevTools ports of the running instances, whatever is allow-listed.
    pub(crate) fn refuse_devtools(&self) {
        let ports = self.rooms().pool.devtools_addresses().into_iter().map(|address| address.port());
        self.rooms().devtools.set(ports);
    }

    /// Says that a task has changed, with its order, its site's gate and the pool.
    fn tell(&self, row: &TaskRow) {
        if let Some(order) = row.order_id.as_deref().and_then(|id| Uuid::parse_str(id).ok()) {
            self.rooms().changes.order(order);
        }
        if let Ok(id) = row.task_id() {
            self.rooms().changes.task(id);
        }
        if !row.domain.is_empty() {
            self.rooms().changes.gate(&row.domain);
        }
        self.rooms().changes.pool();
    }

    async fn execute(&self, row: &TaskRow, lease: &Lease, held: Held, entry: &Arc<Entry>) -> Finished {
        let mut over = Over::lost(lease.attempt);
        let work = match self.work(row).await {
            Ok(work) => work,
            Err(fault) => return Finished::plain(failed(fault), over),
        };
        if let Some((rule, action)) = &work.ruling.instead {
            return Finished { ended: instead(*rule, action), over, ruling: work.ruling };
        }
        self.note_rules(lease.attempt, &work.ruling.rules).await;
        let steps = work.flow.steps.len() as u32;
        entry.at_step(0, steps);
        let port = match self.rooms().egress.open_port().await {
            Ok(port) => Arc::new(port),
            Err(error) => return Finished::plain(failed(internal(error)), over),
        };
        let started = Instant::now();
        self.refuse_devtools();
        let options = ContextOptions {
            proxy: Some(format!("http://{}", port.addr())),
            exclusive: row.alone != 0,
            ..ContextOptions::default()
        };
        let context = tokio::select! {
            context = self.rooms().pool.open_context(options) => context,
            () = entry.cancel.cancelled() => return Finished::plain(stopped(entry), over),
        };
        let mut context = match context {
            Ok(context) => context,
            Err(error) => {
                // No task is to blame for a Chrome that does not start.
                tracing::error!(%error, task = %row.id, "no browser context could be had");
                let not_before = Some(self.now().plus_ms(NO_CONTEXT.as_millis() as i64));
                return Finished::plain(Ended::Returned { not_before }, over);
            }
        };
        over.timing.context_ms = started.elapsed().as_millis() as u64;
        over.instance = Some(context.instance_id().to_owned());
        let ruling = work.ruling.clone();
        let report = self.drive(row, lease, held, entry, work, &mut context, port).await;
        let shared = was_shared(&report, &context).await;
        context.close().await;
        let (ended, over) = self.finished(report, entry, over, shared).await;
        Finished { ended, over, ruling }
    }

    /// Puts the plan's rules on the attempt before it begins, so that they are known of one that is lost too.
    async fn note_rules(&self, attempt: Uuid, rules: &[Uuid]) {
        if rules.is_empty() {
            return;
        }
        let rules = rules.to_vec();
        let noted = self
            .rooms()
            .store
            .write(move |connection| {
                async move { rules::put_on_attempt(connection, attempt, &rules).await }.boxed()
            })
            .await;
        if let Err(error) = noted {
            tracing::error!(%attempt, %error, "an attempt's rules could not be put on it");
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one attempt, each used once")]
    async fn drive(
        &self,
        row: &TaskRow,
        lease: &Lease,
        held: Held,
        entry: &Arc<Entry>,
        work: Work,
        context: &mut ContextLease,
        port: Arc<crate::egress::Port>,
    ) -> Report {
        let steps = work.flow.steps.len() as u32;
        let settings = &self.rooms().settings;
        let own = Duration::from_secs(row.timeout_s.max(1) as u64);
        let left = row.deadline.map(|deadline| Timestamp(deadline).since(self.now()).max(0) as u64);
        let job = Job {
            flow: work.flow,
            marks: work.marks,
            environment: work.environment,
            timeout: left.map_or(own, |ms| own.min(Duration::from_millis(ms))),
            secrets: work.secrets,
            mask: settings.evidence.mask.clone(),
            baseline: work.baseline,
        };
        let stage = Stage {
            connection: context.connection().clone(),
            context: context.context_id().as_ref().to_owned(),
            targets: context.take_targets(),
        };
        let door = Arc::new(SiteDoor { scheduler: self.clone(), entry: entry.clone(), port });
        let progress = Arc::new(Recorder {
            scheduler: self.clone(),
            entry: entry.clone(),
            held,
            attempt: lease.attempt,
            steps,
        });
        runner::run(job, stage, door, progress, entry.cancel.clone()).await
    }

    /// From what the runner reports to what is put on record; evidence is stored before the result commits.
    async fn finished(
        &self,
        report: Report,
        entry: &Arc<Entry>,
        mut over: Over,
        shared: bool,
    ) -> (Ended, Over) {
        over.timing = Timing { gate_ms: report.gate_ms, run_ms: report.run_ms, ..over.timing };
        over.steps = report.steps;
        over.rescues = report.rescues;
        let mut pieces: Vec<(EvidenceKind, Vec<u8>)> = Vec::new();
        if let Some(captured) = report.evidence {
            pieces.extend(captured.screenshot.map(|png| (EvidenceKind::Screenshot, png)));
            pieces.extend(captured.dom.map(|dom| (EvidenceKind::Dom, dom)));
            if let Ok(trace) = serde_json::to_vec(&captured.trace) {
                pieces.push((EvidenceKind::Trace, trace));
            }
        }
        if !pieces.iter().any(|(kind, _)| *kind == EvidenceKind::Screenshot) {
            // What a screenshot step took last is what the page looked like.
            pieces.extend(
                report.pictures.into_iter().next_back().map(|one| (EvidenceKind::Screenshot, one.png)),
            );
        }
        for (kind, bytes) in pieces {
            let size = bytes.len() as u64;
            match self.rooms().evidence.put(bytes).await {
                Ok(digest) => over.evidence.push((kind, digest.to_string(), size)),
                // The result matters more than its evidence.
                Err(error) => tracing::error!(%error, kind = kind.as_str(), "evidence could not be kept"),
            }
        }
        let ended = match report.outcome {
            runner::Ended::Succeeded { result } => Ended::Succeeded { result: Value::Object(result) },
            runner::Ended::Failed(fault) => Ended::Failed { fault, not_before: report.retry_at, shared },
            runner::Ended::Cancelled => stopped(entry),
            runner::Ended::Returned(held) => Ended::Returned { not_before: held.until },
        };
        (ended, over)
    }

    /// Puts an end on record, trying again until it is stored or the lease is over.
    async fn conclude(&self, held: Held, finished: Finished, entry: &Entry) {
        // Without the lease there is nothing to say: who took it back has said it.
        let mut rest = Duration::from_millis(100);
        loop {
            match self.record(held, &finished).await {
                Ok(Some(row)) => {
                    let outcome = decide::outcome(&finished.ended).as_str();
                    metrics::counter!("signalbox_attempts_total", "outcome" => outcome).increment(1);
                    if row.ended_at.is_some() || row.state != "queued" {
                        self.0.drain_rate.lock().left(self.now());
                        self.0.room_made.notify_waiters();
                    }
                    self.tell(&row);
                    return;
                }
                Ok(None) => {
                    tracing::warn!(task = %held.task, "a result came after its lease was over: it is not stored");
                    return;
                }
                Err(error) if entry.stopped() != Some(Stop::Lease) => {
                    tracing::error!(task = %held.task, %error, "a result could not be stored; trying again");
                    tokio::time::sleep(rest).await;
                    rest = (rest * 2).min(LONGEST_REST);
                }
                Err(error) => {
                    tracing::error!(task = %held.task, %error, "a result could not be stored, and its lease is over");
                    return;
                }
            }
        }
    }

    async fn record(&self, held: Held, finished: &Finished) -> Result<Option<TaskRow>, StoreError> {
        let settings = self.rooms().settings.clone();
        let ended = finished.ended.clone();
        let (mut over, ruling) = (finished.over.clone(), finished.ruling.clone());
        over.outcome = decide::outcome(&ended);
        if let Ended::Failed { fault, .. } = &ended {
            over.fault = Some(fault.clone());
        }
        let random: f64 = rand::random();
        let stored = self
            .rooms()
            .store
            .write(move |connection| {
                async move {
                    let now = crate::clock::now();
                    let Some(spent) = finish::spent(connection, held).await? else { return Ok(None) };
                    let fault = over.fault.clone();
                    // What a rule stands instead of tells nothing of the site.
                    let counts = match ruling.instead {
                        Some(_) => breaker::Counts::default(),
                        None => breaker::counts(&ended),
                    };
                    let next = decide::next(spent, ended, now, &settings.queue, &settings.quarantine, random);
                    let counts = if next.is_uncertain() { breaker::Counts::default() } else { counts };
                    let (next, ended_by) = aftermath::ruled(next, &ruling);
                    let Some(mut row) = finish::finish(connection, held, &over, &next, now).await? else {
                        return Ok(None);
                    };
                    let order =
                        aftermath::settle(connection, &row, &over, &next, &ruling, ended_by, now).await?;
                    row.order_id = order.map(|order| order.to_string());
                    claims::unhold(connection, &row.domain, "domain_concurrency").await?;
                    let mut breakers = Breakers::new(&settings.breaker, now);
                    breakers.over(connection, &row.domain, over.attempt, &counts).await?;
                    stats::count(connection, now, &figures(&row, fault.as_ref())).await?;
                    Ok::<_, StoreError>(Some((row, breakers.changed())))
                }
                .boxed()
            })
            .await?;
        Ok(stored.map(|(row, changed)| {
            breakers::tell(self.rooms(), &changed);
            row
        }))
    }
}

/// Whether others were in an instance that was lost. The pool may know of the loss a little later than the
/// attempt; until it does the context stays open, so that it is counted.
async fn was_shared(report: &Report, context: &ContextLease) -> bool {
    match &report.outcome {
        runner::Ended::Failed(fault) if fault.class == FaultClass::InstanceLost => {
            tokio::time::timeout(LOSS_KNOWN, context.lost()).await.is_ok_and(|lost| lost.contexts > 1)
        }
        _ => false,
    }
}

/// What an end adds to the minute's figures.
fn figures(row: &TaskRow, fault: Option<&Fault>) -> Vec<String> {
    let mut names = vec!["attempts".to_owned()];
    names.extend(fault.map(|fault| format!("fault:{}", fault.class.as_str())));
    match row.state.as_str() {
        "succeeded" | "escalated" => names.extend([row.state.clone(), "ended".to_owned()]),
        "failed" | "quarantined" | "cancelled" => names.push("ended".to_owned()),
        _ => {}
    }
    names
}

fn failed(fault: Fault) -> Ended {
    Ended::Failed { fault, not_before: None, shared: false }
}

/// How an attempt ends that a rule stands instead of.
fn instead(rule: Uuid, action: &RuleAction) -> Ended {
    match action {
        RuleAction::Finish { outcome: FinishOutcome::Succeeded } => {
            Ended::Succeeded { result: Value::Object(serde_json::Map::new()) }
        }
        RuleAction::Finish { outcome: FinishOutcome::Cancelled } => Ended::Cancelled,
        RuleAction::Quarantine => failed(aftermath::by_rule(rule, "rule.quarantined")),
        _ => failed(aftermath::by_rule(rule, "rule.finished")),
    }
}

/// How an attempt ends that was stopped.
fn stopped(entry: &Entry) -> Ended {
    match entry.stopped() {
        Some(Stop::Drain) => Ended::Returned { not_before: None },
        Some(Stop::Lease) => Ended::Lost,
        Some(Stop::Cancel) | None => Ended::Cancelled,
    }
}

/// A fault of ours: logged here with its number.
pub(super) fn internal(error: impl std::fmt::Display) -> Fault {
    let incident = Uuid::now_v7().simple().to_string();
    tracing::error!(%incident, %error, "an attempt failed inside ({incident})");
    Fault::new(FaultClass::Internal, Message::new("internal").with("incident", incident))
}

/// Tells how far the attempt is, and records critical steps before they are done.
struct Recorder {
    scheduler: Scheduler,
    entry: Arc<Entry>,
    held: Held,
    attempt: Uuid,
    steps: u32,
}

#[async_trait]
impl runner::Progress for Recorder {
    fn at_step(&self, index: u32) {
        self.entry.at_step(index, self.steps);
        self.scheduler.rooms().changes.task(self.held.task);
    }

    async fn critical(&self, index: u32) -> Result<(), NotRecorded> {
        let (held, attempt) = (self.held, self.attempt);
        let recorded = self
            .scheduler
            .rooms()
            .store
            .write(move |connection| {
                async move { finish::begin_critical(connection, held, attempt, index).await }.boxed()
            })
            .await;
        match recorded {
            Ok(true) => Ok(()),
            Ok(false) => Err(NotRecorded("the lease is no longer held".to_owned())),
            Err(error) => Err(NotRecorded(error.to_string())),
        }
    }
}
