//! Work orders, for the control room: reading, claims, and what is written about them. How one ends is in
//! [`conclude`](super::conclude).

use app::{
    api::room::{Answer, Orders, allow},
    model::{
        Timestamp,
        caller::{Caller, Role},
        order::{
            Annotation, AssignOrder, Claim, ClaimOrder, ClaimProof, CloseOrder, NewAnnotation, Order,
            OrderDraft, OrderFilter, ReopenOrder, TakeOver,
        },
        page::{Page, PageQuery},
        problem::AppError,
        task::Task,
    },
};
use async_trait::async_trait;
use futures::FutureExt;
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::{
    Engine,
    errors::{WorkError, internal, store},
    tasks::Around,
};
use crate::{
    orders::markdown,
    store::{
        access,
        orders::{self as sql, Holding, Mine, OrderRow},
    },
};

/// Largest draft, as JSON.
const LARGEST_DRAFT: usize = 64 * 1_024;

#[async_trait]
impl Orders for Engine {
    async fn orders(&self, caller: &Caller, filter: OrderFilter, page: PageQuery) -> Answer<Page<Order>> {
        allow(caller, Role::Viewer)?;
        cursor(&page, |after| after.parse::<i64>().is_ok())?;
        let now = self.now();
        let mine = Mine { id: caller.id, name: caller.name.clone() };
        let rows = sql::list(self.store().read(), &filter, &mine, &page, now).await.map_err(store)?;
        let items = rows.items.iter().map(|row| super::shown::brief(row, now)).collect::<Result<_, _>>();
        Ok(Page { items: items.map_err(store)?, next: rows.next })
    }

    async fn order(&self, caller: &Caller, id: Uuid) -> Answer<Order> {
        allow(caller, Role::Viewer)?;
        self.whole_order(id, Some(caller)).await
    }

    async fn order_tasks(&self, caller: &Caller, id: Uuid, page: PageQuery) -> Answer<Page<Task>> {
        allow(caller, Role::Viewer)?;
        cursor(&page, |after| after.split_once('.').is_some_and(|(at, _)| at.parse::<i64>().is_ok()))?;
        let read = self.store().read();
        sql::get(read, id).await.map_err(store)?.ok_or_else(|| unknown(id))?;
        let rows = sql::tasks(read, id, &page).await.map_err(store)?;
        let mut around = Around::default();
        let mut items = Vec::with_capacity(rows.items.len());
        for row in &rows.items {
            items.push(self.shown(row, &mut around).await?);
        }
        Ok(Page { items, next: rows.next })
    }

    async fn claim_order(&self, caller: &Caller, id: Uuid, claim: ClaimOrder) -> Answer<Claim> {
        allow(caller, Role::Reviewer)?;
        let (holder, name, until, now) = (caller.id, caller.name.clone(), self.claim_until(), self.now());
        self.write_claim(caller, id, move |row| {
            let holding = match row.holding(now)? {
                Some(held) if held.holder == holder => Holding { until, ..held },
                Some(held) => return Err(held_by(&held).into()),
                None => Holding { holder, name, token: Uuid::new_v4(), until },
            };
            seen(row, claim.version).map(|()| holding)
        })
        .await
    }

    async fn heartbeat_order(&self, caller: &Caller, id: Uuid, proof: ClaimProof) -> Answer<Claim> {
        allow(caller, Role::Reviewer)?;
        let (holder, until, now) = (caller.id, self.claim_until(), self.now());
        self.write_claim(caller, id, move |row| {
            let held = proven(row, holder, proof.claim_token, now)?;
            seen(row, proof.version).map(|()| Holding { until, ..held })
        })
        .await
    }

    async fn release_order(&self, caller: &Caller, id: Uuid, proof: ClaimProof) -> Answer<Order> {
        allow(caller, Role::Reviewer)?;
        let (holder, now) = (caller.id, self.now());
        self.write_order(caller, id, move |connection, row| {
            async move {
                proven(&row, holder, proof.claim_token, now)?;
                seen(&row, proof.version)?;
                Ok(sql::let_go(connection, id).await?)
            }
            .boxed()
        })
        .await
    }

    async fn annotate_order(&self, caller: &Caller, id: Uuid, new: NewAnnotation) -> Answer<Annotation> {
        allow(caller, Role::Reviewer)?;
        let text = text("/text", new.text, true)?;
        let (holder, author, now) = (caller.id, caller.name.clone(), self.now());
        let annotation = self
            .store()
            .write(move |connection| {
                async move {
                    let row = sql::get(&mut *connection, id).await?.ok_or_else(|| unknown(id))?;
                    if let Some(token) = new.claim_token {
                        proven(&row, holder, token, now)?;
                    }
                    seen(&row, new.version)?;
                    let html = markdown::to_html(&text);
                    let note = sql::annotate(connection, id, &author, &text, now).await?;
                    Ok::<_, WorkError>(Annotation { id: note, at: now, author, text, html })
                }
                .boxed()
            })
            .await;
        let annotation = self.with_current(caller, id, annotation).await?;
        self.changes().order(id);
        Ok(annotation)
    }

    async fn draft_order(&self, caller: &Caller, id: Uuid, draft: OrderDraft) -> Answer<Order> {
        allow(caller, Role::Reviewer)?;
        if !draft.draft.is_object() {
            return Err(AppError::bad_input("/draft", "must be an object"));
        }
        let kept = draft.draft.to_string();
        if kept.len() > LARGEST_DRAFT {
            return Err(AppError::bad_input("/draft", format!("must be at most {LARGEST_DRAFT} bytes")));
        }
        let (holder, now) = (caller.id, self.now());
        self.write_order(caller, id, move |connection, row| {
            async move {
                proven(&row, holder, draft.claim_token, now)?;
                seen(&row, draft.version)?;
                Ok(sql::draft(connection, id, &kept).await?)
            }
            .boxed()
        })
        .await
    }

    async fn close_order(&self, caller: &Caller, id: Uuid, close: CloseOrder) -> Answer<Order> {
        allow(caller, Role::Reviewer)?;
        self.conclude(caller, id, close).await?;
        self.whole_order(id, Some(caller)).await
    }

    async fn reopen_order(&self, caller: &Caller, id: Uuid, reopen: ReopenOrder) -> Answer<Order> {
        allow(caller, Role::Reviewer)?;
        let reason = text("/reason", reopen.reason, false)?;
        let (name, now) = (caller.name.clone(), self.now());
        self.write_order(caller, id, move |connection, row| {
            async move {
                if row.closed == 0 {
                    return Err(stale("the order is not closed").into());
                }
                seen(&row, reopen.version)?;
                let group = sql::Group {
                    flow: row.flow.clone(),
                    step_key: row.step_key.clone(),
                    domain: row.domain.clone(),
                    class: row.class()?,
                };
                if let Some(other) = sql::open_of(&mut *connection, &group).await? {
                    let detail = format!("the failures of this group go to order {} already", other.id);
                    return Err(AppError::conflict(detail).into());
                }
                sql::reopen(&mut *connection, id).await?;
                let said =
                    if reason.is_empty() { "Reopened.".to_owned() } else { format!("Reopened: {reason}") };
                sql::annotate(connection, id, &name, &said, now).await?;
                Ok(())
            }
            .boxed()
        })
        .await
    }

    async fn assign_order(&self, caller: &Caller, id: Uuid, assign: AssignOrder) -> Answer<Order> {
        allow(caller, Role::Reviewer)?;
        let to = assign.to.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let to = match to {
            Some(name) => {
                let account =
                    access::account(self.store().read(), &name.to_lowercase()).await.map_err(store)?;
                let account = account.filter(|account| !account.disabled && account.role >= Role::Reviewer);
                let missing = || AppError::bad_input("/to", format!("there is no reviewer named {name}"));
                Some(account.ok_or_else(missing)?.name)
            }
            None => None,
        };
        self.write_order(caller, id, move |connection, row| {
            async move {
                seen(&row, assign.version)?;
                Ok(sql::assign(connection, id, to.as_deref()).await?)
            }
            .boxed()
        })
        .await
    }

    async fn take_over_order(&self, caller: &Caller, id: Uuid, take: TakeOver) -> Answer<Claim> {
        allow(caller, Role::Operator)?;
        let reason = text("/reason", take.reason, true)?;
        let (taker, until, now) = (caller.clone(), self.claim_until(), self.now());
        let held = self
            .store()
            .write(move |connection| {
                async move {
                    let row = claimable(&mut *connection, id).await?;
                    seen(&row, take.version)?;
                    let from = row.holding(now)?.map(|held| held.name);
                    let held =
                        Holding { holder: taker.id, name: taker.name.clone(), token: Uuid::new_v4(), until };
                    sql::hold(&mut *connection, id, &held).await?;
                    let from = from.map(|name| format!(" from {name}")).unwrap_or_default();
                    let said = format!("Taken over{from}: {reason}");
                    sql::annotate(connection, id, &taker.name, &said, now).await?;
                    Ok::<_, WorkError>(held)
                }
                .boxed()
            })
            .await;
        let held = self.with_current(caller, id, held).await?;
        self.changes().order(id);
        Ok(Claim { claim_token: held.token, claim_until: held.until })
    }
}

/// A cursor of another list is told of.
fn cursor(page: &PageQuery, is_one: impl Fn(&str) -> bool) -> Answer<()> {
    if page.after.as_deref().is_some_and(|after| !is_one(after)) {
        return Err(AppError::bad_input("after", "is no cursor of this list: take the `next` of a page"));
    }
    Ok(())
}

pub(super) fn unknown(id: Uuid) -> AppError {
    AppError::not_found(format!("order {id}"))
}

/// A text that somebody wrote.
pub(super) fn text(place: &str, text: String, needed: bool) -> Answer<String> {
    let text = text.trim().to_owned();
    if needed && text.is_empty() {
        return Err(AppError::bad_input(place, "is needed"));
    }
    if text.len() > markdown::LONGEST {
        return Err(AppError::bad_input(place, format!("must be at most {} bytes", markdown::LONGEST)));
    }
    Ok(text)
}

/// The claim of a caller, by its token.
pub(super) fn proven(
    row: &OrderRow,
    holder: Uuid,
    token: Uuid,
    now: Timestamp,
) -> Result<Holding, WorkError> {
    if row.closed != 0 {
        return Err(stale("the order is closed already").into());
    }
    match row.holding(now)? {
        Some(held) if held.token == token && held.holder == holder => Ok(held),
        Some(held) if held.holder != holder => Err(held_by(&held).into()),
        Some(_) => Err(stale("this claim was replaced by a newer one of yours").into()),
        None => Err(stale("the claim has run out: claim the order again").into()),
    }
}

/// Whether the version that a caller has seen is the newest, where one is named.
pub(super) fn seen(row: &OrderRow, version: Option<i64>) -> Result<(), WorkError> {
    match version {
        Some(version) if version != row.version => {
            Err(stale("the order has changed since you saw it").into())
        }
        _ => Ok(()),
    }
}

fn held_by(held: &Holding) -> AppError {
    stale(format!("{} holds this order until {}", held.name, held.until))
}

/// Refused. What is there now is put in after the write: see [`Engine::with_current`].
pub(super) fn stale(detail: impl Into<String>) -> AppError {
    AppError::Stale { detail: detail.into(), current: Box::default() }
}

/// An order that can be claimed.
async fn claimable(connection: &mut SqliteConnection, id: Uuid) -> Result<OrderRow, WorkError> {
    let row = sql::get(connection, id).await?.ok_or_else(|| unknown(id))?;
    if row.closed != 0 {
        return Err(stale("the order is closed").into());
    }
    Ok(row)
}

impl Engine {
    fn claim_until(&self) -> Timestamp {
        self.now().plus_ms(self.settings().orders.claim_s as i64 * 1_000)
    }

    /// The answer of a write, with the order as it is now where somebody else was faster.
    pub(super) async fn with_current<T>(
        &self,
        caller: &Caller,
        id: Uuid,
        written: Result<T, WorkError>,
    ) -> Answer<T> {
        match written.map_err(AppError::from) {
            Err(AppError::Stale { detail, .. }) => {
                let order = self.whole_order(id, Some(caller)).await?;
                let current = Box::new(serde_json::to_value(order).map_err(internal)?);
                Err(AppError::Stale { detail, current })
            }
            other => other,
        }
    }

    /// Gives or extends a claim, by what `decide` makes of the order as it is inside the write.
    async fn write_claim(
        &self,
        caller: &Caller,
        id: Uuid,
        decide: impl FnOnce(&OrderRow) -> Result<Holding, WorkError> + Send + 'static,
    ) -> Answer<Claim> {
        let held = self
            .store()
            .write(move |connection| {
                async move {
                    let row = claimable(&mut *connection, id).await?;
                    let held = decide(&row)?;
                    sql::hold(connection, id, &held).await?;
                    Ok::<_, WorkError>(held)
                }
                .boxed()
            })
            .await;
        let held = self.with_current(caller, id, held).await?;
        self.changes().order(id);
        Ok(Claim { claim_token: held.token, claim_until: held.until })
    }

    /// Changes an order inside one write, and answers with it as it then is.
    async fn write_order<F>(&self, caller: &Caller, id: Uuid, work: F) -> Answer<Order>
    where
        F: for<'c> FnOnce(
                &'c mut SqliteConnection,
                OrderRow,
            ) -> futures::future::BoxFuture<'c, Result<(), WorkError>>
            + Send
            + 'static,
    {
        let written = self
            .store()
            .write(move |connection| {
                async move {
                    let row = sql::get(&mut *connection, id).await?.ok_or_else(|| unknown(id))?;
                    work(connection, row).await
                }
                .boxed()
            })
            .await;
        self.with_current(caller, id, written).await?;
        self.changes().order(id);
        self.whole_order(id, Some(caller)).await
    }
}
