//! The gates: every site with its quota, what its signal shows now, and what waits for it, live.

pub mod island;
#[cfg(feature = "ssr")]
mod page;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::GatesPage;
