//! States as they are shown: a shape and a word, and a colour that only repeats them.

use leptos::prelude::*;

use crate::model::{
    attempt::Outcome,
    breaker::BreakerState,
    fault::FaultClass,
    order::{OrderState, Severity},
    pool::InstanceState,
    rule::RuleState,
    task::{TaskState, WaitKind, WaitingOn},
};

/// How a state is drawn: the name of its colour and the shape beside its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The tone: `wait`, `go`, `good`, `bad`, `warn` or `off`.
    pub tone: &'static str,
    /// The shape.
    pub shape: &'static str,
    /// The word.
    pub word: &'static str,
}

const fn look(tone: &'static str, shape: &'static str, word: &'static str) -> Look {
    Look { tone, shape, word }
}

/// A task's state.
#[must_use]
pub fn task(state: TaskState) -> Look {
    match state {
        TaskState::Queued => look("wait", "○", "queued"),
        TaskState::Running => look("go", "▶", "running"),
        TaskState::Succeeded => look("good", "✓", "succeeded"),
        TaskState::Failed => look("bad", "✕", "failed"),
        TaskState::Escalated => look("warn", "▲", "escalated"),
        TaskState::Quarantined => look("warn", "◆", "quarantined"),
        TaskState::Cancelled => look("off", "–", "cancelled"),
    }
}

/// How an attempt ended; none while it runs.
#[must_use]
pub fn outcome(outcome: Option<Outcome>) -> Look {
    match outcome {
        None => look("go", "▶", "running"),
        Some(Outcome::Succeeded) => look("good", "✓", "succeeded"),
        Some(Outcome::Failed) => look("bad", "✕", "failed"),
        Some(Outcome::Lost) => look("warn", "◆", "lost"),
        Some(Outcome::Cancelled) => look("off", "–", "cancelled"),
        Some(Outcome::Returned) => look("off", "↩", "returned"),
    }
}

/// What an instance is doing.
#[must_use]
pub fn instance(state: InstanceState) -> Look {
    match state {
        InstanceState::Warming => look("wait", "◌", "warming"),
        InstanceState::Idle => look("off", "○", "idle"),
        InstanceState::Busy => look("go", "●", "busy"),
        InstanceState::Draining => look("warn", "◐", "draining"),
        InstanceState::Recycling => look("warn", "↻", "recycling"),
        InstanceState::Lost => look("bad", "✕", "lost"),
    }
}

/// Where a breaker stands.
#[must_use]
pub fn breaker(state: BreakerState) -> Look {
    match state {
        BreakerState::Closed => look("good", "✓", "closed"),
        BreakerState::Open => look("bad", "✕", "open"),
        BreakerState::HalfOpen => look("warn", "◐", "half-open"),
    }
}

/// What a queued task waits on, in a few words.
#[must_use]
pub fn wait(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Pause => "paused",
        WaitKind::Schedule => "scheduled",
        WaitKind::Retry => "next try",
        WaitKind::Breaker => "breaker open",
        WaitKind::SiteBreaker => "site's breaker",
        WaitKind::Account => "account",
        WaitKind::DomainConcurrency => "site is busy",
        WaitKind::GateGlobal => "fleet's gate",
        WaitKind::GateDomain => "site's gate",
        WaitKind::Limiter => "limiter",
        WaitKind::Turn => "turn",
    }
}

/// Whether a wait says no more than until when.
#[must_use]
pub fn is_only_time(wait: &WaitingOn) -> bool {
    wait.until.is_some() && matches!(wait.kind, WaitKind::Schedule | WaitKind::Retry)
}

/// A class of fault in a few words.
#[must_use]
pub fn class(class: FaultClass) -> &'static str {
    match class {
        FaultClass::Business => "wrong data",
        FaultClass::Selector => "element not found or unusable",
        FaultClass::Auth => "wants a sign-in",
        FaultClass::Download => "download instead of a page",
        FaultClass::Uncertain => "uncertain after a critical step",
        FaultClass::Navigation => "page could not be loaded",
        FaultClass::Timeout => "took too long",
        FaultClass::HttpStatus => "status of the page",
        FaultClass::Blocked => "refused by the site",
        FaultClass::RendererCrash => "renderer crashed",
        FaultClass::InstanceLost => "Chrome ended",
        FaultClass::Internal => "failed inside",
        FaultClass::Policy => "not allowed",
        FaultClass::Deadline => "deadline passed",
    }
}

/// The same for a class by its name; one that is not known is shown as it is.
#[must_use]
pub fn class_by_name(name: &str) -> String {
    name.parse::<FaultClass>().map_or_else(|_| name.to_owned(), |known| class(known).to_owned())
}

/// A work order's state.
#[must_use]
pub fn order(state: OrderState) -> Look {
    match state {
        OrderState::Open => look("wait", "○", "open"),
        OrderState::Claimed => look("go", "◐", "claimed"),
        OrderState::Closed => look("good", "✓", "closed"),
    }
}

/// How much a work order matters.
#[must_use]
pub fn severity(severity: Severity) -> Look {
    match severity {
        Severity::High => look("bad", "▲", "high"),
        Severity::Medium => look("warn", "◆", "medium"),
        Severity::Low => look("off", "▽", "low"),
    }
}

/// A rule's state.
#[must_use]
pub fn rule(state: RuleState) -> Look {
    match state {
        RuleState::Candidate => look("wait", "○", "candidate"),
        RuleState::Active => look("good", "●", "active"),
        RuleState::Disabled => look("off", "–", "disabled"),
    }
}

/// A state as a badge: shape and word in its tone.
pub fn badge(look: Look) -> impl IntoView {
    view! {
        <span class=format!("badge tone-{}", look.tone)>
            <span class="badge-shape" aria-hidden="true">{look.shape}</span>
            {look.word}
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_states_of_a_task_share_shape_and_word() {
        for one in TaskState::ALL {
            assert_eq!(task(one).word, one.as_str());
            assert_eq!(
                TaskState::ALL.into_iter().filter(|other| task(*other).shape == task(one).shape).count(),
                1
            );
        }
    }

    #[test]
    fn what_an_order_and_a_rule_are_is_told_by_shape_and_word_too() {
        let shapes = |looks: &[Look]| {
            looks.iter().map(|look| (look.shape, look.word)).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert_eq!(shapes(&OrderState::ALL.map(order)), 3);
        assert_eq!(shapes(&Severity::ALL.map(severity)), 3);
        assert_eq!(shapes(&RuleState::ALL.map(rule)), 3);
    }

    #[test]
    fn a_class_that_is_not_known_is_shown_as_it_is() {
        assert_eq!(class_by_name("http_status"), "status of the page");
        assert_eq!(class_by_name("martian"), "martian");
    }
}
