//! Work orders, for the control room.

use app::{
    api::room::{Answer, Orders},
    model::{
        caller::Caller,
        order::{
            AssignOrder, Claim, ClaimProof, CloseOrder, NewAnnotation, Order, OrderDraft, OrderFilter,
            ReopenOrder, TakeOver,
        },
        page::{Page, PageQuery},
        problem::AppError,
        task::Task,
    },
};
use async_trait::async_trait;
use uuid::Uuid;

use super::Engine;

#[async_trait]
impl Orders for Engine {
    async fn orders(&self, _caller: &Caller, _filter: OrderFilter, _page: PageQuery) -> Answer<Page<Order>> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn order(&self, _caller: &Caller, _id: Uuid) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn order_tasks(&self, _caller: &Caller, _id: Uuid, _page: PageQuery) -> Answer<Page<Task>> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn claim_order(&self, _caller: &Caller, _id: Uuid) -> Answer<Claim> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn heartbeat_order(&self, _caller: &Caller, _id: Uuid, _proof: ClaimProof) -> Answer<Claim> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn release_order(&self, _caller: &Caller, _id: Uuid, _proof: ClaimProof) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn annotate_order(&self, _caller: &Caller, _id: Uuid, _new: NewAnnotation) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn draft_order(&self, _caller: &Caller, _id: Uuid, _draft: OrderDraft) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn close_order(&self, _caller: &Caller, _id: Uuid, _close: CloseOrder) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn reopen_order(&self, _caller: &Caller, _id: Uuid, _reopen: ReopenOrder) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn assign_order(&self, _caller: &Caller, _id: Uuid, _assign: AssignOrder) -> Answer<Order> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
    async fn take_over_order(&self, _caller: &Caller, _id: Uuid, _take: TakeOver) -> Answer<Claim> {
        Err(AppError::Unavailable { detail: "not wired yet".to_owned() })
    }
}
