//! The outer contract over HTTP.
