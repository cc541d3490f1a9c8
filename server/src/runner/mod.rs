//! Runs one attempt.
