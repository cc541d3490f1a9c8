//! Where pages come to life: islands, each a piece of code of its own that the browser loads when a page has it.
//!
//! The build makes a further piece of whatever a set of islands shares, so their number counts: with one for each
//! page a page asked for 150 files. What is alike is one island, told apart by what it is given. The overview,
//! a task and the recording's field are large and have their own; the keys are on every page and in its first
//! piece.

#![expect(missing_docs, reason = "what the island macro makes cannot be documented")]

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    breaker::{board::Board, island::LiveBreaker},
    gates::island::GateRows,
    order::{
        form::Previewed,
        island::{LiveOrder, Viewer},
        preview::RulePreview,
        shown::OrderShown,
    },
    orders::{island::OrderRows, row as order},
    pool::island::LivePool,
    quarantine::{
        island::{May, QuarantineRows},
        row as quarantine,
    },
    tasks::{island::TaskRows, row as task},
};
use crate::model::{Timestamp, gate::GateView, pool::PoolView};

/// A list of work that lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Work {
    Tasks { first: Vec<task::Row>, narrow: task::Narrow, taken: Timestamp, here: String },
    Orders { first: Vec<order::Row>, narrow: order::Narrow, taken: Timestamp, here: String, can_act: bool },
    Quarantine { first: Vec<quarantine::Row>, first_page: bool, taken: Timestamp, back: String, may: May },
}

/// The list of work of a page.
#[island(lazy)]
pub fn LiveWork(work: Work) -> impl IntoView {
    match work {
        Work::Tasks { first, narrow, taken, here } => {
            view! { <TaskRows first narrow taken here/> }.into_any()
        }
        Work::Orders { first, narrow, taken, here, can_act } => {
            view! { <OrderRows first narrow taken here can_act/> }.into_any()
        }
        Work::Quarantine { first, first_page, taken, back, may } => {
            view! { <QuarantineRows first first_page taken back may/> }.into_any()
        }
    }
}

/// A part of the machine that lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Machine {
    Gates { first: Vec<GateView>, whole: bool, taken: Timestamp },
    Pool { first: PoolView, now: Timestamp, may: bool },
    Breaker { first: Board, now: Timestamp, may: bool },
}

/// The part of the machine that a page shows.
#[island(lazy)]
pub fn LiveMachine(machine: Machine) -> impl IntoView {
    match machine {
        Machine::Gates { first, whole, taken } => view! { <GateRows first whole taken/> }.into_any(),
        Machine::Pool { first, now, may } => view! { <LivePool first now may/> }.into_any(),
        Machine::Breaker { first, now, may } => view! { <LiveBreaker first now may/> }.into_any(),
    }
}

/// A part of a work order's page that lives.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum OrderPart {
    Head { first: Box<OrderShown>, viewer: Viewer, draft: String, now: Timestamp },
    Rule { order: Uuid, first: Previewed },
}

/// A part of a work order's page.
#[island(lazy)]
pub fn LiveOrderPart(part: OrderPart) -> impl IntoView {
    match part {
        OrderPart::Head { first, viewer, draft, now } => {
            view! { <LiveOrder first=*first viewer draft now/> }.into_any()
        }
        OrderPart::Rule { order, first } => view! { <RulePreview order first/> }.into_any(),
    }
}
