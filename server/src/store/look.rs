//! A look at a database that changes nothing, for those who ask whether it is well.

use std::path::Path;

use sqlx::{Connection, Row, SqliteConnection, sqlite::SqliteConnectOptions};

use super::StoreError;

/// How a database stands to this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It has every migration.
    UpToDate,
    /// It lacks some, which the next start adds.
    Behind {
        /// How many.
        missing: usize,
    },
    /// It has one that this program does not know.
    Ahead,
}

/// Looks at a database's file.
///
/// # Errors
/// [`StoreError::Open`] where it is none, naming the file.
pub async fn look(path: &Path) -> Result<Look, StoreError> {
    let failed =
        |error: sqlx::Error| StoreError::Open { path: path.display().to_string(), why: error.to_string() };
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut connection = SqliteConnection::connect_with(&options).await.map_err(failed)?;
    let kept = sqlx::query("SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations'")
        .fetch_optional(&mut connection)
        .await
        .map_err(failed)?;
    let applied: Vec<i64> = match kept {
        None => Vec::new(),
        Some(_) => {
            let rows = sqlx::query("SELECT version FROM _sqlx_migrations WHERE success = 1")
                .fetch_all(&mut connection)
                .await
                .map_err(failed)?;
            rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>().map_err(failed)?
        }
    };
    connection.close().await.map_err(failed)?;
    let known: Vec<i64> =
        sqlx::migrate!("../migrations/sqlite").iter().map(|migration| migration.version).collect();
    if applied.iter().any(|version| !known.contains(version)) {
        return Ok(Look::Ahead);
    }
    match known.iter().filter(|version| !applied.contains(version)).count() {
        0 => Ok(Look::UpToDate),
        missing => Ok(Look::Behind { missing }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[tokio::test]
    async fn a_database_that_was_opened_by_the_store_is_up_to_date() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("signalbox.db");
        assert!(look(&path).await.is_err(), "a look makes none");
        let store = Store::open(&path).await.expect("a store");
        store.close().await;
        assert_eq!(look(&path).await.expect("looked"), Look::UpToDate);
    }
}
