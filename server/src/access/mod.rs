//! People, tokens and sessions.
