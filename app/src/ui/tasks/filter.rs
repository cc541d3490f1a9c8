//! Between the address and the filter: an address leaves out what is not filtered.

use leptos_router::params::ParamsMap;

use crate::{
    model::{problem::AppError, task::TaskFilter},
    ui::narrow::{self, Asked},
};

/// The filter that an address asks for.
///
/// # Errors
/// Every part that is none.
pub fn of(query: &ParamsMap) -> Result<TaskFilter, AppError> {
    let mut asked = Asked::of(query);
    let filter = TaskFilter {
        state: asked.parsed("state"),
        flow: asked.text("flow"),
        domain: asked.text("domain"),
        class: asked.text("class"),
        lane: asked.parsed("lane"),
        batch: asked.id("batch"),
        q: asked.text("q"),
    };
    asked.done().map(|()| filter)
}

/// The filter as names and values, as they stand in an address.
#[must_use]
pub fn pairs(filter: &TaskFilter) -> Vec<(&'static str, String)> {
    narrow::set([
        ("state", filter.state.map(|state| state.as_str().to_owned())),
        ("flow", filter.flow.clone()),
        ("domain", filter.domain.clone()),
        ("lane", filter.lane.map(|lane| lane.as_str().to_owned())),
        ("class", filter.class.clone()),
        ("batch", filter.batch.map(|batch| batch.to_string())),
        ("q", filter.q.clone()),
    ])
}

/// The address of the list with a filter, from a cursor on.
#[must_use]
pub fn address(filter: &TaskFilter, after: Option<&str>) -> String {
    narrow::address("/tasks", &pairs(filter), after)
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
    use crate::{
        model::task::TaskState,
        ui::narrow::tests::{places, query},
    };

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
        let faulty = of(&query(&[("state", "asleep"), ("lane", "fast"), ("batch", "1")]));
        assert_eq!(places(faulty), ["/state", "/lane", "/batch"]);
    }

    #[test]
    fn a_part_can_be_taken_off() {
        let filter = of(&query(&[("state", "queued"), ("q", "lamp")])).expect("a filter");
        assert_eq!(address(&without(&filter, "state"), None), "/tasks?q=lamp");
        assert_eq!(address(&without(&filter, "q"), None), "/tasks?state=queued");
    }
}
