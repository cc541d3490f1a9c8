//! The document around every page, and which page is where.

use leptos::prelude::*;
use leptos_meta::{MetaTags, Stylesheet, Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};

use super::{
    breaker::BreakerPage,
    flows::{FlowPage, FlowsPage},
    frame::provide_glance,
    gates::GatesPage,
    order::OrderPage,
    orders::OrdersPage,
    overview::OverviewPage,
    pool::PoolPage,
    problem::NotFound,
    quarantine::QuarantinePage,
    rules::{RulePage, RulesPage},
    submit::SubmitPage,
    task::{RetryPage, TaskPage},
    tasks::TasksPage,
    words,
};

/// The product's mark as the icon of the tab, inline: there is no open address for it.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' \
    stroke-linecap='round'%3E%3Cpath d='M8 22V5M4 22h8' stroke='%23808a97' stroke-width='2'/%3E%3Cpath d='M8 8l10-5' \
    stroke='%233b7dd8' stroke-width='4'/%3E%3Ccircle cx='8' cy='8' r='3' fill='%233b7dd8'/%3E%3C/svg%3E";

/// The theme that the browser's cookie asks for; none where the system decides.
#[must_use]
pub fn theme() -> Option<&'static str> {
    let parts = use_context::<http::request::Parts>()?;
    let cookies = parts.headers.get_all(http::header::COOKIE);
    cookies.iter().filter_map(|header| header.to_str().ok()).find_map(chosen)
}

fn chosen(cookies: &str) -> Option<&'static str> {
    cookies.split(';').find_map(|cookie| match cookie.trim() {
        "theme=light" => Some("light"),
        "theme=dark" => Some("dark"),
        _ => None,
    })
}

/// Where the pages' files are: the base of their addresses, which names the build. The server puts it into
/// context; without it they are at `/pkg`.
#[derive(Clone, Debug, Default)]
pub struct FilesAt(pub std::sync::Arc<str>);

fn files_at() -> String {
    use_context::<FilesAt>().map(|FilesAt(base)| base.to_string()).unwrap_or_default()
}

/// The whole document.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="icon" href=ICON type="image/svg+xml"/>
                <AutoReload options=options.clone()/>
                <HydrationScripts options islands=true root=files_at()/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// The pages.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_glance();
    view! {
        <Stylesheet id="style" href=format!("{}/pkg/signalbox.css", files_at())/>
        <Title formatter=|page: String| format!("{page} · {}", words::PRODUCT)/>
        <Router>
            <Routes fallback=NotFound>
                <Route path=path!("/") view=OverviewPage ssr=SsrMode::Async/>
                <Route path=path!("/submit") view=SubmitPage ssr=SsrMode::Async/>
                <Route path=path!("/tasks") view=TasksPage ssr=SsrMode::Async/>
                <Route path=path!("/tasks/:id") view=TaskPage ssr=SsrMode::Async/>
                <Route path=path!("/tasks/:id/retry") view=RetryPage ssr=SsrMode::Async/>
                <Route path=path!("/flows") view=FlowsPage ssr=SsrMode::Async/>
                <Route path=path!("/flows/:name") view=FlowPage ssr=SsrMode::Async/>
                <Route path=path!("/pool") view=PoolPage ssr=SsrMode::Async/>
                <Route path=path!("/gates") view=GatesPage ssr=SsrMode::Async/>
                <Route path=path!("/breaker") view=BreakerPage ssr=SsrMode::Async/>
                <Route path=path!("/quarantine") view=QuarantinePage ssr=SsrMode::Async/>
                <Route path=path!("/orders") view=OrdersPage ssr=SsrMode::Async/>
                <Route path=path!("/orders/:id") view=OrderPage ssr=SsrMode::Async/>
                <Route path=path!("/rules") view=RulesPage ssr=SsrMode::Async/>
                <Route path=path!("/rules/:id") view=RulePage ssr=SsrMode::Async/>
            </Routes>
        </Router>
    }
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn the_theme_is_read_from_among_other_cookies() {
        assert_eq!(chosen("session=abc; theme=dark"), Some("dark"));
        assert_eq!(chosen("theme=light"), Some("light"));
        assert_eq!(chosen("theme=purple; mytheme=dark"), None);
    }
}
