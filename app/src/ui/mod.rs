//! Components and pages.
//!
//! A page is rendered on the server and is whole without JavaScript: lists, forms and answers are plain
//! HTML. What lives (the line diagram, rows and attempts that change, a recording that is checked while it
//! is typed) is an island: a component that the browser hydrates from the state that the server rendered,
//! and that follows the live stream from there. Pages know nothing of the browser and are built for the
//! server only; islands and what they share are built for both.
//!
//! - [`overview`], [`submit`], [`tasks`], [`task`], [`quarantine`], [`flows`], [`gates`], [`pool`],
//!   [`breaker`]: one folder per page, each with its texts in `words`;
//! - [`orders`], [`order`], [`rules`]: the reviewers' desk, in the same way;
//! - [`clock`], [`number`], [`code`], [`state`]: times, figures, codes and states as they are shown;
//! - [`live`]: the stream of events as signals;
//! - [`words`]: the texts that all pages share;
//! - [`keys`]: the keyboard, on every page; [`bar`]: what the bar shows of the fleet;
//! - `shell`, `frame`, `problem`, `note`: what stands around a page; `narrow`: what the filters of lists share.

pub mod bar;
pub mod breaker;
pub mod clock;
pub mod code;
pub mod flows;
pub mod gates;
pub mod islands;
pub mod keys;
pub mod live;
pub mod number;
pub mod order;
pub mod orders;
pub mod overview;
pub mod pool;
pub mod quarantine;
pub mod rules;
pub mod state;
pub mod submit;
pub mod task;
pub mod tasks;
pub mod words;

#[cfg(feature = "ssr")]
mod frame;
#[cfg(feature = "ssr")]
mod narrow;
#[cfg(feature = "ssr")]
pub mod note;
#[cfg(feature = "ssr")]
mod problem;
#[cfg(feature = "ssr")]
mod shell;

#[cfg(feature = "ssr")]
pub use shell::{App, FilesAt, shell};

/// Named by the browser's entry, so that this crate and its islands are linked into it.
pub const ISLANDS: &str = "islands";
