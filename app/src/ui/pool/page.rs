//! The pool's page on the server.

use leptos::prelude::*;

use super::words;
use crate::{
    api::calls::{caller, room},
    model::caller::Role,
    ui::{
        clock::server_now,
        frame::{Nav, may, page},
        islands::{LiveMachine, Machine},
    },
};

/// `/pool`
#[component]
pub fn PoolPage() -> impl IntoView {
    page(Nav::Pool, words::TITLE, async {
        let pool = room()?.pool(&caller()?).await?;
        let may = may(Role::Operator);
        let slots = pool.slots;
        let form = if may {
            view! {
                <form class="panel slots" method="post" action="/fn/set_slots">
                    <div class="field">
                        <label for="slots">{words::SLOTS}</label>
                        <input id="slots" name="slots" type="number" min="1" value=slots aria-describedby="slots-hint"/>
                        <p class="hint" id="slots-hint">{words::SLOTS_SAY}</p>
                    </div>
                    <button class="button">{words::SET}</button>
                </form>
            }
            .into_any()
        } else {
            view! { <p class="quiet">{words::OPERATORS}</p> }.into_any()
        };
        Ok(view! { <LiveMachine machine=Machine::Pool { first: pool, now: server_now(), may }/>{form} }
            .into_any())
    })
}
