//! What a row of the list shows: the part of an order's JSON that it needs.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::model::{
    Timestamp,
    order::{OrderState, Severity},
};

/// One order in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The order.
    pub id: Uuid,
    /// Where it stands.
    pub state: OrderState,
    /// What its failures have in common.
    pub group: RowGroup,
    /// What does not work.
    pub title: String,
    /// How much it matters.
    pub severity: Severity,
    /// By when somebody should have looked.
    pub due_at: Timestamp,
    /// Failures in it.
    pub occurrences: u64,
    /// Tasks that wait on it.
    pub waiting: u64,
    /// Who works on it.
    #[serde(default)]
    pub claimed_by: Option<String>,
    /// When the claim runs out.
    #[serde(default)]
    pub claim_until: Option<Timestamp>,
    /// Who is to look at it.
    #[serde(default)]
    pub assigned_to: Option<String>,
    /// When its first failure came.
    pub opened_at: Timestamp,
    /// When it was closed.
    #[serde(default)]
    pub closed_at: Option<Timestamp>,
}

/// What the failures of an order have in common, as its JSON says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowGroup {
    /// The flow's name.
    pub flow: String,
    /// The site.
    #[serde(default)]
    pub domain: Option<String>,
    /// The class of fault.
    pub class: String,
}

impl Row {
    /// Where it stands at `now`: a claim that has run out is none.
    #[must_use]
    pub fn state_at(&self, now: Timestamp) -> OrderState {
        standing(self.state, self.claim_until, now)
    }

    /// Who it is with: its holder, else who is to look at it.
    #[must_use]
    pub fn person(&self, now: Timestamp) -> Option<String> {
        match self.state_at(now) {
            OrderState::Claimed => self.claimed_by.clone(),
            OrderState::Open => self.assigned_to.as_ref().map(|name| format!("for {name}")),
            OrderState::Closed => None,
        }
    }
}

/// Where an order stands at `now`: a claim that has run out is none.
#[must_use]
pub fn standing(state: OrderState, claim_until: Option<Timestamp>, now: Timestamp) -> OrderState {
    let over = claim_until.is_some_and(|until| until <= now);
    if state == OrderState::Claimed && over { OrderState::Open } else { state }
}

#[cfg(feature = "ssr")]
impl From<crate::model::order::Order> for Row {
    fn from(order: crate::model::order::Order) -> Self {
        Self {
            id: order.id,
            state: order.state,
            group: RowGroup {
                flow: order.group.flow,
                domain: order.group.domain,
                class: order.group.class.as_str().to_owned(),
            },
            title: order.title,
            severity: order.severity,
            due_at: order.due_at,
            occurrences: order.occurrences,
            waiting: order.waiting,
            claimed_by: order.claimed_by,
            claim_until: order.claim_until,
            assigned_to: order.assigned_to,
            opened_at: order.opened_at,
            closed_at: order.closed_at,
        }
    }
}

/// What the list does with an order of the stream.
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
    pub state: Option<OrderState>,
    /// Of this severity.
    pub severity: Option<Severity>,
    /// Of this flow.
    pub flow: Option<String>,
    /// Of this site.
    pub domain: Option<String>,
    /// Of this class of fault.
    pub class: Option<String>,
    /// With filters that only the server knows: nothing is announced.
    pub more: bool,
}

/// Sorts an order of the stream into a list that was made at `taken`.
#[must_use]
pub fn arrival(rows: &[Row], row: &Row, narrow: &Narrow, taken: Timestamp) -> Arrival {
    if let Some(place) = rows.iter().position(|known| known.id == row.id) {
        return Arrival::Row(place);
    }
    let fits = !narrow.more
        && row.opened_at > taken
        && narrow.state.is_none_or(|state| state == row.state)
        && narrow.severity.is_none_or(|severity| severity == row.severity)
        && narrow.flow.as_ref().is_none_or(|flow| *flow == row.group.flow)
        && narrow.class.as_ref().is_none_or(|class| *class == row.group.class)
        && (narrow.domain.is_none() || narrow.domain == row.group.domain);
    if fits { Arrival::New } else { Arrival::Elsewhere }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: u128, at: i64) -> Row {
        Row {
            id: Uuid::from_u128(n),
            state: OrderState::Open,
            group: RowGroup {
                flow: "search".to_owned(),
                domain: Some("shop.test".to_owned()),
                class: "selector".to_owned(),
            },
            title: "Step 2 of search: element not found".to_owned(),
            severity: Severity::High,
            due_at: Timestamp(at + 1_000),
            occurrences: 1,
            waiting: 1,
            claimed_by: None,
            claim_until: None,
            assigned_to: None,
            opened_at: Timestamp(at),
            closed_at: None,
        }
    }

    #[test]
    fn an_order_that_is_a_row_changes_in_its_place() {
        let rows = [row(2, 20), row(1, 10)];
        let changed = Row { occurrences: 2, ..row(1, 10) };
        assert_eq!(arrival(&rows, &changed, &Narrow::default(), Timestamp(30)), Arrival::Row(1));
    }

    #[test]
    fn only_what_came_since_and_fits_is_new() {
        let narrow = Narrow { class: Some("selector".to_owned()), ..Narrow::default() };
        assert_eq!(arrival(&[], &row(3, 40), &narrow, Timestamp(30)), Arrival::New);
        assert_eq!(arrival(&[], &row(3, 30), &narrow, Timestamp(30)), Arrival::Elsewhere);
        let closed = Narrow { state: Some(OrderState::Closed), ..Narrow::default() };
        assert_eq!(arrival(&[], &row(3, 40), &closed, Timestamp(30)), Arrival::Elsewhere);
        let mine = Narrow { more: true, ..Narrow::default() };
        assert_eq!(arrival(&[], &row(3, 40), &mine, Timestamp(30)), Arrival::Elsewhere);
    }

    #[test]
    fn a_claim_that_has_run_out_is_none() {
        let held = Row {
            state: OrderState::Claimed,
            claimed_by: Some("Ada".to_owned()),
            claim_until: Some(Timestamp(100)),
            assigned_to: Some("Ben".to_owned()),
            ..row(1, 10)
        };
        assert_eq!(held.person(Timestamp(99)), Some("Ada".to_owned()));
        assert_eq!(held.state_at(Timestamp(100)), OrderState::Open);
        assert_eq!(held.person(Timestamp(100)), Some("for Ben".to_owned()));
    }

    #[test]
    fn a_row_is_read_from_an_orders_json() {
        let json = serde_json::json!({
            "id": Uuid::from_u128(1), "state": "open", "title": "Step 2 of search: element not found",
            "group": {"flow": "search", "step": 1, "step_key": "k", "domain": "shop.test", "class": "selector"},
            "severity": "high", "due_at": "1970-01-01T00:00:01.010Z", "occurrences": 1, "waiting": 1,
            "flow_version": 1, "fault": {"class": "selector", "message": "none", "code": "x"},
            "annotations": [], "opened_at": "1970-01-01T00:00:00.010Z",
            "last_at": "1970-01-01T00:00:00.010Z", "version": 1
        });
        assert_eq!(serde_json::from_value::<Row>(json).expect("a row"), row(1, 10));
    }
}
