//! The example recordings against the pages of the practice site.

use crate::browser::{Answer, Browser};
use app::model::flow::{Chain, parse};
use serde_json::Value;
use server::practice::{EXAMPLES, State};

fn recording(file: &str) -> Value {
    let example = EXAMPLES.iter().find(|example| example.file == file).expect("ships");
    serde_json::from_str(example.json).expect("JSON")
}

#[test]
fn every_example_is_accepted_and_names_its_parameters() {
    for example in EXAMPLES {
        let checked = parse::check(&serde_json::from_str(example.json).expect("JSON"))
            .unwrap_or_else(|faults| panic!("{}: {faults:?}", example.file));
        assert_eq!(checked.title, example.title);
        let mut named: Vec<&str> = example.parameters.iter().map(|parameter| parameter.name).collect();
        named.sort_unstable();
        assert_eq!(checked.parameters, named, "{}", example.file);
        assert!(!checked.steps.iter().any(String::is_empty));
    }
}

#[test]
fn only_placing_the_order_is_marked_as_critical() {
    let critical: Vec<String> = EXAMPLES
        .iter()
        .flat_map(|example| {
            parse::flow(&serde_json::from_str(example.json).expect("JSON")).expect("accepted").steps
        })
        .filter(|step| step.critical == Some(true))
        .map(|step| format!("{:?}", step.action))
        .collect();
    assert_eq!(critical.len(), 1);
    assert!(critical[0].contains("Place order"));
}

/// Whether a page's markup has what a selector names. Reads what the examples use: ids, classes, test ids,
/// accessible names and texts; tags and positions are taken as given.
fn holds(page: &Answer, chain: &Chain) -> bool {
    let [selector] = chain.as_slice() else { return false };
    let text = |text: &str| page.body.contains(&format!(">{text}<"));
    if let Some(name) = selector.strip_prefix("aria/") {
        let name = name.split('[').next().unwrap_or(name);
        return text(name) || page.body.contains(&format!("aria-label=\"{name}\""));
    }
    if let Some(words) = selector.strip_prefix("text/") {
        return text(words);
    }
    if let Some(path) = selector.strip_prefix("xpath/") {
        let id = path.split("@id=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("by id");
        return page.has_id(id);
    }
    let css = selector.strip_prefix("pierce/").unwrap_or(selector);
    css.split([' ', '>']).filter(|part| !part.is_empty()).all(|part| {
        if let Some(id) = part.strip_prefix('#') {
            page.has_id(id)
        } else if let Some(id) = part.strip_prefix("[data-testid='") {
            page.body.contains(&format!("data-testid=\"{}\"", id.trim_end_matches("']")))
        } else if let Some((_, class)) = part.split_once('.') {
            page.body
                .split("class=\"")
                .skip(1)
                .any(|rest| rest.split('"').next().unwrap_or_default().split(' ').any(|name| name == class))
        } else {
            true
        }
    })
}

/// Every chain of a recording with the page it is looked for on, and whether a step acts by it. A step
/// that navigates is the last on its page.
fn looked_for(recording: &Value, pages: &[Answer]) -> Vec<(String, bool, bool)> {
    let flow = parse::flow(recording).expect("accepted");
    let mut pages = pages.iter();
    let mut page = None;
    let mut found = Vec::new();
    for step in &flow.steps {
        if step.action.type_name() == "navigate" {
            page = pages.next();
            continue;
        }
        let acts = ["click", "change"].contains(&step.action.type_name());
        for chain in step.action.selectors().unwrap_or_default() {
            let page = page.expect("a navigate step comes first");
            found.push((format!("{} on {}", chain.join(" >> "), page.path), holds(page, chain), acts));
        }
        if !step.asserted_events.is_empty() {
            page = pages.next();
        }
    }
    assert!(pages.next().is_none(), "the recording does not visit every page");
    found
}

/// The pages that each example visits, in one design.
async fn visits(design: &str) -> Vec<(&'static str, Vec<Answer>)> {
    let state = State::default();
    let mut all = Vec::new();

    let mut browser = Browser::new(&state);
    let pages =
        vec![browser.get(&format!("/?design={design}")).await, browser.get("/search?q=desk+lamp").await];
    all.push(("search-and-extract.json", pages));

    let mut browser = Browser::new(&state);
    let pages = vec![
        browser.get(&format!("/?design={design}")).await,
        browser.get("/sign-in").await,
        browser.sign_in().await,
        browser.get("/orders").await,
        browser.get("/orders/H-104412").await,
    ];
    all.push(("sign-in-and-export-orders.json", pages));

    let mut browser = Browser::new(&state);
    let pages = vec![
        browser.get(&format!("/products/halden-desk-lamp?design={design}")).await,
        browser.post("/cart", &[("product", "halden-desk-lamp"), ("pieces", "1")]).await,
        browser.get("/checkout").await,
        browser
            .post(
                "/checkout",
                &[
                    ("name", "Grace Ekeland"),
                    ("email", "grace@example.com"),
                    ("street", "Kongens gate 12"),
                    ("postcode", "1767"),
                    ("city", "Halden"),
                    ("country", "NO"),
                    ("delivery", "express"),
                    ("terms", "yes"),
                ],
            )
            .await,
    ];
    all.push(("checkout.json", pages));
    all
}

#[tokio::test]
async fn in_the_first_design_every_selector_of_every_example_is_there() {
    for (file, pages) in visits("1").await {
        for (what, there, _) in looked_for(&recording(file), &pages) {
            assert!(there, "{file}: {what}");
        }
    }
}

#[tokio::test]
async fn in_the_second_design_no_selector_that_acts_is_left() {
    for (file, pages) in visits("2").await {
        for (what, there, acts) in looked_for(&recording(file), &pages) {
            assert!(!(acts && there), "{file}: {what}");
        }
    }
}

#[tokio::test]
async fn the_titles_that_the_examples_expect_are_those_of_the_pages() {
    for (file, pages) in visits("1").await {
        let flow = parse::flow(&recording(file)).expect("accepted");
        let events: Vec<_> = flow.steps.iter().filter_map(|step| step.asserted_events.first()).collect();
        assert_eq!(events.len(), pages.len(), "{file}");
        for (event, page) in events.iter().zip(&pages) {
            if let Some(title) = &event.title {
                assert_eq!(page.text_after("<title").replace("&amp;", "&"), *title, "{file}");
            }
        }
    }
}
