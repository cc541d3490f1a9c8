//! Visitors: carts, wish lists and orders, by cookie.

use std::collections::{HashMap, VecDeque};

use super::catalog::{self, Product};

/// Most visitors remembered at once; the oldest are forgotten first.
const MOST_SESSIONS: usize = 5_000;
/// Most lines in a cart.
const MOST_LINES: usize = 40;
/// Most of one product in a cart.
pub(super) const MOST_PIECES: u32 = 99;
/// Most orders of one visitor; the oldest are forgotten first.
const MOST_ORDERS: usize = 20;

/// What is known of one visitor.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub signed_in: bool,
    pub cart: Vec<Line>,
    pub wishes: Vec<&'static str>,
    pub orders: Vec<Order>,
    /// The name on the profile, where the visitor has changed it.
    pub name: Option<String>,
}

/// So many of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub slug: &'static str,
    pub pieces: u32,
}

impl Line {
    pub(super) fn product(&self) -> &'static Product {
        catalog::find(self.slug).expect("a line is made of a product of the catalog only")
    }

    pub(super) fn cents(&self) -> u32 {
        self.product().cents * self.pieces
    }
}

/// An order.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub number: String,
    pub date: &'static str,
    pub status: &'static str,
    pub lines: Vec<Line>,
    pub shipping_cents: u32,
}

impl Order {
    pub(super) fn goods_cents(&self) -> u32 {
        self.lines.iter().map(Line::cents).sum()
    }

    pub(super) fn total_cents(&self) -> u32 {
        self.goods_cents() + self.shipping_cents
    }
}

impl Session {
    /// Puts pieces of a product into the cart, up to the bounds.
    pub(super) fn add(&mut self, product: &'static Product, pieces: u32) {
        if let Some(line) = self.cart.iter_mut().find(|line| line.slug == product.slug) {
            line.pieces = line.pieces.saturating_add(pieces).clamp(1, MOST_PIECES);
        } else if self.cart.len() < MOST_LINES {
            self.cart.push(Line { slug: &product.slug, pieces: pieces.clamp(1, MOST_PIECES) });
        }
    }

    /// Sets how many of a product are in the cart; none takes it out.
    pub(super) fn set_pieces(&mut self, slug: &str, pieces: u32) {
        if pieces == 0 {
            self.cart.retain(|line| line.slug != slug);
        } else if let Some(line) = self.cart.iter_mut().find(|line| line.slug == slug) {
            line.pieces = pieces.min(MOST_PIECES);
        }
    }

    pub(super) fn wish(&mut self, product: &'static Product) {
        if !self.wishes.contains(&product.slug.as_str()) && self.wishes.len() < MOST_LINES {
            self.wishes.push(&product.slug);
        }
    }

    pub(super) fn keep_order(&mut self, order: Order) {
        if self.orders.len() == MOST_ORDERS {
            self.orders.remove(0);
        }
        self.orders.push(order);
    }

    pub(super) fn pieces(&self) -> u32 {
        self.cart.iter().map(|line| line.pieces).sum()
    }

    pub(super) fn goods_cents(&self) -> u32 {
        self.cart.iter().map(Line::cents).sum()
    }

    /// The visitor's orders, newest first; the practice user has some from before.
    pub(super) fn all_orders(&self) -> Vec<Order> {
        let mut orders: Vec<Order> = self.orders.iter().rev().cloned().collect();
        if self.signed_in {
            orders.extend(earlier_orders());
        }
        orders
    }

    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("Ada Lindqvist")
    }
}

/// An earlier order: number, date, status, and pieces of products by their place in the catalog.
type Earlier = (&'static str, &'static str, &'static str, &'static [(usize, u32)]);

/// The orders that the practice user has always had, newest first.
fn earlier_orders() -> Vec<Order> {
    let rows: [Earlier; 6] = [
        ("H-104412", "12 October 2026", "On its way", &[(3, 1), (27, 2), (41, 1)]),
        ("H-103987", "2 September 2026", "Delivered", &[(12, 1)]),
        ("H-103310", "18 July 2026", "Delivered", &[(33, 4), (35, 1), (52, 2), (58, 1)]),
        ("H-102764", "29 May 2026", "Returned", &[(7, 1)]),
        ("H-101950", "14 March 2026", "Delivered", &[(21, 2), (46, 1)]),
        ("H-100873", "8 January 2026", "Delivered", &[(0, 1), (30, 1)]),
    ];
    let products = catalog::all();
    rows.into_iter()
        .map(|(number, date, status, lines)| {
            let lines: Vec<Line> =
                lines.iter().map(|&(index, pieces)| Line { slug: &products[index].slug, pieces }).collect();
            let goods: u32 = lines.iter().map(Line::cents).sum();
            Order { number: number.to_owned(), date, status, lines, shipping_cents: shipping(goods, false) }
        })
        .collect()
}

/// What sending costs: free from 80 euro, express always the same.
pub(super) fn shipping(goods_cents: u32, express: bool) -> u32 {
    match (express, goods_cents) {
        (true, _) => 1_290,
        (false, 8_000..) => 0,
        (false, _) => 490,
    }
}

/// All visitors.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: HashMap<String, Session>,
    /// The keys by age, so that the oldest can go.
    by_age: VecDeque<String>,
}

impl Sessions {
    pub(super) fn get(&self, key: &str) -> Option<&Session> {
        self.known.get(key)
    }

    /// The visitor of a key, made if need be.
    pub(super) fn entry(&mut self, key: &str) -> &mut Session {
        if !self.known.contains_key(key) {
            if self.by_age.len() == MOST_SESSIONS
                && let Some(oldest) = self.by_age.pop_front()
            {
                self.known.remove(&oldest);
            }
            self.by_age.push_back(key.to_owned());
        }
        self.known.entry(key.to_owned()).or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_visitor_is_forgotten_when_there_are_too_many() {
        let mut sessions = Sessions::default();
        for index in 0..=MOST_SESSIONS {
            sessions.entry(&index.to_string()).signed_in = true;
        }
        assert_eq!(sessions.len(), MOST_SESSIONS);
        assert!(sessions.get("0").is_none());
        assert!(sessions.get("1").is_some());
    }

    #[test]
    fn a_cart_stays_within_its_bounds() {
        let mut session = Session::default();
        for product in catalog::all() {
            session.add(product, 70);
            session.add(product, 70);
        }
        assert_eq!(session.cart.len(), MOST_LINES);
        assert!(session.cart.iter().all(|line| line.pieces == MOST_PIECES));
    }

    #[test]
    fn sending_is_free_from_eighty_euro() {
        assert_eq!(shipping(7_999, false), 490);
        assert_eq!(shipping(8_000, false), 0);
        assert_eq!(shipping(8_000, true), 1_290);
    }

    #[test]
    fn the_practice_users_orders_are_there_only_when_signed_in() {
        let mut session = Session::default();
        assert!(session.all_orders().is_empty());
        session.signed_in = true;
        assert_eq!(session.all_orders().len(), 6);
        assert!(session.all_orders().iter().all(|order| order.total_cents() > 0));
    }
}
