//! Where a fault of the close form is shown: from a JSON pointer to a place in the form.

use super::chains;
use crate::model::problem::{AppError, FieldError};

/// The pointer of the chains.
pub const SELECTORS: &str = "/rule/action/selectors";

/// A place in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// What was found.
    Kind,
    /// In words.
    Text,
    /// What becomes of the tasks.
    Tasks,
    /// The new selectors.
    Selectors,
    /// The address that is no longer right.
    From,
    /// The address instead.
    To,
    /// For which flows.
    Scope,
    /// None of them: above the form.
    Top,
}

/// The place that a pointer names.
#[must_use]
pub fn of(pointer: &str) -> Spot {
    let within = |place: &str| {
        pointer.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    [
        ("/conclusion/kind", Spot::Kind),
        ("/conclusion/text", Spot::Text),
        ("/tasks", Spot::Tasks),
        (SELECTORS, Spot::Selectors),
        ("/rule/action/from", Spot::From),
        ("/rule/action/to", Spot::To),
        ("/rule/match", Spot::Scope),
    ]
    .into_iter()
    .find(|(place, _)| within(place))
    .map_or(Spot::Top, |(_, spot)| spot)
}

/// A fault in words; a chain's goes by the line it was typed in.
#[must_use]
pub fn said(error: &FieldError, selectors: &str) -> String {
    let index = error
        .pointer
        .strip_prefix(SELECTORS)
        .and_then(|rest| rest.strip_prefix('/'))
        .and_then(|rest| rest.split('/').next())
        .and_then(|index| index.parse().ok());
    match index.and_then(|index| chains::line_of(selectors, index)) {
        Some(line) => format!("Line {line} {}", error.message),
        None => capital(&error.message),
    }
}

/// What is shown at a place.
#[must_use]
pub fn at(spot: Spot, why: Option<&AppError>, selectors: &str) -> Vec<String> {
    match why {
        Some(AppError::BadInput { errors }) => errors
            .iter()
            .filter(|error| of(&error.pointer) == spot)
            .map(|error| said(error, selectors))
            .collect(),
        Some(other) if spot == Spot::Top => vec![other.to_string()],
        _ => Vec::new(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_shown_at_its_field_and_else_above_the_form() {
        assert_eq!(of("/rule/action/selectors/0"), Spot::Selectors);
        assert_eq!(of("/rule/action/selectors"), Spot::Selectors);
        assert_eq!(of("/rule/action/to"), Spot::To);
        assert_eq!(of("/rule/match/domain"), Spot::Scope);
        assert_eq!(of("/conclusion/text"), Spot::Text);
        assert_eq!(of("/tasksish"), Spot::Top);
        assert_eq!(of("/rule"), Spot::Top);
    }

    #[test]
    fn a_chains_fault_goes_by_the_line_it_was_typed_in() {
        let error = FieldError::new("/rule/action/selectors/1", "is not valid");
        assert_eq!(said(&error, "#a\n\n#b["), "Line 3 is not valid");
        assert_eq!(said(&FieldError::new("/conclusion/text", "is too long"), ""), "Is too long");
    }

    #[test]
    fn what_is_no_fault_of_the_input_is_told_above_the_form() {
        let why = AppError::conflict("Ada holds it");
        assert_eq!(at(Spot::Top, Some(&why), ""), ["Ada holds it"]);
        assert!(at(Spot::Kind, Some(&why), "").is_empty());
    }
}
