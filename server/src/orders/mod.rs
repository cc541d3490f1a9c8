//! Work orders: failures that need a person, grouped.
//!
//! - here: how much an order matters, by when somebody should look, and what it is called: pure;
//! - [`escalate`]: an escalated task opens an order or joins the one of its group;
//! - [`markdown`]: what people write, as HTML in which nothing runs.

pub mod escalate;
pub mod markdown;

use app::model::{Timestamp, fault::FaultClass, message::Message, order::Severity};

/// Failures from which on an order matters more than its class alone says.
const MANY: u64 = 10;

/// How much an order matters: what may have happened twice or locks a whole account out matters most; many
/// failures make it matter more.
#[must_use]
pub fn severity(class: FaultClass, occurrences: u64) -> Severity {
    use FaultClass as C;
    let own = match class {
        C::Uncertain | C::Auth => Severity::High,
        C::Selector | C::Blocked | C::Navigation | C::HttpStatus | C::Timeout => Severity::Medium,
        C::Business
        | C::Download
        | C::RendererCrash
        | C::InstanceLost
        | C::Internal
        | C::Policy
        | C::Deadline => Severity::Low,
    };
    match (own, occurrences >= MANY) {
        (Severity::Low, true) => Severity::Medium,
        (_, true) => Severity::High,
        (own, false) => own,
    }
}

/// By when somebody should have looked: hours from the first failure.
#[must_use]
pub fn due(severity: Severity, opened: Timestamp) -> Timestamp {
    let hours = match severity {
        Severity::High => 4,
        Severity::Medium => 24,
        Severity::Low => 72,
    };
    opened.plus_ms(hours * 3_600_000)
}

/// What an order is called: what does not work, at which step of what, and where. `step` is counted from 0.
#[must_use]
pub fn title(class: FaultClass, flow: &str, step: Option<(u32, &str)>, domain: &str) -> Message {
    let code = match (step.is_some(), domain.is_empty()) {
        (true, false) => "order.step",
        (true, true) => "order.step_nowhere",
        (false, false) => "order.flow",
        (false, true) => "order.flow_nowhere",
    };
    let what = Message::new(class_code(class)).english();
    let message = Message::new(code).with("what", what).with("flow", flow).with("domain", domain);
    match step {
        Some((step, words)) => message.with("step", step + 1).with("words", words),
        None => message,
    }
}

fn class_code(class: FaultClass) -> &'static str {
    use FaultClass as C;
    match class {
        C::Business => "class.business",
        C::Selector => "class.selector",
        C::Auth => "class.auth",
        C::Download => "class.download",
        C::Uncertain => "class.uncertain",
        C::Navigation => "class.navigation",
        C::Timeout => "class.timeout",
        C::HttpStatus => "class.http_status",
        C::Blocked => "class.blocked",
        C::RendererCrash => "class.renderer_crash",
        C::InstanceLost => "class.instance_lost",
        C::Internal => "class.internal",
        C::Policy => "class.policy",
        C::Deadline => "class.deadline",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_failures_make_an_order_matter_more_and_never_less() {
        for class in FaultClass::ALL {
            assert!(severity(class, 1) <= severity(class, MANY), "{class:?}");
            assert!(severity(class, MANY) > Severity::Low);
        }
        assert_eq!(severity(FaultClass::Uncertain, 1), Severity::High);
        assert_eq!(severity(FaultClass::Selector, MANY - 1), Severity::Medium);
    }

    #[test]
    fn what_matters_more_is_due_earlier() {
        let due = |severity| due(severity, Timestamp(0));
        assert!(due(Severity::High) < due(Severity::Medium) && due(Severity::Medium) < due(Severity::Low));
    }

    #[test]
    fn an_order_is_called_by_what_does_not_work_and_where() {
        let title = title(FaultClass::Selector, "checkout", Some((3, "Click “Buy”")), "shop.test");
        assert_eq!(
            title.english(),
            "Step 4 of checkout on shop.test: element not found or unusable (Click “Buy”)"
        );
        for class in FaultClass::ALL {
            let bare = super::title(class, "checkout", None, "").english();
            assert!(!bare.contains("class.") && bare.starts_with("The flow checkout: "), "{bare}");
        }
    }
}
