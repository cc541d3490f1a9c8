//! The wall clock, read in one place. Decisions get their time passed in.

use std::time::{SystemTime, UNIX_EPOCH};

use app::model::Timestamp;

/// Now, by the machine's clock.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
