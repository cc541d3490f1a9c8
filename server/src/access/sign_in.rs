//! The `Access` calls of the control room: who a key is, and coming in and going out.

use app::{
    api::room::{Access, Answer, OnceFor},
    model::{
        caller::{Caller, Role},
        problem::AppError,
    },
};
use async_trait::async_trait;
use futures::FutureExt;
use uuid::Uuid;

use super::{
    AccessError, Accounts, EXTEND_MS, SESSION_MS, TOUCH_MS, name, now, password,
    secret::{Kind, Secret, digest_of},
};
use crate::store::{access as sql, access::Digest};

#[async_trait]
impl Access for Accounts {
    async fn by_token(&self, token: &str) -> Answer<Option<Caller>> {
        Ok(self.token(token).await?)
    }

    async fn by_session(&self, session: &str) -> Answer<Option<Caller>> {
        Ok(self.session(session).await?)
    }

    async fn sign_in(&self, user: &str, password: &str) -> Answer<String> {
        let key = name::key(user);
        if key.is_empty() || key.chars().count() > name::LONGEST * 3 || password.len() > password::LONGEST {
            return Err(AppError::Unauthorized);
        }
        if let Err(wait_ms) = self.backoff.lock().attempt(&key, now()) {
            return Err(AppError::Busy {
                detail: "too many failed sign-ins for this name; wait a moment".to_owned(),
                retry_after_s: u64::try_from(wait_ms).unwrap_or(0).div_ceil(1_000).max(1),
            });
        }
        let verified = self.verified(&key, password).await;
        match verified {
            Ok(Some(user)) => {
                self.backoff.lock().succeeded(&key);
                Ok(self.open_session(user).await?)
            }
            Ok(None) => Err(AppError::Unauthorized),
            Err(error) => {
                self.backoff.lock().withdrawn(&key, now());
                Err(error.into())
            }
        }
    }

    async fn once(&self, secret: &str) -> Answer<Option<OnceFor>> {
        let link = self.link(secret).await?;
        Ok(link.map(|(_, link)| match link.account {
            None => OnceFor::FirstAdmin,
            Some((_, name)) => OnceFor::Account { name },
        }))
    }

    async fn spend_once(&self, secret: &str, user: Option<&str>, password: &str) -> Answer<String> {
        let Some((link, open)) = self.link(secret).await? else { return Err(AppError::Unauthorized) };
        let account = match (&open.account, user) {
            (None, None) => return Err(AppError::bad_input("/user", "choose a name")),
            (None, Some(name)) => NewPassword::FirstAdmin(name::checked(name, "/user")?),
            (Some((_, name)), Some(given)) if name::key(name) != name::key(given) => {
                return Err(AppError::bad_input("/user", format!("this link is for {name}")));
            }
            (Some((id, name)), _) => NewPassword::Account(*id, name.clone()),
        };
        password::check(password, account.name())?;
        let hash = self.passwords.hash(password).await?;
        Ok(self.spend(link, account, hash).await?)
    }

    async fn sign_out(&self, session: &str) -> Answer<()> {
        let Some(hash) = digest_of(Kind::Session, session) else { return Ok(()) };
        self.store
            .write::<_, AccessError, _>(move |write| {
                async move { Ok(sql::delete_session(write, &hash).await?) }.boxed()
            })
            .await?;
        Ok(())
    }
}

/// Whose password a link sets.
enum NewPassword {
    /// That of the first admin, who is made with this name.
    FirstAdmin(String),
    /// That of an account.
    Account(Uuid, String),
}

impl NewPassword {
    fn name(&self) -> &str {
        match self {
            Self::FirstAdmin(name) | Self::Account(_, name) => name,
        }
    }
}

impl Accounts {
    async fn token(&self, token: &str) -> Result<Option<Caller>, AccessError> {
        let Some(hash) = digest_of(Kind::Token, token) else { return Ok(None) };
        let Some(found) = sql::token(self.store.read(), &hash).await? else { return Ok(None) };
        let now = now();
        if found.last_used_at.is_none_or(|last| now.since(last) >= TOUCH_MS) {
            let id = found.caller.id;
            let touched = self
                .store
                .write::<_, AccessError, _>(move |write| {
                    async move { Ok(sql::touch_token(write, id, now).await?) }.boxed()
                })
                .await;
            // A full disk must not lock out those who come to look at it.
            if let Err(error) = touched {
                tracing::warn!(%error, token = found.caller.name, "cannot write when a token was last used");
            }
        }
        Ok(Some(found.caller))
    }

    async fn session(&self, session: &str) -> Result<Option<Caller>, AccessError> {
        let Some(hash) = digest_of(Kind::Session, session) else { return Ok(None) };
        let now = now();
        let Some(found) = sql::session(self.store.read(), &hash, now).await? else { return Ok(None) };
        let until = now.plus_ms(SESSION_MS);
        if until.since(found.expires_at) >= EXTEND_MS {
            let extended = self
                .store
                .write::<_, AccessError, _>(move |write| {
                    async move { Ok(sql::extend_session(write, &hash, until).await?) }.boxed()
                })
                .await;
            if let Err(error) = extended {
                tracing::warn!(%error, user = found.caller.name, "cannot let a session last longer");
            }
        }
        Ok(Some(found.caller))
    }

    /// The account of a name where the password is its own.
    async fn verified(&self, key: &str, password: &str) -> Result<Option<Uuid>, AccessError> {
        let account = sql::account(self.store.read(), key).await?.filter(|account| !account.disabled);
        let hash = account.as_ref().and_then(|account| account.password_hash.clone());
        let right = self.passwords.verify(password, hash).await?;
        Ok(account.filter(|_| right).map(|account| account.id))
    }

    async fn open_session(&self, user: Uuid) -> Result<String, AccessError> {
        let secret = Secret::new(Kind::Session);
        let (hash, now) = (secret.digest(), now());
        self.store
            .write::<_, AccessError, _>(move |write| {
                async move {
                    Ok(sql::insert_session(write, user, &hash, now, now.plus_ms(SESSION_MS)).await?)
                }
                .boxed()
            })
            .await?;
        Ok(secret.reveal().to_owned())
    }

    async fn link(&self, secret: &str) -> Result<Option<(Digest, sql::OpenLink)>, AccessError> {
        let Some(hash) = digest_of(Kind::Once, secret) else { return Ok(None) };
        Ok(sql::open_link(self.store.read(), &hash, now()).await?.map(|link| (hash, link)))
    }

    /// Spends a link, sets the password and opens a session, all or nothing.
    async fn spend(&self, link: Digest, whose: NewPassword, hash: String) -> Result<String, AccessError> {
        let secret = Secret::new(Kind::Session);
        let (session, now) = (secret.digest(), now());
        self.store
            .write::<_, AccessError, _>(move |write| {
                async move {
                    if !sql::spend_link(write, &link, now).await? {
                        return Err(AppError::Unauthorized.into());
                    }
                    let (user, done) = match whose {
                        NewPassword::FirstAdmin(name) => {
                            let key = name::key(&name);
                            let id = Uuid::now_v7();
                            let admin = sql::Account {
                                id,
                                name,
                                role: Role::Admin,
                                password_hash: Some(hash),
                                disabled: false,
                            };
                            (id, sql::insert_account(write, &admin, &key, true, now).await?)
                        }
                        NewPassword::Account(id, _) => (id, sql::set_password(write, id, &hash).await?),
                    };
                    if !done {
                        return Err(AppError::Unauthorized.into());
                    }
                    Ok(sql::insert_session(write, user, &session, now, now.plus_ms(SESSION_MS)).await?)
                }
                .boxed()
            })
            .await?;
        Ok(secret.reveal().to_owned())
    }
}

#[cfg(test)]
#[path = "sign_in_tests.rs"]
mod tests;
