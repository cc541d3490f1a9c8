//! The quarantine: tasks that crashed their contexts again and again, why, and what a person may do with them.
//!
//! - [`row`]: what a row shows and what a change of its task means: pure; [`island`]: the rows as they live;
//!   `page`: the page on the server.

pub mod island;
#[cfg(feature = "ssr")]
mod page;
pub mod row;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::QuarantinePage;
