//! What an attempt leaves for a person to look at.
//!
//! - [`capture`]: takes screenshot and DOM snapshot of a page, each part under its own limit and on its own,
//!   so that a page that is half dead still yields the rest;
//! - [`redact`]: masks secrets in everything that is about to be written;
//! - [`store`]: keeps bytes by their content, compressed.
//!
//! What the runner saw (steps, tries, console, network) is its own journal; which evidence is kept for how
//! long, and who may see it, is decided elsewhere.

pub mod capture;
pub mod redact;
pub mod store;
mod writings;

pub use capture::Captured;
pub use redact::Redactor;
pub use store::{Digest, Files, Keep, KeepError};
