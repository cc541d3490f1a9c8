//! The practice site and the recordings that ship with it.

mod browser;
mod guide;
mod recordings;
mod site;
