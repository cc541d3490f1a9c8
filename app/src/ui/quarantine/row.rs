//! What a row of the quarantine shows: the part of a task's JSON that it needs, and what only the whole task
//! knows beside it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::words;
use crate::{
    model::{Timestamp, evidence::EvidenceKind, flow::FlowRef, task::TaskState},
    ui::{state, task::shown::FaultShown},
};

/// A task as the stream tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The task.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Its flow.
    pub flow: FlowRef,
    /// Its site.
    #[serde(default)]
    pub domain: Option<String>,
    /// Where it stands.
    pub state: TaskState,
    /// Why it last failed.
    #[serde(default)]
    pub fault: Option<FaultShown>,
    /// Attempts it may spend.
    pub max_attempts: u32,
    /// Attempts it has spent.
    pub attempts_spent: u32,
    /// When it last changed: since when it is here.
    pub updated_at: Timestamp,
    /// What its attempts say; not in the stream.
    #[serde(default)]
    pub past: Option<Past>,
}

/// What is known from the attempts of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// How many there were.
    pub attempts: u32,
    /// Of these, the ones that crashed or were lost.
    pub crashed: u32,
    /// The newest one with evidence, and of which kinds.
    pub evidence: Option<(Uuid, Vec<EvidenceKind>)>,
}

impl Row {
    /// Whether the task is here still.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.state == TaskState::Quarantined
    }

    /// Why it is here, in words.
    #[must_use]
    pub fn why(&self) -> String {
        self.fault.as_ref().map_or_else(String::new, |fault| {
            let step = fault.step.map(|step| format!(" at step {}", step + 1)).unwrap_or_default();
            format!("{}{step}: {}", state::class_by_name(&fault.class), fault.message)
        })
    }

    /// Its attempts, in words.
    #[must_use]
    pub fn tried(&self) -> String {
        match &self.past {
            Some(past) => words::crashed(past.crashed, past.attempts),
            None => words::spent(self.attempts_spent, self.max_attempts),
        }
    }

    /// Where its newest evidence is: an address with what it is.
    #[must_use]
    pub fn evidence(&self) -> Vec<(String, &'static str)> {
        let Some((attempt, kinds)) = self.past.as_ref().and_then(|past| past.evidence.as_ref()) else {
            return Vec::new();
        };
        let address = |kind: EvidenceKind| match kind {
            // The page has it in words.
            EvidenceKind::Trace => format!("/tasks/{}?trace={attempt}#trace", self.id),
            other => format!("/api/v1/attempts/{attempt}/evidence/{}", other.as_str()),
        };
        kinds.iter().map(|kind| (address(*kind), words::evidence(*kind))).collect()
    }

    /// The row after its task has changed. What the stream does not say stays.
    #[must_use]
    pub fn changed(&self, now: Row) -> Row {
        Row { past: now.past.or_else(|| self.past.clone()), ..now }
    }
}

/// What the page does with a task of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is a row: it changes in its place.
    Row(usize),
    /// It has come since the list was made.
    New,
    /// It is not here, or not any more.
    Elsewhere,
}

/// Sorts a task of the stream into a list that was made at `taken`.
#[must_use]
pub fn arrival(rows: &[Uuid], row: &Row, taken: Timestamp) -> Arrival {
    match rows.iter().position(|known| *known == row.id) {
        Some(place) => Arrival::Row(place),
        None if row.is_here() && row.updated_at > taken => Arrival::New,
        None => Arrival::Elsewhere,
    }
}

#[cfg(feature = "ssr")]
impl Row {
    /// A row from a task; `whole` is the same with its attempts, where it could be had.
    #[must_use]
    pub fn of(task: &crate::model::task::Task, whole: Option<&crate::model::task::Task>) -> Self {
        use crate::model::{
            attempt::{Attempt, Outcome},
            fault::FaultClass,
        };
        let crashed = |attempt: &&Attempt| {
            attempt.outcome == Some(Outcome::Lost)
                || attempt.fault.as_ref().is_some_and(|fault| {
                    matches!(fault.class, FaultClass::RendererCrash | FaultClass::InstanceLost)
                })
        };
        let past = whole.and_then(|whole| whole.attempts.as_deref()).map(|attempts| Past {
            attempts: attempts.len() as u32,
            crashed: attempts.iter().filter(crashed).count() as u32,
            evidence: attempts
                .iter()
                .rev()
                .find(|attempt| !attempt.evidence.is_empty())
                .map(|attempt| (attempt.id, attempt.evidence.clone())),
        });
        Self {
            id: task.id,
            name: task.name.clone(),
            flow: task.flow.clone(),
            domain: task.domain.clone(),
            state: task.state,
            fault: task.fault.as_ref().map(|fault| FaultShown {
                class: fault.class.as_str().to_owned(),
                step: fault.step,
                message: fault.message(),
            }),
            max_attempts: task.max_attempts,
            attempts_spent: task.attempts_spent,
            updated_at: task.updated_at,
            past,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: u128, at: i64) -> Row {
        Row {
            id: Uuid::from_u128(n),
            name: "a task".to_owned(),
            flow: FlowRef { name: "search".to_owned(), version: 1 },
            domain: Some("shop.test".to_owned()),
            state: TaskState::Quarantined,
            fault: None,
            max_attempts: 3,
            attempts_spent: 2,
            updated_at: Timestamp(at),
            past: None,
        }
    }

    #[test]
    fn a_row_that_leaves_changes_in_its_place_and_keeps_its_past() {
        let known = [Uuid::from_u128(2), Uuid::from_u128(1)];
        let past = Past { attempts: 4, crashed: 3, evidence: None };
        let before = Row { past: Some(past), ..row(1, 10) };
        let left = Row { state: TaskState::Queued, ..row(1, 50) };
        assert_eq!(arrival(&known, &left, Timestamp(30)), Arrival::Row(1));
        let after = before.changed(left);
        assert!(!after.is_here());
        assert_eq!(after.tried(), "3 of 4 crashed");
    }

    #[test]
    fn only_what_has_come_since_is_new() {
        assert_eq!(arrival(&[], &row(3, 40), Timestamp(30)), Arrival::New);
        assert_eq!(arrival(&[], &row(3, 30), Timestamp(30)), Arrival::Elsewhere);
        let running = Row { state: TaskState::Running, ..row(3, 40) };
        assert_eq!(arrival(&[], &running, Timestamp(30)), Arrival::Elsewhere);
    }

    #[test]
    fn a_row_says_why_and_what_was_tried() {
        let fault = FaultShown {
            class: "renderer_crash".to_owned(),
            step: Some(1),
            message: "it crashed".to_owned(),
        };
        let row = Row { fault: Some(fault), ..row(1, 1) };
        assert_eq!(row.why(), "renderer crashed at step 2: it crashed");
        assert_eq!(row.tried(), "2 of 3 spent");
        assert!(row.evidence().is_empty());
    }

    #[test]
    fn the_newest_evidence_has_its_addresses() {
        let attempt = Uuid::from_u128(9);
        let evidence = Some((attempt, vec![EvidenceKind::Screenshot, EvidenceKind::Trace]));
        let row = Row { past: Some(Past { evidence, ..Past::default() }), ..row(1, 1) };
        let links = row.evidence();
        assert_eq!(links[0], (format!("/api/v1/attempts/{attempt}/evidence/screenshot"), "screenshot"));
        assert_eq!(links[1].0, format!("/tasks/{}?trace={attempt}#trace", row.id));
    }

    #[test]
    fn a_row_is_read_from_a_tasks_json() {
        let json = serde_json::json!({
            "id": Uuid::from_u128(1), "name": "a task", "flow": {"name": "search", "version": 1},
            "state": "quarantined", "lane": "main", "domain": "shop.test", "priority": 5,
            "max_attempts": 3, "attempts_spent": 2, "timeout_s": 300,
            "created_at": "1970-01-01T00:00:00.000Z", "updated_at": "1970-01-01T00:00:00.010Z", "version": 1
        });
        assert_eq!(serde_json::from_value::<Row>(json).expect("a row"), row(1, 10));
    }
}
