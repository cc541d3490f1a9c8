//! One work order: its evidence side by side, what is written about it, and its conclusion.
//!
//! Closing takes two steps: the form is reviewed with its rule in words, and only then saved. Both are plain
//! posts; in between what was typed is kept on the server.
//!
//! - [`form`]: the close form as it is typed; `draft`: what it asks for, and the shelf that keeps it;
//!   `chains`: selectors, one chain a line; `spot`: faults at their places in the form;
//! - [`shown`]: an order's JSON as its page follows it; [`island`]: its head, claim and actions as they live;
//!   `keep`: keeps the claim alive while the page is used; [`preview`]: the rule in words while it is typed;
//! - `page`, `facts`, `evidence`, `about`, `close`, `review`: what the server renders once.

#[cfg(feature = "ssr")]
mod about;
#[cfg(feature = "ssr")]
mod chains;
#[cfg(feature = "ssr")]
mod close;
#[cfg(feature = "ssr")]
pub mod draft;
#[cfg(feature = "ssr")]
mod evidence;
#[cfg(feature = "ssr")]
mod facts;
pub mod form;
pub mod island;
#[cfg(feature = "hydrate")]
mod keep;
#[cfg(feature = "ssr")]
mod page;
pub mod preview;
#[cfg(feature = "ssr")]
mod review;
pub mod shown;
#[cfg(feature = "ssr")]
mod spot;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::OrderPage;
