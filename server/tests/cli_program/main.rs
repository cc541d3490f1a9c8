//! The program as it is run: its commands, what they print, and how they end.

mod accounts;
mod program;
mod submit;
mod usage;
