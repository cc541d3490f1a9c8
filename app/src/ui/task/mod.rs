//! One task: its life, its attempts with their steps and evidence, its result.
//!
//! - [`bars`]: where an attempt's time went, as geometry; [`result`]: a result within bounds; both pure;
//! - [`shown`]: a task's JSON as its page reads it;
//! - [`island`], [`attempt`]: the task as it lives;
//! - `page`, `facts`, `trace`, `retry`: what the server renders once.

pub mod attempt;
pub mod bars;
#[cfg(feature = "ssr")]
mod facts;
pub mod island;
#[cfg(feature = "ssr")]
mod page;
pub mod result;
#[cfg(feature = "ssr")]
mod retry;
pub mod shown;
#[cfg(feature = "ssr")]
mod trace;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::TaskPage;
#[cfg(feature = "ssr")]
pub use retry::RetryPage;
