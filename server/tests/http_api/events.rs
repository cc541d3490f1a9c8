//! The live stream.

use std::time::Duration;

use app::model::event::Topic;
use axum::body::BodyDataStream;
use futures::StreamExt;
use server::http::router;
use uuid::Uuid;

use crate::{
    fake::Room,
    probe::{ask, front, front_of, options},
};

/// Reads until the text holds this, or the stream ends.
async fn read_until(stream: &mut BodyDataStream, wanted: &str) -> String {
    let mut text = String::new();
    let reading = async {
        while let Some(piece) = stream.next().await {
            text.push_str(std::str::from_utf8(&piece.expect("a piece")).expect("text"));
            if text.contains(wanted) {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(5), reading).await.expect("in time");
    text
}

#[tokio::test]
async fn events_have_their_topic_as_name_and_their_place_as_id() {
    let response = ask("GET", "/api/v1/events").token("viewer").open(&front()).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    let text = read_until(&mut response.into_body().into_data_stream(), "version").await;
    let blocks: Vec<Vec<&str>> = text.split("\n\n").map(|block| block.lines().collect()).collect();
    assert_eq!(blocks[0], ["retry: 1000"]);
    assert_eq!(blocks[1], ["event: reset", "data: {}"]);
    let mut event = blocks[2].clone();
    event.sort_unstable();
    assert_eq!(event, ["data: {\"version\":3}", "event: task", "id: 41"]);
}

#[tokio::test]
async fn the_query_and_the_last_seen_event_choose_what_comes() {
    let room = Room::new();
    let front = front_of(room.clone());
    let id = Uuid::from_u128(5);
    let path = format!("/api/v1/events?topics=task,%20overview&task={id}&order={id}");
    ask("GET", &path).token("viewer").header("last-event-id", "17").open(&front).await;
    let filter = room.listened.lock().take().expect("listened");
    assert_eq!(filter.topics, [Topic::Task, Topic::Overview]);
    assert_eq!((filter.task, filter.order, filter.last_seen), (Some(id), Some(id), Some(17)));
    ask("GET", "/api/v1/events").token("viewer").header("last-event-id", "junk").open(&front).await;
    let filter = room.listened.lock().take().expect("listened");
    assert_eq!(filter.last_seen, Some(0), "an id that is none of ours is like one that is long past");
    ask("GET", "/api/v1/events").token("viewer").open(&front).await;
    assert_eq!(room.listened.lock().take().expect("listened").last_seen, None);
}

#[tokio::test]
async fn wrong_topics_and_ids_are_refused_by_name() {
    let front = front();
    for (query, place) in [("topics=weather", "topics"), ("task=7", "task"), ("colour=red", "colour")] {
        let seen = ask("GET", &format!("/api/v1/events?{query}")).token("viewer").of(&front).await;
        assert_eq!(seen.problem(), (422, vec![place.to_owned()]), "{query}");
    }
}

#[tokio::test]
async fn the_stream_ends_when_the_server_drains() {
    let options = options();
    let drain = options.drain.clone();
    let front = router(Room::new(), options);
    let response = ask("GET", "/api/v1/events").session("viewer").open(&front).await;
    let mut stream = response.into_body().into_data_stream();
    read_until(&mut stream, "version").await;
    drain.cancel();
    read_until(&mut stream, "never").await;
}
