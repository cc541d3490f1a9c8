//! Commands by their name, with parameters as JSON and an answer read only as far as it is used: what a newer
//! Chrome adds or renames elsewhere in an answer cannot break a call.

use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;

use chromiumoxide::types::{Command, Method, MethodId};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// A command whose answer is read as `R`.
#[derive(Debug)]
pub struct Ask<R> {
    method: &'static str,
    params: Value,
    answer: PhantomData<fn() -> R>,
}

/// A command whose answer says nothing of use.
pub fn tell(method: &'static str, params: Value) -> Ask<IgnoredAny> {
    ask(method, params)
}

/// A command whose answer is read as `R`.
pub fn ask<R>(method: &'static str, params: Value) -> Ask<R> {
    Ask { method, params, answer: PhantomData }
}

impl<R> Serialize for Ask<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.params.serialize(serializer)
    }
}

impl<R> Method for Ask<R> {
    fn identifier(&self) -> MethodId {
        Cow::Borrowed(self.method)
    }
}

impl<R: DeserializeOwned + Debug> Command for Ask<R> {
    type Response = R;
}

/// A value of the page as the protocol shows it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remote {
    /// Its type: `string`, `object`, …
    #[serde(rename = "type", default)]
    pub kind: String,
    /// The value, where it was asked for and is JSON.
    #[serde(default)]
    pub value: Option<Value>,
    /// `NaN`, `-0` and the like.
    pub unserializable_value: Option<String>,
    /// How a console would show an object.
    pub description: Option<String>,
    /// The handle to an object.
    pub object_id: Option<String>,
}

impl Remote {
    /// The value as a console shows it.
    #[must_use]
    pub fn shown(&self) -> String {
        match (&self.value, &self.unserializable_value, &self.description) {
            (Some(Value::String(text)), ..) => text.clone(),
            (Some(value), ..) => value.to_string(),
            (None, Some(text), _) | (None, None, Some(text)) => text.clone(),
            (None, None, None) => self.kind.clone(),
        }
    }
}

/// What a script threw.
#[derive(Debug, Deserialize)]
pub struct Exception {
    /// What Chrome says of it.
    #[serde(default)]
    pub text: String,
    /// What was thrown.
    pub exception: Option<Remote>,
}

impl Exception {
    /// What was thrown, in a line.
    #[must_use]
    pub fn shown(&self) -> String {
        let thrown = self.exception.as_ref().map(Remote::shown).unwrap_or_default();
        let first = thrown.lines().next().unwrap_or_default();
        if first.is_empty() { self.text.clone() } else { first.to_owned() }
    }
}

/// The answer to an evaluation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluated {
    /// What it came to.
    #[serde(default)]
    pub result: Remote,
    /// What it threw instead.
    pub exception_details: Option<Exception>,
}
