//! Rules, for the control room.

use app::{
    api::room::{Answer, Rules},
    model::{
        caller::Caller,
        page::{Page, PageQuery},
        problem::AppError,
        rule::{NewRule, Rule, RuleFilter, RulePatch},
    },
};
use async_trait::async_trait;
use uuid::Uuid;

use super::Engine;

#[async_trait]
impl Rules for Engine {
    async fn rules(&self, _caller: &Caller, _filter: RuleFilter, _page: PageQuery) -> Answer<Page<Rule>> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn rule(&self, _caller: &Caller, _id: Uuid) -> Answer<Rule> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn create_rule(&self, _caller: &Caller, _new: NewRule) -> Answer<Rule> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn patch_rule(&self, _caller: &Caller, _id: Uuid, _patch: RulePatch) -> Answer<Rule> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
}
