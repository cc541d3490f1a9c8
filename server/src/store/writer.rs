//! The one writer. A durable commit is one fsync, so works that wait at the same time share one: each
//! runs under a savepoint of its own, and none is answered before the commit.

use futures::future::{BoxFuture, FutureExt};
use sqlx::{Connection, SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};

use super::StoreError;

/// Works that may wait for the writer; beyond it callers wait.
const WAITING: usize = 1_024;
/// Most works in one commit, so that the first does not wait long for the last.
const IN_ONE_COMMIT: usize = 256;

/// Answers a work's caller once the fate of its commit is known.
type Deliver = Box<dyn FnOnce(Result<(), StoreError>) + Send>;
type Work = Box<dyn for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Done> + Send>;

/// A work that has run: whether its changes stay, and how its caller is answered.
struct Done {
    keep: bool,
    deliver: Deliver,
}

enum Message {
    Work(Work),
    Close(oneshot::Sender<()>),
}

/// A handle of the writer. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    works: mpsc::Sender<Message>,
}

impl Writer {
    /// Starts the writer on a pool of one connection.
    pub(super) fn start(pool: SqlitePool) -> Self {
        let (works, waiting) = mpsc::channel(WAITING);
        tokio::spawn(run(pool, waiting));
        Self { works }
    }

    pub(super) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |connection| {
            async move {
                let result = work(connection).await;
                let keep = result.is_ok();
                let deliver: Deliver = Box::new(move |commit| {
                    let result = match commit {
                        Err(error) if keep => Err(E::from(error)),
                        _ => result,
                    };
                    // The caller may have gone; the work stands all the same.
                    let _gone = answer.send(result);
                });
                Done { keep, deliver }
            }
            .boxed()
        });
        self.works.send(Message::Work(work)).await.map_err(|_| E::from(StoreError::NotDone))?;
        answered.await.unwrap_or_else(|_| Err(E::from(StoreError::NotDone)))
    }

    pub(super) async fn close(&self) {
        let (answer, answered) = oneshot::channel();
        if self.works.send(Message::Close(answer)).await.is_ok() {
            let _closed = answered.await;
        }
    }
}

async fn run(pool: SqlitePool, mut waiting: mpsc::Receiver<Message>) {
    let mut batch = Vec::with_capacity(IN_ONE_COMMIT);
    while waiting.recv_many(&mut batch, IN_ONE_COMMIT).await > 0 {
        let mut closing = None;
        let mut works = Vec::with_capacity(batch.len());
        for message in batch.drain(..) {
            match message {
                Message::Work(work) => works.push(work),
                Message::Close(answer) => closing = Some(answer),
            }
        }
        if !works.is_empty() {
            commit(&pool, works).await;
        }
        if let Some(answer) = closing {
            waiting.close();
            pool.close().await;
            let _gone = answer.send(());
        }
    }
}

/// Runs works in one transaction and answers their callers.
async fn commit(pool: &SqlitePool, works: Vec<Work>) {
    let alone = works.len() == 1;
    let mut delivers = Vec::with_capacity(works.len());
    let outcome = async {
        let mut connection = pool.acquire().await?;
        // Immediate, because a reading transaction that then writes fails at once when another wrote.
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
        let mut kept = false;
        for work in works {
            if !alone {
                sqlx::query("SAVEPOINT work").execute(&mut *transaction).await?;
            }
            let done = work(&mut transaction).await;
            if !alone {
                let end = if done.keep { "RELEASE work" } else { "ROLLBACK TO work" };
                sqlx::query(end).execute(&mut *transaction).await?;
            }
            kept |= done.keep;
            delivers.push(done.deliver);
        }
        if kept { transaction.commit().await } else { transaction.rollback().await }
    }
    .await
    .map_err(StoreError::from);
    if let Err(error) = &outcome {
        tracing::error!(%error, "a commit failed; nothing of it is stored");
    }
    for deliver in delivers {
        deliver(outcome.clone());
    }
}
