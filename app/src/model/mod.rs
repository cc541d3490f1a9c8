//! The words of the design as plain serde types, one file per word.
//!
//! These are also the JSON of the REST API: optional fields are absent and never null, times are
//! RFC 3339 in UTC with milliseconds, ids are UUIDv7.

pub mod attempt;
pub mod breaker;
pub mod caller;
pub mod event;
pub mod evidence;
pub mod fault;
pub mod flow;
pub mod gate;
pub mod message;
pub mod order;
pub mod overview;
pub mod page;
pub mod pool;
pub mod problem;
pub mod rule;
pub mod task;
pub mod timestamp;

pub use timestamp::Timestamp;
