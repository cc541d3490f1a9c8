//! One attempt from its first page to its report.

use std::sync::Arc;
use std::time::Duration;

use app::model::evidence::Trace;
use app::model::fault::{Fault, FaultClass};
use app::model::flow::{Action, Flow, Step, words};
use app::model::message::Message;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::classify;
use super::clock::Clock;
use super::frame::CallError;
use super::job::{Door, Ended, Held, Job, Mark, Outside, Progress, Report, Stage};
use super::ledger::{Entry, Ledger};
use super::stop::Stop;
use super::world::World;
use super::world::state::{Page, State, Trouble};
use crate::cdp::{CdpError, Connection};
use crate::evidence::Redactor;
use crate::evidence::capture::{self, Captured, Subject};

/// An attempt while it runs.
pub(super) struct Attempt {
    world: Arc<World>,
    flow: Flow,
    marks: Vec<Mark>,
    ledger: Arc<Mutex<Ledger>>,
    current: Mutex<Current>,
    secrets: Vec<String>,
}

/// The step that runs.
#[derive(Clone, Debug, Default)]
struct Current {
    index: usize,
    began: Duration,
    deadline: Duration,
    /// As they were when the step began.
    marks: Marks,
    /// How many documents had answered when the step before began.
    answered_before: u64,
}

/// What was so when a step began, to tell what came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// The page that the step acts in, and how often it had navigated.
    pub page: Option<(String, u64)>,
    /// How many pages had been opened.
    pub pages: usize,
    /// How many documents had answered.
    pub answered: u64,
}

/// Runs one attempt. It ends within the job's time, gate waits not counted, and a few seconds for evidence;
/// whatever it opened is closed, or goes with the context.
///
/// When `cancel` is triggered nothing more is sent to the page.
pub async fn run(
    job: Job,
    stage: Stage,
    door: Arc<dyn Door>,
    progress: Arc<dyn Progress>,
    cancel: CancellationToken,
) -> Report {
    let clock = Clock::start();
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let redactor = Arc::new(Redactor::new(&job.secrets, &job.mask));
    let outside = Outside { door, progress };
    let connection = stage.connection.clone();
    let opening = World::open(stage, job.environment.clone(), clock.clone(), outside);
    let opened = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        opened = opening => Some(opened),
    };
    let (world, follower) = match opened {
        Some(Ok(opened)) => opened,
        Some(Err(error)) => return report(unopened(&error), &ledger, &clock, &redactor, None, None),
        None => return report(Ended::Cancelled, &ledger, &clock, &redactor, None, None),
    };
    let attempt = Attempt {
        world: world.clone(),
        flow: job.flow.clone(),
        marks: job.marks.clone(),
        ledger: ledger.clone(),
        current: Mutex::default(),
        secrets: job.secrets.clone(),
    };
    let timeout = clock.now() + job.timeout;
    let outcome = tokio::select! {
        biased;
        () = cancel.cancelled() => Ended::Cancelled,
        held = world.whenever(|state| state.held.clone()) => Ended::Returned(held),
        end = broken(&world, &connection) => Ended::Failed(attempt.at_step(end)),
        () = clock.until(timeout) => Ended::Failed(attempt.at_step(overtime(job.timeout))),
        outcome = attempt.steps() => outcome,
    };
    let retry_at = world.look(|state| state.retry_at);
    let evidence = match &outcome {
        Ended::Failed(fault) => {
            Some(evidence(&world, &ledger, &redactor, &job.secrets, looks_alive(fault)).await)
        }
        Ended::Succeeded { .. } if job.baseline => {
            Some(evidence(&world, &ledger, &redactor, &job.secrets, true).await)
        }
        _ => None,
    };
    world.close().await;
    drop(follower);
    report(outcome, &ledger, &clock, &redactor, retry_at, evidence)
}

/// Resolves when nothing more can come: a page's renderer crashed, or the instance is gone.
async fn broken(world: &World, connection: &Connection) -> Fault {
    let crashed = world.whenever(|state| state.pages.iter().any(|page| page.crashed()).then_some(()));
    tokio::select! {
        error = connection.closed() => classify::chrome(&error),
        () = crashed => classify::chrome(&CdpError::Crashed),
    }
}

fn unopened(error: &CdpError) -> Ended {
    Ended::Failed(match error {
        // The page was not there yet: it is the instance that does not do what it should.
        CdpError::Detached | CdpError::TimedOut { .. } => {
            Fault::new(FaultClass::InstanceLost, Message::new("instance.lost").with("why", error))
        }
        other => classify::chrome(other),
    })
}

fn overtime(limit: Duration) -> Fault {
    Fault::new(FaultClass::Timeout, Message::new("timeout.task").with("s", limit.as_secs()))
}

/// Whether a page can still be asked what it looks like.
fn looks_alive(fault: &Fault) -> bool {
    !matches!(fault.class, FaultClass::RendererCrash | FaultClass::InstanceLost)
}

async fn evidence(
    world: &Arc<World>,
    ledger: &Mutex<Ledger>,
    redactor: &Redactor,
    secrets: &[String],
    alive: bool,
) -> Captured {
    let (console, network, dialogs, dropped) = world.look(|state| state.journal.lines());
    let steps = ledger.lock().trace();
    let mut trace = Trace { steps, console, network, dialogs, dropped, screenshot_note: None };
    redactor.trace(&mut trace);
    // The newest page is the one that the attempt was about.
    let page = world.look(|state| {
        state.pages.iter().rev().find(|page| page.is_open()).map(|page| subject_of(state, page))
    });
    match page.filter(|_| alive) {
        Some(subject) => capture::capture(&subject, trace, redactor, secrets).await,
        None => Captured { screenshot: None, dom: None, trace },
    }
}

/// A page as evidence is taken of it.
fn subject_of(state: &State, page: &Page) -> Subject {
    let frames = std::iter::once(page.main_frame.clone())
        .chain(state.descendants(&page.main_frame))
        .filter_map(|id| state.frames.get(&id).map(|frame| (id.clone(), frame.session.clone())))
        .collect();
    Subject { session: page.session.clone(), frames }
}

fn report(
    outcome: Ended,
    ledger: &Mutex<Ledger>,
    clock: &Clock,
    redactor: &Redactor,
    retry_at: Option<app::model::Timestamp>,
    evidence: Option<Captured>,
) -> Report {
    let mut ledger = ledger.lock();
    let run_ms = clock.now().as_millis() as u64;
    let outcome = match outcome {
        Ended::Failed(fault) => {
            let fault = redactor.fault(fault);
            if let Some(step) = ledger.steps.last_mut().filter(|step| Some(step.index) == fault.step) {
                step.error.get_or_insert_with(|| fault.message());
            }
            Ended::Failed(fault)
        }
        Ended::Returned(held) => Ended::Returned(Held { domain: redactor.text(&held.domain), ..held }),
        other => other,
    };
    Report {
        outcome,
        steps: ledger.records(run_ms, redactor),
        rescues: 0,
        gate_ms: clock.held().as_millis() as u64,
        run_ms,
        critical_step: ledger.critical_step,
        retry_at,
        pictures: std::mem::take(&mut ledger.pictures),
        evidence,
    }
}

impl Attempt {
    async fn steps(&self) -> Ended {
        for (index, step) in self.flow.steps.iter().enumerate() {
            self.begin(index, step);
            let done = match self.check() {
                Ok(()) => self.step(step).await,
                Err(stop) => Err(stop),
            };
            self.end();
            if let Err(Stop(fault)) = done {
                return Ended::Failed(self.at_step(*fault));
            }
        }
        Ended::Succeeded { result: std::mem::take(&mut self.ledger.lock().result) }
    }

    fn begin(&self, index: usize, step: &Step) {
        let mark = self.mark(index);
        self.world.outside.progress.at_step(mark.index);
        let began = self.clock().now();
        let limit = Duration::from_millis(self.flow.step_timeout_ms(step));
        self.ledger(|ledger| {
            ledger.steps.push(Entry {
                index: mark.index,
                rule: mark.rule,
                kind: step.action.type_name(),
                words: words::step(step),
                at_ms: self.clock().at_ms(),
                began_ms: began.as_millis() as u64,
                ..Entry::default()
            });
        });
        {
            let mut current = self.current.lock();
            let answered_before = current.marks.answered;
            *current =
                Current { index, began, deadline: began + limit, answered_before, ..Current::default() };
        }
        let marks = self.world.look(|state| Marks {
            page: self
                .place_in(state)
                .ok()
                .and_then(|frame| state.page_of(&frame).map(|page| (page.id.clone(), page.navigations))),
            pages: state.pages.len(),
            answered: state.answered,
        });
        self.current.lock().marks = marks;
    }

    fn end(&self) {
        let ms = self.clock().now().saturating_sub(self.current.lock().began).as_millis() as u64;
        self.ledger(|ledger| ledger.current().ms = Some(ms));
    }

    /// The fault with the step at which it happened.
    fn at_step(&self, fault: Fault) -> Fault {
        let begun = !self.ledger.lock().steps.is_empty();
        if begun { fault.at(self.index()) } else { fault }
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub fn clock(&self) -> &Clock {
        &self.world.clock
    }

    pub fn ledger<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> T {
        change(&mut self.ledger.lock())
    }

    /// Values that must not be seen in pictures.
    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// The page that a frame is in, as pictures are taken of it.
    pub fn subject(&self, frame: &str) -> Result<Subject, Stop> {
        self.world
            .look(|state| state.page_of(frame).map(|page| subject_of(state, page)))
            .ok_or_else(|| CdpError::Detached.into())
    }

    /// The step that runs, as the recording counts it.
    pub fn index(&self) -> u32 {
        self.mark(self.current.lock().index).index
    }

    fn mark(&self, at: usize) -> Mark {
        self.marks.get(at).copied().unwrap_or(Mark { index: at as u32, rule: None })
    }

    /// When the step's time is over, on the attempt's clock.
    pub fn deadline(&self) -> Duration {
        self.current.lock().deadline
    }

    /// The step's time in milliseconds.
    pub fn step_ms(&self) -> u64 {
        let current = self.current.lock();
        current.deadline.saturating_sub(current.began).as_millis() as u64
    }

    pub fn marks(&self) -> Marks {
        self.current.lock().marks.clone()
    }

    /// How many documents had answered when the step before began.
    pub fn answered_before(&self) -> u64 {
        self.current.lock().answered_before
    }

    /// The step that runs.
    pub fn this_step(&self) -> Option<&Step> {
        self.flow.steps.get(self.current.lock().index)
    }

    /// The step that comes next.
    pub fn next_step(&self) -> Option<&Step> {
        self.flow.steps.get(self.current.lock().index + 1)
    }

    /// Whether an expectStatus judges what documents answer now.
    pub fn governed(&self) -> bool {
        let judges =
            |step: Option<&Step>| step.is_some_and(|s| matches!(s.action, Action::ExpectStatus { .. }));
        judges(self.this_step()) || judges(self.next_step())
    }

    /// Whether something went wrong that ends the attempt.
    pub fn alarmed(&self, state: &State) -> bool {
        let governed = self.governed();
        state.troubles.iter().any(|trouble| !(governed && matches!(trouble, Trouble::Status(_))))
    }

    /// Takes up what happened, and stops where a document went wrong.
    pub fn check(&self) -> Result<(), Stop> {
        self.world.drain();
        let governed = self.governed();
        let trouble = self.world.change(|state| {
            let at = state.troubles.iter().position(|t| !(governed && matches!(t, Trouble::Status(_))))?;
            state.troubles.remove(at)
        });
        match trouble {
            Some(trouble) => Err(self.fault_of(&trouble).into()),
            None => Ok(()),
        }
    }

    /// The fault of a document that went wrong.
    pub fn fault_of(&self, trouble: &Trouble) -> Fault {
        match trouble {
            Trouble::Download { url } => classify::download(url),
            Trouble::Redirects { url } => classify::redirect_loop(url),
            Trouble::Failed { url, error } => self.failed_navigation(url, error),
            Trouble::Status(answer) => {
                // Where the proxy answers for a host that it did not reach, its judgement says why.
                let reach = classify::host_and_port(&answer.url)
                    .map(|(host, port)| self.world.outside.door.reach(&host, port));
                match reach {
                    Some(reach) if reach != super::job::Reach::Allowed => {
                        classify::navigation(&answer.url, "", &reach)
                    }
                    _ => classify::status(&answer.url, answer.status, answer.retry_after, answer.until)
                        .unwrap_or_else(|| classify::unexpected(&answer.url, answer.status, &[], None)),
                }
            }
        }
    }

    /// The fault of a navigation that brought no document.
    pub fn failed_navigation(&self, url: &str, error: &str) -> Fault {
        let reach = classify::host_and_port(url)
            .map_or(super::job::Reach::Allowed, |(host, port)| self.world.outside.door.reach(&host, port));
        classify::navigation(url, error, &reach)
    }

    /// The fault of a call into a frame that failed for good.
    pub fn failed_call(&self, error: CallError) -> Stop {
        match error {
            CallError::Chrome(error) => error.into(),
            CallError::Slow(method) => classify::slow(method, self.step_ms()).into(),
            CallError::Threw(text) => classify::internal(&text).into(),
            CallError::Gone => CdpError::Detached.into(),
        }
    }
}
