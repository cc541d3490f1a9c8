//! The practice site and the recordings that ship with it.

mod browser;
mod recordings;
mod site;
