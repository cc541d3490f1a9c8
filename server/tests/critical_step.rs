//! A critical step and a server that is killed after it: what may have happened is never repeated by itself.

mod program;

use std::time::{Duration, Instant};

use program::House;
use serde_json::{Value, json};

/// Asks for a task until it is as wanted.
fn until(house: &House, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let task = house.get(&format!("/api/v1/tasks/{id}"));
        if wanted(&task) {
            return task;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{task:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How often the form was posted, by the site's own log.
fn posts(house: &House) -> usize {
    let log: Value = ureq::get(format!("http://{}/control/log.json", house.site))
        .call()
        .expect("the log")
        .body_mut()
        .read_json()
        .expect("JSON");
    let entries = log["entries"].as_array().expect("entries");
    entries.iter().filter(|hit| hit["method"] == "POST" && hit["path"] == "/trouble/submit").count()
}

#[test]
fn a_task_whose_server_is_killed_after_a_critical_step_waits_for_a_person() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::new(folder.path(), &[]);
    let mut server = house.serve();
    let flow = json!({"title": "pay", "steps": [
        {"type": "navigate", "url": format!("http://{}/trouble/submit", house.site)},
        {"type": "click", "selectors": [["main button"]]},
        {"type": "waitForExpression", "expression": "false", "timeout": 60_000},
    ]});
    let id = house.post("/api/v1/tasks", &json!({"flow": flow}))["id"].as_str().expect("an id").to_owned();
    // The form was sent, and the step after it waits.
    until(&house, &id, |task| task["attempts"][0]["at_step"] == 2);
    server.0.kill().expect("killed");
    server.0.wait().expect("reaped");
    let _server = house.serve();
    let task = until(&house, &id, |task| task["state"] == "escalated");
    assert_eq!((&task["fault"]["class"], &task["fault"]["step"]), (&json!("uncertain"), &json!(1)));
    let attempts = task["attempts"].as_array().expect("attempts");
    assert_eq!(
        (attempts.len(), &attempts[0]["outcome"], &attempts[0]["critical_step"]),
        (1, &json!("lost"), &json!(1))
    );
    assert_eq!(posts(&house), 1, "never repeated by itself");
    let order = house.get(&format!("/api/v1/orders/{}", task["order"].as_str().expect("an order")));
    assert_eq!((&order["group"]["class"], &order["severity"]), (&json!("uncertain"), &json!("high")));
}
