//! The durable, bounded priority queue: what is decided of it, as pure functions with time passed in.
//!
//! - [`order`]: the order in a lane, and which lane is next;
//! - [`decide`]: what becomes of a task when an attempt is over.
//!
//! Storing is [`store`](crate::store)'s; giving slots is [`scheduler`](crate::scheduler)'s.

pub mod decide;
pub mod order;
