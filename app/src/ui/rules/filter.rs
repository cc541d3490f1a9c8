//! Between the address and the filter: an address leaves out what is not filtered.

use leptos_router::params::ParamsMap;

use crate::{
    model::{problem::AppError, rule::RuleFilter},
    ui::narrow::{self, Asked},
};

/// The filter that an address asks for.
///
/// # Errors
/// Every part that is none.
pub fn of(query: &ParamsMap) -> Result<RuleFilter, AppError> {
    let mut asked = Asked::of(query);
    let filter = RuleFilter {
        state: asked.parsed("state"),
        flow: asked.text("flow"),
        domain: asked.text("domain"),
        order: asked.id("order"),
    };
    asked.done().map(|()| filter)
}

/// The filter as names and values, as they stand in an address.
#[must_use]
pub fn pairs(filter: &RuleFilter) -> Vec<(&'static str, String)> {
    narrow::set([
        ("state", filter.state.map(|state| state.as_str().to_owned())),
        ("flow", filter.flow.clone()),
        ("domain", filter.domain.clone()),
        ("order", filter.order.map(|order| order.to_string())),
    ])
}

/// The address of the list with a filter, from a cursor on.
#[must_use]
pub fn address(filter: &RuleFilter, after: Option<&str>) -> String {
    narrow::address("/rules", &pairs(filter), after)
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
    use crate::{
        model::rule::RuleState,
        ui::narrow::tests::{places, query},
    };

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
        assert_eq!(places(of(&query(&[("state", "on"), ("order", "1")]))), ["/state", "/order"]);
    }
}
