use app::model::caller::CallerKind;

use super::{super::password::cheap, *};
use crate::store::Store;

const PASSWORD: &str = "correct horse battery";

async fn accounts() -> (tempfile::TempDir, Accounts) {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(&dir.path().join("test.db")).await.expect("a store");
    (dir, Accounts::with_passwords(store, cheap()))
}

/// An account that has its password.
async fn member(accounts: &Accounts, name: &str, role: Role) -> String {
    let link = accounts.add_user(name, role).await.expect("added");
    accounts.spend_once(link.secret.reveal(), None, PASSWORD).await.expect("spent")
}

#[tokio::test]
async fn a_token_is_known_by_its_secret_and_its_use_is_written_down() {
    let (_dir, accounts) = accounts().await;
    let secret = accounts.create_token(" ci ", Role::Operator).await.expect("made");
    let caller = accounts.by_token(secret.reveal()).await.expect("asked").expect("known");
    assert_eq!((caller.name.as_str(), caller.role, caller.kind), ("ci", Role::Operator, CallerKind::Token));
    let used = sql::token(accounts.store.read(), &secret.digest()).await.expect("asked").expect("known");
    assert!(used.last_used_at.is_some());
    let stranger = Secret::new(Kind::Token);
    assert_eq!(accounts.by_token(stranger.reveal()).await.expect("asked"), None);
    assert_eq!(accounts.by_session(secret.reveal()).await.expect("asked"), None, "a token is no session");
}

#[tokio::test]
async fn the_first_admin_is_made_once_and_by_the_newest_link_alone() {
    let (_dir, accounts) = accounts().await;
    let old = accounts.first_admin_link().await.expect("asked").expect("nobody has an account");
    let new = accounts.first_admin_link().await.expect("asked").expect("nobody has an account");
    assert_eq!(accounts.once(old.reveal()).await.expect("asked"), None, "a new link voids the old");
    assert_eq!(accounts.once(new.reveal()).await.expect("asked"), Some(OnceFor::FirstAdmin));
    let session = accounts.spend_once(new.reveal(), Some("Ada"), PASSWORD).await.expect("spent");
    let admin = accounts.by_session(&session).await.expect("asked").expect("signed in");
    assert_eq!((admin.name.as_str(), admin.role, admin.kind), ("Ada", Role::Admin, CallerKind::Person));
    assert_eq!(
        accounts.spend_once(new.reveal(), Some("Eve"), PASSWORD).await,
        Err(AppError::Unauthorized),
        "a link is spent once"
    );
    assert!(accounts.first_admin_link().await.expect("asked").is_none(), "somebody has an account");
}

#[tokio::test]
async fn of_many_who_spend_one_link_at_once_one_gets_in() {
    let (_dir, accounts) = accounts().await;
    let link = accounts.first_admin_link().await.expect("asked").expect("a link");
    let names: Vec<String> = (0..20).map(|n| format!("admin {n}")).collect();
    let tries = names.iter().map(|name| accounts.spend_once(link.reveal(), Some(name), PASSWORD));
    let got_in = futures::future::join_all(tries).await.into_iter().filter(Result::is_ok).count();
    assert_eq!(got_in, 1);
}

#[tokio::test]
async fn a_weak_password_or_a_missing_name_does_not_spend_the_link() {
    let (_dir, accounts) = accounts().await;
    let link = accounts.first_admin_link().await.expect("asked").expect("a link");
    let weak = accounts.spend_once(link.reveal(), Some("ada"), "short").await.expect_err("refused");
    let nameless = accounts.spend_once(link.reveal(), None, PASSWORD).await.expect_err("refused");
    assert_eq!((weak.status(), nameless.status()), (422, 422));
    accounts.spend_once(link.reveal(), Some("ada"), PASSWORD).await.expect("still there");
}

#[tokio::test]
async fn signing_in_takes_the_right_password_and_says_the_same_to_all_others() {
    let (_dir, accounts) = accounts().await;
    member(&accounts, "Grace", Role::Reviewer).await;
    accounts.add_user("Waiting", Role::Viewer).await.expect("added");
    let session = accounts.sign_in("gRACE", PASSWORD).await.expect("signed in");
    assert_eq!(accounts.by_session(&session).await.expect("asked").expect("known").name, "Grace");
    for (name, password) in
        [("grace", "wrong horse"), ("nobody", PASSWORD), ("waiting", PASSWORD), ("", PASSWORD)]
    {
        assert_eq!(accounts.sign_in(name, password).await, Err(AppError::Unauthorized), "{name}");
    }
}

#[tokio::test]
async fn guessing_is_slowed_and_the_refusal_says_when_to_come_again() {
    let (_dir, accounts) = accounts().await;
    let mut last = None;
    for _ in 0..12 {
        last = accounts.sign_in("grace", "wrong horse").await.err();
    }
    assert!(matches!(last, Some(AppError::Busy { retry_after_s: 1.., .. })), "{last:?}");
}

#[tokio::test]
async fn a_new_link_gives_a_new_password_and_ends_the_old_sessions() {
    let (_dir, accounts) = accounts().await;
    let session = member(&accounts, "Grace", Role::Reviewer).await;
    let link = accounts.add_user("grace", Role::Reviewer).await.expect("made");
    assert!(link.existing);
    assert!(
        accounts.by_session(&session).await.expect("asked").is_some(),
        "nothing happens before it is spent"
    );
    accounts.spend_once(link.secret.reveal(), None, "another password").await.expect("spent");
    assert_eq!(accounts.by_session(&session).await.expect("asked"), None);
    assert_eq!(accounts.sign_in("grace", PASSWORD).await, Err(AppError::Unauthorized));
    let other = accounts.add_user("grace", Role::Admin).await.expect_err("refused");
    assert!(other.to_string().contains("reviewer"), "{other}");
}

#[tokio::test]
async fn a_changed_role_and_a_disabled_account_count_at_once() {
    let (_dir, accounts) = accounts().await;
    let session = member(&accounts, "Grace", Role::Reviewer).await;
    let change = |statement: &'static str| {
        let accounts = accounts.clone();
        async move {
            accounts
                .store
                .write::<_, crate::store::StoreError, _>(move |write| {
                    async move {
                        sqlx::query(statement).execute(write).await?;
                        Ok(())
                    }
                    .boxed()
                })
                .await
                .expect("changed");
        }
    };
    change("UPDATE users SET role = 'operator'").await;
    assert_eq!(accounts.by_session(&session).await.expect("asked").expect("known").role, Role::Operator);
    change("UPDATE users SET disabled = 1").await;
    assert_eq!(accounts.by_session(&session).await.expect("asked"), None);
    assert_eq!(accounts.sign_in("grace", PASSWORD).await, Err(AppError::Unauthorized));
}

#[tokio::test]
async fn a_session_that_is_over_or_signed_out_is_none() {
    let (_dir, accounts) = accounts().await;
    let session = member(&accounts, "Grace", Role::Reviewer).await;
    accounts.sign_out(&session).await.expect("signed out");
    assert_eq!(accounts.by_session(&session).await.expect("asked"), None);
    let session = accounts.sign_in("grace", PASSWORD).await.expect("signed in");
    let hash = digest_of(Kind::Session, &session).expect("a session");
    let late = now().plus_ms(SESSION_MS + 1);
    assert!(sql::session(accounts.store.read(), &hash, late).await.expect("asked").is_none());
}
