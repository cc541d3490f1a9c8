//! People, tokens and sessions, for the control room: all of it is the access room's.

use app::{
    api::room::{Access, Answer, OnceFor},
    model::caller::Caller,
};
use async_trait::async_trait;

use super::Engine;

#[async_trait]
impl Access for Engine {
    async fn by_token(&self, token: &str) -> Answer<Option<Caller>> {
        self.access().by_token(token).await
    }

    async fn by_session(&self, session: &str) -> Answer<Option<Caller>> {
        self.access().by_session(session).await
    }

    async fn sign_in(&self, user: &str, password: &str) -> Answer<String> {
        self.access().sign_in(user, password).await
    }

    async fn once(&self, secret: &str) -> Answer<Option<OnceFor>> {
        self.access().once(secret).await
    }

    async fn spend_once(&self, secret: &str, user: Option<&str>, password: &str) -> Answer<String> {
        self.access().spend_once(secret, user, password).await
    }

    async fn sign_out(&self, session: &str) -> Answer<()> {
        self.access().sign_out(session).await
    }
}
