//! People, tokens, sessions and sign-in links: the statements. Secrets come in as digests; what is
//! allowed, and for how long, is decided in [`crate::access`].

use app::model::{
    Timestamp,
    caller::{Caller, CallerKind, Role},
};
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::StoreError;

/// A SHA-256 digest of a secret.
pub type Digest = [u8; 32];

/// Who a token is.
#[derive(Clone, Debug)]
pub struct TokenUse {
    /// The token as a caller.
    pub caller: Caller,
    /// When it was last used, as far as that is written.
    pub last_used_at: Option<Timestamp>,
}

/// Who a session is.
#[derive(Clone, Debug)]
pub struct SessionUse {
    /// The person as a caller.
    pub caller: Caller,
    /// When the session ends.
    pub expires_at: Timestamp,
}

/// An account.
#[derive(Clone, Debug)]
pub struct Account {
    /// UUIDv7.
    pub id: Uuid,
    /// As it was written when the account was made.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// Argon2id in PHC form; absent until a sign-in link was spent.
    pub password_hash: Option<String>,
    /// True where the person may not sign in.
    pub disabled: bool,
}

/// A sign-in link that can still be spent.
#[derive(Clone, Debug)]
pub struct OpenLink {
    /// Whose; none for the first admin.
    pub account: Option<(Uuid, String)>,
}

fn id(row: &SqliteRow, column: &str) -> Result<Uuid, StoreError> {
    let text: &str = row.try_get(column)?;
    text.parse().map_err(|_| StoreError::Unreadable { what: "an id", why: format!("'{text}' is no UUID") })
}

fn role(row: &SqliteRow) -> Result<Role, StoreError> {
    let text: &str = row.try_get("role")?;
    text.parse().map_err(|why| StoreError::Unreadable { what: "a role", why })
}

fn caller(row: &SqliteRow, kind: CallerKind) -> Result<Caller, StoreError> {
    Ok(Caller { id: id(row, "id")?, name: row.try_get("name")?, role: role(row)?, kind })
}

/// Who a token is.
///
/// # Errors
/// When the database fails.
pub async fn token(read: &SqlitePool, hash: &Digest) -> Result<Option<TokenUse>, StoreError> {
    let row = sqlx::query("SELECT id, name, role, last_used_at FROM tokens WHERE hash = $1")
        .bind(hash.as_slice())
        .fetch_optional(read)
        .await?;
    row.map(|row| {
        let last_used_at: Option<i64> = row.try_get("last_used_at")?;
        Ok(TokenUse { caller: caller(&row, CallerKind::Token)?, last_used_at: last_used_at.map(Timestamp) })
    })
    .transpose()
}

/// Keeps a new token.
///
/// # Errors
/// When the database fails.
pub async fn insert_token(
    write: &mut SqliteConnection,
    token: &Caller,
    hash: &Digest,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO tokens (id, name, role, hash, created_at) VALUES ($1, $2, $3, $4, $5)")
        .bind(token.id.to_string())
        .bind(&token.name)
        .bind(token.role.as_str())
        .bind(hash.as_slice())
        .bind(now.0)
        .execute(write)
        .await?;
    Ok(())
}

/// Writes that a token is in use.
///
/// # Errors
/// When the database fails.
pub async fn touch_token(
    write: &mut SqliteConnection,
    token: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE tokens SET last_used_at = $2 WHERE id = $1")
        .bind(token.to_string())
        .bind(now.0)
        .execute(write)
        .await?;
    Ok(())
}

/// Who a session is, while it lasts and its account is not disabled.
///
/// # Errors
/// When the database fails.
pub async fn session(
    read: &SqlitePool,
    hash: &Digest,
    now: Timestamp,
) -> Result<Option<SessionUse>, StoreError> {
    let row = sqlx::query(
        "SELECT users.id, users.name, users.role, sessions.expires_at
         FROM sessions JOIN users ON users.id = sessions.user_id
         WHERE sessions.hash = $1 AND sessions.expires_at > $2 AND users.disabled = 0",
    )
    .bind(hash.as_slice())
    .bind(now.0)
    .fetch_optional(read)
    .await?;
    row.map(|row| {
        Ok(SessionUse {
            caller: caller(&row, CallerKind::Person)?,
            expires_at: Timestamp(row.try_get("expires_at")?),
        })
    })
    .transpose()
}

/// Opens a session, and lets go of what is over.
///
/// # Errors
/// When the database fails.
pub async fn insert_session(
    write: &mut SqliteConnection,
    user: Uuid,
    hash: &Digest,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM sessions WHERE expires_at <= $1").bind(now.0).execute(&mut *write).await?;
    sqlx::query("DELETE FROM once_links WHERE expires_at <= $1").bind(now.0).execute(&mut *write).await?;
    sqlx::query("INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(hash.as_slice())
        .bind(user.to_string())
        .bind(now.0)
        .bind(expires_at.0)
        .execute(write)
        .await?;
    Ok(())
}

/// Lets a session last longer.
///
/// # Errors
/// When the database fails.
pub async fn extend_session(
    write: &mut SqliteConnection,
    hash: &Digest,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE sessions SET expires_at = $2 WHERE hash = $1")
        .bind(hash.as_slice())
        .bind(expires_at.0)
        .execute(write)
        .await?;
    Ok(())
}

/// Ends a session.
///
/// # Errors
/// When the database fails.
pub async fn delete_session(write: &mut SqliteConnection, hash: &Digest) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM sessions WHERE hash = $1").bind(hash.as_slice()).execute(write).await?;
    Ok(())
}

/// The account of a name in lower case.
///
/// # Errors
/// When the database fails.
pub async fn account(read: &SqlitePool, name_key: &str) -> Result<Option<Account>, StoreError> {
    let row = sqlx::query("SELECT id, name, role, password_hash, disabled FROM users WHERE name_key = $1")
        .bind(name_key)
        .fetch_optional(read)
        .await?;
    row.map(|row| {
        Ok(Account {
            id: id(&row, "id")?,
            name: row.try_get("name")?,
            role: role(&row)?,
            password_hash: row.try_get("password_hash")?,
            disabled: row.try_get::<i64, _>("disabled")? != 0,
        })
    })
    .transpose()
}

/// The name of a person or an API token who may work on orders, as it is written on record.
///
/// # Errors
/// When the database fails.
pub async fn reviewer(read: &SqlitePool, name: &str) -> Result<Option<String>, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT name FROM users WHERE name_key = $1 AND disabled = 0 AND role <> 'viewer' \
         UNION ALL SELECT name FROM tokens WHERE name = $2 AND role <> 'viewer' LIMIT 1",
    )
    .bind(name.to_lowercase())
    .bind(name)
    .fetch_optional(read)
    .await?)
}

/// Whether anybody has an account.
///
/// # Errors
/// When the database fails.
pub async fn any_account(read: &SqlitePool) -> Result<bool, StoreError> {
    let found = sqlx::query("SELECT 1 FROM users LIMIT 1").fetch_optional(read).await?;
    Ok(found.is_some())
}

/// Makes an account; false where the name is taken, or where it shall be the first and is not.
///
/// # Errors
/// When the database fails.
pub async fn insert_account(
    write: &mut SqliteConnection,
    account: &Account,
    name_key: &str,
    only_first: bool,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "INSERT INTO users (id, name, name_key, role, password_hash, created_at)
         SELECT $1, $2, $3, $4, $5, $6 WHERE $7 = 0 OR NOT EXISTS (SELECT 1 FROM users)
         ON CONFLICT (name_key) DO NOTHING",
    )
    .bind(account.id.to_string())
    .bind(&account.name)
    .bind(name_key)
    .bind(account.role.as_str())
    .bind(&account.password_hash)
    .bind(now.0)
    .bind(i64::from(only_first))
    .execute(write)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Sets an account's password and ends its sessions; false where the account is gone or disabled.
///
/// # Errors
/// When the database fails.
pub async fn set_password(
    write: &mut SqliteConnection,
    user: Uuid,
    password_hash: &str,
) -> Result<bool, StoreError> {
    let done = sqlx::query("UPDATE users SET password_hash = $2 WHERE id = $1 AND disabled = 0")
        .bind(user.to_string())
        .bind(password_hash)
        .execute(&mut *write)
        .await?;
    sqlx::query("DELETE FROM sessions WHERE user_id = $1").bind(user.to_string()).execute(write).await?;
    Ok(done.rows_affected() == 1)
}

/// Keeps a sign-in link and voids the older ones for the same purpose.
///
/// # Errors
/// When the database fails.
pub async fn insert_link(
    write: &mut SqliteConnection,
    user: Option<Uuid>,
    hash: &Digest,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    let user = user.map(|user| user.to_string());
    sqlx::query("DELETE FROM once_links WHERE user_id IS NOT DISTINCT FROM $1 AND spent_at IS NULL")
        .bind(&user)
        .execute(&mut *write)
        .await?;
    sqlx::query("INSERT INTO once_links (hash, user_id, expires_at) VALUES ($1, $2, $3)")
        .bind(hash.as_slice())
        .bind(&user)
        .bind(expires_at.0)
        .execute(write)
        .await?;
    Ok(())
}

/// A link that is neither spent nor over, nor useless because somebody has an account already.
///
/// # Errors
/// When the database fails.
pub async fn open_link(
    read: &SqlitePool,
    hash: &Digest,
    now: Timestamp,
) -> Result<Option<OpenLink>, StoreError> {
    let row = sqlx::query(
        "SELECT once_links.user_id AS id, users.name FROM once_links
         LEFT JOIN users ON users.id = once_links.user_id
         WHERE once_links.hash = $1 AND once_links.spent_at IS NULL AND once_links.expires_at > $2
           AND CASE WHEN once_links.user_id IS NULL THEN NOT EXISTS (SELECT 1 FROM users)
               ELSE users.disabled = 0 END",
    )
    .bind(hash.as_slice())
    .bind(now.0)
    .fetch_optional(read)
    .await?;
    row.map(|row| {
        let account = match row.try_get::<Option<&str>, _>("id")? {
            Some(_) => Some((id(&row, "id")?, row.try_get("name")?)),
            None => None,
        };
        Ok(OpenLink { account })
    })
    .transpose()
}

/// Spends a link; false where it was spent or is over.
///
/// # Errors
/// When the database fails.
pub async fn spend_link(
    write: &mut SqliteConnection,
    hash: &Digest,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let done = sqlx::query(
        "UPDATE once_links SET spent_at = $2 WHERE hash = $1 AND spent_at IS NULL AND expires_at > $2",
    )
    .bind(hash.as_slice())
    .bind(now.0)
    .execute(write)
    .await?;
    Ok(done.rows_affected() == 1)
}
