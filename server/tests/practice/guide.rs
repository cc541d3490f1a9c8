//! The blocks of JSON in `docs/RECORDING.md`: what the page shows is what is accepted.

use app::model::{
    flow::{NewFlow, parse},
    task::NewTask,
};
use serde_json::{Value, json};

const GUIDE: &str = include_str!("../../../docs/RECORDING.md");

fn blocks() -> impl Iterator<Item = Value> {
    GUIDE.split("```json\n").skip(1).map(|rest| {
        let block = rest.split("```").next().expect("a block ends");
        serde_json::from_str(block).unwrap_or_else(|fault| panic!("{fault} in {block}"))
    })
}

#[test]
fn every_block_of_the_recording_guide_is_accepted() {
    for block in blocks() {
        let recording = if block.get("steps").is_some() {
            block
        } else if block.get("type").is_some() {
            json!({ "title": "One step", "steps": [block] })
        } else if block["flow"].is_object() {
            let new: NewFlow = serde_json::from_value(block).expect("the body of a flow");
            new.flow
        } else {
            serde_json::from_value::<NewTask>(block).expect("the body of a task");
            continue;
        };
        let checked = parse::check(&recording).unwrap_or_else(|faults| panic!("{faults:?} in {recording}"));
        assert!(!checked.steps.is_empty());
    }
}

#[test]
fn the_guide_shows_every_custom_step() {
    let shown: Vec<Value> = blocks().filter(|block| block["type"] == "customStep").collect();
    for name in ["extract", "assertText", "screenshot", "expectStatus"] {
        assert!(shown.iter().any(|step| step["name"] == name), "{name}");
    }
}
