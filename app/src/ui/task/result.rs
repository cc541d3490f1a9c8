//! A task's result within bounds: a page shows what a person reads, the download has the rest.

use serde_json::{Map, Value};

/// Characters of a text.
const MOST_CHARS: usize = 1_000;
/// Items of a list or fields of an object.
const MOST_ITEMS: usize = 200;

/// One extracted value as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// One text.
    One(String),
    /// A list of texts.
    Many(Vec<String>),
    /// Anything else, as JSON.
    Json(String),
}

/// A result by name, each value as it is shown.
#[must_use]
pub fn shown(result: &Value) -> Vec<(String, Shown)> {
    let Value::Object(fields) = result else { return vec![("result".to_owned(), value(result))] };
    fields.iter().map(|(name, found)| (name.clone(), value(found))).collect()
}

fn value(value: &Value) -> Shown {
    match value {
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            Shown::Many(items.iter().map(scalar).collect())
        }
        Value::Array(_) | Value::Object(_) => {
            Shown::Json(serde_json::to_string_pretty(value).unwrap_or_default())
        }
        other => Shown::One(scalar(other)),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "–".to_owned(),
        other => other.to_string(),
    }
}

/// A result cut to its bounds, and whether anything was.
#[must_use]
pub fn bounded(value: Value) -> (Value, bool) {
    match value {
        Value::String(text) => match text.char_indices().nth(MOST_CHARS) {
            Some((at, _)) => (Value::String(format!("{}…", &text[..at])), true),
            None => (Value::String(text), false),
        },
        Value::Array(items) => {
            let mut cut = items.len() > MOST_ITEMS;
            let kept = items.into_iter().take(MOST_ITEMS).map(|item| all(item, &mut cut)).collect();
            (Value::Array(kept), cut)
        }
        Value::Object(fields) => {
            let mut cut = fields.len() > MOST_ITEMS;
            let kept: Map<String, Value> =
                fields.into_iter().take(MOST_ITEMS).map(|(name, item)| (name, all(item, &mut cut))).collect();
            (Value::Object(kept), cut)
        }
        other => (other, false),
    }
}

fn all(item: Value, cut: &mut bool) -> Value {
    let (item, was) = bounded(item);
    *cut |= was;
    item
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_lists_and_the_rest_are_told_apart() {
        let result = json!({"price": "12.50", "names": ["a", 2, null], "rows": [["x"]]});
        assert_eq!(
            shown(&result),
            [
                ("names".to_owned(), Shown::Many(vec!["a".into(), "2".into(), "–".into()])),
                ("price".to_owned(), Shown::One("12.50".into())),
                ("rows".to_owned(), Shown::Json("[\n  [\n    \"x\"\n  ]\n]".into())),
            ]
        );
    }

    #[test]
    fn what_is_too_long_is_cut_and_said_to_be() {
        assert_eq!(bounded(json!({"a": "short", "b": [1, 2]})), (json!({"a": "short", "b": [1, 2]}), false));
        let (cut, was) = bounded(json!({"a": "ü".repeat(2_000)}));
        assert!(was);
        assert_eq!(cut["a"].as_str().map(|text| text.chars().count()), Some(MOST_CHARS + 1));
        let (cut, was) = bounded(json!(vec![1; 500]));
        assert!(was);
        assert_eq!(cut.as_array().map(Vec::len), Some(MOST_ITEMS));
    }
}
