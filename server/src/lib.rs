//! Signalbox's server: a durable queue, rate gates and a pool of Chrome instances around the loop that
//! runs one browser job.
//!
//! Rooms, arrows one way: [`http`], [`cli`] → [`engine`] → [`scheduler`] → [`runner`], [`pool`], [`gate`],
//! [`breaker`], [`queue`] → [`store`] → the model in the `app` crate. Decisions are pure functions with time
//! passed in; the rooms that do I/O are thin around them.

pub mod access;
pub mod breaker;
pub mod cdp;
pub mod cli;
pub mod clock;
pub mod config;
pub mod egress;
pub mod engine;
pub mod evidence;
pub mod gate;
pub mod http;
pub mod live;
pub mod orders;
pub mod pool;
pub mod practice;
pub mod queue;
pub mod rules;
pub mod runner;
pub mod scheduler;
pub mod store;
