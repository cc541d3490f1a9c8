//! What is known of all breakers, and what a change of one means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::breaker::{BreakerState, BreakerView};

/// The fleet's breaker, the sites' that are not closed, and what waits behind them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// The fleet's.
    pub fleet: BreakerView,
    /// Those of sites that were not closed when they came on the board. One that closes keeps its place.
    pub sites: Vec<BreakerView>,
    /// Tasks that are queued, of all sites.
    pub queued: u64,
    /// Tasks that are queued for a site, where that is known.
    pub waiting: BTreeMap<String, u64>,
}

impl Board {
    /// The board from all breakers, the fleet's first or anywhere among them.
    #[must_use]
    pub fn new(breakers: Vec<BreakerView>, queued: u64, waiting: BTreeMap<String, u64>) -> Self {
        let mut board = Self { queued, waiting, ..Self::default() };
        for breaker in breakers {
            board.take(breaker);
        }
        board
    }

    /// Takes a breaker as it is now. True where its state is another than before: worth saying.
    pub fn take(&mut self, now: BreakerView) -> bool {
        let Some(domain) = &now.domain else {
            let other = self.fleet.state != now.state;
            self.fleet = now;
            return other;
        };
        match self.sites.iter_mut().find(|site| site.domain.as_ref() == Some(domain)) {
            Some(site) => {
                let other = site.state != now.state;
                *site = now;
                other
            }
            // What is new goes to the end: nothing moves under the pointer.
            None if now.state != BreakerState::Closed => {
                self.sites.push(now);
                true
            }
            None => false,
        }
    }

    /// A site's breaker.
    #[must_use]
    pub fn site(&self, domain: &str) -> Option<&BreakerView> {
        self.sites.iter().find(|site| site.domain.as_deref() == Some(domain))
    }

    /// The sites on the board.
    #[must_use]
    pub fn domains(&self) -> Vec<String> {
        self.sites.iter().filter_map(|site| site.domain.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker(domain: Option<&str>, state: BreakerState) -> BreakerView {
        BreakerView { domain: domain.map(str::to_owned), state, ..BreakerView::default() }
    }

    #[test]
    fn the_fleets_breaker_is_told_from_the_sites() {
        let all = vec![breaker(Some("a.test"), BreakerState::Open), breaker(None, BreakerState::HalfOpen)];
        let board = Board::new(all, 3, BTreeMap::new());
        assert_eq!(board.fleet.state, BreakerState::HalfOpen);
        assert_eq!(board.domains(), ["a.test"]);
        assert_eq!(board.queued, 3);
    }

    #[test]
    fn a_site_that_closes_keeps_its_place_and_a_new_one_goes_to_the_end() {
        let first = vec![breaker(Some("a.test"), BreakerState::Open)];
        let mut board = Board::new(first, 0, BTreeMap::new());
        assert!(board.take(breaker(Some("b.test"), BreakerState::Open)));
        assert!(board.take(breaker(Some("a.test"), BreakerState::Closed)));
        assert_eq!(board.domains(), ["a.test", "b.test"]);
        assert_eq!(board.site("a.test").map(|site| site.state), Some(BreakerState::Closed));
    }

    #[test]
    fn only_a_change_of_state_is_worth_saying() {
        let mut board = Board::default();
        assert!(!board.take(BreakerView { probes: 1, ..BreakerView::default() }));
        assert!(board.take(breaker(None, BreakerState::Open)));
        assert!(!board.take(BreakerView { probes: 2, ..breaker(None, BreakerState::Open) }));
        // A site that is closed and was never otherwise is no news.
        assert!(!board.take(breaker(Some("a.test"), BreakerState::Closed)));
        assert!(board.sites.is_empty());
    }
}
