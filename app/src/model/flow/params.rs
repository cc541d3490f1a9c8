//! The `{{parameters}}` in a flow's strings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A piece of a string: text, or a parameter's name.
enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// Cuts a string at its `{{name}}` places. A name is letters, digits, `_`, `-` and `.`, with blanks
/// around it allowed; anything else in double braces is text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let inner = &rest[open + 2..];
        let name = inner.find("}}").map(|end| (inner[..end].trim(), end));
        match name {
            Some((name, end)) if is_name(name) => {
                out.push(Piece::Text(&rest[..open]));
                out.push(Piece::Name(name));
                rest = &inner[end + 2..];
            }
            _ => {
                out.push(Piece::Text(&rest[..open + 2]));
                rest = inner;
            }
        }
    }
    out.push(Piece::Text(rest));
    out
}

/// Whether a text can name a parameter.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The names of the parameters in any string of a recording, sorted.
#[must_use]
pub fn names(recording: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(recording, &mut found);
    found
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            for piece in pieces(text) {
                if let Piece::Name(name) = piece {
                    found.insert(name.to_owned());
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        _ => {}
    }
}

/// Puts the values in the places of a text; a parameter without a value stays as it stands.
#[must_use]
pub fn fill_text(text: &str, values: &BTreeMap<String, String>) -> String {
    if !text.contains("{{") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Name(name) => match values.get(name) {
                Some(value) => out.push_str(value),
                None => {
                    out.push_str("{{");
                    out.push_str(name);
                    out.push_str("}}");
                }
            },
        }
    }
    out
}

/// Puts the values in the places of every string of a recording. A value is never read for places again.
#[must_use]
pub fn fill(recording: &Value, values: &BTreeMap<String, String>) -> Value {
    match recording {
        Value::String(text) => Value::String(fill_text(text, values)),
        Value::Array(items) => Value::Array(items.iter().map(|item| fill(item, values)).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), fill(field, values))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn places_in_any_string_are_found_and_filled() {
        let recording =
            json!({"steps": [{"url": "http://s/{{ query }}/{{page}}", "selectors": [["a{{query}}"]]}]});
        assert_eq!(names(&recording).into_iter().collect::<Vec<_>>(), ["page", "query"]);
        let filled = fill(&recording, &values(&[("query", "lamp"), ("page", "{{query}}")]));
        assert_eq!(filled["steps"][0]["url"], "http://s/lamp/{{query}}", "a value is not filled again");
        assert_eq!(filled["steps"][0]["selectors"][0][0], "alamp");
    }

    #[test]
    fn other_double_braces_are_text() {
        let text = "() => {{ return {a: 1} }} {{ok}}";
        assert_eq!(fill_text(text, &values(&[("ok", "1")])), "() => {{ return {a: 1} }} 1");
    }
}
