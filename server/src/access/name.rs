//! What an account or a token may be called.

use app::model::problem::AppError;

/// Most characters in a name.
pub const LONGEST: usize = 64;

/// A name without blanks around it.
///
/// # Errors
/// Bad input at `pointer` where the name is empty, too long or holds control characters.
pub fn checked(name: &str, pointer: &str) -> Result<String, AppError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(AppError::bad_input(pointer, "must not be empty"));
    }
    if name.chars().count() > LONGEST {
        return Err(AppError::bad_input(pointer, format!("must be at most {LONGEST} characters")));
    }
    if name.chars().any(char::is_control) {
        return Err(AppError::bad_input(pointer, "must not hold control characters"));
    }
    Ok(name.to_owned())
}

/// What two spellings of one name have in common.
#[must_use]
pub fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_blanks_are_one() {
        assert_eq!(key(" Übermut "), key("übermut"));
    }

    #[test]
    fn names_that_cannot_be_are_refused_with_their_place() {
        for name in ["", "  ", "a\nb", &"x".repeat(65)] {
            let error = checked(name, "/name").expect_err("must be refused");
            assert_eq!(error.status(), 422, "{name}");
        }
        assert_eq!(checked(" 王芳 ", "/name").expect("accepted"), "王芳");
    }
}
