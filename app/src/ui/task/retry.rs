//! The form that runs a task again with other values.

use leptos::prelude::*;

use super::{page::named, words};
use crate::{
    api::calls::{caller, room},
    ui::frame::{Nav, page},
};

/// `/tasks/{id}/retry`
#[component]
pub fn RetryPage() -> impl IntoView {
    let id = named();
    page(Nav::Tasks, words::EDIT_TITLE, async move {
        let (room, caller) = (room()?, caller()?);
        crate::api::room::allow(&caller, crate::model::caller::Role::Operator)?;
        let task = room.task(&caller, id?).await?;
        let versions = room.flow_versions(&caller, &task.flow.name).await.unwrap_or_default();
        let fields = task
            .parameters
            .iter()
            .map(|(name, value)| {
                let id = format!("p-{name}");
                view! {
                    <div class="field">
                        <label for=id.clone()>{name.clone()}</label>
                        <input id=id name=format!("p[{name}]") value=value.clone() autocomplete="off"/>
                    </div>
                }
            })
            .collect_view();
        let none = task.parameters.is_empty();
        let current = task.flow.version;
        let options = versions
            .into_iter()
            .map(|version| {
                let value = format!("{}@{}", version.name, version.version);
                let word =
                    if version.version == current { format!("{value} (as before)") } else { value.clone() };
                view! { <option value=value selected=version.version == current>{word}</option> }
            })
            .collect_view();
        let back = format!("/tasks/{}", task.id);
        Ok(view! {
            <div class="page-head"><h1>{words::EDIT_TITLE}</h1></div>
            <form class="panel submit" method="post" action="/fn/retry_edited">
                <p><a href=back.clone()>{task.name.clone()}</a></p>
                <p class="quiet">{words::EDIT_SAYS}</p>
                <input type="hidden" name="id" value=task.id.to_string()/>
                <fieldset class="parameters" hidden=none>
                    <legend>{words::PARAMETERS}</legend>
                    {fields}
                </fieldset>
                <div class="fields">
                    <div class="field">
                        <label for="flow">"Version of the flow"</label>
                        <select id="flow" name="flow">{options}</select>
                    </div>
                    <div class="field">
                        <label for="priority">"Priority"</label>
                        <input id="priority" name="priority" type="number" min="0" max="9" value=task.priority/>
                    </div>
                </div>
                <p class="buttons">
                    <button class="button is-main">{words::RETRY}</button>
                    <a class="button" href=back>"Back"</a>
                </p>
            </form>
        }
        .into_any())
    })
}
