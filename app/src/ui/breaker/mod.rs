//! The breakers: the fleet's as the main signal, the sites' that are not closed, live, and what an operator
//! may do to them by hand.
//!
//! - [`board`]: what is known of all of them, and what a change means: pure; [`signal`]: the main signal as
//!   SVG; [`island`] shows them as they live;
//! - `form`: what a form asks for; `page`: the page on the server.

pub mod board;
#[cfg(feature = "ssr")]
pub mod form;
pub mod island;
#[cfg(feature = "ssr")]
mod page;
mod parts;
pub mod signal;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::BreakerPage;
