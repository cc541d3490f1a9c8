//! Between the address and the filter: an address leaves out what is not filtered.

use leptos_router::params::ParamsMap;

use crate::{
    model::{
        problem::{AppError, FieldError},
        task::{Lane, TaskFilter, TaskState},
    },
    ui::note::segment,
};

/// The filter that an address asks for.
///
/// # Errors
/// Every part that is none.
pub fn of(query: &ParamsMap) -> Result<TaskFilter, AppError> {
    let asked =
        |name: &str| query.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let mut errors = Vec::new();
    let mut refuse = |name: &str, why: String| errors.push(FieldError::new(format!("/{name}"), why));
    let state: Option<TaskState> =
        asked("state").and_then(|text| text.parse().map_err(|why| refuse("state", why)).ok());
    let lane: Option<Lane> =
        asked("lane").and_then(|text| text.parse().map_err(|why| refuse("lane", why)).ok());
    let batch = asked("batch")
        .and_then(|text| text.parse().map_err(|_| refuse("batch", format!("'{text}' is no id"))).ok());
    if !errors.is_empty() {
        return Err(AppError::BadInput { errors });
    }
    Ok(TaskFilter {
        state,
        flow: asked("flow"),
        domain: asked("domain"),
        class: asked("class"),
        lane,
        batch,
        q: asked("q"),
    })
}

/// The filter as names and values, as they stand in an address.
#[must_use]
pub fn pairs(filter: &TaskFilter) -> Vec<(&'static str, String)> {
    [
        ("state", filter.state.map(|state| state.as_str().to_owned())),
        ("flow", filter.flow.clone()),
        ("domain", filter.domain.clone()),
        ("lane", filter.lane.map(|lane| lane.as_str().to_owned())),
        ("class", filter.class.clone()),
        ("batch", filter.batch.map(|batch| batch.to_string())),
        ("q", filter.q.clone()),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| (name, value)))
    .collect()
}

/// The address of the list with a filter, from a cursor on.
#[must_use]
pub fn address(filter: &TaskFilter, after: Option<&str>) -> String {
    let mut parts: Vec<String> =
        pairs(filter).into_iter().map(|(name, value)| format!("{name}={}", segment(&value))).collect();
    parts.extend(after.map(|after| format!("after={}", segment(after))));
    if parts.is_empty() { "/tasks".to_owned() } else { format!("/tasks?{}", parts.join("&")) }
}

/// The filter without one of its parts.
#[must_use]
pub fn without(filter: &TaskFilter, name: &str) -> TaskFilter {
    let mut rest = filter.clone();
    match name {
        "state" => rest.state = None,
        "flow" => rest.flow = None,
        "domain" => rest.domain = None,
        "lane" => rest.lane = None,
        "class" => rest.class = None,
        "batch" => rest.batch = None,
        _ => rest.q = None,
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
        let filter = of(&query(&[
            ("state", "queued"),
            ("domain", "shop.test:8080"),
            ("q", "big%20lamp"),
            ("class", ""),
        ]))
        .expect("a filter");
        assert_eq!(filter.state, Some(TaskState::Queued));
        assert_eq!(filter.class, None);
        assert_eq!(address(&filter, None), "/tasks?state=queued&domain=shop.test%3A8080&q=big%20lamp");
        assert_eq!(address(&TaskFilter::default(), None), "/tasks");
        assert_eq!(address(&TaskFilter::default(), Some("a b")), "/tasks?after=a%20b");
    }

    #[test]
    fn every_part_that_is_none_is_named() {
        let error = of(&query(&[("state", "asleep"), ("lane", "fast"), ("batch", "1")])).expect_err("faults");
        let AppError::BadInput { errors } = error else { panic!("another error") };
        assert_eq!(
            errors.iter().map(|error| &*error.pointer).collect::<Vec<_>>(),
            ["/state", "/lane", "/batch"]
        );
    }

    #[test]
    fn a_part_can_be_taken_off() {
        let filter = of(&query(&[("state", "queued"), ("q", "lamp")])).expect("a filter");
        assert_eq!(address(&without(&filter, "state"), None), "/tasks?q=lamp");
        assert_eq!(address(&without(&filter, "q"), None), "/tasks?state=queued");
    }
}
