//! Rules: the list, and one by itself. Nothing here lives; all of it is rendered on the server.
//!
//! - `filter`: between the address and the filter; `card`: a rule as both pages show it; `list`, `one`: the
//!   pages.

#[cfg(feature = "ssr")]
mod card;
#[cfg(feature = "ssr")]
pub mod filter;
#[cfg(feature = "ssr")]
mod list;
#[cfg(feature = "ssr")]
mod one;
#[cfg(feature = "ssr")]
pub mod words;

#[cfg(feature = "ssr")]
pub use list::RulesPage;
#[cfg(feature = "ssr")]
pub use one::RulePage;
