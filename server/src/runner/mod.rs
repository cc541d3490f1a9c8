//! Runs one attempt: a flow's steps, in order, in one fresh browser context.
//!
//! [`run`] takes a [`Job`], the [`Stage`] it plays on, the site's [`Door`] and somebody to tell of its
//! [`Progress`], and hands back a [`Report`]. It knows nothing of queue, pool or gates, and keeps to this:
//!
//! - a main-frame document request waits at the door; that wait counts against no timeout;
//! - a step's element is looked for by every selector chain in turn until one serves alone; input goes to its
//!   visible point, is real, and is sent once;
//! - a critical step's beginning is recorded before its input;
//! - every wait and every call to Chrome has a limit, and a fault says what was awaited;
//! - nothing leaves here unmasked.
//!
//! Inside: [`world`](self) follows the pages by what Chrome says of them; the script in `page/` looks, aims and
//! reads in each frame's isolated world; one file for each family of steps; [`classify`](self) turns what went
//! wrong into a fault of the design's table.

mod classify;
mod clock;
mod field;
mod find;
mod frame;
mod job;
mod journal;
mod keyboard;
mod keys;
mod ledger;
mod navigate;
mod place;
mod pointer;
mod read;
mod run;
mod script;
mod settle;
mod step;
mod stop;
mod wait;
mod wire;
mod world;

pub use job::{Door, Ended, Held, Job, Mark, NotRecorded, Picture, Progress, Reach, Report, Stage};
pub use run::run;
