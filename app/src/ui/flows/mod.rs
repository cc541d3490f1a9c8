//! Flows: the list, and one with its versions. Nothing here lives; all of it is rendered on the server.

#[cfg(feature = "ssr")]
mod list;
#[cfg(feature = "ssr")]
mod one;
#[cfg(feature = "ssr")]
mod save;
pub mod words;

#[cfg(feature = "ssr")]
pub use list::FlowsPage;
#[cfg(feature = "ssr")]
pub use one::FlowPage;
