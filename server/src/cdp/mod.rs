//! The lean session layer over the Chrome DevTools Protocol.
//!
//! A [`Connection`] is one WebSocket to one browser, served by one pump task. A [`Session`] is one attached
//! target on it (or, as [`Connection::root`], the browser itself) and sends typed commands of [`protocol`].
//! The layer enables nothing that was not asked for, makes no round trip of its own, and decodes an event only
//! when somebody subscribed to it. What it does promise:
//!
//! - every call has a limit, [`Session::call_within`] states it, [`Session::call`] uses the session's own;
//! - when the connection closes, a target is detached or its renderer crashes, every call that waits on it
//!   fails at once with a [`CdpError`] that says which, and so does every later one;
//! - buffers are bounded: a slow subscriber misses events and can see how many ([`Events::missed`]);
//! - a message that is not understood is dropped, logged at debug, and the session goes on.
//!
//! New targets are attached flat and paused before they run: [`Connection::auto_attach`] once per browser, then
//! [`Connection::follow_context`] gives the pages, popups, frames and workers of one browser context as they
//! appear, each to be set up and then let go with [`Attached::resume`].
//!
//! What Chrome does, seen on version 156, and easy to get wrong:
//!
//! - A paused page answers what its renderer must answer (`Page.enable`, `Runtime.evaluate`, …) only once it is
//!   resumed. Send the set-up, resume, then await; it all holds from the first script. (`Fetch.enable` does not hold the first
//!   document in full Chrome, only in headless shell.)
//! - On a page that runs already, await `Page.enable` before `Page.navigate`: sent in one go, the change of the
//!   renderer can swallow it, and the load event never comes.
//! - A paused popup holds its opener, whose renderer it shares: take and resume new targets beside whatever else
//!   waits, workers too.
//!
//! Which Chrome to talk to is the pool's affair, what to say to a page the runner's.

pub mod ask;
mod connection;
mod error;
mod event;
mod registry;
mod session;
mod targets;
mod wire;

pub use chromiumoxide::cdp as protocol;
pub use connection::Connection;
pub use error::CdpError;
pub use event::{Event, Events, TypedEvents};
pub use session::{Sent, Session};
pub use targets::{Attached, TargetInfo, Targets};
