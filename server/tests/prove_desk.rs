//! What the desk promises, over the long run: through kills every escalated task is in an open order and every
//! order knows its tasks; a closed order lets all of them go, and they succeed by its rule; and of any number who
//! claim at once one holds the order.

mod program;

use std::{collections::BTreeMap, time::Duration};

use program::{Dice, House};
use serde_json::{Value, json};

const KILLS: u64 = 20;
const TASKS: u64 = 300;
const GROUPS: u64 = 6;
const ROUNDS: usize = 100;

/// A flow of a group whose second step looks for what is not there.
fn failing(house: &House, group: u64) -> Value {
    json!({"title": format!("group {group}"), "steps": [
        {"type": "navigate", "url": format!("http://{}/help", house.site)},
        {"type": "waitForElement", "selectors": [[format!("#gone-{group}")]], "timeout": 200},
    ]})
}

#[test]
fn through_kills_no_escalated_task_is_without_its_order_and_all_go_by_the_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let house = House::new(folder.path(), &[("SIGNALBOX_QUEUE__LOST_MAX", "1000")]);
    let mut dice = Dice::new();
    let mut server = house.serve();
    let mut sent = 0;
    for _ in 0..KILLS {
        for _ in 0..TASKS / KILLS {
            let flow = failing(&house, dice.below(GROUPS));
            house.post("/api/v1/tasks", &json!({"flow": flow, "key": format!("k{sent}")}));
            sent += 1;
        }
        std::thread::sleep(Duration::from_millis(dice.below(1_500)));
        server.0.kill().expect("killed");
        server.0.wait().expect("reaped");
        server = house.serve();
    }
    house.until(&["escalated"], TASKS, Duration::from_secs(600));
    let mut by_order: BTreeMap<String, u64> = BTreeMap::new();
    for task in house.tasks() {
        *by_order.entry(task["order"].as_str().expect("an order").to_owned()).or_default() += 1;
    }
    let orders = house.get("/api/v1/orders?limit=500")["items"].as_array().expect("orders").clone();
    assert_eq!(orders.len(), by_order.len(), "one open order a group");
    for order in &orders {
        let id = order["id"].as_str().expect("an id");
        let waiting = order["waiting"].as_u64().expect("a count");
        assert_eq!(Some(&waiting), by_order.get(id), "{order}");
        assert_eq!(order["occurrences"].as_u64(), Some(waiting), "each failed once: {order}");
        let claim = house.post(&format!("/api/v1/orders/{id}/claim"), &json!({}));
        let action = json!({"kind": "replace_selectors", "step": 1, "selectors": [["h1"]]});
        house.post(
            &format!("/api/v1/orders/{id}/close"),
            &json!({"claim_token": claim["claim_token"], "rule": {"action": action},
                "conclusion": {"kind": "selector_changed", "text": "found"}}),
        );
    }
    house.until(&["succeeded"], TASKS, Duration::from_secs(600));
    let rules = house.get("/api/v1/rules?limit=500")["items"].as_array().expect("rules").clone();
    let served: u64 = rules.iter().map(|rule| rule["successes"].as_u64().expect("a count")).sum();
    assert_eq!(served, TASKS);
    assert_eq!(house.get("/api/v1/overview")["desk"]["open"], 0);
    println!(
        "{KILLS} kills: {TASKS} tasks in {} orders, all succeeded by {} rules",
        orders.len(),
        rules.len()
    );
}

#[test]
fn of_a_hundred_who_claim_at_once_one_wins_a_hundred_times() {
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody here is too fast: the claims are the subject, not how often somebody may ask.
    let house = House::new(
        folder.path(),
        &[("SIGNALBOX_HTTP__TOKEN_PER_S", "1000"), ("SIGNALBOX_HTTP__TOKEN_BURST", "100000")],
    );
    let _server = house.serve();
    house.post("/api/v1/tasks", &json!({"flow": failing(&house, 0)}));
    house.until(&["escalated"], 1, Duration::from_secs(60));
    let order = house.get("/api/v1/orders")["items"][0]["id"].as_str().expect("an id").to_owned();
    let tokens: Vec<String> = (0..10).map(|n| house.token(&format!("reviewer {n}"), "reviewer")).collect();
    for round in 0..ROUNDS {
        let claims: Vec<(u16, Value)> = std::thread::scope(|scope| {
            let asked: Vec<_> = (0..100)
                .map(|n| {
                    let (house, order, token) = (&house, &order, &tokens[n % tokens.len()]);
                    scope.spawn(move || {
                        house.try_post(token, &format!("/api/v1/orders/{order}/claim"), &json!({}))
                    })
                })
                .collect();
            asked.into_iter().map(|one| one.join().expect("answered")).collect()
        });
        // A holder who asks again has the same claim; everybody else is told who holds it.
        let won: Vec<&Value> = claims
            .iter()
            .filter(|(status, _)| *status == 200)
            .map(|(_, body)| &body["claim_token"])
            .collect();
        assert!(!won.is_empty() && won.iter().all(|token| *token == won[0]), "round {round}: {won:?}");
        assert_eq!(won.len(), 10, "one holder, who asked ten times");
        let others = claims.iter().filter(|(status, _)| *status != 200);
        let untold: Vec<_> = others
            .filter(|(status, body)| *status != 409 || !body["current"]["claimed_by"].is_string())
            .collect();
        assert!(untold.is_empty(), "round {round}: not told who holds it: {untold:#?}");
        let released = tokens.iter().any(|token| {
            let proof = json!({"claim_token": won[0]});
            house.try_post(token, &format!("/api/v1/orders/{order}/release"), &proof).0 == 200
        });
        assert!(released);
    }
    println!("{ROUNDS} rounds of 100 claims by 10 holders: one holder in each");
}
