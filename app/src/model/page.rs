//! Lists come in pages, newest first, read by a cursor.

use serde::{Deserialize, Serialize};

/// Items in a page where the caller names no `limit`.
pub const DEFAULT_LIMIT: u32 = 50;
/// Most items in one page.
pub const MAX_LIMIT: u32 = 500;

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The items, newest first.
    pub items: Vec<T>,
    /// The cursor of the next page, for `after`; null at the end.
    pub next: Option<String>,
}

/// Which page of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageQuery {
    /// Items in the page: 1 to 500, 50 by default.
    pub limit: Option<u32>,
    /// The `next` of the page before.
    pub after: Option<String>,
}

impl PageQuery {
    /// The limit within its bounds.
    #[must_use]
    pub fn bounded_limit(&self) -> u32 {
        self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)
    }
}
