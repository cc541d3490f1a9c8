//! Chrome instances, slots and contexts.
