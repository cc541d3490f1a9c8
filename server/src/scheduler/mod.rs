//! Gives slots to tasks.
