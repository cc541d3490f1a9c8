//! What an attempt has done so far. It outlives the steps' own code, which a cancel or a timeout drops wherever
//! it stands.

use app::model::attempt::{Rescue, StepRecord};
use app::model::evidence::{SelectorTry, TraceStep};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::job::Picture;
use crate::evidence::Redactor;

/// The ledger of one attempt.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub steps: Vec<Entry>,
    pub result: Map<String, Value>,
    pub pictures: Vec<Picture>,
    pub critical_step: Option<u32>,
    /// Modifier keys that are held down.
    pub modifiers: u8,
    /// Fields filled since something was last sent.
    pub filled: Vec<Filled>,
}

/// One step that was begun.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub index: u32,
    pub kind: &'static str,
    pub words: String,
    /// From the attempt's start, gate waits included.
    pub at_ms: u64,
    /// On the attempt's clock.
    pub began_ms: u64,
    pub ms: Option<u64>,
    pub selector_used: Option<String>,
    pub tries: u32,
    pub rescued: bool,
    /// The rule that the plan has for this step, or that has put it in.
    pub rule: Option<Uuid>,
    pub looked: Vec<SelectorTry>,
    pub error: Option<String>,
}

/// A field that was filled, to be looked at again before it is sent.
#[derive(Clone, Debug)]
pub(super) struct Filled {
    pub frame: String,
    pub loader: String,
    pub chains: Vec<Vec<String>>,
    /// What the flow wants in it.
    pub value: String,
    /// What it held when it was filled.
    pub held: String,
}

impl Ledger {
    /// The step that runs. There is one whenever a step's code runs.
    pub fn current(&mut self) -> &mut Entry {
        if self.steps.is_empty() {
            self.steps.push(Entry::default());
        }
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    /// The steps as the attempt's record keeps them; one that was broken off ends at `now_ms`.
    pub fn records(&self, now_ms: u64, redactor: &Redactor) -> Vec<StepRecord> {
        self.steps
            .iter()
            .map(|step| StepRecord {
                index: step.index,
                r#type: step.kind.to_owned(),
                selector_used: step.selector_used.as_deref().map(|chain| redactor.text(chain)),
                tries: step.tries,
                rescue: step.rescued.then_some(Rescue::L0),
                rule: step.rule,
                ms: step.ms.unwrap_or_else(|| now_ms.saturating_sub(step.began_ms)),
                error: step.error.as_deref().map(|error| redactor.text(error)),
            })
            .collect()
    }

    /// The steps as the trace keeps them.
    pub fn trace(&self) -> Vec<TraceStep> {
        self.steps
            .iter()
            .map(|step| TraceStep {
                index: step.index,
                words: step.words.clone(),
                at_ms: step.at_ms,
                tries: step.looked.clone(),
            })
            .collect()
    }
}
