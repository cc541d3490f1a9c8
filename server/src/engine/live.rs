//! The live stream, for the control room: what a changed thing's state is.

use std::sync::Arc;

use app::{
    api::room::{Answer, Live, LiveEvent, LiveFilter, LiveItem, allow},
    model::{
        caller::{Caller, Role},
        event::Topic,
        order::Order,
        page::PageQuery,
        problem::AppError,
        task::{Task, TaskFilter},
    },
};
use async_trait::async_trait;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use serde::Serialize;
use tokio::time::Instant;

use super::{
    Engine,
    errors::{internal, store},
    tasks::Around,
};
use crate::{
    live::{BEAT, Dirty, Rendered, Subscription},
    store::{orders, stats, tasks},
};

/// Subscribers at once on this node. Each holds a bounded buffer and a connection.
const MOST_SUBSCRIBERS: usize = 4_096;

#[async_trait]
impl Live for Engine {
    async fn live(&self, caller: &Caller, filter: LiveFilter) -> Answer<BoxStream<'static, LiveItem>> {
        allow(caller, Role::Viewer)?;
        if self.hub().subscribers() >= MOST_SUBSCRIBERS {
            return Err(AppError::Busy {
                detail: "too many live streams are open".to_owned(),
                retry_after_s: 10,
            });
        }
        let returning = filter.last_seen.is_some();
        let subscription = self.hub().subscribe(filter.clone());
        let first =
            if subscription.resumed() { Vec::new() } else { self.states(&filter, &subscription).await? };
        let reset = (returning && !subscription.resumed()).then_some(LiveItem::Reset);
        let opening = stream::iter(reset.into_iter().chain(first.into_iter().map(LiveItem::Event)));
        let changes = stream::unfold(
            (self.clone(), filter, subscription),
            |(engine, filter, mut subscription)| async {
                let item = subscription.next().await?;
                let items = match item {
                    LiveItem::Event(event) => vec![LiveItem::Event(event)],
                    // Too slow a reader has missed something: it begins anew with the states of now.
                    LiveItem::Reset => {
                        let states = engine.states(&filter, &subscription).await.ok()?;
                        std::iter::once(LiveItem::Reset)
                            .chain(states.into_iter().map(LiveItem::Event))
                            .collect()
                    }
                };
                Some((stream::iter(items), (engine, filter, subscription)))
            },
        );
        Ok(opening.chain(changes.flatten()).boxed())
    }
}

/// A state with the version that the contract asks for.
#[derive(Serialize)]
struct Versioned<'a, T: Serialize> {
    version: u64,
    #[serde(flatten)]
    state: &'a T,
}

fn render<T: Serialize>(version: u64, state: &T) -> Answer<Arc<str>> {
    serde_json::to_string(&Versioned { version, state }).map(Into::into).map_err(internal)
}

/// Things of a kind that a subscriber begins with, where there are many.
const NEWEST: u32 = 50;

fn newest() -> PageQuery {
    PageQuery { limit: Some(NEWEST), after: None }
}

/// An order has a version of its own.
fn render_order(order: &Order) -> Answer<Arc<str>> {
    serde_json::to_string(order).map(Into::into).map_err(internal)
}

/// A task has a version of its own.
fn render_task(task: &Task) -> Answer<Arc<str>> {
    serde_json::to_string(task).map(Into::into).map_err(internal)
}

impl Engine {
    /// The states of now that a subscriber begins with.
    async fn states(&self, filter: &LiveFilter, subscription: &Subscription) -> Answer<Vec<LiveEvent>> {
        let wants = |topic: Topic| filter.topics.is_empty() || filter.topics.contains(&topic);
        let seq = subscription.seq();
        let event = |topic, thing, data| LiveEvent { seq, topic, thing, data };
        let mut states = Vec::new();
        if wants(Topic::Overview) {
            states.push(event(Topic::Overview, None, render(seq, &self.fleet_now().await?)?));
        }
        if wants(Topic::Pool) {
            states.push(event(Topic::Pool, None, render(seq, &self.pool_now())?));
        }
        if wants(Topic::Breaker) {
            for breaker in self.breakers_now().await? {
                states.push(event(Topic::Breaker, breaker.domain.clone(), render(seq, &breaker)?));
            }
        }
        if let Some(id) = filter.task.filter(|_| wants(Topic::Task)) {
            states.push(event(Topic::Task, Some(id.to_string()), render_task(&self.whole_task(id).await?)?));
        }
        if let Some(id) = filter.order.filter(|_| wants(Topic::Order)) {
            let data = render_order(&self.whole_order(id, None).await?)?;
            states.push(event(Topic::Order, Some(id.to_string()), data));
        }
        // Of what there are many, the newest: a list that goes further back is read page by page.
        if wants(Topic::Task) && filter.task.is_none() {
            let page = tasks::list(self.store().read(), &TaskFilter::default(), &newest()).await;
            let mut around = Around::default();
            for row in page.map_err(store)?.items {
                let task = self.shown(&row, &mut around).await?;
                states.push(event(Topic::Task, Some(row.id), render_task(&task)?));
            }
        }
        if wants(Topic::Order) && filter.order.is_none() {
            for id in orders::newest_open(self.store().read(), NEWEST).await.map_err(store)? {
                let data = render_order(&self.whole_order(id, None).await?)?;
                states.push(event(Topic::Order, Some(id.to_string()), data));
            }
        }
        if wants(Topic::Gate) {
            let sites = stats::sites(self.store().read(), "", i64::from(NEWEST)).await.map_err(store)?;
            for gate in self.gate_views(&sites).await? {
                states.push(event(Topic::Gate, Some(gate.domain.clone()), render(seq, &gate)?));
            }
        }
        Ok(states)
    }

    async fn render(&self, dirty: Dirty) -> Answer<()> {
        let hub = self.hub();
        let version = hub.seq();
        for id in dirty.tasks {
            // A task may be gone by now; the others are still told of.
            let Ok(task) = self.brief_task(id).await else { continue };
            let whole =
                if hub.is_watched(id) { Some(render_task(&self.whole_task(id).await?)?) } else { None };
            hub.publish(Rendered {
                topic: Topic::Task,
                thing: Some(id.to_string()),
                data: render_task(&task)?,
                whole,
            });
        }
        for id in dirty.orders {
            let Ok(order) = self.whole_order(id, None).await else { continue };
            let data = render_order(&order)?;
            hub.publish(Rendered { topic: Topic::Order, thing: Some(id.to_string()), data, whole: None });
        }
        for domain in dirty.gates {
            let gate = self.gate_now(&domain).await?;
            hub.publish(Rendered {
                topic: Topic::Gate,
                thing: Some(domain),
                data: render(version, &gate)?,
                whole: None,
            });
        }
        for domain in dirty.breakers {
            let breaker = self.breaker_now(domain.as_deref()).await?;
            let data = render(version, &breaker)?;
            hub.publish(Rendered { topic: Topic::Breaker, thing: domain, data, whole: None });
        }
        if dirty.pool {
            let data = render(version, &self.pool_now())?;
            hub.publish(Rendered { topic: Topic::Pool, thing: None, data, whole: None });
        }
        if dirty.overview {
            let data = render(version, &self.fleet_now().await?)?;
            hub.publish(Rendered { topic: Topic::Overview, thing: None, data, whole: None });
        }
        Ok(())
    }
}

/// Renders what has changed, once for everybody, at most once per beat.
pub(super) async fn publish(engine: Engine) {
    loop {
        let dirty = engine.changes().take().await;
        let next = Instant::now() + BEAT;
        if engine.hub().has_subscribers() {
            // What failed is logged with its number; the next change renders the state anew.
            let _logged = engine.render(dirty).await;
        } else {
            engine.hub().skip();
        }
        tokio::time::sleep_until(next).await;
    }
}

/// Says that the pool has changed when it has.
pub(super) async fn watch_pool(engine: Engine) {
    let mut changed = engine.pool().changes();
    while changed.changed().await.is_ok() {
        engine.changes().pool();
        engine.scheduler().refuse_devtools();
        // A slot may have come free, or a Chrome may be ready.
        engine.scheduler().wake();
    }
}
