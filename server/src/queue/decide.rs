//! What becomes of a task when an attempt of it is over: the design's table as a pure function.

use app::model::{
    Timestamp,
    attempt::Outcome,
    fault::{Fault, FaultClass},
    message::Message,
};
use serde_json::Value;

use crate::config::{QuarantineSettings, QueueSettings};

/// What a task had spent before this attempt, and what was asked of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Attempts that counted.
    pub attempts: u32,
    /// Attempts it may spend.
    pub max_attempts: u32,
    /// Leases that were lost.
    pub lost: u32,
    /// Crashes in a row that count towards quarantine.
    pub crashes: u32,
    /// Whether this attempt ran alone in its instance, to find out who brings instances down.
    pub alone: bool,
    /// Whether it was asked to be taken back.
    pub cancel: bool,
    /// It fails when it has not succeeded by then.
    pub deadline: Option<Timestamp>,
    /// The critical step that this attempt had begun.
    pub critical_step: Option<u32>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// With the result.
    Succeeded {
        /// `{name: value}`.
        result: Value,
    },
    /// With a fault. `not_before` is the end of what the site asked for.
    Failed {
        /// The fault.
        fault: Fault,
        /// Not tried again before.
        not_before: Option<Timestamp>,
        /// Whether other attempts were in the instance that was lost.
        shared: bool,
    },
    /// Its lease or holder was lost.
    Lost,
    /// Stopped because it was taken back.
    Cancelled,
    /// Put back at no cost: a drain, or a gate wait past its limit.
    Returned {
        /// Not tried again before.
        not_before: Option<Timestamp>,
    },
}

/// What becomes of the task.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// An end, with the result.
    Succeeded {
        /// `{name: value}`.
        result: Value,
    },
    /// Tried again.
    Queued {
        /// When.
        at: Timestamp,
        /// Why it did not succeed this time.
        fault: Option<Fault>,
        /// What the attempt cost.
        counters: Counters,
    },
    /// Waits on a person.
    Escalated {
        /// Why.
        fault: Fault,
    },
    /// Set aside.
    Quarantined {
        /// Why.
        fault: Fault,
        /// What the attempt cost.
        counters: Counters,
    },
    /// An end without a result.
    Failed {
        /// Why.
        fault: Fault,
    },
    /// An end: it was taken back.
    Cancelled,
}

/// What an attempt adds to a task's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Attempts spent: 0 or 1.
    pub attempts: i64,
    /// Leases lost: 0 or 1.
    pub lost: i64,
    /// Crashes in a row: 1 more, or -1 to begin anew.
    pub crashes: i64,
    /// 1 where the next attempt runs alone in an instance.
    pub alone: i64,
}

/// What an attempt costs that counted.
pub const SPENT: Counters = Counters { attempts: 1, lost: 0, crashes: 0, alone: 0 };

impl Next {
    /// Whether it is not known if a critical step took effect: such an end counts for no breaker.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Escalated { fault } if fault.class == FaultClass::Uncertain)
    }

    /// What the attempt adds to the counters.
    #[must_use]
    pub fn counters(&self) -> Counters {
        match self {
            Self::Queued { counters, .. } | Self::Quarantined { counters, .. } => *counters,
            Self::Succeeded { .. } => Counters { attempts: 1, crashes: -1, ..Counters::default() },
            Self::Cancelled => Counters::default(),
            Self::Escalated { .. } | Self::Failed { .. } => SPENT,
        }
    }
}

/// Whether a class is tried again, and what becomes of the task when its attempts are spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Policy {
    retried: bool,
    spent: WhenSpent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WhenSpent {
    Escalate,
    Fail,
}

fn policy(fault: &Fault) -> Policy {
    use FaultClass as C;
    let status = fault.status.unwrap_or(0);
    let (retried, spent) = match fault.class {
        C::Business | C::Selector | C::Auth | C::Download | C::Uncertain => (false, WhenSpent::Escalate),
        C::Navigation => (fault.what.code != "navigation.redirect_loop", WhenSpent::Escalate),
        C::Timeout | C::RendererCrash | C::InstanceLost => (true, WhenSpent::Escalate),
        C::HttpStatus => (status >= 500, WhenSpent::Escalate),
        C::Blocked => (status == 429 || status == 503, WhenSpent::Escalate),
        C::Internal => (true, WhenSpent::Fail),
        C::Policy | C::Deadline => (false, WhenSpent::Fail),
    };
    Policy { retried, spent }
}

/// Decides. `random` is drawn from 0 to 1 by the caller and spreads the retries.
#[must_use]
pub fn next(
    spent: Spent,
    ended: Ended,
    now: Timestamp,
    queue: &QueueSettings,
    quarantine: &QuarantineSettings,
    random: f64,
) -> Next {
    match ended {
        // What was done is done: a result stands even where it was asked for back meanwhile.
        Ended::Succeeded { result } => Next::Succeeded { result },
        Ended::Cancelled => Next::Cancelled,
        Ended::Returned { not_before } => returned(spent, not_before, now),
        Ended::Lost => lost(spent, now, queue),
        Ended::Failed { fault, not_before, shared } => {
            failed(spent, fault, not_before, shared, now, queue, quarantine, random)
        }
    }
}

fn returned(spent: Spent, not_before: Option<Timestamp>, now: Timestamp) -> Next {
    if let Some(step) = spent.critical_step {
        let why = Message::new("lost.lease").english();
        return Next::Escalated {
            fault: Fault::new(FaultClass::Uncertain, Message::new("uncertain.failed").with("why", why))
                .at(step),
        };
    }
    if spent.cancel {
        return Next::Cancelled;
    }
    let at = not_before.unwrap_or(now).max(now);
    let counters = Counters { alone: i64::from(spent.alone), ..Counters::default() };
    Next::Queued { at, fault: None, counters }
}

fn lost(spent: Spent, now: Timestamp, queue: &QueueSettings) -> Next {
    if let Some(step) = spent.critical_step {
        return Next::Escalated {
            fault: Fault::new(FaultClass::Uncertain, Message::new("uncertain.lost")).at(step),
        };
    }
    if spent.cancel {
        return Next::Cancelled;
    }
    if let Some(fault) = overdue(spent, now) {
        return Next::Failed { fault };
    }
    let count = spent.lost + 1;
    let fault = Fault::new(FaultClass::Internal, Message::new("lost.lease"));
    if count >= queue.lost_max {
        let what = Message::new("lost.spent").with("count", count);
        let counters = Counters { lost: 1, ..Counters::default() };
        return Next::Quarantined { fault: Fault::new(FaultClass::Internal, what), counters };
    }
    let counters = Counters { lost: 1, alone: i64::from(spent.alone), ..Counters::default() };
    Next::Queued { at: now, fault: Some(fault), counters }
}

#[expect(clippy::too_many_arguments, reason = "the decision's inputs, each used once")]
fn failed(
    spent: Spent,
    fault: Fault,
    not_before: Option<Timestamp>,
    shared: bool,
    now: Timestamp,
    queue: &QueueSettings,
    quarantine: &QuarantineSettings,
    random: f64,
) -> Next {
    let policy = policy(&fault);
    // A run that was to be repeated may not be, once something that must not happen twice has begun.
    if let (Some(step), true) = (spent.critical_step, policy.retried) {
        let what = Message::new("uncertain.failed").with("why", fault.message());
        return Next::Escalated {
            fault: Fault::new(FaultClass::Uncertain, what).at(fault.step.unwrap_or(step)),
        };
    }
    if spent.cancel {
        return Next::Cancelled;
    }
    if let Some(fault) = overdue(spent, now) {
        return Next::Failed { fault };
    }
    // Nobody is blamed for an instance that others were in: each runs alone once, outside its attempts.
    if fault.class == FaultClass::InstanceLost && shared && !spent.alone {
        let counters = Counters { alone: 1, ..Counters::default() };
        return Next::Queued { at: now, fault: Some(fault), counters };
    }
    let crashed = match fault.class {
        FaultClass::RendererCrash => true,
        FaultClass::InstanceLost => spent.alone || !shared,
        _ => false,
    };
    let crashes = if crashed { spent.crashes + 1 } else { 0 };
    if crashed && crashes >= quarantine.after {
        return Next::Quarantined { fault, counters: Counters { crashes: 1, ..SPENT } };
    }
    let attempts = spent.attempts + 1;
    if policy.retried && attempts < spent.max_attempts {
        let counters = Counters { attempts: 1, lost: 0, crashes: if crashed { 1 } else { -1 }, alone: 0 };
        return Next::Queued {
            at: retry_at(now, not_before, attempts, queue, random),
            fault: Some(fault),
            counters,
        };
    }
    match policy.spent {
        WhenSpent::Escalate => Next::Escalated { fault },
        WhenSpent::Fail => Next::Failed { fault },
    }
}

fn overdue(spent: Spent, now: Timestamp) -> Option<Fault> {
    let deadline = spent.deadline.filter(|deadline| *deadline <= now)?;
    Some(deadline_fault(deadline))
}

/// The fault of a task whose deadline has passed.
#[must_use]
pub fn deadline_fault(deadline: Timestamp) -> Fault {
    Fault::new(FaultClass::Deadline, Message::new("deadline.passed").with("deadline", deadline))
}

/// When a task is tried again: `max(now, what the site asked for) + random(0, min(cap, base · 2^(n−1)))`,
/// so that tasks that failed together do not come back together.
#[must_use]
pub fn retry_at(
    now: Timestamp,
    not_before: Option<Timestamp>,
    attempts: u32,
    queue: &QueueSettings,
    random: f64,
) -> Timestamp {
    let doubled = queue.retry_base_s.saturating_mul(1u64 << attempts.saturating_sub(1).min(32));
    let backoff_ms = doubled.min(queue.retry_cap_s) as f64 * 1_000.0;
    not_before.unwrap_or(now).max(now).plus_ms((backoff_ms * random.clamp(0.0, 1.0)) as i64)
}

/// How the attempt is told of in the history.
#[must_use]
pub fn outcome(ended: &Ended) -> Outcome {
    match ended {
        Ended::Succeeded { .. } => Outcome::Succeeded,
        Ended::Failed { .. } => Outcome::Failed,
        Ended::Lost => Outcome::Lost,
        Ended::Cancelled => Outcome::Cancelled,
        Ended::Returned { .. } => Outcome::Returned,
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
