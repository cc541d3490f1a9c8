//! A control room in memory. Tokens and sessions are the names of roles.

use std::sync::Arc;

use app::{
    api::room::{Access, Answer, Fleet, Flows, Live, LiveEvent, LiveFilter, LiveItem, OnceFor, Tasks, allow},
    model::{
        Timestamp,
        breaker::{BreakerSetting, BreakerState, BreakerView, SetBreaker},
        caller::{Caller, CallerKind, Role},
        event::Topic,
        evidence::EvidenceKind,
        flow::{Checked, Environment, FlowRef, FlowVersion, NewFlow},
        gate::GateView,
        order::{CloseOrder, OrderFilter},
        overview::Overview,
        page::{Page, PageQuery},
        pool::{PoolPatch, PoolView},
        problem::AppError,
        task::{Lane, NewTask, RetryEdits, Submitted, Task, TaskFilter, TaskState},
    },
};
use async_trait::async_trait;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use parking_lot::Mutex;
use serde_json::Value;
use uuid::Uuid;

/// The task that is there.
pub const TASK: Uuid = Uuid::from_u128(1);
/// The password of everybody.
pub const PASSWORD: &str = "correct horse battery";

/// What the room was asked last.
#[derive(Default)]
pub struct Room {
    pub submitted: Mutex<Option<NewTask>>,
    pub retried: Mutex<Option<RetryEdits>>,
    pub listed: Mutex<Option<(TaskFilter, PageQuery)>>,
    pub listened: Mutex<Option<LiveFilter>>,
    pub signed_out: Mutex<Vec<String>>,
    pub ordered: Mutex<Option<OrderFilter>>,
    pub closed: Mutex<Option<CloseOrder>>,
}

impl Room {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }
}

pub fn task(id: Uuid) -> Task {
    Task {
        id,
        name: "Search".to_owned(),
        flow: FlowRef { name: "search".to_owned(), version: 1 },
        parameters: Default::default(),
        state: TaskState::Queued,
        lane: Lane::Main,
        priority: 5,
        domain: None,
        account: None,
        key: None,
        max_attempts: 3,
        attempts_spent: 0,
        timeout_s: 300,
        not_before: None,
        deadline: None,
        waiting_on: None,
        result: None,
        fault: None,
        order: None,
        retry_of: None,
        batch: None,
        attempts: Some(Vec::new()),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        ended_at: None,
        version: 1,
    }
}

fn flow(name: &str, version: u32) -> FlowVersion {
    FlowVersion {
        name: name.to_owned(),
        version,
        title: name.to_owned(),
        listed: true,
        flow: None,
        steps: Vec::new(),
        parameters: Default::default(),
        environment: Environment::default(),
        domain: None,
        created_at: Timestamp(0),
    }
}

fn known(id: Uuid) -> Answer<Task> {
    if id == TASK { Ok(task(id)) } else { Err(AppError::not_found(format!("task {id}"))) }
}

#[async_trait]
impl Tasks for Room {
    async fn submit(&self, caller: &Caller, new: NewTask) -> Answer<Submitted> {
        allow(caller, Role::Operator)?;
        let key = new.key.clone();
        *self.submitted.lock() = Some(new);
        match key.as_deref() {
            Some("full") => Err(AppError::Busy { detail: "the queue is full".to_owned(), retry_after_s: 7 }),
            Some("taken") => Err(AppError::conflict("the key is taken by another body")),
            Some("panic") => panic!("on purpose"),
            key => Ok(Submitted { task: task(TASK), created: key != Some("known") }),
        }
    }

    async fn tasks(&self, caller: &Caller, filter: TaskFilter, page: PageQuery) -> Answer<Page<Task>> {
        allow(caller, Role::Viewer)?;
        *self.listed.lock() = Some((filter, page));
        let mut task = task(TASK);
        task.attempts = None;
        Ok(Page { items: vec![task], next: None })
    }

    async fn task(&self, caller: &Caller, id: Uuid) -> Answer<Task> {
        allow(caller, Role::Viewer)?;
        known(id)
    }

    async fn cancel(&self, caller: &Caller, id: Uuid) -> Answer<Task> {
        allow(caller, Role::Operator)?;
        known(id)
    }

    async fn release(&self, caller: &Caller, id: Uuid) -> Answer<Task> {
        allow(caller, Role::Operator)?;
        known(id)?;
        Err(AppError::conflict("the task is queued"))
    }

    async fn retry(&self, caller: &Caller, id: Uuid, edits: RetryEdits) -> Answer<Submitted> {
        allow(caller, Role::Operator)?;
        let created = !edits.is_empty();
        *self.retried.lock() = Some(edits);
        Ok(Submitted { task: known(id)?, created })
    }

    async fn evidence(&self, caller: &Caller, attempt: Uuid, kind: EvidenceKind) -> Answer<Vec<u8>> {
        allow(caller, Role::Reviewer)?;
        if attempt != TASK {
            return Err(AppError::not_found("evidence of that attempt"));
        }
        Ok(format!("bytes of {}", kind.as_str()).into_bytes())
    }
}

#[async_trait]
impl Flows for Room {
    async fn check_flow(&self, caller: &Caller, recording: Value) -> Answer<Checked> {
        allow(caller, Role::Viewer)?;
        match recording["title"].as_str() {
            Some(title) => Ok(Checked { title: title.to_owned(), ..Checked::default() }),
            None => Err(AppError::bad_input("/flow/title", "a title is needed")),
        }
    }

    async fn save_flow(&self, caller: &Caller, new: NewFlow) -> Answer<FlowVersion> {
        allow(caller, Role::Operator)?;
        Ok(flow(&new.name.unwrap_or_default(), 2))
    }

    async fn flows(&self, caller: &Caller, _: PageQuery) -> Answer<Page<FlowVersion>> {
        allow(caller, Role::Viewer)?;
        Ok(Page { items: vec![flow("search", 1)], next: Some("more".to_owned()) })
    }

    async fn flow(&self, caller: &Caller, name: &str) -> Answer<FlowVersion> {
        allow(caller, Role::Viewer)?;
        let (name, version) = name.split_once('@').unwrap_or((name, "1"));
        Ok(flow(name, version.parse().map_err(|_| AppError::not_found("such version"))?))
    }

    async fn flow_versions(&self, caller: &Caller, name: &str) -> Answer<Vec<FlowVersion>> {
        allow(caller, Role::Viewer)?;
        Ok(vec![flow(name, 1)])
    }
}

#[async_trait]
impl Fleet for Room {
    async fn overview(&self, caller: &Caller) -> Answer<Overview> {
        allow(caller, Role::Viewer)?;
        Ok(Overview::default())
    }

    async fn pool(&self, caller: &Caller) -> Answer<PoolView> {
        allow(caller, Role::Viewer)?;
        Ok(PoolView::default())
    }

    async fn patch_pool(&self, caller: &Caller, patch: PoolPatch) -> Answer<PoolView> {
        allow(caller, Role::Operator)?;
        Ok(PoolView { slots: patch.slots.unwrap_or(2), ..PoolView::default() })
    }

    async fn gates(&self, caller: &Caller, _: PageQuery) -> Answer<Page<GateView>> {
        allow(caller, Role::Viewer)?;
        Ok(Page { items: Vec::new(), next: None })
    }

    async fn breaker(&self, caller: &Caller, domain: Option<String>) -> Answer<BreakerView> {
        allow(caller, Role::Viewer)?;
        Ok(BreakerView { domain, ..BreakerView::default() })
    }

    async fn breakers(&self, caller: &Caller) -> Answer<Vec<BreakerView>> {
        allow(caller, Role::Viewer)?;
        Ok(vec![BreakerView::default()])
    }

    async fn set_breaker(&self, caller: &Caller, set: SetBreaker) -> Answer<BreakerView> {
        allow(caller, Role::Operator)?;
        let state = match set.state {
            BreakerSetting::Open => BreakerState::Open,
            BreakerSetting::Closed => BreakerState::Closed,
        };
        let by = Some(caller.name.clone());
        Ok(BreakerView { domain: set.domain, state, reason: Some(set.reason), by, ..BreakerView::default() })
    }
}

#[async_trait]
impl Live for Room {
    async fn live(&self, caller: &Caller, filter: LiveFilter) -> Answer<BoxStream<'static, LiveItem>> {
        allow(caller, Role::Viewer)?;
        *self.listened.lock() = Some(filter);
        let event = LiveEvent { seq: 41, topic: Topic::Task, thing: None, data: "{\"version\":3}".into() };
        Ok(stream::iter([LiveItem::Reset, LiveItem::Event(event)]).chain(stream::pending()).boxed())
    }
}

fn member(name: &str, kind: CallerKind) -> Option<Caller> {
    let role: Role = name.parse().ok()?;
    Some(Caller { id: Uuid::from_u128(100 + role as u128), name: name.to_owned(), role, kind })
}

#[async_trait]
impl Access for Room {
    async fn by_token(&self, token: &str) -> Answer<Option<Caller>> {
        Ok(member(token, CallerKind::Token))
    }

    async fn by_session(&self, session: &str) -> Answer<Option<Caller>> {
        if session == "away" {
            return Err(AppError::Unavailable { detail: "the store is away".to_owned() });
        }
        Ok(member(session, CallerKind::Person))
    }

    async fn sign_in(&self, user: &str, password: &str) -> Answer<String> {
        match (user, password) {
            ("admin" | "operator", PASSWORD) => Ok(user.to_owned()),
            ("guessed", _) => {
                Err(AppError::Busy { detail: "too many failed sign-ins".to_owned(), retry_after_s: 9 })
            }
            _ => Err(AppError::Unauthorized),
        }
    }

    async fn once(&self, secret: &str) -> Answer<Option<OnceFor>> {
        Ok(match secret {
            "first" => Some(OnceFor::FirstAdmin),
            "grace" => Some(OnceFor::Account { name: "Grace <3".to_owned() }),
            _ => None,
        })
    }

    async fn spend_once(&self, secret: &str, user: Option<&str>, password: &str) -> Answer<String> {
        match (secret, user) {
            ("first", None) => Err(AppError::bad_input("/user", "choose a name")),
            ("first" | "grace", _) if password.len() < 10 => {
                Err(AppError::bad_input("/password", "the password must have at least 10 characters"))
            }
            ("first", Some(_)) => Ok("admin".to_owned()),
            ("grace", _) => Ok("reviewer".to_owned()),
            _ => Err(AppError::Unauthorized),
        }
    }

    async fn sign_out(&self, session: &str) -> Answer<()> {
        self.signed_out.lock().push(session.to_owned());
        Ok(())
    }
}
