//! Tokens and people, before the first run and beside a server.

use app::{
    api::room::{Access, OnceFor},
    model::caller::Role,
};
use server::{access::Accounts, store::Store};

use crate::program::run;

#[tokio::test]
async fn a_token_is_printed_alone_and_good_before_the_first_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let ran = run(dir.path(), &["token", "create", "--name", "ci", "--role", "operator", "--data", "d"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let token = ran.out.strip_suffix('\n').expect("one line");
    assert!(token.starts_with("sbx_") && !token.contains('\n'), "{token}");
    let store = Store::open(&dir.path().join("d/signalbox.db")).await.expect("a store");
    let caller = Accounts::new(store).by_token(token).await.expect("asked").expect("known");
    assert_eq!((caller.name.as_str(), caller.role), ("ci", Role::Operator));
}

#[tokio::test]
async fn a_user_is_added_beside_an_open_store_which_honours_it_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    std::fs::create_dir(&data).expect("made");
    let store = Store::open(&data.join("signalbox.db")).await.expect("a store");
    let accounts = Accounts::new(store);
    accounts.first_admin_link().await.expect("asked").expect("nobody has an account");
    let ran = run(dir.path(), &["user", "add", "Grace Hopper", "--role", "reviewer"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let secret = ran.out.trim_end().strip_prefix("http://127.0.0.1:3000/sign-in?once=").expect("a link");
    let link = accounts.once(secret).await.expect("asked");
    assert_eq!(link, Some(OnceFor::Account { name: "Grace Hopper".to_owned() }));
    assert!(accounts.first_admin_link().await.expect("asked").is_none(), "somebody has an account now");
    let again = run(dir.path(), &["user", "add", "grace hopper", "--role", "admin"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("reviewer"), "{again:?}");
}
