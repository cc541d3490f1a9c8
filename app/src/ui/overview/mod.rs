//! The overview: what needs a person, the fleet as a line diagram, and the last hour in figures.
//!
//! - [`geometry`] makes the drawing from the overview, [`seats`] keeps tasks in their berths, [`aspect`]
//!   decides what a signal shows: pure;
//! - [`diagram`], [`table`], [`tiles`] show it; [`island`] keeps it live.

pub mod aspect;
pub mod diagram;
pub mod geometry;
#[cfg(test)]
mod geometry_tests;
pub mod island;
#[cfg(feature = "ssr")]
mod page;
pub mod seats;
pub mod table;
pub mod tiles;
pub mod words;

#[cfg(feature = "ssr")]
pub use page::OverviewPage;

/// A text of at most so many characters; longer ones end in an ellipsis.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most.saturating_sub(1)) {
        Some((at, _)) if text.chars().count() > most => format!("{}…", &text[..at]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(super::cut("short", 10), "short");
        assert_eq!(super::cut("zwölf Boxkämpfer", 6), "zwölf…");
        assert_eq!(super::cut("abc", 3), "abc");
    }
}
