//! A task's JSON as its page needs it. What is worded already is taken as it is worded, so that the browser
//! carries no table of sentences.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::result;
use crate::model::{
    Timestamp,
    attempt::{Outcome, StepRecord, Timing},
    evidence::EvidenceKind,
    task::{TaskState, WaitingOn},
};

/// A fault in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultShown {
    /// The class.
    pub class: String,
    /// The step, counted from 0.
    #[serde(default)]
    pub step: Option<u32>,
    /// What happened.
    pub message: String,
}

/// An attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptShown {
    /// Its id.
    pub id: Uuid,
    /// From 1.
    pub number: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// The Chrome instance it ran in.
    #[serde(default)]
    pub instance: Option<String>,
    /// The node it ran on.
    pub node: String,
    /// How it ended.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// Why it failed.
    #[serde(default)]
    pub fault: Option<FaultShown>,
    /// The rules that were in its plan.
    #[serde(default)]
    pub rules: Vec<Uuid>,
    /// Where its time went.
    pub timing: Timing,
    /// What each step did.
    #[serde(default)]
    pub steps: Vec<StepRecord>,
    /// The kinds of evidence that are kept.
    #[serde(default)]
    pub evidence: Vec<EvidenceKind>,
    /// The step that is running.
    #[serde(default)]
    pub at_step: Option<u32>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskShown {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: TaskState,
    /// Attempts it may spend.
    pub max_attempts: u32,
    /// Attempts it has spent.
    pub attempts_spent: u32,
    /// What it waits on.
    #[serde(default)]
    pub waiting_on: Option<WaitingOn>,
    /// What its flow extracted.
    #[serde(default)]
    pub result: Option<Value>,
    /// Why it last failed.
    #[serde(default)]
    pub fault: Option<FaultShown>,
    /// The work order it came together with others in.
    #[serde(default)]
    pub order: Option<Uuid>,
    /// Its attempts, oldest first.
    #[serde(default)]
    pub attempts: Vec<AttemptShown>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it came to an end.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// Goes up with every change.
    pub version: i64,
    /// Whether the result is not shown whole.
    #[serde(default)]
    pub cut: bool,
}

impl TaskShown {
    /// The task without what is too large for a page.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        if let Some(whole) = self.result.take() {
            let (kept, was) = result::bounded(whole);
            self.result = Some(kept);
            self.cut |= was;
        }
        self
    }
}

#[cfg(feature = "ssr")]
impl From<&crate::model::task::Task> for TaskShown {
    /// By way of its JSON, as the browser reads it too.
    fn from(task: &crate::model::task::Task) -> Self {
        let json = serde_json::to_value(task).expect("a task is plain data");
        serde_json::from_value(json).expect("every field that is read is one that a task writes")
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{
        attempt::Attempt,
        fault::{Fault, FaultClass},
        flow::FlowRef,
        message::Message,
        task::{Lane, Task},
    };

    /// A task with every field that its page reads.
    fn task() -> Task {
        let fault =
            Fault::new(FaultClass::Navigation, Message::new("navigation.dns").with("host", "nowhere")).at(2);
        Task {
            id: Uuid::from_u128(1),
            name: "a task".to_owned(),
            flow: FlowRef { name: "search".to_owned(), version: 3 },
            parameters: BTreeMap::from([("query".to_owned(), "lamp".to_owned())]),
            state: TaskState::Escalated,
            lane: Lane::Main,
            priority: 5,
            domain: None,
            account: None,
            key: None,
            max_attempts: 3,
            attempts_spent: 1,
            timeout_s: 300,
            not_before: None,
            deadline: None,
            waiting_on: None,
            result: Some(serde_json::json!({"text": "x".repeat(5_000)})),
            fault: Some(fault.clone()),
            order: Some(Uuid::from_u128(5)),
            retry_of: None,
            batch: None,
            attempts: Some(vec![Attempt {
                id: Uuid::from_u128(2),
                number: 1,
                started_at: Timestamp(1_000),
                ended_at: None,
                instance: None,
                node: "here".to_owned(),
                outcome: None,
                fault: Some(fault),
                rules: vec![Uuid::from_u128(6)],
                timing: Timing::default(),
                steps: Vec::new(),
                rescues: 0,
                evidence: vec![EvidenceKind::Trace],
                at_step: Some(2),
                critical_step: None,
            }]),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
            ended_at: None,
            version: 4,
        }
    }

    #[test]
    fn a_tasks_json_is_read_with_its_faults_as_they_are_worded() {
        let shown = TaskShown::from(&task());
        let told = shown.fault.expect("a fault");
        assert_eq!((told.class.as_str(), told.step), ("navigation", Some(2)));
        assert_eq!(told.message, "The name nowhere cannot be found");
        assert_eq!(shown.attempts[0].fault.as_ref(), Some(&told));
        assert_eq!(shown.attempts[0].at_step, Some(2));
        assert_eq!(
            (shown.order, &*shown.attempts[0].rules),
            (Some(Uuid::from_u128(5)), &[Uuid::from_u128(6)][..])
        );
        assert!(!shown.cut);
    }

    #[test]
    fn a_large_result_is_cut_and_said_to_be() {
        let shown = TaskShown::from(&task()).bounded();
        assert!(shown.cut);
        // What is cut stays said to be, though the cut text is within bounds.
        assert!(shown.bounded().cut);
    }
}
