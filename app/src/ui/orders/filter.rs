//! Between the address and the filter. An address leaves out what is not filtered, and the state that most
//! people come for: what is open and held by nobody.

use leptos_router::params::ParamsMap;

use crate::{
    model::{
        order::{OrderFilter, OrderState},
        problem::AppError,
    },
    ui::narrow::{self, Asked},
};

/// What an address without a state asks for.
const TO_DO: OrderState = OrderState::Open;
/// How an address asks for every state.
const ALL: &str = "all";

/// The filter that an address asks for.
///
/// # Errors
/// Every part that is none.
pub fn of(query: &ParamsMap) -> Result<OrderFilter, AppError> {
    let mut asked = Asked::of(query);
    let filter = OrderFilter {
        state: match asked.text("state").as_deref() {
            None => Some(TO_DO),
            Some(ALL) => None,
            Some(_) => asked.parsed("state"),
        },
        severity: asked.parsed("severity"),
        flow: asked.text("flow"),
        domain: asked.text("domain"),
        class: asked.parsed("class"),
        mine: asked.text("mine").is_some(),
    };
    asked.done().map(|()| filter)
}

/// What narrows the list besides its state, as names and values of an address.
#[must_use]
pub fn narrowing(filter: &OrderFilter) -> Vec<(&'static str, String)> {
    narrow::set([
        ("severity", filter.severity.map(|severity| severity.as_str().to_owned())),
        ("flow", filter.flow.clone()),
        ("domain", filter.domain.clone()),
        ("class", filter.class.map(|class| class.as_str().to_owned())),
        ("mine", filter.mine.then(|| "yes".to_owned())),
    ])
}

/// The state as an address writes it; none where it need not say.
#[must_use]
pub fn state(filter: &OrderFilter) -> Option<&'static str> {
    match filter.state {
        Some(TO_DO) => None,
        Some(state) => Some(state.as_str()),
        None => Some(ALL),
    }
}

/// The address of the list with a filter, from a cursor on.
#[must_use]
pub fn address(filter: &OrderFilter, after: Option<&str>) -> String {
    let mut parts = narrow::set([("state", state(filter).map(str::to_owned))]);
    parts.extend(narrowing(filter));
    narrow::address("/orders", &parts, after)
}

/// The filter without one of its parts.
#[must_use]
pub fn without(filter: &OrderFilter, name: &str) -> OrderFilter {
    let mut rest = filter.clone();
    match name {
        "severity" => rest.severity = None,
        "flow" => rest.flow = None,
        "domain" => rest.domain = None,
        "class" => rest.class = None,
        _ => rest.mine = false,
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::fault::FaultClass,
        ui::narrow::tests::{places, query},
    };

    #[test]
    fn an_address_without_a_state_asks_for_what_is_to_do() {
        let filter = of(&query(&[])).expect("a filter");
        assert_eq!(filter, OrderFilter { state: Some(OrderState::Open), ..OrderFilter::default() });
        assert_eq!(address(&filter, None), "/orders");
        let all = of(&query(&[("state", "all")])).expect("a filter");
        assert_eq!(all, OrderFilter::default());
        assert_eq!(address(&all, None), "/orders?state=all");
    }

    #[test]
    fn an_address_and_its_filter_say_the_same() {
        let asked = [
            ("state", "claimed"),
            ("severity", "high"),
            ("flow", "search"),
            ("domain", "shop.test:8080"),
            ("class", "http_status"),
            ("mine", "on"),
        ];
        let filter = of(&query(&asked)).expect("a filter");
        assert_eq!(filter.class, Some(FaultClass::HttpStatus));
        assert_eq!(
            address(&filter, Some("a b")),
            "/orders?state=claimed&severity=high&flow=search&domain=shop.test%3A8080&class=http_status&mine=yes&after=a%20b"
        );
    }

    #[test]
    fn every_part_that_is_none_is_named() {
        let faulty = of(&query(&[("state", "lost"), ("severity", "dire"), ("class", "bad")]));
        assert_eq!(places(faulty), ["/state", "/severity", "/class"]);
    }

    #[test]
    fn a_part_can_be_taken_off() {
        let mut filter = of(&query(&[("severity", "low"), ("mine", "yes")])).expect("a filter");
        for (name, _) in narrowing(&filter.clone()) {
            filter = without(&filter, name);
        }
        assert_eq!(address(&filter, None), "/orders");
    }
}
