//! What a failed attempt leaves for a person to look at.
