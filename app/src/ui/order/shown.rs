//! An order's JSON as its page follows it, and what has changed since the page was made.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::words;
use crate::{
    model::{
        Timestamp,
        order::{OrderState, Severity},
    },
    ui::orders::row::standing,
};

/// What of an order lives on its page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderShown {
    /// The order.
    pub id: Uuid,
    /// Where it stands.
    pub state: OrderState,
    /// What does not work, and where.
    pub title: String,
    /// How much it matters.
    pub severity: Severity,
    /// By when somebody should have looked.
    pub due_at: Timestamp,
    /// Failures in it.
    pub occurrences: u64,
    /// Tasks that wait on it.
    pub waiting: u64,
    /// Who is to look at it.
    #[serde(default)]
    pub assigned_to: Option<String>,
    /// Who works on it.
    #[serde(default)]
    pub claimed_by: Option<String>,
    /// The holder's id.
    #[serde(default)]
    pub claimed_by_id: Option<Uuid>,
    /// When the claim runs out.
    #[serde(default)]
    pub claim_until: Option<Timestamp>,
    /// The claim's proof; an event of the stream has none.
    #[serde(default)]
    pub claim_token: Option<Uuid>,
    /// When its first failure came.
    pub opened_at: Timestamp,
    /// When its newest failure came.
    pub last_at: Timestamp,
    /// When it was closed.
    #[serde(default)]
    pub closed_at: Option<Timestamp>,
    /// Goes up with every change.
    pub version: i64,
}

/// Who holds an order, as its viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holding {
    /// It is closed.
    Closed,
    /// Nobody.
    Nobody,
    /// The viewer, until then; this page can prove it or not.
    Mine(Timestamp, bool),
    /// Somebody else, until then.
    Other(String, Timestamp),
}

impl OrderShown {
    /// Who holds it at `now`, as `me` sees it.
    #[must_use]
    pub fn holding(&self, me: Uuid, now: Timestamp) -> Holding {
        match standing(self.state, self.claim_until, now) {
            OrderState::Closed => Holding::Closed,
            OrderState::Open => Holding::Nobody,
            OrderState::Claimed => {
                let until = self.claim_until.unwrap_or(now);
                if self.claimed_by_id == Some(me) {
                    Holding::Mine(until, self.claim_token.is_some())
                } else {
                    Holding::Other(self.claimed_by.clone().unwrap_or_default(), until)
                }
            }
        }
    }

    /// A newer state of the stream, which tells nobody's proof: the same holder's stays.
    #[must_use]
    pub fn followed_by(&self, mut newer: Self) -> Self {
        if newer.claimed_by_id.is_some() && newer.claimed_by_id == self.claimed_by_id {
            newer.claim_token = newer.claim_token.or(self.claim_token);
        }
        newer
    }

    /// What a person should know that this page, made as `self`, does not show.
    #[must_use]
    pub fn news(&self, newer: &Self, me: Uuid) -> Vec<String> {
        let mut news = Vec::new();
        match (self.state, newer.state) {
            (OrderState::Closed, OrderState::Closed) => {}
            (_, OrderState::Closed) => news.push(words::CLOSED_MEANWHILE.to_owned()),
            (OrderState::Closed, _) => news.push(words::REOPENED_MEANWHILE.to_owned()),
            _ => {}
        }
        let mine = self.claimed_by_id == Some(me);
        if let Some(holder) = newer.claimed_by.as_ref().filter(|_| mine && newer.claimed_by_id != Some(me)) {
            news.push(words::taken_over(holder));
        }
        if newer.occurrences > self.occurrences {
            news.push(words::joined(newer.occurrences - self.occurrences));
        }
        news
    }
}

#[cfg(feature = "ssr")]
impl From<&crate::model::order::Order> for OrderShown {
    fn from(order: &crate::model::order::Order) -> Self {
        Self {
            id: order.id,
            state: order.state,
            title: order.title.clone(),
            severity: order.severity,
            due_at: order.due_at,
            occurrences: order.occurrences,
            waiting: order.waiting,
            assigned_to: order.assigned_to.clone(),
            claimed_by: order.claimed_by.clone(),
            claimed_by_id: order.claimed_by_id,
            claim_until: order.claim_until,
            claim_token: order.claim_token,
            opened_at: order.opened_at,
            last_at: order.last_at,
            closed_at: order.closed_at,
            version: order.version,
        }
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use crate::ui::order::draft::tests::order;

    const ME: Uuid = Uuid::from_u128(7);
    const ADA: Uuid = Uuid::from_u128(9);

    fn mine() -> OrderShown {
        OrderShown::from(&order())
    }

    /// As an event of the stream has it.
    fn event() -> OrderShown {
        OrderShown { claim_token: None, version: 5, ..mine() }
    }

    #[test]
    fn an_orders_json_is_read_as_its_page_shows_it() {
        let json = serde_json::to_value(order()).expect("json");
        assert_eq!(serde_json::from_value::<OrderShown>(json).expect("an order"), mine());
    }

    #[test]
    fn the_holder_is_told_as_the_viewer_sees_it() {
        assert_eq!(mine().holding(ME, Timestamp(1)), Holding::Mine(Timestamp(5_000), true));
        assert_eq!(mine().holding(ADA, Timestamp(1)), Holding::Other("Ada".to_owned(), Timestamp(5_000)));
        assert_eq!(mine().holding(ME, Timestamp(5_000)), Holding::Nobody);
    }

    #[test]
    fn the_proof_stays_while_the_holder_does() {
        assert_eq!(mine().followed_by(event()).claim_token, mine().claim_token);
        let taken = OrderShown { claimed_by_id: Some(ADA), ..event() };
        assert_eq!(mine().followed_by(taken.clone()).claim_token, None);
        assert_eq!(taken.followed_by(event()).claim_token, None);
    }

    #[test]
    fn what_happens_meanwhile_is_told() {
        assert!(mine().news(&event(), ME).is_empty());
        let taken = OrderShown { claimed_by_id: Some(ADA), claimed_by: Some("Ada".to_owned()), ..event() };
        assert_eq!(mine().news(&taken, ME), [words::taken_over("Ada")]);
        assert!(taken.news(&event(), ME).is_empty());
        let more = OrderShown { occurrences: 5, ..event() };
        assert_eq!(mine().news(&more, ME), [words::joined(2)]);
        let closed =
            OrderShown { state: OrderState::Closed, claimed_by_id: None, claimed_by: None, ..event() };
        assert_eq!(mine().news(&closed, ME), [words::CLOSED_MEANWHILE.to_owned()]);
    }
}
