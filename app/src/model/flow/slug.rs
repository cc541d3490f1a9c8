//! The name a flow is kept under.

/// Makes a slug: lower-case letters and digits of every script, the rest as single hyphens; `flow` where
/// nothing is left.
#[must_use]
pub fn slug(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= 80 {
            break;
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "flow".to_owned() } else { out.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_digits_of_every_script_are_kept() {
        assert_eq!(slug("Recording 10/4/2022 at 4:20:30 PM"), "recording-10-4-2022-at-4-20-30-pm");
        assert_eq!(slug("导出订单 №2"), "导出订单-2");
        assert_eq!(slug("  Übergröße!  "), "übergröße");
        assert_eq!(slug("***"), "flow");
    }
}
