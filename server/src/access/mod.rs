//! Who may come in: people, API tokens, sessions and sign-in links.
//!
//! - here: [`Accounts`], which makes and checks them and implements the `Access` trait of the control room;
//! - [`secret`]: the random secrets that tokens, sessions and links are, and their digests;
//! - [`password`]: Argon2id off the async threads, bounded so that a flood of sign-ins leaves cores free;
//! - [`backoff`]: how long a name must wait after failed sign-ins;
//! - [`name`]: what an account or a token may be called.
//!
//! Nothing is cached: a token, role or account that changes counts from the next request on, also when
//! another process has changed it. What a role may do is decided where the control room's calls are.

pub mod backoff;
pub mod name;
pub mod password;
pub mod secret;
mod sign_in;

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use app::model::{
    Timestamp,
    caller::{Caller, CallerKind, Role},
    problem::AppError,
};
use futures::FutureExt;
use parking_lot::Mutex;
use uuid::Uuid;

use crate::store::{Store, StoreError, access as sql};
use backoff::Backoff;
use password::Passwords;
use secret::{Kind, Secret};

/// How long a session lasts after it was last used.
pub const SESSION_MS: i64 = 30 * 24 * 3_600_000;
/// How long a sign-in link can be spent.
pub const LINK_MS: i64 = 3_600_000;
/// How far apart two writes of "last used" are at least, so that reading stays reading.
const TOUCH_MS: i64 = 60_000;
/// How far apart two extensions of a session are at least.
const EXTEND_MS: i64 = 3_600_000;

/// Why an account, token or link cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The store is away or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What was asked for cannot be, and why.
    #[error(transparent)]
    Refused(#[from] AppError),
}

impl From<AccessError> for AppError {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::Refused(error) => error,
            AccessError::Store(error) => {
                let incident = Uuid::now_v7().to_string();
                tracing::error!(%incident, %error, "accounts cannot be read or written");
                Self::Internal { incident }
            }
        }
    }
}

/// A sign-in link that was made for an account.
#[derive(Debug)]
pub struct NewLink {
    /// What goes into the link.
    pub secret: Secret,
    /// True where the account was there already and the link gives it a new password.
    pub existing: bool,
}

/// People, tokens, sessions and sign-in links. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    store: Store,
    passwords: Passwords,
    backoff: Arc<Mutex<Backoff>>,
}

impl Accounts {
    /// The accounts of a store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self::with_passwords(store, Passwords::default())
    }

    /// The same with another cost of passwords than the default.
    #[must_use]
    pub fn with_passwords(store: Store, passwords: Passwords) -> Self {
        Self { store, passwords, backoff: Arc::default() }
    }

    /// Makes an API token.
    ///
    /// # Errors
    /// Bad input for a name that cannot be; the store's.
    pub async fn create_token(&self, name: &str, role: Role) -> Result<Secret, AccessError> {
        let name = name::checked(name, "/name")?;
        let secret = Secret::new(Kind::Token);
        let (hash, now) = (secret.digest(), now());
        let token = Caller { id: Uuid::now_v7(), name, role, kind: CallerKind::Token };
        self.store
            .write::<_, AccessError, _>(move |write| {
                async move { Ok(sql::insert_token(write, &token, &hash, now).await?) }.boxed()
            })
            .await?;
        Ok(secret)
    }

    /// Makes an account and a sign-in link with which its person chooses a password. Where there is one
    /// of this name with this role already, only the link is made: so a lost or forgotten password is
    /// mended.
    ///
    /// # Errors
    /// Bad input for a name that cannot be; conflict where the name has another role or is disabled; the
    /// store's.
    pub async fn add_user(&self, name: &str, role: Role) -> Result<NewLink, AccessError> {
        let name = name::checked(name, "/name")?;
        let key = name::key(&name);
        let known = sql::account(self.store.read(), &key).await?;
        if let Some(known) = &known {
            if known.disabled {
                return Err(AppError::conflict(format!("the account {} is disabled", known.name)).into());
            }
            if known.role != role {
                return Err(AppError::conflict(format!(
                    "there is an account {} already, and its role is {}",
                    known.name,
                    known.role.as_str()
                ))
                .into());
            }
        }
        let existing = known.is_some();
        let account = known.unwrap_or_else(|| sql::Account {
            id: Uuid::now_v7(),
            name,
            role,
            password_hash: None,
            disabled: false,
        });
        let secret = Secret::new(Kind::Once);
        let (hash, now) = (secret.digest(), now());
        self.store
            .write::<_, AccessError, _>(move |write| {
                async move {
                    if !existing && !sql::insert_account(write, &account, &key, false, now).await? {
                        return Err(AppError::conflict(format!(
                            "the account {} was made just now by somebody else",
                            account.name
                        ))
                        .into());
                    }
                    Ok(sql::insert_link(write, Some(account.id), &hash, now.plus_ms(LINK_MS)).await?)
                }
                .boxed()
            })
            .await?;
        Ok(NewLink { secret, existing })
    }

    /// A link that makes the first admin, while nobody has an account; voids the one before it.
    ///
    /// # Errors
    /// The store's.
    pub async fn first_admin_link(&self) -> Result<Option<Secret>, AccessError> {
        if sql::any_account(self.store.read()).await? {
            return Ok(None);
        }
        let secret = Secret::new(Kind::Once);
        let (hash, until) = (secret.digest(), now().plus_ms(LINK_MS));
        self.store
            .write::<_, AccessError, _>(move |write| {
                async move { Ok(sql::insert_link(write, None, &hash, until).await?) }.boxed()
            })
            .await?;
        Ok(Some(secret))
    }
}

/// The present moment. Accounts and sessions go by this machine's clock.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
