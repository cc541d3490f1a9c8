//! What the queue promises, over the long run: nothing lost and nothing stored twice through fifty kills, and
//! a claim that costs the same over hundreds of thousands of waiting tasks.

mod program;

use std::time::{Duration, Instant};

use app::model::Timestamp;
use futures::FutureExt;
use program::{Dice, House};
use serde_json::json;
use server::{
    breaker::{Breaker, Event, Verdict},
    config::BreakerSettings,
    store::{
        Store, StoreError,
        breakers::{self, FLEET},
        claim::{self, Lease},
        tasks::{self, NewRow},
    },
};
use uuid::Uuid;

const KILLS: u64 = 50;
const TASKS: u64 = 400;

#[test]
fn fifty_kills_lose_no_task_and_store_no_result_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    // A task may be lost more often than usual here, because that is what is being done to it.
    let house = House::new(folder.path(), &[("SIGNALBOX_QUEUE__LOST_MAX", "1000")]);
    let mut dice = Dice::new();
    let mut server = house.serve();
    let mut accepted = Vec::new();
    for kill in 0..KILLS {
        for _ in 0..TASKS / KILLS {
            let n = accepted.len();
            let extract = json!({"type": "customStep", "name": "extract",
                "parameters": {"name": "title", "selectors": ["h1"]}});
            let flow = json!({"title": "kills", "timeout": 30_000, "steps": [
                {"type": "navigate", "url": format!("http://{}/help?n={n}", house.site)}, extract]});
            let task = house.post("/api/v1/tasks", &json!({"flow": flow, "key": format!("k{n}")}));
            accepted.push(task["id"].as_str().expect("an id").to_owned());
        }
        std::thread::sleep(Duration::from_millis(dice.below(1_500)));
        server.0.kill().expect("killed");
        server.0.wait().expect("reaped");
        server = house.serve();
        if kill % 10 == 9 {
            println!("{} kills, {} tasks have succeeded", kill + 1, house.count(&["succeeded"]));
        }
    }
    house.until(&["succeeded"], TASKS, Duration::from_secs(900));
    let tasks = house.tasks();
    assert_eq!(tasks.len() as u64, TASKS);
    let (mut lost, mut attempts) = (0, 0);
    for id in &accepted {
        let task = house.get(&format!("/api/v1/tasks/{id}"));
        let outcomes: Vec<_> = task["attempts"]
            .as_array()
            .expect("attempts")
            .iter()
            .map(|one| one["outcome"].as_str())
            .collect();
        let succeeded = outcomes.iter().filter(|outcome| **outcome == Some("succeeded")).count();
        assert_eq!((task["state"].as_str(), succeeded), (Some("succeeded"), 1), "{task}");
        lost += outcomes.iter().filter(|outcome| **outcome == Some("lost")).count();
        attempts += outcomes.len();
    }
    println!(
        "{KILLS} kills: {TASKS} tasks succeeded once each, in {attempts} attempts of which {lost} were lost"
    );
    assert!(lost > 0, "no kill met a running attempt: the test has shown nothing");
}

const NOW: Timestamp = Timestamp(1_800_000_000_000);
const ROWS: u64 = 500_000;

fn row(n: u64) -> NewRow {
    NewRow {
        id: Uuid::now_v7(),
        name: "waits".to_owned(),
        flow_name: "flow".to_owned(),
        flow_version: 1,
        parameters: "{}".to_owned(),
        words: "waits".to_owned(),
        lane: "main",
        priority: 5,
        domain: format!("site{}.example", n % 1_000),
        account: None,
        key: None,
        body_hash: String::new(),
        order_key: n as i64,
        run_at: NOW,
        not_before: None,
        deadline: None,
        max_attempts: 3,
        timeout_s: 300,
        retry_of: None,
        now: NOW,
    }
}

/// The median of claims in microseconds, each in its own commit.
async fn claims(store: &Store) -> u128 {
    let mut times = Vec::new();
    for _ in 0..200 {
        let lease =
            Lease { attempt: Uuid::now_v7(), token: Uuid::new_v4(), until: NOW, node: "n".to_owned() };
        let began = Instant::now();
        let claimed = store
            .write(move |c| {
                async move {
                    claim::promote(c, NOW).await?;
                    breakers::due(c, NOW).await?;
                    breakers::get(&mut *c, FLEET).await?;
                    let heads = claim::heads(c, "main", 16).await?;
                    let domain = heads.first().map(|head| head.domain.clone()).unwrap_or_default();
                    claim::claim(c, "main", &domain, &lease, NOW).await
                }
                .boxed()
            })
            .await;
        assert!(claimed.expect("the claim runs").is_some());
        times.push(began.elapsed().as_micros());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// Gives every site a breaker that has counted a full window, and some of them one that is open.
async fn count_on_every_site(store: &Store) {
    store
        .write(|c| {
            async move {
                let rules = BreakerSettings::default();
                for n in 0..1_000 {
                    let mut breaker = Breaker::default();
                    let events = (0..20).map(|_| Event::Over {
                        attempt: Uuid::now_v7(),
                        began: NOW,
                        verdict: if n % 100 == 99 {
                            Verdict::Bad { why: "it answered 500".to_owned() }
                        } else {
                            Verdict::Good
                        },
                    });
                    for event in events {
                        breaker = breaker.after(event, NOW, &rules).0;
                    }
                    breakers::put(c, &format!("site{n}.example"), &breaker, &rules).await?;
                }
                Ok::<_, StoreError>(())
            }
            .boxed()
        })
        .await
        .expect("stored");
}

async fn fill(store: &Store, from: u64, to: u64) {
    for start in (from..to).step_by(5_000) {
        let rows: Vec<NewRow> = (start..(start + 5_000).min(to)).map(row).collect();
        store
            .write(move |c| {
                async move {
                    for row in &rows {
                        tasks::insert(c, row).await?;
                    }
                    Ok::<_, StoreError>(())
                }
                .boxed()
            })
            .await
            .expect("stored");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_costs_the_same_however_many_wait_and_are_held() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("test.db")).await.expect("opens");
    fill(&store, 0, 2_000).await;
    let few = claims(&store).await;
    fill(&store, 2_000, ROWS).await;
    let many = claims(&store).await;
    // All but the last sites are held: a claim must not walk over their tasks.
    store
        .write(|c| {
            async move {
                for n in 0..990 {
                    claim::hold(c, &format!("site{n}.example"), NOW.0 + 60_000, "cooldown").await?;
                }
                Ok::<_, StoreError>(())
            }
            .boxed()
        })
        .await
        .expect("held");
    let held = claims(&store).await;
    count_on_every_site(&store).await;
    let counted = claims(&store).await;
    println!(
        "a claim, median: {few} µs of 2,000 tasks, {many} µs of {ROWS}, {held} µs with 990 of 1,000 sites held, \
         {counted} µs with a breaker for each site"
    );
    assert!(
        many < few * 4 && held < few * 4 && counted < few * 4,
        "a claim must not cost more the more wait"
    );
}
