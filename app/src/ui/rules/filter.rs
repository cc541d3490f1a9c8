//! Between the address and the filter: an address leaves out what is not filtered.

use leptos_router::params::ParamsMap;

use crate::{
    model::{
        problem::{AppError, FieldError},
        rule::{RuleFilter, RuleState},
    },
    ui::note::segment,
};

/// The filter that an address asks for.
///
/// # Errors
/// Every part that is none.
pub fn of(query: &ParamsMap) -> Result<RuleFilter, AppError> {
    let asked =
        |name: &str| query.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let mut errors = Vec::new();
    let mut refuse = |name: &str, why: String| errors.push(FieldError::new(format!("/{name}"), why));
    let state: Option<RuleState> =
        asked("state").and_then(|text| text.parse().map_err(|why| refuse("state", why)).ok());
    let order = asked("order")
        .and_then(|text| text.parse().map_err(|_| refuse("order", format!("'{text}' is no id"))).ok());
    if !errors.is_empty() {
        return Err(AppError::BadInput { errors });
    }
    Ok(RuleFilter { state, flow: asked("flow"), domain: asked("domain"), order })
}

/// The filter as names and values, as they stand in an address.
#[must_use]
pub fn pairs(filter: &RuleFilter) -> Vec<(&'static str, String)> {
    [
        ("state", filter.state.map(|state| state.as_str().to_owned())),
        ("flow", filter.flow.clone()),
        ("domain", filter.domain.clone()),
        ("order", filter.order.map(|order| order.to_string())),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| (name, value)))
    .collect()
}

/// The address of the list with a filter, from a cursor on.
#[must_use]
pub fn address(filter: &RuleFilter, after: Option<&str>) -> String {
    let mut parts: Vec<String> =
        pairs(filter).into_iter().map(|(name, value)| format!("{name}={}", segment(&value))).collect();
    parts.extend(after.map(|after| format!("after={}", segment(after))));
    if parts.is_empty() { "/rules".to_owned() } else { format!("/rules?{}", parts.join("&")) }
}

/// The filter without one of its parts.
#[must_use]
pub fn without(filter: &RuleFilter, name: &str) -> RuleFilter {
    let mut rest = filter.clone();
    match name {
        "state" => rest.state = None,
        "flow" => rest.flow = None,
        "domain" => rest.domain = None,
        _ => rest.order = None,
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pairs: &[(&'static str, &str)]) -> ParamsMap {
        let mut map = ParamsMap::new();
        for (name, value) in pairs {
            map.insert(*name, (*value).to_owned());
        }
        map
    }

    #[test]
    fn an_address_and_its_filter_say_the_same() {
        let filter =
            of(&query(&[("state", "active"), ("domain", "*.shop.test"), ("flow", "")])).expect("one");
        assert_eq!(filter.state, Some(RuleState::Active));
        assert_eq!(address(&filter, None), "/rules?state=active&domain=%2A.shop.test");
        assert_eq!(address(&without(&filter, "state"), Some("x")), "/rules?domain=%2A.shop.test&after=x");
        assert_eq!(address(&RuleFilter::default(), None), "/rules");
    }

    #[test]
    fn every_part_that_is_none_is_named() {
        let error = of(&query(&[("state", "on"), ("order", "1")])).expect_err("faults");
        let AppError::BadInput { errors } = error else { panic!("another error") };
        assert_eq!(errors.iter().map(|error| &*error.pointer).collect::<Vec<_>>(), ["/state", "/order"]);
    }
}
