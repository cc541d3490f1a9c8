use proptest::prelude::*;
use serde_json::json;

use super::*;

fn places(recording: &Value) -> Vec<String> {
    flow(recording).expect_err("must be refused").into_iter().map(|fault| fault.pointer).collect()
}

#[test]
fn every_step_type_is_read_and_told_in_words() {
    let recording = json!({
        "title": "All of them", "timeout": 3000, "selectorAttribute": "data-test",
        "steps": [
            {"type": "setViewport", "width": 800, "height": 600, "deviceScaleFactor": 2, "isMobile": true, "hasTouch": true, "isLandscape": false},
            {"type": "navigate", "url": "https://shop.example/", "assertedEvents": [{"type": "navigation", "url": "https://shop.example/", "title": ""}]},
            {"type": "click", "selectors": [["aria/Buy[role=\"button\"]"], "#buy", ["xpath///*[@id=\"buy\"]"], ["pierce/#buy"], ["text/Buy"]], "offsetX": 3.5, "offsetY": 4, "button": "secondary", "deviceType": "mouse", "frame": [0, 1]},
            {"type": "doubleClick", "selectors": [["#host", "#inner"]]},
            {"type": "hover", "selectors": ["nav a"]},
            {"type": "change", "selectors": ["#q"], "value": ""},
            {"type": "keyDown", "key": "Enter", "target": "main"},
            {"type": "keyUp", "key": "Enter"},
            {"type": "scroll", "x": 0, "y": 400},
            {"type": "waitForElement", "selectors": [".row"], "operator": "==", "count": 3, "visible": true, "properties": {"hidden": false}, "attributes": {"class": "row"}},
            {"type": "waitForExpression", "expression": "window.ready"},
            {"type": "emulateNetworkConditions", "download": 50000, "upload": 50000, "latency": 20},
            {"type": "customStep", "name": "extract", "parameters": {"name": "prices", "selectors": [".price"], "all": true}},
            {"type": "customStep", "name": "screenshot", "parameters": {"full_page": true}},
            {"type": "customStep", "name": "assertText", "parameters": {"selectors": ["h1"], "contains": "Hello"}},
            {"type": "customStep", "name": "expectStatus", "parameters": {"in": [200, 404]}},
            {"type": "close"},
        ]
    });
    let flow = flow(&recording).expect("accepted");
    assert_eq!(flow.steps.len(), 17);
    assert_eq!(flow.steps[2].frame, [0, 1]);
    assert_eq!(
        flow.steps[3].action.selectors().expect("has selectors"),
        [vec!["#host".to_owned(), "#inner".to_owned()]]
    );
    let words = words::steps(&flow);
    assert_eq!(words[1], "Go to https://shop.example/");
    assert_eq!(words[2], "Click the button “Buy”, in a frame");
    assert_eq!(words[9], "Wait for exactly 3 of .row, visible");
    assert_eq!(words[12], "Take the text of every .price as prices");
}

#[test]
fn faults_name_step_and_field() {
    let recording = json!({"title": "t", "steps": [
        {"type": "navigate"},
        {"type": "click", "selectors": []},
        {"type": "fly"},
        {"type": "change", "selectors": ["#a"]},
        {"type": "customStep", "name": "guess"},
        {"type": "customStep", "name": "assertText", "parameters": {"selectors": ["a"], "contains": "x", "equals": "y"}},
        {"type": "navigate", "url": "file:///etc/passwd"},
        {"type": "waitForElement", "selectors": ["a"], "operator": ">"},
        {"type": "click", "selectors": [["aria/"]]},
    ]});
    assert_eq!(
        places(&recording),
        [
            "/steps/0/url",
            "/steps/1/selectors",
            "/steps/2/type",
            "/steps/3/value",
            "/steps/4/name",
            "/steps/5/parameters",
            "/steps/6/url",
            "/steps/7/operator",
            "/steps/8/selectors/0",
        ]
    );
}

#[test]
fn what_is_no_recording_is_said_to_be_none() {
    assert_eq!(places(&json!([])), [""]);
    assert_eq!(places(&json!({"title": "t"})), ["/steps"]);
    assert_eq!(places(&json!({"steps": []})), ["/title"]);
}

#[test]
fn a_flow_may_have_no_steps() {
    assert_eq!(flow(&json!({"title": "t", "steps": []})).expect("accepted").steps, []);
}

#[test]
fn unknown_fields_are_no_fault() {
    let recording =
        json!({"title": "t", "newField": 1, "steps": [{"type": "close", "somethingNew": {"a": 1}}]});
    assert_eq!(flow(&recording).expect("accepted").steps.len(), 1);
}

/// Any JSON at all, a few levels deep, with the format's own names among the keys.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        any::<i64>().prop_map(Value::from),
        prop_oneof!["click", "navigate", "customStep", "extract", "aria/", ".*"].prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let key = prop_oneof![
            Just("title"),
            Just("steps"),
            Just("type"),
            Just("selectors"),
            Just("url"),
            Just("frame"),
            Just("timeout"),
            Just("parameters"),
            Just("name"),
            Just("assertedEvents"),
            Just("count"),
            Just("other"),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_accepted_or_refused_with_a_place(value in any_json()) {
        if let Err(faults) = flow(&value) {
            prop_assert!(!faults.is_empty());
            for fault in faults {
                prop_assert!(fault.pointer.is_empty() || fault.pointer.starts_with('/'));
                prop_assert!(!fault.message.is_empty());
            }
        }
    }
}
