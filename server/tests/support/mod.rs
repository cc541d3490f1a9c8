//! A whole engine over a practice site, for tests: real database, real proxy, real Chrome.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::{net::SocketAddr, path::Path, time::Duration};

use app::{
    api::room::{Live, LiveFilter, LiveItem, Tasks},
    model::{
        caller::{Caller, CallerKind, Role},
        event::Topic,
        task::{FlowInput, NewTask, Task, TaskState},
    },
};
use futures::StreamExt;
use serde_json::{Value, json};
use server::{config::Settings, engine::Engine, practice};
use tokio::{net::TcpListener, task::JoinHandle};
use uuid::Uuid;

/// A practice site on a port of its own.
pub struct Site {
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Site {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let task = tokio::spawn(async move {
            practice::serve(listener, std::future::pending()).await.expect("the practice site serves");
        });
        Self { address, task }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// One of the recordings that ship with the product, for this site.
    pub fn example(&self, file: &str) -> Value {
        let example = practice::EXAMPLES.iter().find(|example| example.file == file).expect("an example");
        let text = example.json.replace("127.0.0.1:8123", &self.address.to_string());
        serde_json::from_str(&text).expect("an example is JSON")
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Settings for tests: quick gates, and only the site may be reached.
pub fn settings(data: &Path, site: &Site) -> Settings {
    let mut settings = Settings::default();
    settings.server.data = data.to_path_buf();
    settings.egress.allow = vec![site.address.to_string()];
    settings.gate.domain_per_s = 100.0;
    settings.gate.domain_burst = 100;
    settings.gate.domain_concurrency = 8;
    settings.queue.retry_base_s = 1;
    settings.pool.slots = 2;
    settings
}

pub async fn engine(settings: Settings) -> Engine {
    // A port that nothing listens at: the front is not part of these tests.
    let address = SocketAddr::from(([127, 0, 0, 1], 9));
    server::engine::start(settings, address).await.expect("the engine starts").0
}

pub fn operator() -> Caller {
    caller(Role::Operator)
}

pub fn caller(role: Role) -> Caller {
    Caller { id: Uuid::from_u128(1), name: "test".to_owned(), role, kind: CallerKind::Token }
}

/// A recording of these steps, after a navigation to an address.
pub fn recording(title: &str, url: &str, steps: &[Value]) -> Value {
    let mut all = vec![json!({"type": "navigate", "url": url})];
    all.extend_from_slice(steps);
    json!({"title": title, "steps": all})
}

pub async fn submit(engine: &Engine, recording: Value) -> Uuid {
    submit_new(engine, NewTask::of(FlowInput::Recording(recording))).await
}

pub async fn submit_new(engine: &Engine, new: NewTask) -> Uuid {
    engine.submit(&operator(), new).await.expect("accepted").task.id
}

/// Follows a task on the live stream until it is as wanted.
pub async fn until(engine: &Engine, id: Uuid, wanted: impl Fn(&Task) -> bool) -> Task {
    let filter = LiveFilter { topics: vec![Topic::Task], task: Some(id), ..LiveFilter::default() };
    let mut stream = engine.live(&operator(), filter).await.expect("a stream");
    let found = async {
        while let Some(item) = stream.next().await {
            let LiveItem::Event(event) = item else { continue };
            let task: Task = serde_json::from_str(&event.data).expect("a task");
            if wanted(&task) {
                return task;
            }
        }
        panic!("the stream ended");
    };
    match tokio::time::timeout(Duration::from_secs(60), found).await {
        Ok(task) => task,
        Err(_) => panic!("not as wanted: {:#?}", engine.task(&operator(), id).await),
    }
}

/// Follows a task until nothing more happens to it by itself.
pub async fn settled(engine: &Engine, id: Uuid) -> Task {
    until(engine, id, |task| !matches!(task.state, TaskState::Queued | TaskState::Running)).await
}
