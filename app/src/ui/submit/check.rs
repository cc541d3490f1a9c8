//! Where a fault of an input is, in words: from a JSON pointer to what a person sees on the page.

/// The place that a pointer names: steps are counted from 1.
#[must_use]
pub fn place(pointer: &str) -> String {
    let mut parts = pointer.split('/').skip(1);
    match (parts.next(), parts.next(), parts.next()) {
        (Some("flow"), Some("steps"), Some(step)) => {
            let number =
                step.parse::<u64>().map_or_else(|_| step.to_owned(), |index| (index + 1).to_string());
            let field: Vec<&str> = parts.collect();
            if field.is_empty() {
                format!("Step {number}:")
            } else {
                format!("Step {number}, {}:", field.join(" "))
            }
        }
        (Some("flow"), None, _) => "Recording:".to_owned(),
        (Some("flow"), Some(field), _) => format!("Recording, {field}:"),
        (Some("parameters"), Some(name), _) => format!("Parameter {}:", unescape(name)),
        (Some(""), ..) | (None, ..) => String::new(),
        (Some(field), ..) => format!("{}:", name(field)),
    }
}

fn unescape(text: &str) -> String {
    text.replace("~1", "/").replace("~0", "~")
}

fn name(field: &str) -> String {
    match field {
        "not_before" => "Not before".to_owned(),
        "timeout_s" => "Time of one attempt".to_owned(),
        other => {
            let mut letters = other.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn steps_are_counted_from_one_and_fields_named() {
        assert_eq!(place("/flow/steps/3/selectors/0"), "Step 4, selectors 0:");
        assert_eq!(place("/flow/steps/0"), "Step 1:");
        assert_eq!(place("/flow/title"), "Recording, title:");
        assert_eq!(place("/flow"), "Recording:");
        assert_eq!(place("/parameters/a~1b"), "Parameter a/b:");
        assert_eq!(place("/not_before"), "Not before:");
        assert_eq!(place("/priority"), "Priority:");
        assert_eq!(place(""), "");
    }
}
