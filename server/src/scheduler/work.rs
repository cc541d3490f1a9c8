//! What an attempt is to do: the task's flow version, the active rules resolved into it, and what must be known
//! of both when it is over.

use app::model::{
    fault::Fault,
    flow::{Environment, Flow, params, parse},
    rule::RuleAction,
};
use uuid::Uuid;

use super::{Scheduler, attempt::internal};
use crate::{
    queue::is_private,
    rules::{
        Active, Subject, judge, key,
        plan::{self, Planned},
    },
    runner::Mark,
    store::{TaskRow, flows, rules as sql},
};

/// What an attempt is to do.
pub(super) struct Work {
    pub flow: Flow,
    pub marks: Vec<Mark>,
    pub environment: Environment,
    pub secrets: Vec<String>,
    /// Whether evidence is kept of a success, to compare failures with.
    pub baseline: bool,
    pub ruling: Ruling,
}

/// What the rules have to do with an attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Ruling {
    /// The plan's steps.
    pub steps: Vec<Planned>,
    /// The plan's rules.
    pub rules: Vec<Uuid>,
    /// A rule that ends the task before anything is done.
    pub instead: Option<(Uuid, RuleAction)>,
    task: Uuid,
    flow: String,
    domain: String,
    /// Rules that may end the task after a fault.
    enders: Vec<Active>,
    /// The keys of the recorded steps.
    keys: Vec<String>,
}

impl Ruling {
    /// The rule that ends the task after this fault, where one does.
    pub fn after(&self, fault: &Fault) -> Option<(Uuid, RuleAction)> {
        let step = fault.step.and_then(|step| self.keys.get(step as usize)).map(String::as_str);
        let found = judge::after(&self.enders, self.subject(), fault, step);
        found.map(|rule| (rule.id, rule.action.clone()))
    }

    fn subject(&self) -> Subject<'_> {
        Subject { task: self.task, flow: &self.flow, domain: &self.domain }
    }
}

impl Scheduler {
    /// The flow version with the rules and the task's values in it.
    pub(super) async fn work(&self, row: &TaskRow) -> Result<Work, Fault> {
        let read = self.rooms().store.read();
        let flow = flows::version_of(read, &row.flow_name, row.flow_version)
            .await
            .map_err(internal)?
            .ok_or_else(|| internal(format!("the flow {}@{} is gone", row.flow_name, row.flow_version)))?;
        let values = row.values().map_err(internal)?;
        let specs = flow.parameters().map_err(internal)?;
        let secrets = values
            .iter()
            .filter(|(name, _)| is_private(name, &specs, &self.rooms().settings.evidence.mask))
            .map(|(_, value)| value.clone())
            .collect();
        let recording = flow.recording().map_err(internal)?;
        let parsed = parse::flow(&params::fill(&recording, &values)).map_err(|errors| {
            internal(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let active = sql::active(read, &row.flow_name, &row.domain).await.map_err(internal)?;
        // Most flows have no rules: their keys are asked for by nobody.
        let keys = if active.is_empty() { Vec::new() } else { key::step_keys(&recording) };
        let task = row.task_id().map_err(internal)?;
        let (title, timeout_ms) = (parsed.title.clone(), parsed.timeout_ms);
        let subject = Subject { task, flow: &row.flow_name, domain: &row.domain };
        let plan = plan::resolve(parsed, &keys, &active, subject, &values);
        let planned = sql::Planned {
            flow: row.flow_name.clone(),
            version: row.flow_version,
            rules: plan.rules.clone(),
        };
        let last = sql::baseline_at(read, &planned).await.map_err(internal)?;
        let every_ms = self.rooms().settings.evidence.good_every_s.saturating_mul(1_000);
        Ok(Work {
            marks: plan.steps.iter().map(|one| Mark { index: one.index, rule: one.rule }).collect(),
            flow: Flow { title, timeout_ms, steps: plan.steps.iter().map(|one| one.step.clone()).collect() },
            environment: flow.environment().map_err(internal)?,
            secrets,
            baseline: last.is_none_or(|last| self.now().since(last).max(0) as u64 >= every_ms),
            ruling: Ruling {
                steps: plan.steps,
                rules: plan.rules,
                instead: plan.instead,
                task,
                flow: row.flow_name.clone(),
                domain: row.domain.clone(),
                enders: active.into_iter().filter(|rule| rule.action.needs_operator()).collect(),
                keys,
            },
        })
    }
}
