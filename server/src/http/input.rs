//! What comes in: bodies, queries and parts of the path, each fault named with its place.
//!
//! The extractors never refuse by themselves: they hold what they found, and the handler takes it with
//! [`checked`], because who may not call at all is told that before what is wrong with the input.

use std::{collections::BTreeMap, convert::Infallible, str::FromStr, time::Duration};

use app::{
    api::room::allow,
    model::{
        caller::{Caller, Role},
        page::{MAX_LIMIT, PageQuery},
        problem::{AppError, FieldError},
    },
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Request},
    http::{HeaderMap, header, request::Parts},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_path_to_error::Segment;
use uuid::Uuid;

use super::problem::Refusal;

/// Takes an input, or refuses it; a caller who may not call this at all is told that first.
///
/// # Errors
/// 403, else the input's fault.
pub fn checked<T>(input: Result<T, Refusal>, caller: &Caller, least: Role) -> Result<T, Refusal> {
    input.or_else(|fault| {
        allow(caller, least)?;
        Err(fault)
    })
}

/// The caller, whom the guard in front has found.
pub struct Who(pub Caller);

impl<S: Sync> FromRequestParts<S> for Who {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        parts.extensions.get::<Caller>().cloned().map(Self).ok_or_else(|| AppError::Unauthorized.into())
    }
}

/// A body of no fields, as actions have that take none.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A JSON body. None at all counts as one without fields.
pub struct Json<T>(pub Result<T, Refusal>);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Infallible;

    async fn from_request(request: Request, state: &S) -> Result<Self, Infallible> {
        let headers = request.headers().clone();
        Ok(Self(match bytes(request, state).await {
            Ok(body) => read(&headers, &body),
            Err(fault) => Err(fault),
        }))
    }
}

/// How long a body may take to come in.
const PATIENCE: Duration = Duration::from_secs(60);

/// A body's bytes, within the limit that the guard in front has set.
pub(crate) async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Refusal> {
    let reading = tokio::time::timeout(PATIENCE, Bytes::from_request(request, state));
    let Ok(read) = reading.await else { return Err(Refusal::too_slow()) };
    read.map_err(|rejection| match rejection.status().as_u16() {
        413 => Refusal::too_large(),
        _ => Refusal::bad_body("the body could not be read to its end"),
    })
}

fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Refusal> {
    // Some programs put a byte order mark before their JSON.
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii();
    if body.is_empty() {
        return parse(b"{}");
    }
    let plain = headers.get(header::CONTENT_ENCODING).is_none_or(|coding| coding == "identity");
    if !plain || !is_json(headers) {
        return Err(Refusal::media_type("plain application/json"));
    }
    if body.starts_with(b"[") && serde_json::from_slice::<serde_json::Value>(body).is_ok() {
        // A list would be taken for the fields in their order.
        return Err(Refusal::bad_input(vec![FieldError::new("", "must be an object")]));
    }
    parse(body)
}

/// Whether a body is JSON by its media type. One that says nothing is taken for JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return true };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads JSON into a type.
///
/// # Errors
/// 400 where it is not JSON; 422 with the place where a field is missing, unknown or of the wrong kind.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value: T = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let pointer = pointer(error.path());
        let inner = error.into_inner();
        if inner.is_data() {
            Refusal::bad_input(vec![located(pointer, &inner.to_string())])
        } else if serde_json::from_slice::<serde_json::Value>(body).is_ok() {
            // It is JSON all right: where a name is expected, another kind of value breaks the reading off.
            Refusal::bad_input(vec![FieldError::new(pointer, "is of the wrong kind")])
        } else {
            Refusal::bad_json(&inner.to_string())
        }
    })?;
    reader.end().map_err(|error| Refusal::bad_json(&error.to_string()))?;
    Ok(value)
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut pointer = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => pointer.push_str(&format!("/{}", escape(key))),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

/// A part of a JSON pointer (RFC 6901).
fn escape(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// The fault at its very place and in words for people: of a missing or unknown field the reader knows
/// only the object that it is about, and names the field in its own words.
fn located(pointer: String, words: &str) -> FieldError {
    let words = words.rsplit_once(" at line ").map_or(words, |(before, _)| before);
    let names = |start: &str| words.strip_prefix(start)?.split_once('`');
    let at = |field: &str| {
        let part = format!("/{}", escape(field));
        if pointer.ends_with(&part) { pointer.clone() } else { format!("{pointer}{part}") }
    };
    if let Some((field, _)) = names("missing field `") {
        return FieldError::new(at(field), "is needed");
    }
    if let Some((field, _)) = names("duplicate field `") {
        return FieldError::new(at(field), "is given twice");
    }
    if let Some((field, rest)) = names("unknown field `") {
        if rest.contains("there are no fields") {
            return FieldError::new(
                at(field),
                format!("the field {field} is not known here: there are none"),
            );
        }
        let known = rest.trim_start_matches(", expected ").trim_start_matches("one of ").replace('`', "");
        return FieldError::new(at(field), format!("the field {field} is not known here; known: {known}"));
    }
    FieldError::new(pointer, words)
}

/// The query of an address. Each name is taken once; [`Params::done`] refuses what is left over.
pub struct Params {
    given: BTreeMap<String, String>,
    faults: Vec<FieldError>,
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts.uri.query().unwrap_or_default()))
    }
}

impl Params {
    /// Those of a query.
    #[must_use]
    pub fn of(query: &str) -> Self {
        let (mut given, mut faults) = (BTreeMap::new(), Vec::new());
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            // A form sends what was left empty too: that is as good as not given.
            if given.insert(name.to_string(), value.into_owned()).is_some() {
                faults.push(FieldError::new(name, "is given twice"));
            }
        }
        Self { given, faults }
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        self.given.remove(name).filter(|value| !value.is_empty())
    }

    /// A value of a type that reads itself from text.
    pub fn parsed<T: FromStr<Err = String>>(&mut self, name: &str) -> Option<T> {
        let text = self.text(name)?;
        text.parse().map_err(|why| self.fault(name, why)).ok()
    }

    /// A list with commas.
    pub fn list<T: FromStr<Err = String>>(&mut self, name: &str) -> Vec<T> {
        let text = self.text(name).unwrap_or_default();
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.filter_map(|part| part.parse().map_err(|why| self.fault(name, why)).ok()).collect()
    }

    /// A truth value; not given is false.
    pub fn flag(&mut self, name: &str) -> bool {
        match self.text(name).as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(_) => {
                self.fault(name, "must be true or false");
                false
            }
        }
    }

    /// An id.
    pub fn id(&mut self, name: &str) -> Option<Uuid> {
        let text = self.text(name)?;
        text.parse().map_err(|_| self.fault(name, format!("'{text}' is not a UUID"))).ok()
    }

    /// Which page of a list.
    pub fn page(&mut self) -> PageQuery {
        let limit = self.text("limit").and_then(|text| {
            let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
            if limit.is_none() {
                self.fault("limit", format!("must be a whole number from 1 to {MAX_LIMIT}"));
            }
            limit
        });
        PageQuery { limit, after: self.text("after") }
    }

    fn fault(&mut self, name: &str, why: impl Into<String>) {
        self.faults.push(FieldError::new(name, why));
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// 422 with every fault, and every name that nobody has asked for.
    pub fn done(mut self) -> Result<(), Refusal> {
        for name in std::mem::take(&mut self.given).into_keys() {
            self.fault(&name, "is not known here");
        }
        if self.faults.is_empty() { Ok(()) } else { Err(Refusal::bad_input(self.faults)) }
    }
}

/// The id in the path. What is no id names nothing that is there.
pub struct Id(pub Result<Uuid, Refusal>);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let text = text.map(|Path(text)| text).unwrap_or_default();
        Ok(Self(id(&text)))
    }
}

/// Reads an id from a part of the path.
///
/// # Errors
/// 404.
pub fn id(text: &str) -> Result<Uuid, Refusal> {
    text.parse().map_err(|_| AppError::not_found(format!("thing with the id '{text}'")).into())
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
