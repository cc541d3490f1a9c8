//! `token` and `user`: straight to the database, before the first run as well as beside a running server.

use app::model::caller::Role;

use super::{
    Done, Failure,
    args::Common,
    block_on, log, note, say,
    settings::{public_url, settings},
};
use crate::{
    access::{AccessError, Accounts},
    config::Settings,
    engine,
    store::Store,
};

/// Makes a token and prints it alone.
pub(super) fn create_token(common: &Common, name: &str, role: Role) -> Done {
    let settings = settings(common, Vec::new())?;
    log("warn");
    let secret = block_on(async {
        let store = open(&settings).await?;
        let secret = Accounts::new(store.clone()).create_token(name, role).await.map_err(failure);
        store.close().await;
        secret
    })?;
    say(secret.reveal())
}

/// Makes an account and prints its sign-in link.
pub(super) fn add_user(common: &Common, name: &str, role: Role) -> Done {
    let settings = settings(common, Vec::new())?;
    log("warn");
    let link = block_on(async {
        let store = open(&settings).await?;
        let link = Accounts::new(store.clone()).add_user(name, role).await.map_err(failure);
        store.close().await;
        link
    })?;
    say(format_args!("{}/sign-in?once={}", public_url(&settings), link.secret.reveal()))?;
    let what = if link.existing {
        "the account was there already: the link sets a new password"
    } else {
        "the account is made: the link sets its password"
    };
    note(format_args!("{what}; it is good for one hour and once"));
    Ok(())
}

async fn open(settings: &Settings) -> Result<Store, Failure> {
    let data = &settings.server.data;
    std::fs::create_dir_all(data)
        .map_err(|why| Failure::failed(format!("cannot use the data folder {}: {why}", data.display())))?;
    let database = engine::database(settings).map_err(Failure::usage)?;
    Store::open(&database).await.map_err(Failure::failed)
}

/// What was asked for and cannot be is wrong use; the rest has failed.
fn failure(error: AccessError) -> Failure {
    match error {
        AccessError::Refused(app::model::problem::AppError::BadInput { errors }) => {
            let words: Vec<String> =
                errors.into_iter().map(|fault| format!("the name {}", fault.message)).collect();
            Failure::Usage(words.join("; "))
        }
        other => Failure::failed(other),
    }
}
