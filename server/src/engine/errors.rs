//! From a room's error to the answer a caller gets: logged once here with a number, told by its number.

use app::model::problem::AppError;
use uuid::Uuid;

use crate::store::StoreError;

/// Logs what is ours and answers with its number.
pub(crate) fn internal(error: impl std::fmt::Display) -> AppError {
    let incident = Uuid::now_v7().simple().to_string();
    tracing::error!(%incident, %error, "a call failed inside ({incident})");
    AppError::Internal { incident }
}

/// An error inside a piece of work of the store: the answer itself, or the database's.
#[derive(Debug)]
pub(crate) enum WorkError {
    /// The work decided so.
    Answer(AppError),
    /// The database failed.
    Store(StoreError),
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<AppError> for WorkError {
    fn from(error: AppError) -> Self {
        Self::Answer(error)
    }
}

impl From<WorkError> for AppError {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Answer(answer) => answer,
            WorkError::Store(error) => store(error),
        }
    }
}

/// The answer for a failure of the store.
pub(crate) fn store(error: StoreError) -> AppError {
    internal(error)
}
