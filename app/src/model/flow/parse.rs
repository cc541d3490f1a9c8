//! From a recording's JSON to a [`Flow`], naming every fault by its place.
//!
//! The format is that of @puppeteer/replay's schema. Fields that it does not know are kept and ignored;
//! step types that it does not know are refused, because nobody could say what they would do.

mod custom;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    Action, AssertedNavigation, Button, Chain, Checked, Comparison, Flow, Pointer, Step, params, words,
};
use crate::model::problem::FieldError;

/// Most steps in one flow.
pub const MAX_STEPS: usize = 1_000;

/// Reads a recording.
///
/// # Errors
/// Every fault found, each with a pointer such as `/steps/3/selectors`.
pub fn flow(recording: &Value) -> Result<Flow, Vec<FieldError>> {
    let mut faults = Faults::default();
    let Some(fields) = recording.as_object() else {
        return Err(vec![FieldError::new(
            "",
            "this is not a recording: export one as JSON from the Recorder panel of Chrome DevTools",
        )]);
    };
    let top = At { fields, path: String::new() };
    let title = top.text(&mut faults, "title").unwrap_or_default();
    let timeout_ms = top.optional_ms(&mut faults, "timeout");
    let mut steps = Vec::new();
    match fields.get("steps").and_then(Value::as_array) {
        None => faults.add("/steps", "a list of steps is missing"),
        Some(list) if list.len() > MAX_STEPS => {
            faults.add("/steps", format!("{} steps are too many: at most {MAX_STEPS}", list.len()));
        }
        Some(list) => {
            for (index, value) in list.iter().enumerate() {
                match value.as_object() {
                    Some(fields) => {
                        let at = At { fields, path: format!("/steps/{index}") };
                        steps.extend(step(&at, &mut faults));
                    }
                    None => faults.add(format!("/steps/{index}"), "a step must be an object"),
                }
            }
        }
    }
    if faults.0.is_empty() { Ok(Flow { title, timeout_ms, steps }) } else { Err(faults.0) }
}

/// Reads a recording and tells its steps in words and its parameters.
///
/// # Errors
/// As [`flow`].
pub fn check(recording: &Value) -> Result<Checked, Vec<FieldError>> {
    let flow = flow(recording)?;
    Ok(Checked {
        title: flow.title.clone(),
        steps: words::steps(&flow),
        parameters: params::names(recording).into_iter().collect(),
    })
}

#[derive(Default)]
struct Faults(Vec<FieldError>);

impl Faults {
    fn add(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.0.push(FieldError::new(pointer, message));
    }
}

/// An object and where it stands.
struct At<'a> {
    fields: &'a Map<String, Value>,
    path: String,
}

/// Types of step that the format has, for the message that refuses others.
const TYPES: &str = "setViewport, navigate, click, doubleClick, hover, change, keyDown, keyUp, scroll, waitForElement, \
                     waitForExpression, emulateNetworkConditions, close or customStep";

fn step(at: &At, faults: &mut Faults) -> Option<Step> {
    let kind = at.text(faults, "type")?;
    let before = faults.0.len();
    let action = match kind.as_str() {
        "setViewport" => Action::SetViewport {
            width: at.size(faults, "width"),
            height: at.size(faults, "height"),
            scale: at.optional_number(faults, "deviceScaleFactor").unwrap_or(1.0),
            mobile: at.flag(faults, "isMobile"),
            touch: at.flag(faults, "hasTouch"),
            landscape: at.flag(faults, "isLandscape"),
        },
        "navigate" => Action::Navigate { url: address(at, faults) },
        "click" => Action::Click { selectors: selectors(at, faults, true), pointer: pointer(at, faults) },
        "doubleClick" => {
            Action::DoubleClick { selectors: selectors(at, faults, true), pointer: pointer(at, faults) }
        }
        "hover" => Action::Hover { selectors: selectors(at, faults, true) },
        "change" => Action::Change {
            selectors: selectors(at, faults, true),
            value: at.text_or_empty(faults, "value"),
        },
        "keyDown" => Action::KeyDown { key: at.text(faults, "key").unwrap_or_default() },
        "keyUp" => Action::KeyUp { key: at.text(faults, "key").unwrap_or_default() },
        "scroll" => Action::Scroll {
            selectors: selectors(at, faults, false),
            x: at.optional_number(faults, "x").unwrap_or(0.0),
            y: at.optional_number(faults, "y").unwrap_or(0.0),
        },
        "waitForElement" => wait_for_element(at, faults),
        "waitForExpression" => {
            Action::WaitForExpression { expression: at.text(faults, "expression").unwrap_or_default() }
        }
        "emulateNetworkConditions" => Action::EmulateNetworkConditions {
            download: at.number(faults, "download"),
            upload: at.number(faults, "upload"),
            latency_ms: at.number(faults, "latency"),
        },
        "close" => Action::Close,
        "customStep" => custom::step(at, faults)?,
        other => {
            faults.add(
                format!("{}/type", at.path),
                format!("the step type '{other}' is not known: it is one of {TYPES}"),
            );
            return None;
        }
    };
    let step = Step {
        action,
        timeout_ms: at.optional_ms(faults, "timeout"),
        target: at.optional_text(faults, "target"),
        frame: frame(at, faults),
        asserted_events: asserted(at, faults),
        critical: at.optional_flag(faults, "critical"),
    };
    (faults.0.len() == before).then_some(step)
}

fn address(at: &At, faults: &mut Faults) -> String {
    let url = at.text(faults, "url").unwrap_or_default();
    let known = ["http://", "https://", "about:blank", "{{"];
    let lower = url.to_ascii_lowercase();
    if !url.is_empty() && !known.iter().any(|start| lower.starts_with(start)) {
        faults.add(
            format!("{}/url", at.path),
            format!("'{url}' is not an address that starts with http:// or https://"),
        );
    }
    url
}

fn wait_for_element(at: &At, faults: &mut Faults) -> Action {
    let comparison = match at.optional_text(faults, "operator").as_deref() {
        None | Some(">=") => Comparison::AtLeast,
        Some("==") => Comparison::Exactly,
        Some("<=") => Comparison::AtMost,
        Some(other) => {
            faults.add(format!("{}/operator", at.path), format!("'{other}' is not one of >=, == and <="));
            Comparison::AtLeast
        }
    };
    let mut attributes = BTreeMap::new();
    if let Some(object) = at.object(faults, "attributes") {
        for (name, value) in object {
            match value.as_str() {
                Some(text) => {
                    attributes.insert(name.clone(), text.to_owned());
                }
                None => {
                    faults.add(format!("{}/attributes/{name}", at.path), "an attribute's value must be text")
                }
            }
        }
    }
    let properties = at.object(faults, "properties");
    Action::WaitForElement {
        selectors: selectors(at, faults, true),
        comparison,
        count: at.count(faults, "count").unwrap_or(1),
        visible: at.optional_flag(faults, "visible"),
        properties: properties
            .map(|map| map.iter().map(|(k, v)| (k.clone(), v.clone())).collect())
            .unwrap_or_default(),
        attributes,
    }
}

fn pointer(at: &At, faults: &mut Faults) -> Pointer {
    let button = match at.optional_text(faults, "button").as_deref() {
        None | Some("primary") => Button::Primary,
        Some("auxiliary") => Button::Auxiliary,
        Some("secondary") => Button::Secondary,
        Some("back") => Button::Back,
        Some("forward") => Button::Forward,
        Some(other) => {
            faults.add(
                format!("{}/button", at.path),
                format!("'{other}' is not one of primary, auxiliary, secondary, back and forward"),
            );
            Button::Primary
        }
    };
    let device = at.optional_text(faults, "deviceType");
    let x = at.optional_number(faults, "offsetX");
    let y = at.optional_number(faults, "offsetY");
    Pointer {
        button,
        touch: device.as_deref() == Some("touch"),
        duration_ms: at.optional_ms(faults, "duration").unwrap_or(0),
        offset: x.zip(y),
    }
}

/// The prefixes that name a kind of selector.
const PREFIXES: [&str; 4] = ["aria/", "text/", "xpath/", "pierce/"];

fn selectors(at: &At, faults: &mut Faults, needed: bool) -> Vec<Chain> {
    let path = format!("{}/selectors", at.path);
    let list = match at.fields.get("selectors") {
        None => {
            if needed {
                faults.add(path, "selectors are missing: the step must say which element");
            }
            return Vec::new();
        }
        Some(Value::Array(list)) => list,
        Some(_) => {
            faults.add(path, "must be a list of selectors");
            return Vec::new();
        }
    };
    if list.is_empty() && needed {
        faults.add(path.clone(), "the list of selectors is empty: the step must say which element");
    }
    let mut chains = Vec::with_capacity(list.len());
    for (index, entry) in list.iter().enumerate() {
        let parts: Option<Chain> = match entry {
            Value::String(one) => Some(vec![one.clone()]),
            Value::Array(parts) => parts.iter().map(|part| part.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        match parts {
            None => faults.add(
                format!("{path}/{index}"),
                "a selector is text, or a list of texts that go into shadow roots",
            ),
            Some(parts) if parts.is_empty() || parts.iter().any(|part| is_blank(part)) => {
                faults.add(format!("{path}/{index}"), "the selector is empty");
            }
            Some(parts) => chains.push(parts),
        }
    }
    chains
}

fn is_blank(part: &str) -> bool {
    let body = PREFIXES.iter().find_map(|prefix| part.strip_prefix(prefix)).unwrap_or(part);
    body.trim().is_empty()
}

fn frame(at: &At, faults: &mut Faults) -> Vec<usize> {
    match at.fields.get("frame") {
        None | Some(Value::Null) => Vec::new(),
        Some(value) => {
            let list = value.as_array().and_then(|list| {
                list.iter()
                    .map(|n| n.as_u64().and_then(|n| usize::try_from(n).ok()))
                    .collect::<Option<Vec<_>>>()
            });
            if list.is_none() {
                faults.add(format!("{}/frame", at.path), "must be a list of frame positions, such as [0, 1]");
            }
            list.unwrap_or_default()
        }
    }
}

fn asserted(at: &At, faults: &mut Faults) -> Vec<AssertedNavigation> {
    let list = match at.fields.get("assertedEvents") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            faults.add(format!("{}/assertedEvents", at.path), "must be a list");
            return Vec::new();
        }
    };
    let mut events = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let path = format!("{}/assertedEvents/{index}", at.path);
        let Some(fields) = value.as_object() else {
            faults.add(path, "must be an object");
            continue;
        };
        let event = At { fields, path };
        match event.text(faults, "type").as_deref() {
            Some("navigation") => events.push(AssertedNavigation {
                url: event.optional_text(faults, "url").filter(|url| !url.is_empty()),
                title: event.optional_text(faults, "title").filter(|title| !title.is_empty()),
            }),
            Some(other) => faults
                .add(format!("{}/type", event.path), format!("'{other}' is not known: only navigation is")),
            None => {}
        }
    }
    events
}

impl At<'_> {
    fn wrong(&self, faults: &mut Faults, name: &str, wanted: &str) {
        let what = if self.fields.contains_key(name) {
            format!("must be {wanted}")
        } else {
            format!("{wanted} is missing")
        };
        faults.add(format!("{}/{name}", self.path), what);
    }

    fn present(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, faults: &mut Faults, name: &str) -> Option<String> {
        match self.fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()) {
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong(faults, name, "a text");
                None
            }
        }
    }

    fn text_or_empty(&self, faults: &mut Faults, name: &str) -> String {
        match self.fields.get(name).and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => {
                self.wrong(faults, name, "a text");
                String::new()
            }
        }
    }

    fn optional_text(&self, faults: &mut Faults, name: &str) -> Option<String> {
        let value = self.present(name)?;
        if value.as_str().is_none() {
            self.wrong(faults, name, "a text");
        }
        value.as_str().map(str::to_owned)
    }

    fn optional_flag(&self, faults: &mut Faults, name: &str) -> Option<bool> {
        let value = self.present(name)?;
        if value.as_bool().is_none() {
            self.wrong(faults, name, "true or false");
        }
        value.as_bool()
    }

    fn flag(&self, faults: &mut Faults, name: &str) -> bool {
        self.optional_flag(faults, name).unwrap_or(false)
    }

    fn optional_number(&self, faults: &mut Faults, name: &str) -> Option<f64> {
        let value = self.present(name)?;
        if value.as_f64().is_none() {
            self.wrong(faults, name, "a number");
        }
        value.as_f64()
    }

    fn number(&self, faults: &mut Faults, name: &str) -> f64 {
        match self.present(name).and_then(Value::as_f64) {
            Some(number) => number,
            None => {
                self.wrong(faults, name, "a number");
                0.0
            }
        }
    }

    /// Milliseconds from 0 to ten minutes.
    fn optional_ms(&self, faults: &mut Faults, name: &str) -> Option<u64> {
        let number = self.optional_number(faults, name)?;
        if !(0.0..=600_000.0).contains(&number) {
            faults.add(format!("{}/{name}", self.path), "must be from 0 to 600000 milliseconds");
            return None;
        }
        Some(number as u64)
    }

    fn count(&self, faults: &mut Faults, name: &str) -> Option<u32> {
        let value = self.present(name)?;
        let count = value.as_u64().and_then(|n| u32::try_from(n).ok());
        if count.is_none() {
            self.wrong(faults, name, "a whole number of 0 or more");
        }
        count
    }

    /// A window's side in CSS pixels.
    fn size(&self, faults: &mut Faults, name: &str) -> u32 {
        match self.present(name).and_then(Value::as_f64) {
            Some(number) if (1.0..=10_000.0).contains(&number) => number as u32,
            _ => {
                self.wrong(faults, name, "a number of pixels from 1 to 10000");
                1
            }
        }
    }

    fn object<'a>(&'a self, faults: &mut Faults, name: &str) -> Option<&'a Map<String, Value>> {
        let value = self.present(name)?;
        if value.as_object().is_none() {
            self.wrong(faults, name, "an object");
        }
        value.as_object()
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
