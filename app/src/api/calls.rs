//! The server functions that the pages call.
