//! An order's page on the server.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use uuid::Uuid;

use super::{
    about, close,
    draft::{self, Kept, Typed},
    evidence, facts,
    island::Viewer,
    review,
    shown::OrderShown,
    words,
};
use crate::{
    api::calls::{caller, room},
    model::{
        caller::Role,
        order::{Order, OrderState},
        page::PageQuery,
        problem::AppError,
    },
    ui::{
        clock::server_now,
        frame::{Nav, may, page},
        islands::{LiveOrderPart, OrderPart},
    },
};

/// Tasks that are shown.
const TASKS: u32 = 20;

/// `/orders/{id}?draft={kept}&change=`
#[component]
pub fn OrderPage() -> impl IntoView {
    let named = use_params_map().with_untracked(|params| params.get("id")).unwrap_or_default();
    let (asked, change) = use_query_map()
        .with_untracked(|query| (query.get("draft").unwrap_or_default(), query.get("change").is_some()));
    page(Nav::Orders, words::TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        let id: Uuid = named.parse().map_err(|_| AppError::not_found(format!("work order {named}")))?;
        let order = room.order(&caller, id).await?;
        let tasks = room.order_tasks(&caller, id, PageQuery { limit: Some(TASKS), after: None }).await?;
        // A rule is told where it can be; that it cannot be read hides nothing else.
        let rule = match order.rule {
            Some(rule) => room.rule(&caller, rule).await.ok(),
            None => None,
        };
        let kept = draft::kept(&asked, caller.id, id);
        let now = server_now();
        let can_act = may(Role::Reviewer);
        let viewer = Viewer { id: caller.id, name: caller.name, can_act, can_take: may(Role::Operator) };
        let draft = if kept.is_some() { asked.clone() } else { String::new() };
        let ending = match &order.conclusion {
            Some(found) if order.state == OrderState::Closed => {
                let lost = kept.as_ref().and_then(|kept| match &kept.typed {
                    Typed::Close(form) => Some(close::lost(form, kept.why.as_ref())),
                    Typed::Annotation(_) => None,
                });
                view! { {lost} {review::conclusion(found, rule.as_ref(), now)} }.into_any()
            }
            _ if can_act && order.state != OrderState::Closed => {
                closing(&order, kept.as_ref(), &asked, change)
            }
            _ => ().into_any(),
        };
        // What came of it before it was opened again.
        let earlier = rule.filter(|_| order.state != OrderState::Closed).map(|rule| review::earlier(&rule));
        let first = OrderShown::from(&order);
        Ok(view! {
            <Title text=order.title.clone()/>
            <LiveOrderPart part=OrderPart::Head { first: Box::new(first), viewer, draft, now }/>
            {facts::view(&order)}
            {evidence::view(&order, can_act, now)}
            <div class="two">
                <div>{ending}{earlier}</div>
                <div>{about::annotations(&order, kept.as_ref(), can_act, now)}</div>
            </div>
            {about::tasks(tasks, now)}
        }
        .into_any())
    })
}

/// The close form, or once it was typed and nothing speaks against it, what it will do.
fn closing(order: &Order, kept: Option<&Kept>, asked: &str, change: bool) -> AnyView {
    match kept {
        Some(Kept { typed: Typed::Close(form), why, .. }) => {
            let ready = why.is_none() && !change && order.claim_token.is_some() && form.close(order).is_ok();
            if ready {
                review::view(order, form, asked).into_any()
            } else {
                close::view(order, Some((**form).clone()), why.as_ref())
            }
        }
        _ => close::view(order, None, None),
    }
}
