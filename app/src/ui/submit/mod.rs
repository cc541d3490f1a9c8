//! The submit page: a recording, a quick check of an address, or a flow that is kept.
//!
//! - [`draft`]: the form as it was typed, and the task it asks for; [`quick`]: the flow of a quick check;
//!   [`check`]: places of faults in words;
//! - [`island`]: the recording's field, which reads it while it is typed;
//! - `page`, `options`: the page on the server.

pub mod check;
#[cfg(feature = "ssr")]
pub mod draft;
pub mod island;
#[cfg(feature = "ssr")]
mod options;
#[cfg(feature = "ssr")]
mod page;
#[cfg(feature = "ssr")]
pub mod quick;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::SubmitPage;
