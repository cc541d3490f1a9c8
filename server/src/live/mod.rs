//! The live stream's post office: rooms say what has changed, a publisher renders each changed thing once,
//! and every subscriber gets the same bytes.
//!
//! - [`Changes`]: where rooms say what has changed. Saying is cheap and never waits; the same thing said
//!   twice before the next rendering is one change.
//! - [`Hub`]: the ring of the last minute and the subscribers.
//!
//! What a thing's state is, the [`engine`](crate::engine) knows; here is only when and to whom.

mod changes;
mod hub;

pub use changes::{Changes, Dirty};
pub use hub::{Hub, Rendered, Subscription};

use std::time::Duration;

/// At most one event per thing in this time.
pub const BEAT: Duration = Duration::from_millis(250);
