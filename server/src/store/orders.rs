//! Work orders.
//!
//! - here: what is stored of one;
//! - [`look`]: reading; [`change`]: writing.

mod change;
mod look;

pub use change::*;
pub use look::*;

use app::model::{
    Timestamp,
    fault::{Fault, FaultClass},
    order::{NewConclusion, Severity, TasksThen},
};
use serde::{Deserialize, Serialize};
use sqlx::Sqlite;
use uuid::Uuid;

use super::{
    StoreError,
    rows::{id, json, named, optional_id},
};

/// What the failures of an order have in common; empty where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The flow's name.
    pub flow: String,
    /// The step's key.
    pub step_key: String,
    /// The site's key.
    pub domain: String,
    /// The class of fault.
    pub class: FaultClass,
}

/// One failure that comes to an order.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The task.
    pub task: Uuid,
    /// Its attempt that failed.
    pub attempt: Uuid,
    /// The version of its flow.
    pub flow_version: i64,
    /// The step, counted from 0.
    pub step: Option<u32>,
    /// The step in words.
    pub step_words: Option<String>,
    /// Why.
    pub fault: Fault,
    /// When.
    pub at: Timestamp,
}

/// The open order of a group, as far as the next failure needs it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its id.
    pub id: Uuid,
    /// Failures so far.
    pub occurrences: u64,
    /// How much it matters so far.
    pub severity: Severity,
    /// When its first failure came.
    pub opened_at: Timestamp,
}

/// A conclusion as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptConclusion {
    /// What was found.
    #[serde(flatten)]
    pub found: NewConclusion,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// What became of the tasks.
    pub tasks: TasksThen,
}

/// An order's row.
#[derive(Clone, Debug, sqlx::FromRow)]
#[expect(missing_docs, reason = "the columns are described in the migration")]
pub struct OrderRow {
    pub seq: i64,
    pub id: String,
    pub flow: String,
    pub step_key: String,
    pub domain: String,
    pub class: String,
    pub step: Option<i64>,
    pub step_words: Option<String>,
    pub flow_version: i64,
    pub fault: String,
    pub severity: i64,
    pub due_at: i64,
    pub occurrences: i64,
    pub waiting: i64,
    pub closed: i64,
    pub assigned_to: Option<String>,
    pub claim_token: Option<String>,
    pub claim_holder: Option<String>,
    pub claim_name: Option<String>,
    pub claim_until: Option<i64>,
    pub draft: Option<String>,
    pub conclusion: Option<String>,
    pub rule: Option<String>,
    pub opened_at: i64,
    pub last_at: i64,
    pub closed_at: Option<i64>,
    pub version: i64,
}

/// Who holds an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// The person's or token's id.
    pub holder: Uuid,
    /// Their name.
    pub name: String,
    /// What writes are proven by.
    pub token: Uuid,
    /// When it runs out.
    pub until: Timestamp,
}

impl OrderRow {
    /// The order's id.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no UUID.
    pub fn order_id(&self) -> Result<Uuid, StoreError> {
        id("an order's id", &self.id)
    }

    /// The class of fault.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text names none.
    pub fn class(&self) -> Result<FaultClass, StoreError> {
        named("an order's class", &self.class)
    }

    /// How much it matters.
    #[must_use]
    pub fn severity(&self) -> Severity {
        severity(self.severity)
    }

    /// Who holds it now; a claim that has run out is none.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where a stored text is no UUID.
    pub fn holding(&self, now: Timestamp) -> Result<Option<Holding>, StoreError> {
        let (Some(until), Some(holder), Some(token)) =
            (self.claim_until, &self.claim_holder, &self.claim_token)
        else {
            return Ok(None);
        };
        if self.closed != 0 || until <= now.0 {
            return Ok(None);
        }
        Ok(Some(Holding {
            holder: id("a claim's holder", holder)?,
            name: self.claim_name.clone().unwrap_or_default(),
            token: id("a claim's token", token)?,
            until: Timestamp(until),
        }))
    }

    /// The newest failure.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is none.
    pub fn fault(&self) -> Result<Fault, StoreError> {
        json("an order's fault", &self.fault)
    }

    /// What was found, once it is closed.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is none.
    pub fn conclusion(&self) -> Result<Option<KeptConclusion>, StoreError> {
        self.conclusion.as_deref().map(|text| json("a conclusion", text)).transpose()
    }

    /// What the holder has typed so far.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no JSON.
    pub fn draft(&self) -> Result<Option<serde_json::Value>, StoreError> {
        self.draft.as_deref().map(|text| json("a draft", text)).transpose()
    }

    /// The rule that came of it.
    ///
    /// # Errors
    /// [`StoreError::Unreadable`] where the stored text is no UUID.
    pub fn rule(&self) -> Result<Option<Uuid>, StoreError> {
        optional_id("an order's rule", self.rule.as_ref())
    }
}

fn severity(stored: i64) -> Severity {
    match stored {
        0 => Severity::Low,
        1 => Severity::Medium,
        _ => Severity::High,
    }
}

/// One order.
///
/// # Errors
/// When the database fails.
pub async fn get<'c, E>(executor: E, order: Uuid) -> Result<Option<OrderRow>, StoreError>
where
    E: sqlx::Executor<'c, Database = Sqlite>,
{
    Ok(sqlx::query_as("SELECT * FROM orders WHERE id = $1")
        .bind(order.to_string())
        .fetch_optional(executor)
        .await?)
}
