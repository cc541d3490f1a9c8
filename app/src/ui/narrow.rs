//! What the filters of lists share: reading an address, writing one, and the chips that take a part off again.

use std::str::FromStr;

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use uuid::Uuid;

use super::note::segment;
use crate::model::problem::{AppError, FieldError};

/// What an address asks for, read part by part.
pub struct Asked<'a> {
    query: &'a ParamsMap,
    errors: Vec<FieldError>,
}

impl<'a> Asked<'a> {
    /// By the query of an address.
    #[must_use]
    pub fn of(query: &'a ParamsMap) -> Self {
        Self { query, errors: Vec::new() }
    }

    /// A text; a part that is blank is not asked for.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.query.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// A value of a type that reads itself from text.
    pub fn parsed<T: FromStr<Err = String>>(&mut self, name: &str) -> Option<T> {
        self.text(name)?.parse().map_err(|why: String| self.refuse(name, why)).ok()
    }

    /// An id.
    pub fn id(&mut self, name: &str) -> Option<Uuid> {
        let text = self.text(name)?;
        text.parse().map_err(|_| self.refuse(name, format!("'{text}' is no id"))).ok()
    }

    fn refuse(&mut self, name: &str, why: String) {
        self.errors.push(FieldError::new(format!("/{name}"), why));
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Every part that is none.
    pub fn done(self) -> Result<(), AppError> {
        if self.errors.is_empty() { Ok(()) } else { Err(AppError::BadInput { errors: self.errors }) }
    }
}

/// The parts that are set, as names and values of an address.
#[must_use]
pub fn set<const N: usize>(parts: [(&'static str, Option<String>); N]) -> Vec<(&'static str, String)> {
    parts.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))).collect()
}

/// An address with these parts, from a cursor on.
#[must_use]
pub fn address(path: &str, parts: &[(&'static str, String)], after: Option<&str>) -> String {
    let after = after.map(|after| ("after", after.to_owned()));
    let parts: Vec<String> =
        parts.iter().chain(&after).map(|(name, value)| format!("{name}={}", segment(value))).collect();
    if parts.is_empty() { path.to_owned() } else { format!("{path}?{}", parts.join("&")) }
}

/// The parts as chips, each a link to the list without it: name, value, address.
pub fn chips(parts: Vec<(&'static str, String, String)>) -> impl IntoView {
    (!parts.is_empty()).then(|| {
        let chips = parts
            .into_iter()
            .map(|(name, value, href)| {
                let says = format!("take off {name}: {value}");
                view! { <li><a href=href aria-label=says>{name}": "<b>{value}</b><span aria-hidden="true">" ×"</span></a></li> }
            })
            .collect_view();
        view! { <ul class="chips">{chips}</ul> }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The query of an address.
    pub(crate) fn query(pairs: &[(&'static str, &str)]) -> ParamsMap {
        let mut map = ParamsMap::new();
        for (name, value) in pairs {
            map.insert(*name, (*value).to_owned());
        }
        map
    }

    /// The places of what is wrong with an address.
    pub(crate) fn places<T: std::fmt::Debug>(read: Result<T, AppError>) -> Vec<String> {
        match read {
            Err(AppError::BadInput { errors }) => errors.into_iter().map(|error| error.pointer).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_address_carries_each_part_with_its_meaning() {
        let parts = [("flow", "a&b".to_owned()), ("q", "big lamp".to_owned())];
        assert_eq!(address("/tasks", &parts, Some("1.x")), "/tasks?flow=a%26b&q=big%20lamp&after=1.x");
        assert_eq!(address("/tasks", &[], None), "/tasks");
    }
}
