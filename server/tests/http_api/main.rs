//! The HTTP front against a small control room in memory: what comes in, what goes out, and in which order
//! it is refused.

mod desk;
mod docs;
mod events;
mod fake;
mod guards;
mod orders;
mod probe;
mod resources;
mod sign_in;
