//! The ring of the last minute and the subscribers.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use app::{
    api::room::{LiveEvent, LiveFilter, LiveItem},
    model::event::Topic,
};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use uuid::Uuid;

/// How long an event can be asked for again.
const KEPT: Duration = Duration::from_secs(60);
/// Most events kept, whatever their age.
const MOST: usize = 20_000;
/// Events that a slow subscriber may lag behind before it is told to begin anew.
const LAG: usize = 1_024;

/// A thing's state, rendered.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// What it is about.
    pub topic: Topic,
    /// Its id, for topics that have many things.
    pub thing: Option<String>,
    /// Its state as JSON.
    pub data: Arc<str>,
    /// Its state with all its parts, for who watches it alone.
    pub whole: Option<Arc<str>>,
}

/// A rendered state with its place in the stream.
#[derive(Clone, Debug)]
pub struct Published {
    seq: u64,
    at: Instant,
    rendered: Rendered,
}

#[derive(Debug)]
struct Shared {
    seq: u64,
    ring: VecDeque<Published>,
    watched: HashMap<Uuid, usize>,
    /// Events before this one were not rendered, because nobody listened.
    complete_after: u64,
}

/// The subscribers and what they may still ask for. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Hub {
    shared: Arc<Mutex<Shared>>,
    sender: broadcast::Sender<Published>,
}

impl Default for Hub {
    fn default() -> Self {
        let shared = Shared { seq: 0, ring: VecDeque::new(), watched: HashMap::new(), complete_after: 0 };
        Self { shared: Arc::new(Mutex::new(shared)), sender: broadcast::channel(LAG).0 }
    }
}

impl Hub {
    /// Whether anybody listens: if not, rendering is not worth its cost.
    #[must_use]
    pub fn has_subscribers(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    /// How many listen.
    #[must_use]
    pub fn subscribers(&self) -> usize {
        self.sender.receiver_count()
    }

    /// The place in the stream of the last state.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.shared.lock().seq
    }

    /// Whether somebody watches this task alone.
    #[must_use]
    pub fn is_watched(&self, task: Uuid) -> bool {
        self.shared.lock().watched.contains_key(&task)
    }

    /// Says that changes were not rendered: whoever comes back after that begins anew.
    pub fn skip(&self) {
        let mut shared = self.shared.lock();
        shared.seq += 1;
        shared.complete_after = shared.seq;
        shared.ring.clear();
    }

    /// Sends a state to everybody and keeps it for who comes back.
    pub fn publish(&self, rendered: Rendered) {
        let mut shared = self.shared.lock();
        shared.seq += 1;
        let published = Published { seq: shared.seq, at: Instant::now(), rendered };
        while shared.ring.front().is_some_and(|first| first.at.elapsed() > KEPT) || shared.ring.len() >= MOST
        {
            if let Some(first) = shared.ring.pop_front() {
                shared.complete_after = first.seq;
            }
        }
        shared.ring.push_back(published.clone());
        // Sent under the lock, so that a subscriber sees every event once: in its backlog or in its stream.
        let _nobody = self.sender.send(published);
    }

    /// Subscribes. The backlog is what came after `last_seen`; none where that is no longer known.
    #[must_use]
    pub fn subscribe(&self, filter: LiveFilter) -> Subscription {
        let mut shared = self.shared.lock();
        if let Some(task) = filter.task {
            *shared.watched.entry(task).or_default() += 1;
        }
        let resumed = filter.last_seen.filter(|seen| *seen >= shared.complete_after && *seen <= shared.seq);
        let backlog = resumed.map(|seen| {
            shared.ring.iter().filter(|event| event.seq > seen).cloned().collect::<VecDeque<_>>()
        });
        Subscription {
            hub: self.clone(),
            receiver: self.sender.subscribe(),
            seq: shared.seq,
            resumed: backlog.is_some(),
            backlog: backlog.unwrap_or_default(),
            filter,
        }
    }
}

/// One subscriber's way into the stream.
#[derive(Debug)]
pub struct Subscription {
    hub: Hub,
    receiver: broadcast::Receiver<Published>,
    seq: u64,
    resumed: bool,
    backlog: VecDeque<Published>,
    filter: LiveFilter,
}

impl Subscription {
    /// Whether the subscriber goes on where it left; if not, it needs the states of now.
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// The place in the stream at which it was subscribed.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The next item for this subscriber; none when the stream is over.
    pub async fn next(&mut self) -> Option<LiveItem> {
        loop {
            let published = match self.backlog.pop_front() {
                Some(published) => published,
                None => match self.receiver.recv().await {
                    Ok(published) => published,
                    Err(broadcast::error::RecvError::Lagged(_)) => return Some(LiveItem::Reset),
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
            };
            if let Some(event) = select(&self.filter, &published) {
                return Some(LiveItem::Event(event));
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let Some(task) = self.filter.task else { return };
        let mut shared = self.hub.shared.lock();
        if let Some(n) = shared.watched.get_mut(&task) {
            *n -= 1;
            if *n == 0 {
                shared.watched.remove(&task);
            }
        }
    }
}

/// What of a published state a subscriber gets.
fn select(filter: &LiveFilter, published: &Published) -> Option<LiveEvent> {
    let Rendered { topic, thing, data, whole } = &published.rendered;
    if !filter.topics.is_empty() && !filter.topics.contains(topic) {
        return None;
    }
    let mut data = data.clone();
    let wanted = match topic {
        Topic::Task => filter.task,
        Topic::Order => filter.order,
        _ => None,
    };
    if let Some(wanted) = wanted {
        if thing.as_deref() != Some(wanted.to_string().as_str()) {
            return None;
        }
        data = whole.clone().unwrap_or(data);
    }
    Some(LiveEvent { seq: published.seq, topic: *topic, thing: thing.clone(), data })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(topic: Topic, thing: Option<&str>, data: &str) -> Rendered {
        Rendered { topic, thing: thing.map(str::to_owned), data: data.into(), whole: Some("whole".into()) }
    }

    async fn data(subscription: &mut Subscription) -> String {
        match subscription.next().await {
            Some(LiveItem::Event(event)) => event.data.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn who_comes_back_within_the_minute_misses_nothing() {
        let hub = Hub::default();
        let first = hub.subscribe(LiveFilter::default());
        hub.publish(state(Topic::Pool, None, "1"));
        let seen = first.seq() + 1;
        drop(first);
        hub.publish(state(Topic::Pool, None, "2"));
        let mut again = hub.subscribe(LiveFilter { last_seen: Some(seen), ..LiveFilter::default() });
        assert!(again.resumed());
        hub.publish(state(Topic::Pool, None, "3"));
        assert_eq!(data(&mut again).await, "2");
        assert_eq!(data(&mut again).await, "3");
    }

    #[tokio::test]
    async fn who_missed_what_was_never_rendered_begins_anew() {
        let hub = Hub::default();
        hub.publish(state(Topic::Pool, None, "1"));
        hub.skip();
        assert!(!hub.subscribe(LiveFilter { last_seen: Some(1), ..LiveFilter::default() }).resumed());
        assert!(!hub.subscribe(LiveFilter { last_seen: Some(99), ..LiveFilter::default() }).resumed());
    }

    #[tokio::test]
    async fn who_watches_one_task_gets_it_whole_and_no_other() {
        let hub = Hub::default();
        let (mine, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut one = hub.subscribe(LiveFilter { task: Some(mine), ..LiveFilter::default() });
        assert!(hub.is_watched(mine));
        hub.publish(state(Topic::Task, Some(&other.to_string()), "theirs"));
        hub.publish(state(Topic::Task, Some(&mine.to_string()), "brief"));
        assert_eq!(data(&mut one).await, "whole");
        drop(one);
        assert!(!hub.is_watched(mine));
    }
}
