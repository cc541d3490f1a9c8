//! The pool: its slots and instances, live, with what an operator may do to them.

pub mod island;
#[cfg(feature = "ssr")]
mod page;

#[cfg(feature = "ssr")]
pub use page::PoolPage;
pub mod words;
