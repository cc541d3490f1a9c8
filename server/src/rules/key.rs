//! The keys of a flow's steps: a hash of what a step is recorded as (its type, selectors, frame and target), so
//! that a rule finds its step again in another version, wherever it stands there.

use app::model::flow::{Flow, Step, parse};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Hexadecimal digits of a key: 64 bits tell the steps of a flow apart.
const DIGITS: usize = 16;

/// The key of each step of a recording whose parameters are not filled in, in order. Steps that are recorded
/// alike are told apart by their number among these: the second one's key ends in `-2`.
#[must_use]
pub fn step_keys(recording: &Value) -> Vec<String> {
    // A recording that cannot be read has no steps that a rule could hold on to.
    parse::flow(recording).map(|flow| keys(&flow)).unwrap_or_default()
}

/// The same of a flow in typed form.
#[must_use]
pub fn keys(flow: &Flow) -> Vec<String> {
    let hashes: Vec<String> = flow.steps.iter().map(hash).collect();
    (0..hashes.len())
        .map(|at| match hashes[..at].iter().filter(|before| **before == hashes[at]).count() {
            0 => hashes[at].clone(),
            before => format!("{}-{}", hashes[at], before + 1),
        })
        .collect()
}

fn hash(step: &Step) -> String {
    let target = step.target.as_deref().unwrap_or("main");
    let recorded = json!([step.action.type_name(), step.action.selectors(), step.frame, target]);
    let mut digits: String =
        Sha256::digest(recorded.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(DIGITS);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(steps: &[Value]) -> Vec<String> {
        step_keys(&json!({"title": "t", "steps": steps}))
    }

    #[test]
    fn a_key_stays_with_its_step_and_changes_with_what_is_recorded_of_it() {
        let click = json!({"type": "click", "selectors": [["#buy"]], "offsetX": 1, "offsetY": 1});
        let other = json!({"type": "click", "selectors": [["#sell"]]});
        let go = json!({"type": "navigate", "url": "http://shop.test/"});
        let before = of(&[go.clone(), click.clone()]);
        let after =
            of(&[go.clone(), other.clone(), json!({"type": "click", "selectors": ["#buy"], "timeout": 9})]);
        assert_eq!(before[1], after[2], "moved, with another timeout and its selector written as text");
        assert_eq!(before[0], after[0]);
        assert_ne!(after[1], after[2]);
        let framed = of(&[go, json!({"type": "click", "selectors": [["#buy"]], "frame": [0]})]);
        assert_ne!(framed[1], before[1]);
        assert_eq!(before[1].len(), DIGITS);
    }

    #[test]
    fn steps_that_are_recorded_alike_have_keys_of_their_own() {
        let click = json!({"type": "click", "selectors": [["#next"]]});
        let keys = of(&[click.clone(), click.clone(), click]);
        assert_eq!(keys[1], format!("{}-2", keys[0]));
        assert_eq!(keys[2], format!("{}-3", keys[0]));
    }
}
