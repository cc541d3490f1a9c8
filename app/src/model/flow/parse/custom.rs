//! The custom steps: `extract`, `screenshot`, `assertText` and `expectStatus`.

use serde_json::{Map, Value};

use super::{At, Faults, selectors};
use crate::model::flow::{Action, ExtractSource, TextRule};

pub(super) fn step(at: &At, faults: &mut Faults) -> Option<Action> {
    let name = at.text(faults, "name")?;
    let empty = Map::new();
    let fields = match at.fields.get("parameters") {
        None => &empty,
        Some(Value::Object(map)) => map,
        Some(_) => {
            faults.add(format!("{}/parameters", at.path), "must be an object");
            return None;
        }
    };
    let inner = At { fields, path: format!("{}/parameters", at.path) };
    match name.as_str() {
        "extract" => {
            let source =
                match (inner.optional_text(faults, "attribute"), inner.optional_text(faults, "property")) {
                    (None, None) => ExtractSource::Text,
                    (Some(attribute), None) => ExtractSource::Attribute(attribute),
                    (None, Some(property)) => ExtractSource::Property(property),
                    (Some(_), Some(_)) => {
                        faults.add(inner.path.clone(), "take an attribute or a property, not both");
                        return None;
                    }
                };
            Some(Action::Extract {
                name: inner.text(faults, "name").unwrap_or_default(),
                selectors: selectors(&inner, faults, true),
                source,
                all: inner.flag(faults, "all"),
            })
        }
        "screenshot" => Some(Action::Screenshot {
            name: inner.optional_text(faults, "name"),
            full_page: inner.flag(faults, "full_page"),
            selectors: selectors(&inner, faults, false),
        }),
        "assertText" => {
            let rules: Vec<TextRule> = [
                inner.optional_text(faults, "contains").map(TextRule::Contains),
                inner.optional_text(faults, "equals").map(TextRule::Equals),
                inner.optional_text(faults, "matches").map(TextRule::Matches),
            ]
            .into_iter()
            .flatten()
            .collect();
            let selectors = selectors(&inner, faults, true);
            match <[TextRule; 1]>::try_from(rules) {
                Ok([rule]) => Some(Action::AssertText { selectors, rule }),
                Err(_) => {
                    faults.add(inner.path.clone(), "say exactly one of contains, equals and matches");
                    None
                }
            }
        }
        "expectStatus" => expect_status(&inner, faults),
        other => {
            faults.add(
                format!("{}/name", at.path),
                format!("the custom step '{other}' is not known: it is one of extract, screenshot, assertText or expectStatus"),
            );
            None
        }
    }
}

fn expect_status(at: &At, faults: &mut Faults) -> Option<Action> {
    let list = at.fields.get("in").and_then(Value::as_array);
    let statuses: Option<Vec<u16>> = list.filter(|list| !list.is_empty()).and_then(|list| {
        list.iter()
            .map(|n| n.as_u64().and_then(|n| u16::try_from(n).ok()).filter(|n| (100..600).contains(n)))
            .collect()
    });
    if statuses.is_none() {
        faults.add(format!("{}/in", at.path), "a list of HTTP statuses is needed, such as [200, 404]");
    }
    Some(Action::ExpectStatus { statuses: statuses? })
}
