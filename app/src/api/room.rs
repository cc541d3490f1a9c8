//! What the engine offers, one trait per area. All are called through `dyn`, so that pages and handlers
//! know nothing of queue, pool or store.

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use serde_json::Value;
use uuid::Uuid;

use crate::model::{
    breaker::{BreakerView, SetBreaker},
    caller::{Caller, Role},
    event::Topic,
    evidence::EvidenceKind,
    flow::{Checked, FlowVersion, NewFlow},
    gate::GateView,
    order::{
        Annotation, AssignOrder, Claim, ClaimOrder, ClaimProof, CloseOrder, NewAnnotation, Order, OrderDraft,
        OrderFilter, ReopenOrder, TakeOver,
    },
    overview::Overview,
    page::{Page, PageQuery},
    pool::{PoolPatch, PoolView},
    problem::AppError,
    rule::{NewRule, Rule, RuleFilter, RulePatch},
    task::{NewTask, RetryEdits, Submitted, Task, TaskFilter},
};

/// What every call answers.
pub type Answer<T> = Result<T, AppError>;

/// Tasks and their attempts.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// Accepts a task: when this returns, it is stored durably. Operator.
    ///
    /// # Errors
    /// Bad input with every place; conflict where the key is taken by another body; busy when the queue
    /// is full.
    async fn submit(&self, caller: &Caller, new: NewTask) -> Answer<Submitted>;
    /// Tasks, newest first, without their attempts. Viewer.
    ///
    /// # Errors
    /// Bad input for a cursor that is none.
    async fn tasks(&self, caller: &Caller, filter: TaskFilter, page: PageQuery) -> Answer<Page<Task>>;
    /// One task with its attempts. Viewer.
    ///
    /// # Errors
    /// Not found.
    async fn task(&self, caller: &Caller, id: Uuid) -> Answer<Task>;
    /// Takes a task back; one that runs is stopped. Operator.
    ///
    /// # Errors
    /// Not found; conflict after another end.
    async fn cancel(&self, caller: &Caller, id: Uuid) -> Answer<Task>;
    /// Gives an escalated or quarantined task attempts afresh and queues it. Operator.
    ///
    /// # Errors
    /// Not found; conflict from another state.
    async fn release(&self, caller: &Caller, id: Uuid) -> Answer<Task>;
    /// Runs an ended task again: a failed or cancelled one without edits is the same task, else a new one.
    /// Operator.
    ///
    /// # Errors
    /// Not found; conflict from a state that has not ended; as [`Tasks::submit`] for edits.
    async fn retry(&self, caller: &Caller, id: Uuid, edits: RetryEdits) -> Answer<Submitted>;
    /// Evidence of an attempt, in plain bytes. Reviewer.
    ///
    /// # Errors
    /// Not found.
    async fn evidence(&self, caller: &Caller, attempt: Uuid, kind: EvidenceKind) -> Answer<Vec<u8>>;
}

/// Flows and their versions.
#[async_trait]
pub trait Flows: Send + Sync {
    /// Reads a recording without keeping it. Viewer.
    ///
    /// # Errors
    /// Bad input naming steps and fields; pointers start with `/flow`.
    async fn check_flow(&self, caller: &Caller, recording: Value) -> Answer<Checked>;
    /// Keeps a flow as the next listed version of its name. Operator.
    ///
    /// # Errors
    /// As [`Flows::check_flow`].
    async fn save_flow(&self, caller: &Caller, new: NewFlow) -> Answer<FlowVersion>;
    /// The newest listed version of every flow, newest first, without recordings. Viewer.
    ///
    /// # Errors
    /// Bad input for a cursor that is none.
    async fn flows(&self, caller: &Caller, page: PageQuery) -> Answer<Page<FlowVersion>>;
    /// One flow: `name` (its newest listed version, else its newest) or `name@version`. Viewer.
    ///
    /// # Errors
    /// Not found.
    async fn flow(&self, caller: &Caller, name: &str) -> Answer<FlowVersion>;
    /// Every version of a flow, newest first, without recordings. Viewer.
    ///
    /// # Errors
    /// Not found.
    async fn flow_versions(&self, caller: &Caller, name: &str) -> Answer<Vec<FlowVersion>>;
}

/// The fleet as a whole.
#[async_trait]
pub trait Fleet: Send + Sync {
    /// The fleet at a glance. Viewer.
    ///
    /// # Errors
    /// When the store is away.
    async fn overview(&self, caller: &Caller) -> Answer<Overview>;
    /// The pool. Viewer.
    ///
    /// # Errors
    /// Forbidden.
    async fn pool(&self, caller: &Caller) -> Answer<PoolView>;
    /// Changes the pool. Operator.
    ///
    /// # Errors
    /// Bad input; not found for an instance that is not there.
    async fn patch_pool(&self, caller: &Caller, patch: PoolPatch) -> Answer<PoolView>;
    /// Every site's gate, the busiest first. Viewer.
    ///
    /// # Errors
    /// When the store is away.
    async fn gates(&self, caller: &Caller, page: PageQuery) -> Answer<Page<GateView>>;
    /// The fleet's breaker, or a site's. Viewer.
    ///
    /// # Errors
    /// Bad input for a domain that is no site's key.
    async fn breaker(&self, caller: &Caller, domain: Option<String>) -> Answer<BreakerView>;
    /// The fleet's breaker, then those of sites that are not closed, the newest first; at most 500. Viewer.
    ///
    /// # Errors
    /// When the store is away.
    async fn breakers(&self, caller: &Caller) -> Answer<Vec<BreakerView>>;
    /// Opens or closes a breaker by hand. Operator.
    ///
    /// # Errors
    /// Bad input for an empty reason or a domain that is no site's key.
    async fn set_breaker(&self, caller: &Caller, set: SetBreaker) -> Answer<BreakerView>;
}

/// Work orders. Reading takes a viewer, all else a reviewer. Who holds a claim is a person or an API token.
/// A write with a claim that is no longer the caller's, or of a version that is not the newest, is refused as
/// stale and changes nothing.
#[async_trait]
pub trait Orders: Send + Sync {
    /// Orders, newest first, without annotations and evidence.
    ///
    /// # Errors
    /// Bad input for a cursor that is none.
    async fn orders(&self, caller: &Caller, filter: OrderFilter, page: PageQuery) -> Answer<Page<Order>>;
    /// One order, whole; the claim's token only for its holder.
    ///
    /// # Errors
    /// Not found.
    async fn order(&self, caller: &Caller, id: Uuid) -> Answer<Order>;
    /// The tasks that came together in an order, newest first, without their attempts.
    ///
    /// # Errors
    /// Not found; bad input for a cursor that is none.
    async fn order_tasks(&self, caller: &Caller, id: Uuid, page: PageQuery) -> Answer<Page<Task>>;
    /// Claims an order; the holder's own again extends it and returns the same token.
    ///
    /// # Errors
    /// Not found; stale, naming another holder, or where it is closed.
    async fn claim_order(&self, caller: &Caller, id: Uuid, claim: ClaimOrder) -> Answer<Claim>;
    /// Keeps a claim alive.
    ///
    /// # Errors
    /// Not found; stale.
    async fn heartbeat_order(&self, caller: &Caller, id: Uuid, proof: ClaimProof) -> Answer<Claim>;
    /// Gives a claim back.
    ///
    /// # Errors
    /// Not found; stale.
    async fn release_order(&self, caller: &Caller, id: Uuid, proof: ClaimProof) -> Answer<Order>;
    /// Writes something about an order, claimed or not.
    ///
    /// # Errors
    /// Not found; stale; bad input for an empty or overlong text.
    async fn annotate_order(&self, caller: &Caller, id: Uuid, new: NewAnnotation) -> Answer<Annotation>;
    /// Keeps what the holder has typed so far.
    ///
    /// # Errors
    /// Not found; stale; bad input for too much of it.
    async fn draft_order(&self, caller: &Caller, id: Uuid, draft: OrderDraft) -> Answer<Order>;
    /// Closes an order with a conclusion, makes its rule active and lets its tasks go, all or nothing.
    ///
    /// # Errors
    /// Not found; stale, also where it is closed; bad input for a rule that cannot be; forbidden for a
    /// rule that takes an operator.
    async fn close_order(&self, caller: &Caller, id: Uuid, close: CloseOrder) -> Answer<Order>;
    /// Opens a closed order again. Its rule and the tasks that went stay as they are.
    ///
    /// # Errors
    /// Not found; stale where it is not closed; conflict where another order of its group is open.
    async fn reopen_order(&self, caller: &Caller, id: Uuid, reopen: ReopenOrder) -> Answer<Order>;
    /// Names who is to look at an order.
    ///
    /// # Errors
    /// Not found; bad input for a name that no person has.
    async fn assign_order(&self, caller: &Caller, id: Uuid, assign: AssignOrder) -> Answer<Order>;
    /// Takes a claim from who holds it. Operator.
    ///
    /// # Errors
    /// Not found; stale where it is closed; bad input for an empty reason.
    async fn take_over_order(&self, caller: &Caller, id: Uuid, take: TakeOver) -> Answer<Claim>;
}

/// Rules. Reading takes a viewer, all else a reviewer.
#[async_trait]
pub trait Rules: Send + Sync {
    /// Rules, newest first.
    ///
    /// # Errors
    /// Bad input for a cursor that is none.
    async fn rules(&self, caller: &Caller, filter: RuleFilter, page: PageQuery) -> Answer<Page<Rule>>;
    /// One rule.
    ///
    /// # Errors
    /// Not found.
    async fn rule(&self, caller: &Caller, id: Uuid) -> Answer<Rule>;
    /// Makes a rule: a candidate unless it says otherwise.
    ///
    /// # Errors
    /// Bad input with every place; forbidden for one that takes an operator.
    async fn create_rule(&self, caller: &Caller, new: NewRule) -> Answer<Rule>;
    /// Enables or disables a rule, or changes its share of tasks.
    ///
    /// # Errors
    /// Not found; bad input; stale.
    async fn patch_rule(&self, caller: &Caller, id: Uuid, patch: RulePatch) -> Answer<Rule>;
}

/// One event of the live stream, rendered once for every subscriber.
#[derive(Clone, Debug)]
pub struct LiveEvent {
    /// Where in the stream: goes up by one; the SSE event's id.
    pub seq: u64,
    /// What it is about.
    pub topic: Topic,
    /// The thing's id, for the topics that have many things.
    pub thing: Option<String>,
    /// The thing's state as JSON.
    pub data: Arc<str>,
}

/// What a subscriber of the live stream gets.
#[derive(Clone, Debug)]
pub enum LiveItem {
    /// A state.
    Event(LiveEvent),
    /// The subscriber has missed something that is kept no longer: states follow afresh.
    Reset,
}

/// Which events.
#[derive(Clone, Debug, Default)]
pub struct LiveFilter {
    /// These topics; all where empty.
    pub topics: Vec<Topic>,
    /// Of the tasks only this one, with its attempts.
    pub task: Option<Uuid>,
    /// Of the orders only this one.
    pub order: Option<Uuid>,
    /// The last event that the subscriber has seen.
    pub last_seen: Option<u64>,
}

/// The live stream.
#[async_trait]
pub trait Live: Send + Sync {
    /// States as they change: first those of now, then each change, at most one per thing in 250 ms.
    /// Viewer.
    ///
    /// # Errors
    /// Forbidden; busy when there are too many subscribers.
    async fn live(&self, caller: &Caller, filter: LiveFilter) -> Answer<BoxStream<'static, LiveItem>>;
}

/// People, tokens and sessions.
#[async_trait]
pub trait Access: Send + Sync {
    /// Who a bearer token is; none where it is not known.
    ///
    /// # Errors
    /// When the store is away.
    async fn by_token(&self, token: &str) -> Answer<Option<Caller>>;
    /// Who a browser's session is; none where it is not known or over.
    ///
    /// # Errors
    /// When the store is away.
    async fn by_session(&self, session: &str) -> Answer<Option<Caller>>;
    /// Opens a session for a name and password: the session's secret.
    ///
    /// # Errors
    /// Unauthorized, the same for an unknown name and a wrong password; busy after too many failures.
    async fn sign_in(&self, user: &str, password: &str) -> Answer<String>;
    /// What a sign-in link is for; none where it is not known, spent or over.
    ///
    /// # Errors
    /// When the store is away.
    async fn once(&self, secret: &str) -> Answer<Option<OnceFor>>;
    /// Spends a sign-in link: sets the password, makes the first admin, and opens a session.
    ///
    /// # Errors
    /// Unauthorized for a link that is spent or over; bad input for a weak password or a missing name.
    async fn spend_once(&self, secret: &str, user: Option<&str>, password: &str) -> Answer<String>;
    /// Ends a session.
    ///
    /// # Errors
    /// When the store is away.
    async fn sign_out(&self, session: &str) -> Answer<()>;
}

/// What a sign-in link is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnceFor {
    /// Making the first admin, who chooses a name.
    FirstAdmin,
    /// Setting this account's password.
    Account {
        /// The account's name.
        name: String,
    },
}

/// All of it.
pub trait ControlRoom: Tasks + Flows + Fleet + Orders + Rules + Live + Access {}

impl<T: Tasks + Flows + Fleet + Orders + Rules + Live + Access> ControlRoom for T {}

/// Lets a caller through who has the role or more.
///
/// # Errors
/// Forbidden, saying which role it takes.
pub fn allow(caller: &Caller, least: Role) -> Answer<()> {
    if caller.role >= least {
        return Ok(());
    }
    Err(AppError::Forbidden {
        detail: format!(
            "this takes the role {}; {} is {}",
            least.as_str(),
            caller.name,
            caller.role.as_str()
        ),
    })
}
