//! Circuit breakers: one for the fleet, one for each site. Open stops new attempts, half-open lets exactly its
//! probes go.
//!
//! - [`counts`]: which outcome of an attempt counts for which breaker: the design's table;
//! - [`window`]: what a breaker remembers, bounded by number and age;
//! - [`machine`]: the whole machine, pure: a state, an event with its time, a new state and what follows.
//!
//! Everybody asks and tells inside a write of the store, where the state is: so it is exact over every claim and
//! every end, and it survives a crash. Storing is [`store`](crate::store::breakers)'s; holding back the tasks of
//! a site whose breaker is open is [`scheduler`](crate::scheduler)'s.

pub mod counts;
pub mod machine;
pub mod window;

pub use counts::{Counts, Verdict, counts};
pub use machine::{Breaker, Effects, Event, Reason, Standing, Turn};
