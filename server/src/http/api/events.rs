//! The live stream as server-sent events.

use std::{convert::Infallible, sync::Arc, time::Duration};

use app::{
    api::room::{LiveFilter, LiveItem},
    model::event::Topic,
};
use axum::{
    Extension, Router,
    extract::State,
    http::{HeaderMap, HeaderName},
    response::{IntoResponse, Response, Sse, sse::Event},
    routing::get,
};
use futures::{
    Stream, StreamExt,
    stream::{self, BoxStream},
};
use tokio::time::{Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::http::{
    Shared,
    identify::Credential,
    input::{Params, Who},
    problem::Refusal,
};

/// How often a comment is sent, so that nothing between takes the stream for dead.
const COMMENT: Duration = Duration::from_secs(15);
/// How often it is looked whether the subscriber may still listen.
const RECHECK: Duration = Duration::from_secs(2);
/// How long a browser waits before it connects anew.
const RETRY: Duration = Duration::from_secs(1);

pub(in crate::http) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/v1/events", get(events))
}

/// States as they change, as server-sent events
///
/// First the states of now, then each change, at most one per thing in 250 ms. An event's name is its
/// topic, its data the thing as its own address answers it. With `Last-Event-ID` (a browser sends it by
/// itself) what was missed in the last minute follows; beyond that the first event is `reset`, and all
/// states follow afresh. A comment is sent every 15 s.
#[utoipa::path(get, path = "/api/v1/events", tag = "fleet",
    params(("topics" = Option<String>, Query, description = "Topics with commas between: overview, task, order, pool, gate, breaker, alert. All by default"),
        ("task" = Option<Uuid>, Query, description = "Of the tasks only this one, with its attempts"),
        ("order" = Option<Uuid>, Query, description = "Of the orders only this one"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen")),
    responses((status = 200, description = "The stream", content_type = "text/event-stream", body = String)))]
pub(in crate::http) async fn events(
    State(shared): State<Arc<Shared>>,
    Who(caller): Who,
    Extension(credential): Extension<Credential>,
    mut query: Params,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let mut filter = LiveFilter {
        topics: query.list::<Topic>("topics"),
        task: query.id("task"),
        order: query.id("order"),
        last_seen: None,
    };
    query.done()?;
    // An id that is none of ours is like one that is long past: everything afresh.
    filter.last_seen = headers
        .get("last-event-id")
        .filter(|id| !id.is_empty())
        .map(|id| id.to_str().ok().and_then(|id| id.parse().ok()).unwrap_or(0));
    let items = shared.room.live(&caller, filter).await?;
    let drain = shared.options.drain.clone();
    let may_listen = move || {
        let (shared, credential) = (Arc::clone(&shared), credential.clone());
        // While the store is away nobody is sent off for it.
        async move { !matches!(credential.caller(&shared).await, Ok(None)) }
    };
    let lines = lines(items, drain, every(COMMENT), every(RECHECK), may_listen);
    let stream = stream::once(async { Ok(Event::default().retry(RETRY)) }).chain(lines);
    // Proxies that collect answers before they pass them on are asked not to.
    Ok(([(HeaderName::from_static("x-accel-buffering"), "no")], Sse::new(stream)).into_response())
}

fn every(period: Duration) -> Interval {
    let mut interval = interval_at(tokio::time::Instant::now() + period, period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// What is sent, until the stream ends, the server drains or the subscriber may listen no longer.
fn lines<F, L>(
    items: BoxStream<'static, LiveItem>,
    drain: CancellationToken,
    comment: Interval,
    recheck: Interval,
    may_listen: F,
) -> impl Stream<Item = Result<Event, Infallible>>
where
    F: Fn() -> L,
    L: Future<Output = bool>,
{
    stream::unfold((items, drain, comment, recheck, may_listen), |mut state| async move {
        let (items, drain, comment, recheck, may_listen) = &mut state;
        let event = loop {
            tokio::select! {
                biased;
                () = drain.cancelled() => return None,
                _ = comment.tick() => break Event::default().comment(""),
                _ = recheck.tick() => {
                    if !may_listen().await {
                        return None;
                    }
                }
                item = items.next() => break event(item?),
            }
        };
        Some((Ok(event), state))
    })
}

fn event(item: LiveItem) -> Event {
    match item {
        LiveItem::Event(event) => {
            Event::default().event(event.topic.as_str()).id(event.seq.to_string()).data(&*event.data)
        }
        LiveItem::Reset => Event::default().event("reset").data("{}"),
    }
}

#[cfg(test)]
mod tests {
    use app::api::room::LiveEvent;
    use futures::future;

    use super::*;

    const NEVER: Duration = Duration::from_secs(3_600);
    const SOON: Duration = Duration::from_millis(1);

    fn endless() -> BoxStream<'static, LiveItem> {
        let event = LiveEvent { seq: 7, topic: Topic::Task, thing: None, data: "{}".into() };
        let pause = |item| async {
            tokio::task::yield_now().await;
            item
        };
        stream::repeat(LiveItem::Event(event)).then(pause).boxed()
    }

    #[tokio::test]
    async fn a_comment_is_sent_however_busy_the_stream_is() {
        let drain = CancellationToken::new();
        let lines = lines(endless(), drain, every(SOON), every(NEVER), || future::ready(true));
        let mut body = Sse::new(lines).into_response().into_body().into_data_stream();
        let found =
            async { while !body.next().await.expect("a piece").expect("a piece").starts_with(b":") {} };
        tokio::time::timeout(Duration::from_secs(10), found).await.expect("in time");
    }

    #[tokio::test]
    async fn the_stream_ends_when_the_server_drains_or_its_subscriber_may_listen_no_longer() {
        let drained = CancellationToken::new();
        drained.cancel();
        let ended = lines(endless(), drained, every(NEVER), every(NEVER), || future::ready(true));
        assert_eq!(ended.count().await, 0);
        let silent = stream::pending().boxed();
        let ended =
            lines(silent, CancellationToken::new(), every(NEVER), every(SOON), || future::ready(false));
        assert_eq!(ended.count().await, 0);
    }
}
