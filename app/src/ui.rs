//! Components and pages.
