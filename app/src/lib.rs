//! What Signalbox's server and browser share: the model, the calls and the pages.
//!
//! - [`model`]: plain serde types, one file per word of the design. No I/O.
//! - [`api`]: the `ControlRoom` traits that the server's engine implements, and the server functions
//!   that call them.
//! - [`ui`]: components and pages, rendered on the server and hydrated in the browser.
//!
//! No SQL and no Chrome here: those belong to the `server` crate.
#![forbid(unsafe_code)]
#![recursion_limit = "256"]

pub mod api;
pub mod model;
pub mod ui;
