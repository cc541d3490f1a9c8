//! The queue's promises on a real database.

use std::{collections::HashSet, path::Path, sync::Arc};

use app::model::{
    Timestamp,
    attempt::Outcome,
    page::PageQuery,
    task::{TaskFilter, TaskState},
};
use futures::FutureExt;
use serde_json::json;
use server::{
    queue::decide::{Counters, Next},
    store::{
        Store, StoreError, TaskRow, attempts,
        claim::{self, Lease, UNTIL_CLEARED},
        finish::{self, Held, Over},
        stats, tasks,
        tasks::NewRow,
    },
};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

async fn open(dir: &Path) -> Store {
    Store::open(&dir.join("test.db")).await.expect("the database opens")
}

fn row(domain: &str, order_key: i64) -> NewRow {
    NewRow {
        id: Uuid::now_v7(),
        name: format!("task of {domain}"),
        flow_name: "flow".to_owned(),
        flow_version: 1,
        parameters: "{}".to_owned(),
        words: format!("task of {domain}"),
        lane: "main",
        priority: 5,
        domain: domain.to_owned(),
        account: None,
        key: None,
        body_hash: String::new(),
        order_key,
        run_at: NOW,
        not_before: None,
        deadline: None,
        max_attempts: 3,
        timeout_s: 300,
        retry_of: None,
        now: NOW,
    }
}

async fn add(store: &Store, new: NewRow) -> TaskRow {
    store.write(move |c| async move { tasks::insert(c, &new).await }.boxed()).await.expect("stored")
}

fn lease(until: i64) -> Lease {
    Lease { attempt: Uuid::now_v7(), token: Uuid::new_v4(), until: Timestamp(until), node: "n1".to_owned() }
}

async fn claim_from(store: &Store, domain: &str) -> Option<(TaskRow, Lease)> {
    let (domain, lease) = (domain.to_owned(), lease(NOW.0 + 60_000));
    store
        .write(move |c| {
            async move {
                let row = claim::claim(c, "main", &domain, &lease, NOW).await?;
                Ok::<_, StoreError>(row.map(|row| (row, lease)))
            }
            .boxed()
        })
        .await
        .expect("the claim runs")
}

async fn heads(store: &Store) -> Vec<(String, i64)> {
    let heads = store.write(|c| async move { claim::heads(c, "main", 100).await }.boxed()).await;
    heads.expect("heads are read").into_iter().map(|head| (head.domain, head.head_key)).collect()
}

async fn end(store: &Store, row: &TaskRow, lease: &Lease, next: Next) -> Option<TaskRow> {
    let held = Held { task: row.task_id().expect("an id"), token: lease.token };
    let mut over = Over::lost(lease.attempt);
    over.outcome = Outcome::Succeeded;
    store
        .write(move |c| async move { finish::finish(c, held, &over, &next, NOW.plus_ms(5)).await }.boxed())
        .await
        .expect("the end runs")
}

async fn count(store: &Store, state: TaskState) -> u64 {
    let counts = tasks::counts(store.read()).await.expect("counts");
    counts.into_iter().find(|(known, _)| *known == state).map_or(0, |(_, n)| n)
}

#[tokio::test]
async fn accepted_is_on_disk_and_found_by_another_opening() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    let task = add(&store, row("shop", 1)).await;
    // Not closed: a crash would not close it either.
    let again = open(dir.path()).await;
    let found = tasks::get(again.read(), task.task_id().expect("an id")).await.expect("read").expect("there");
    assert_eq!(found.state, "queued");
}

#[tokio::test]
async fn a_lane_is_served_by_its_order_key_and_a_held_site_is_passed_over() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    for (domain, key) in [("b", 20), ("a", 30), ("a", 10), ("c", 40)] {
        add(&store, row(domain, key)).await;
    }
    assert_eq!(heads(&store).await, [("a".to_owned(), 10), ("b".to_owned(), 20), ("c".to_owned(), 40)]);
    let hold = |until: i64| {
        let store = store.clone();
        async move {
            store.write(move |c| async move { claim::hold(c, "a", until, "cooldown").await }.boxed()).await
        }
    };
    hold(NOW.0 + 1_000).await.expect("held");
    assert_eq!(heads(&store).await, [("b".to_owned(), 20), ("c".to_owned(), 40)]);
    store
        .write(|c| async move { claim::promote(c, NOW.plus_ms(1_000)).await }.boxed())
        .await
        .expect("promoted");
    assert_eq!(heads(&store).await[0], ("a".to_owned(), 10), "the hold is over by the clock");
    hold(UNTIL_CLEARED).await.expect("held");
    let unhold = |why: &'static str| {
        let store = store.clone();
        async move { store.write(move |c| async move { claim::unhold(c, "a", why).await }.boxed()).await }
    };
    unhold("domain_concurrency").await.expect("runs");
    assert_eq!(heads(&store).await[0].0, "b", "another reason does not clear it");
    unhold("cooldown").await.expect("runs");
    assert_eq!(heads(&store).await[0].0, "a");
}

#[tokio::test]
async fn a_result_is_stored_once_and_a_stale_token_changes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    add(&store, row("shop", 1)).await;
    let (task, first) = claim_from(&store, "shop").await.expect("claimed");
    let id = task.task_id().expect("an id");
    // The lease is taken back, as after a holder that was stopped for too long; another attempt begins.
    let lost = store.write(|c| async move { finish::orphans(c, NOW.0 + 60_000).await }.boxed()).await;
    assert_eq!(lost.expect("orphans").len(), 1);
    let requeued =
        Next::Queued { at: NOW, fault: None, counters: Counters { lost: 1, ..Counters::default() } };
    assert_eq!(end(&store, &task, &first, requeued).await.expect("taken back").lost, 1);
    let (_, second) = claim_from(&store, "shop").await.expect("claimed again");
    let result = |n: i64| Next::Succeeded { result: json!({"n": n}) };
    assert!(end(&store, &task, &first, result(1)).await.is_none(), "the first holder comes too late");
    assert!(end(&store, &task, &second, result(2)).await.is_some());
    assert!(end(&store, &task, &second, result(3)).await.is_none(), "once");
    let stored = tasks::get(store.read(), id).await.expect("read").expect("there");
    assert_eq!((stored.state.as_str(), stored.result.as_deref()), ("succeeded", Some("{\"n\":2}")));
    let attempts = attempts::of_task(store.read(), id).await.expect("attempts");
    assert_eq!(attempts.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn a_heartbeat_tells_whose_lease_is_gone() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    add(&store, row("a", 1)).await;
    add(&store, row("b", 2)).await;
    let (kept, kept_lease) = claim_from(&store, "a").await.expect("claimed");
    let (gone, gone_lease) = claim_from(&store, "b").await.expect("claimed");
    end(&store, &gone, &gone_lease, Next::Cancelled).await.expect("ended");
    let gone = gone.task_id().expect("an id");
    let held = [
        Held { task: kept.task_id().expect("an id"), token: kept_lease.token },
        Held { task: gone, token: gone_lease.token },
    ];
    let until = NOW.plus_ms(99_000);
    let lost = store.write(move |c| async move { finish::heartbeat(c, &held, until).await }.boxed()).await;
    assert_eq!(lost.expect("beats"), [gone]);
    let orphans = store.write(|c| async move { finish::orphans(c, NOW.0 + 98_000).await }.boxed()).await;
    assert!(orphans.expect("orphans").is_empty(), "the one that beats is left alone");
}

#[tokio::test]
async fn a_critical_step_is_recorded_under_the_lease_only() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    add(&store, row("a", 1)).await;
    let (task, lease) = claim_from(&store, "a").await.expect("claimed");
    let held = Held { task: task.task_id().expect("an id"), token: lease.token };
    let attempt = lease.attempt;
    let begin = |held: Held| {
        let store = store.clone();
        async move {
            store
                .write(move |c| async move { finish::begin_critical(c, held, attempt, 7).await }.boxed())
                .await
        }
    };
    assert!(!begin(Held { token: Uuid::new_v4(), ..held }).await.expect("runs"));
    assert!(begin(held).await.expect("runs"));
    let spent = store.write(move |c| async move { finish::spent(c, held).await }.boxed()).await;
    assert_eq!(spent.expect("read").expect("held").critical_step, Some(7));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_claimers_beside_five_hundred_submissions_claim_each_task_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    let taken = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let mut work = tokio::task::JoinSet::new();
    for n in 0..500 {
        let store = store.clone();
        work.spawn(async move {
            add(&store, row(&format!("site{}", n % 7), n)).await;
        });
    }
    for _ in 0..8 {
        let (store, taken) = (store.clone(), taken.clone());
        work.spawn(async move {
            while taken.lock().len() < 500 {
                for site in 0..7 {
                    if let Some((row, _)) = claim_from(&store, &format!("site{site}")).await {
                        taken.lock().push(row.id);
                    }
                }
            }
        });
    }
    while let Some(done) = work.join_next().await {
        done.expect("no claimer and no submission fails");
    }
    let taken = taken.lock().clone();
    assert_eq!((taken.len(), taken.iter().collect::<HashSet<_>>().len()), (500, 500));
    assert_eq!(count(&store, TaskState::Running).await, 500);
    assert_eq!(count(&store, TaskState::Queued).await, 0);
}

#[tokio::test]
async fn a_failed_piece_of_work_leaves_nothing_and_its_neighbours_stay() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    let works = (0..20).map(|n| {
        let store = store.clone();
        async move {
            store
                .write(move |c| {
                    async move {
                        tasks::insert(c, &row("shop", n)).await?;
                        if n % 2 == 0 { Ok(()) } else { Err(StoreError::NotDone) }
                    }
                    .boxed()
                })
                .await
        }
    });
    let results = futures::future::join_all(works).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 10);
    assert_eq!(count(&store, TaskState::Queued).await, 10);
}

#[tokio::test]
async fn counts_and_heads_stay_true_through_every_change() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    let later = NewRow { run_at: NOW.plus_ms(500), ..row("a", 5) };
    let later = add(&store, later).await;
    assert!(heads(&store).await.is_empty(), "its time has not come");
    assert_eq!(claim::next_event(store.read()).await.expect("read"), Some(NOW.plus_ms(500)));
    let ready = store.write(|c| async move { claim::promote(c, NOW.plus_ms(500)).await }.boxed()).await;
    assert_eq!(ready.expect("promoted"), 1);
    assert_eq!(heads(&store).await, [("a".to_owned(), 5)]);
    let id = later.task_id().expect("an id");
    store
        .write(move |c| async move { tasks::cancel_idle(c, id, NOW).await }.boxed())
        .await
        .expect("cancelled");
    assert!(heads(&store).await.is_empty());
    assert_eq!((count(&store, TaskState::Queued).await, count(&store, TaskState::Cancelled).await), (0, 1));
    let again = store
        .write(move |c| async move { tasks::requeue_afresh(c, id, "rerun", 9, NOW).await }.boxed())
        .await;
    assert_eq!(again.expect("requeued").state, "queued");
    let lanes = stats::lanes(store.read()).await.expect("lanes");
    assert!(
        lanes.contains(&("rerun".to_owned(), 1, 0)) && lanes.contains(&("main".to_owned(), 0, 0)),
        "{lanes:?}"
    );
}

#[tokio::test]
async fn lists_page_newest_first_and_search_finds_the_beginnings_of_words() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    for n in 0..7 {
        let words = if n == 3 { "Übermorgen lamp".to_owned() } else { "other".to_owned() };
        add(&store, NewRow { words, name: format!("t{n}"), ..row("shop", n) }).await;
    }
    let mut page = PageQuery { limit: Some(3), after: None };
    let mut names = Vec::new();
    loop {
        let list = tasks::list(store.read(), &TaskFilter::default(), &page).await.expect("a page");
        names.extend(list.items.into_iter().map(|row| row.name));
        page.after = list.next;
        if page.after.is_none() {
            break;
        }
    }
    assert_eq!(names, ["t6", "t5", "t4", "t3", "t2", "t1", "t0"]);
    for (q, found) in [("über", 1), ("lam overmuch", 0), ("\"'lamp* OR", 0), ("LAMP", 1), ("", 7)] {
        let filter = TaskFilter { q: Some(q.to_owned()), ..TaskFilter::default() };
        let list = tasks::list(store.read(), &filter, &PageQuery::default()).await.expect("a page");
        assert_eq!(list.items.len(), found, "{q}");
    }
}

#[tokio::test]
async fn queued_tasks_past_their_deadline_fail() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = open(dir.path()).await;
    add(&store, NewRow { deadline: Some(NOW.plus_ms(10)), ..row("a", 1) }).await;
    add(&store, NewRow { deadline: Some(NOW.plus_ms(90_000)), ..row("a", 2) }).await;
    assert_eq!(tasks::overdue(store.read(), NOW.plus_ms(10)).await.expect("read"), 1);
    let rows = store.write(|c| async move { tasks::fail_overdue(c, NOW.plus_ms(10)).await }.boxed()).await;
    let rows = rows.expect("failed");
    assert_eq!((rows.len(), rows[0].state.as_str()), (1, "failed"));
    assert!(rows[0].fault.as_deref().expect("a fault").contains("deadline.passed"));
}
