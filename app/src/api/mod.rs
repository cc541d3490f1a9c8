//! The calls of the control room.
//!
//! [`room`] has the traits, one per area, that the server's engine implements; every method takes the
//! caller and authorises there, once. The REST handlers of the server and the server functions of
//! [`calls`] call the same traits, and neither holds logic.

pub mod calls;
#[cfg(feature = "ssr")]
pub mod room;
