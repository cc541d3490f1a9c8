//! The overview's page on the server.

use leptos::prelude::*;

use super::{island::LiveOverview, words};
use crate::ui::frame::{Nav, glance, page};

/// `/`
#[component]
pub fn OverviewPage() -> impl IntoView {
    page(Nav::Overview, words::TITLE, async {
        let first = glance().await?;
        Ok(view! { <LiveOverview first/> }.into_any())
    })
}
