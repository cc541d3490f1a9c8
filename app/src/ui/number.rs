//! Figures as they are shown, with their units.

/// A count with thin groups: `12 345`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + 4);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A rate a second, as short as it is exact: `50/s`, `0.5/s`, `12/min`.
#[must_use]
pub fn rate(per_s: f64) -> String {
    if per_s > 0.0 && per_s < 0.1 {
        return format!("{}/min", short(per_s * 60.0));
    }
    format!("{}/s", short(per_s))
}

/// A figure with at most two digits after the point, and none that say nothing.
#[must_use]
pub fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `part` of `whole` in percent, whole figures; a dash where there is no whole.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    // Rounded, in integers: a count times a hundred fits.
    format!("{} %", (part.saturating_mul(100) + whole / 2) / whole)
}

/// A count with its noun, in one or many.
#[must_use]
pub fn of(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_threes() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1\u{202f}000");
        assert_eq!(count(12_345_678), "12\u{202f}345\u{202f}678");
    }

    #[test]
    fn rates_below_one_in_ten_seconds_are_told_by_the_minute() {
        assert_eq!(rate(50.0), "50/s");
        assert_eq!(rate(0.5), "0.5/s");
        assert_eq!(rate(0.05), "3/min");
        assert_eq!(rate(0.0), "0/s");
    }

    #[test]
    fn a_share_of_nothing_is_a_dash() {
        assert_eq!(percent(0, 0), "–");
        assert_eq!(percent(1, 3), "33 %");
        assert_eq!(percent(2, 3), "67 %");
    }

    #[test]
    fn one_has_its_own_noun() {
        assert_eq!(of(1, "task", "tasks"), "1 task");
        assert_eq!(of(0, "task", "tasks"), "0 tasks");
    }
}
