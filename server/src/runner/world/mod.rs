//! The pages of an attempt's context: set up as they appear, followed by what Chrome says of them.
//!
//! - here: the way in, and waiting for something to become so;
//! - [`state`]: what is known;
//! - [`follow`]: how an event changes it;
//! - [`setup`]: what a new target is told before it runs;
//! - [`gate`]: main documents wait at the site's door.
//!
//! Events are taken up in the order in which Chrome sent them, by a task of its own and by whoever has just had
//! an answer ([`World::drain`]): so what Chrome said before an answer is known when the answer is.

mod follow;
mod gate;
pub(super) mod setup;
pub(super) mod state;

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use app::model::flow::Environment;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::clock::Clock;
use super::job::{Outside, Stage};
use crate::cdp::ask::{ask, tell};
use crate::cdp::{CdpError, Connection, Events, Targets};
use state::State;

/// How many events may wait to be taken up.
const EVENTS: usize = 16_384;

/// How long opening the first page, and closing one, may take.
const OPEN_LIMIT: Duration = Duration::from_secs(15);
const CLOSE_LIMIT: Duration = Duration::from_secs(3);

/// An attempt's pages. Dropping it stops following them.
pub(super) struct World {
    pub connection: Connection,
    pub context: String,
    pub clock: Arc<Clock>,
    pub outside: Outside,
    environment: Environment,
    /// What the pages say the browser is, where the environment asks for a locale or an agent.
    agent: Mutex<Option<String>>,
    state: Mutex<State>,
    events: Mutex<Option<Events>>,
    version: watch::Sender<u64>,
    stop: CancellationToken,
}

impl World {
    /// Opens the main page and follows everything that appears in the context.
    pub async fn open(
        stage: Stage,
        environment: Environment,
        clock: Arc<Clock>,
        outside: Outside,
    ) -> Result<(Arc<Self>, Follower), CdpError> {
        let Stage { connection, context, targets } = stage;
        let (version, _) = watch::channel(0);
        let world = Arc::new(Self {
            connection,
            context,
            clock,
            outside,
            environment,
            agent: Mutex::default(),
            state: Mutex::default(),
            events: Mutex::default(),
            version,
            stop: CancellationToken::new(),
        });
        let follower =
            Follower { stop: world.stop.clone(), task: tokio::spawn(follow(world.clone(), targets)) };
        world.prepare().await?;
        Ok((world, follower))
    }

    async fn prepare(&self) -> Result<(), CdpError> {
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Made {
            target_id: String,
        }
        let root = self.connection.root();
        let downloads = root.send(tell(
            "Browser.setDownloadBehavior",
            json!({"behavior": "deny", "browserContextId": self.context, "eventsEnabled": false}),
        ))?;
        self.learn_agent().await?;
        let viewport = self.environment.viewport;
        let mut blank = json!({"url": "about:blank", "browserContextId": self.context});
        if let Some(size) = viewport {
            blank["width"] = size.width.into();
            blank["height"] = size.height.into();
        }
        let made = root.call(ask::<Made>("Target.createTarget", blank)).await?;
        downloads.answer().await?;
        let deadline = self.clock.now() + OPEN_LIMIT;
        let session = self
            .until(deadline, |state| {
                state.page(&made.target_id).filter(|page| page.runs).map(|page| page.session.clone())
            })
            .await
            .ok_or(CdpError::TimedOut { method: "Target.attachedToTarget".into(), limit: OPEN_LIMIT })?;
        self.check_environment(&session).await
    }

    /// Looks at what is known.
    pub fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.lock())
    }

    /// Changes what is known, and wakes who waits for it.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.state.lock());
        self.version.send_modify(|version| *version += 1);
        changed
    }

    /// Waits until something is so, at most until the clock shows `deadline`.
    pub async fn until<T>(&self, deadline: Duration, mut look: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let mut version = self.version.subscribe();
        loop {
            version.mark_unchanged();
            if let Some(found) = look(&self.state.lock()) {
                return Some(found);
            }
            self.clock.within(deadline, version.changed()).await?.ok()?;
        }
    }

    /// Waits without end until something is so.
    pub async fn whenever<T>(&self, mut look: impl FnMut(&State) -> Option<T>) -> T {
        let mut version = self.version.subscribe();
        loop {
            version.mark_unchanged();
            if let Some(found) = look(&self.state.lock()) {
                return found;
            }
            if version.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Takes up every event that is already here.
    pub fn drain(self: &Arc<Self>) {
        let mut events = self.events.lock();
        while let Some(event) = events.as_mut().and_then(Events::try_next) {
            self.take(&event);
        }
    }

    /// Takes up events until none is here; ready only when their stream has ended.
    fn poll_events(self: &Arc<Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut guard = self.events.lock();
        let Some(events) = guard.as_mut() else { return Poll::Pending };
        loop {
            let next = std::pin::pin!(events.next());
            match next.poll(cx) {
                Poll::Ready(Some(event)) => self.take(&event),
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Brings the page that a frame is in to the front, where it is not.
    pub async fn to_front(&self, frame: &str) -> Result<(), CdpError> {
        let behind = self.look(|state| {
            let page = state.page_of(frame)?;
            (state.front.as_ref() != Some(&page.id)).then(|| (page.id.clone(), page.session.clone()))
        });
        if let Some((page, session)) = behind {
            session.call(tell("Page.bringToFront", json!({}))).await?;
            self.change(|state| state.front = Some(page));
        }
        Ok(())
    }

    /// Closes a page, without asking it.
    pub async fn close_page(&self, page: &str) {
        let close = tell("Target.closeTarget", json!({"targetId": page}));
        let session = self.look(|state| state.page(page).map(|page| page.session.clone()));
        let closing = async {
            let _ = self.connection.root().call_within(CLOSE_LIMIT, close).await;
            if let Some(session) = session {
                session.gone().await;
            }
        };
        // A page that does not go ends with its context.
        let _ = tokio::time::timeout(CLOSE_LIMIT, closing).await;
    }

    /// Closes every page, the newest first.
    pub async fn close(&self) {
        let open: Vec<String> = self.look(|state| {
            state.pages.iter().rev().filter(|page| page.is_open()).map(|page| page.id.clone()).collect()
        });
        futures::future::join_all(open.iter().map(|page| self.close_page(page))).await;
    }
}

/// The task that follows a world; it ends when this is dropped.
pub(super) struct Follower {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop.cancel();
        self.task.abort();
    }
}

/// Takes up new targets and events as they come.
async fn follow(world: Arc<World>, mut targets: Targets) {
    let mut followed = false;
    loop {
        tokio::select! {
            attached = targets.next() => match attached {
                Some(attached) => {
                    world.adopt(attached);
                    followed = true;
                }
                None => return,
            },
            () = std::future::poll_fn(|cx| world.poll_events(cx)), if followed => {
                // Every session is gone; a new page may still come.
                *world.events.lock() = None;
                followed = false;
            }
        }
    }
}
