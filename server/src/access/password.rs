//! Passwords: what one must be, and Argon2id off the async threads.

use std::sync::Arc;

use app::model::problem::AppError;
use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use tokio::sync::Semaphore;
use uuid::Uuid;

/// Fewest characters in a password.
pub const SHORTEST: usize = 10;
/// Most bytes in a password: hashing more is work that an attacker chooses.
pub const LONGEST: usize = 1_024;
/// Hashings that may wait for their turn; beyond it sign-ins are refused for a moment.
const WAITING: usize = 32;

/// Checks a password that somebody chooses.
///
/// # Errors
/// Bad input at `/password`, saying what it must be.
pub fn check(password: &str, user: &str) -> Result<(), AppError> {
    let wrong = |why: String| Err(AppError::bad_input("/password", why));
    if password.chars().count() < SHORTEST {
        return wrong(format!("the password must have at least {SHORTEST} characters"));
    }
    if password.len() > LONGEST {
        return wrong(format!("the password must have at most {LONGEST} bytes"));
    }
    if password.to_lowercase() == user.to_lowercase() {
        return wrong("the password must not be the name".to_owned());
    }
    Ok(())
}

/// Hashes and verifies passwords, a few at a time. Cheap to clone.
#[derive(Clone)]
pub struct Passwords {
    params: Params,
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Default for Passwords {
    /// Argon2id with 19 MiB and two passes, the least that is advised for passwords today; on half of the
    /// cores at once, so that a flood of sign-ins leaves the rest to the work.
    fn default() -> Self {
        Self::new(Params::default())
    }
}

impl Passwords {
    /// With another cost.
    #[must_use]
    pub fn new(params: Params) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            params,
            turns: Arc::new(Semaphore::new((cores / 2).max(1))),
            places: Arc::new(Semaphore::new(WAITING)),
        }
    }

    /// The hash of a password with a salt of its own, in PHC form.
    ///
    /// # Errors
    /// Busy when too many wait.
    pub async fn hash(&self, password: &str) -> Result<String, AppError> {
        let (argon, password) = (self.argon(), password.to_owned());
        self.run(move || {
            let hash: Result<PasswordHash, _> = argon.hash_password(password.as_bytes());
            hash.map(|hash| hash.to_string()).map_err(|error| internal(&error))
        })
        .await?
    }

    /// Whether a password is the one of a hash. Without a hash as much work is done and the answer is no,
    /// so that the time it takes does not tell whether there is an account.
    ///
    /// # Errors
    /// Busy when too many wait; internal where the hash is none.
    pub async fn verify(&self, password: &str, hash: Option<String>) -> Result<bool, AppError> {
        let Some(hash) = hash else {
            self.hash(password).await?;
            return Ok(false);
        };
        let (argon, password) = (self.argon(), password.to_owned());
        self.run(move || {
            let hash = PasswordHash::new(&hash).map_err(|error| internal(&error))?;
            Ok(argon.verify_password(password.as_bytes(), &hash).is_ok())
        })
        .await?
    }

    fn argon(&self) -> Argon2<'static> {
        Argon2::new(Algorithm::Argon2id, Version::V0x13, self.params.clone())
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, AppError> {
        let busy = |_| AppError::Busy {
            detail: "too many people sign in at once; try again in a moment".to_owned(),
            retry_after_s: 2,
        };
        let _place = self.places.try_acquire().map_err(busy)?;
        // The turn goes with the work: where the caller has gone, the thread is still in use.
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|error| internal(&error))?;
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        })
        .await
        .map_err(|error| internal(&error))
    }
}

fn internal(error: &dyn std::fmt::Display) -> AppError {
    let incident = Uuid::now_v7().to_string();
    tracing::error!(%incident, %error, "a password could not be hashed");
    AppError::Internal { incident }
}

#[cfg(test)]
pub(crate) fn cheap() -> Passwords {
    Passwords::new(Params::new(8, 1, 1, None).expect("the least that Argon2 allows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_passwords_are_refused_with_the_reason() {
        for (password, reason) in
            [("short", "at least 10"), ("Grace Hopper", "not be the name"), (&"long".repeat(300), "at most")]
        {
            let error = check(password, "grace hopper").expect_err("must be refused").to_string();
            assert!(error.contains(reason), "{error}");
        }
        check("correct horse", "grace hopper").expect("good enough");
        check("密码要长一些才行哦好的", "grace").expect("characters count, not bytes");
    }

    #[tokio::test]
    async fn only_the_right_password_verifies() {
        let passwords = cheap();
        let hash = passwords.hash("correct horse").await.expect("hashed");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(passwords.verify("correct horse", Some(hash.clone())).await.expect("verified"));
        assert!(!passwords.verify("correct house", Some(hash)).await.expect("verified"));
        assert!(!passwords.verify("correct horse", None).await.expect("verified"));
    }

    #[tokio::test]
    async fn a_flood_is_refused_and_not_queued_without_end() {
        let passwords = cheap();
        let _all = passwords.places.acquire_many(WAITING as u32).await.expect("places");
        let error = passwords.hash("correct horse").await.expect_err("must be refused");
        assert_eq!(error.status(), 429);
    }
}
