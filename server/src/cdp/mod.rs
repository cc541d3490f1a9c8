//! The lean session layer over the DevTools protocol.
