//! The filtering proxy: a job reaches only what it may.
