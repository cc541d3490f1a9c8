//! What a row of the list shows: the part of a task's JSON that it needs.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    model::{
        Timestamp,
        flow::FlowRef,
        task::{Lane, TaskState, WaitingOn},
    },
    ui::state,
};

/// One task in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The task.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Its flow.
    pub flow: FlowRef,
    /// Where it stands.
    pub state: TaskState,
    /// Its lane.
    pub lane: Lane,
    /// Its site.
    #[serde(default)]
    pub domain: Option<String>,
    /// What it waits on.
    #[serde(default)]
    pub waiting_on: Option<WaitingOn>,
    /// Why it last failed.
    #[serde(default)]
    pub fault: Option<RowFault>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it came to an end.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
}

/// Why a task last failed, as its JSON says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFault {
    /// The class.
    pub class: String,
    /// In words.
    pub message: String,
}

impl Row {
    /// What a task waits on or why it failed, in words.
    #[must_use]
    pub fn says(&self) -> String {
        match (self.state, &self.waiting_on, &self.fault) {
            // These two are only until when, and that is told beside it, as a time.
            (TaskState::Queued, Some(wait), _) if state::is_only_time(wait) => {
                state::wait(wait.kind).to_owned()
            }
            (TaskState::Queued, Some(wait), _) => format!("{}: {}", state::wait(wait.kind), wait.detail),
            (TaskState::Succeeded | TaskState::Running, ..) => String::new(),
            (_, _, Some(fault)) => fault.message.clone(),
            _ => String::new(),
        }
    }

    /// Until when a queued task waits, where that is known.
    #[must_use]
    pub fn until(&self) -> Option<Timestamp> {
        self.waiting_on.as_ref().filter(|_| self.state == TaskState::Queued).and_then(|wait| wait.until)
    }
}

#[cfg(feature = "ssr")]
impl From<crate::model::task::Task> for Row {
    fn from(task: crate::model::task::Task) -> Self {
        Self {
            id: task.id,
            name: task.name,
            flow: task.flow,
            state: task.state,
            lane: task.lane,
            domain: task.domain,
            waiting_on: task.waiting_on,
            fault: task
                .fault
                .map(|fault| RowFault { class: fault.class.as_str().to_owned(), message: fault.message() }),
            created_at: task.created_at,
            ended_at: task.ended_at,
        }
    }
}

/// What the list does with a task of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is a row: it changes in its place.
    Row(usize),
    /// It has come since the list was made.
    New,
    /// It is not for this list.
    Elsewhere,
}

/// Which of the filters a row of the stream can be held against; the rest is the server's to know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Narrow {
    /// In this state.
    pub state: Option<TaskState>,
    /// Of this flow.
    pub flow: Option<String>,
    /// Of this site.
    pub domain: Option<String>,
    /// On this lane.
    pub lane: Option<Lane>,
    /// With filters that only the server knows: nothing is announced.
    pub more: bool,
}

/// Sorts a task of the stream into a list that was made at `taken`.
#[must_use]
pub fn arrival(rows: &[Row], row: &Row, narrow: &Narrow, taken: Timestamp) -> Arrival {
    if let Some(place) = rows.iter().position(|known| known.id == row.id) {
        return Arrival::Row(place);
    }
    let fits = !narrow.more
        && row.created_at > taken
        && narrow.state.is_none_or(|state| state == row.state)
        && narrow.lane.is_none_or(|lane| lane == row.lane)
        && narrow.flow.as_ref().is_none_or(|flow| *flow == row.flow.name)
        && (narrow.domain.is_none() || narrow.domain == row.domain);
    if fits { Arrival::New } else { Arrival::Elsewhere }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::task::WaitKind;

    fn row(n: u128, at: i64) -> Row {
        Row {
            id: Uuid::from_u128(n),
            name: "a task".to_owned(),
            flow: FlowRef { name: "search".to_owned(), version: 1 },
            state: TaskState::Queued,
            lane: Lane::Main,
            domain: Some("shop.test".to_owned()),
            waiting_on: None,
            fault: None,
            created_at: Timestamp(at),
            ended_at: None,
        }
    }

    #[test]
    fn a_task_that_is_a_row_changes_in_its_place() {
        let rows = [row(2, 20), row(1, 10)];
        let changed = Row { state: TaskState::Running, ..row(1, 10) };
        assert_eq!(arrival(&rows, &changed, &Narrow::default(), Timestamp(30)), Arrival::Row(1));
    }

    #[test]
    fn only_what_came_since_and_fits_is_new() {
        let narrow = Narrow { domain: Some("shop.test".to_owned()), ..Narrow::default() };
        assert_eq!(arrival(&[], &row(3, 40), &narrow, Timestamp(30)), Arrival::New);
        assert_eq!(arrival(&[], &row(3, 30), &narrow, Timestamp(30)), Arrival::Elsewhere);
        let other = Row { domain: None, ..row(3, 40) };
        assert_eq!(arrival(&[], &other, &narrow, Timestamp(30)), Arrival::Elsewhere);
        let blind = Narrow { more: true, ..Narrow::default() };
        assert_eq!(arrival(&[], &row(3, 40), &blind, Timestamp(30)), Arrival::Elsewhere);
    }

    #[test]
    fn a_waiting_row_says_what_it_waits_on_and_a_failed_one_why() {
        let wait = WaitingOn { kind: WaitKind::Turn, detail: "4 in its lane".to_owned(), until: None };
        let waiting = Row { waiting_on: Some(wait), ..row(1, 1) };
        assert_eq!(waiting.says(), "turn: 4 in its lane");
        assert_eq!(waiting.until(), None);
        let later = WaitingOn {
            kind: WaitKind::Schedule,
            detail: "not before …".to_owned(),
            until: Some(Timestamp(9)),
        };
        let scheduled = Row { waiting_on: Some(later), ..row(1, 1) };
        assert_eq!((scheduled.says(), scheduled.until()), ("scheduled".to_owned(), Some(Timestamp(9))));
        let fault = RowFault { class: "timeout".to_owned(), message: "too slow".to_owned() };
        let failed = Row { state: TaskState::Escalated, fault: Some(fault), ..row(1, 1) };
        assert_eq!(failed.says(), "too slow");
        assert_eq!(Row { state: TaskState::Succeeded, ..failed }.says(), "");
    }

    #[test]
    fn a_row_is_read_from_a_tasks_json() {
        let json = serde_json::json!({
            "id": Uuid::from_u128(1), "name": "a task", "flow": {"name": "search", "version": 1},
            "state": "queued", "lane": "main", "domain": "shop.test", "priority": 5,
            "created_at": "1970-01-01T00:00:00.010Z", "updated_at": "1970-01-01T00:00:00.010Z", "version": 1
        });
        assert_eq!(serde_json::from_value::<Row>(json).expect("a row"), row(1, 10));
    }
}
