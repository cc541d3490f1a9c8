//! The list of work orders: what waits for a person, filtered by the address, paged by a cursor, live.
//!
//! - [`filter`]: between the address and the filter; [`row`]: what a row shows; [`island`]: the rows as they
//!   change; `page`: the page on the server.

#[cfg(feature = "ssr")]
pub mod filter;
pub mod island;
#[cfg(feature = "ssr")]
mod page;
pub mod row;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::OrdersPage;
