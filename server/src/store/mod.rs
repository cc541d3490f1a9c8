//! The only SQL: an embedded SQLite database in the data folder.
//!
//! - here: opening it, and the two ways in: [`Store::read`] (a pool) and [`Store::write`] (one writer,
//!   whose commits are shared);
//! - [`tasks`], [`claim`], [`finish`], [`breakers`], [`flows`], [`attempts`], [`orders`], [`rules`],
//!   [`stats`]: the statements, by what they do.
//!
//! What a statement means is decided elsewhere: the rooms above pass in decisions, and times.

pub mod access;
pub mod attempts;
pub mod breakers;
pub mod claim;
pub mod finish;
pub mod flows;
pub mod look;
pub mod orders;
mod rows;
pub mod rules;
pub mod stats;
pub mod tasks;
mod writer;

use std::{path::Path, time::Duration};

use futures::future::BoxFuture;
use sqlx::{
    SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

pub use rows::TaskRow;
use writer::Writer;

/// What goes wrong with the store.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused a statement or could not be read.
    #[error("the database failed: {0}")]
    Database(std::sync::Arc<sqlx::Error>),
    /// The database could not be opened or brought up to date.
    #[error("cannot open the database {path}: {why}")]
    Open {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// A row holds what this program did not write.
    #[error("the database holds {what}, which cannot be read: {why}")]
    Unreadable {
        /// Which value.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// The work was not done: the store is closed, or a commit failed before it came to the work.
    #[error("the database did not take the work")]
    NotDone,
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(std::sync::Arc::new(error))
    }
}

/// Readers open at once. Pages and the API read beside the one writer.
const READERS: u32 = 4;
/// How long a statement waits for a lock of another process (the command line beside a running server).
const BUSY: Duration = Duration::from_secs(10);

/// The database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    read: SqlitePool,
    writer: Writer,
}

impl Store {
    /// Opens the database, makes it where there is none, and brings it up to date.
    ///
    /// # Errors
    /// [`StoreError::Open`], naming the file.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |why: String| StoreError::Open { path: path.display().to_string(), why };
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY)
            .foreign_keys(false)
            .pragma("temp_store", "memory")
            .pragma("cache_size", "-16000")
            .pragma("recursive_triggers", "off");
        let writing = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.clone())
            .await
            .map_err(|error| failed(error.to_string()))?;
        sqlx::migrate!("../migrations/sqlite")
            .run(&writing)
            .await
            .map_err(|error| failed(error.to_string()))?;
        let read = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.read_only(true).create_if_missing(false))
            .await
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { read, writer: Writer::start(writing) })
    }

    /// The readers. They see what is committed.
    #[must_use]
    pub fn read(&self) -> &SqlitePool {
        &self.read
    }

    /// Runs a piece of work in a transaction. When this returns `Ok`, the work is on disk; when it returns
    /// an error, nothing of the work is. Works that come at the same time share one commit.
    ///
    /// # Errors
    /// The work's own, or that of the commit.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.write(work).await
    }

    /// Closes the database after the works that were accepted are done.
    pub async fn close(&self) {
        self.writer.close().await;
        self.read.close().await;
    }
}
