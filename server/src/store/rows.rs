//! Rows as they are stored, and the model they mean.

use std::{collections::BTreeMap, str::FromStr};

use app::model::{
    Timestamp,
    flow::FlowRef,
    task::{Lane, Task, TaskState},
};
use serde::de::DeserializeOwned;
use sqlx::FromRow;
use uuid::Uuid;

use super::StoreError;

/// A task's row.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns are described in the migration")]
pub struct TaskRow {
    pub seq: i64,
    pub id: String,
    pub name: String,
    pub flow_name: String,
    pub flow_version: i64,
    pub parameters: String,
    pub lane: String,
    pub priority: i64,
    pub domain: String,
    pub account: Option<String>,
    pub key: Option<String>,
    pub body_hash: String,
    pub state: String,
    pub ready: i64,
    pub order_key: i64,
    pub run_at: i64,
    pub wait: Option<String>,
    pub deadline: Option<i64>,
    pub max_attempts: i64,
    pub timeout_s: i64,
    pub attempts_spent: i64,
    pub attempt_number: i64,
    pub lost: i64,
    pub crashes: i64,
    pub alone: i64,
    pub attempt: Option<String>,
    pub lease_token: Option<String>,
    pub cancel: i64,
    pub result: Option<String>,
    pub fault: Option<String>,
    pub order_id: Option<String>,
    pub retry_of: Option<String>,
    pub batch: Option<String>,
    pub not_before: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
    pub ended_at: Option<i64>,
    pub version: i64,
}

/// Reads a stored JSON value.
pub(super) fn json<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|why| StoreError::Unreadable { what, why: why.to_string() })
}

/// Writes a value as stored JSON.
pub(super) fn to_json<T: serde::Serialize>(what: &'static str, value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|why| StoreError::Unreadable { what, why: why.to_string() })
}

/// Reads a stored name.
pub(super) fn named<T: FromStr<Err = String>>(what: &'static str, text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|why| StoreError::Unreadable { what, why })
}

/// Reads a stored id.
pub(super) fn id(what: &'static str, text: &str) -> Result<Uuid, StoreError> {
    Uuid::parse_str(text).map_err(|why| StoreError::Unreadable { what, why: why.to_string() })
}

pub(super) fn optional_id(what: &'static str, text: Option<&String>) -> Result<Option<Uuid>, StoreError> {
    text.map(|text| id(what, text)).transpose()
}

impl TaskRow {
    /// The task's id.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no UUID.
    pub fn task_id(&self) -> Result<Uuid, StoreError> {
        id("a task's id", &self.id)
    }

    /// The values of the task's parameters, the private ones too.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no map of texts.
    pub fn values(&self) -> Result<BTreeMap<String, String>, StoreError> {
        json("a task's parameters", &self.parameters)
    }

    /// The task's lane.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text names none.
    pub fn lane(&self) -> Result<Lane, StoreError> {
        named("a task's lane", &self.lane)
    }

    /// The task's state.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text names none.
    pub fn state(&self) -> Result<TaskState, StoreError> {
        named("a task's state", &self.state)
    }

    /// The model's task, without what it waits on and without its attempts. Private values are as stored:
    /// whoever shows the task masks them.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`], naming the column.
    pub fn to_task(&self) -> Result<Task, StoreError> {
        Ok(Task {
            id: self.task_id()?,
            name: self.name.clone(),
            flow: FlowRef { name: self.flow_name.clone(), version: self.flow_version as u32 },
            parameters: self.values()?,
            state: self.state()?,
            lane: self.lane()?,
            priority: self.priority as u8,
            domain: Some(self.domain.clone()).filter(|domain| !domain.is_empty()),
            account: self.account.clone(),
            key: self.key.clone(),
            max_attempts: self.max_attempts as u32,
            attempts_spent: self.attempts_spent as u32,
            timeout_s: self.timeout_s as u64,
            not_before: self.not_before.map(Timestamp),
            deadline: self.deadline.map(Timestamp),
            waiting_on: None,
            result: self.result.as_ref().map(|text| json("a task's result", text)).transpose()?,
            fault: self.fault.as_ref().map(|text| json("a task's fault", text)).transpose()?,
            order: optional_id("a task's order", self.order_id.as_ref())?,
            retry_of: optional_id("a task's origin", self.retry_of.as_ref())?,
            batch: optional_id("a task's batch", self.batch.as_ref())?,
            attempts: None,
            created_at: Timestamp(self.created_at),
            updated_at: Timestamp(self.updated_at),
            ended_at: self.ended_at.map(Timestamp),
            version: self.version,
        })
    }
}
