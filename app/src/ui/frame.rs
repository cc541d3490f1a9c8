//! What stands around every page: the bar with product, navigation and person, and the place of the page.

use std::future::Future;

use futures::{FutureExt, future::Shared};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use super::{bar, keys::Keys, note, problem, words};
use crate::{
    api::calls::{caller, room},
    model::{caller::Role, overview::Overview, problem::AppError, task::TaskState},
};

/// Where a page belongs in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nav {
    /// The overview.
    Overview,
    /// The submit page.
    Submit,
    /// The tasks.
    Tasks,
    /// The flows.
    Flows,
    /// The pool.
    Pool,
    /// The gates.
    Gates,
    /// The breaker.
    Breaker,
    /// The quarantine.
    Quarantine,
    /// The work orders.
    Orders,
    /// The rules.
    Rules,
    /// Nowhere.
    None,
}

type Glancing = Shared<futures::future::BoxFuture<'static, Result<Overview, AppError>>>;

/// The overview, asked for at most once for a page.
#[derive(Clone)]
struct Glance(Glancing);

/// Makes the overview available to the whole page.
pub fn provide_glance() {
    let asked = async {
        let (room, caller) = (room()?, caller()?);
        room.overview(&caller).await
    };
    provide_context(Glance(ScopedFuture::new(asked).boxed().shared()));
}

/// The fleet at a glance, for whatever part of the page asks first.
///
/// # Errors
/// As the control room's.
pub async fn glance() -> Result<Overview, AppError> {
    let Some(Glance(asked)) = use_context::<Glance>() else {
        return Err(AppError::Unavailable { detail: "the page has no overview".to_owned() });
    };
    asked.await
}

/// Whether the caller has the role or more.
#[must_use]
pub fn may(least: Role) -> bool {
    caller().is_ok_and(|caller| caller.role >= least)
}

/// A page in its frame: its own part is loaded while the page is rendered; what goes wrong is shown in its
/// place.
pub fn page<F>(nav: Nav, title: &'static str, load: F) -> impl IntoView
where
    F: Future<Output = Result<AnyView, AppError>> + Send + 'static,
{
    let noted = use_query_map().with_untracked(|query| query.get("note"));
    let noted = noted.and_then(|id| note::named(&id, caller().ok()?.id));
    view! {
        <Title text=title/>
        <a class="skip" href="#main">{words::SKIP}</a>
        {top(nav)}
        <main id="main" tabindex="-1">
            {noted.map(note::view)}
            {Suspend::new(async move {
                match load.await {
                    Ok(view) => view,
                    Err(error) => problem::view(error),
                }
            })}
        </main>
        <footer class="foot">
            <Keys now=super::clock::server_now()/>
        </footer>
    }
}

fn top(nav: Nav) -> impl IntoView {
    let item = move |this: Nav, href: &'static str, word: &'static str| {
        let current = (nav == this).then_some("page");
        view! { <li><a href=href aria-current=current>{word}</a></li> }
    };
    view! {
        <header class="bar">
            <a class="mark" href="/" aria-label=format!("{}, {}", words::PRODUCT, words::TAGLINE)>
                {mark()}
                <span>{words::PRODUCT}</span>
            </a>
            <nav aria-label=words::NAVIGATION>
                <ul>
                    {item(Nav::Overview, "/", words::OVERVIEW)}
                    {item(Nav::Submit, "/submit", words::SUBMIT)}
                    {item(Nav::Tasks, "/tasks", words::TASKS)}
                    <li>
                        <a href="/orders" aria-current=(nav == Nav::Orders).then_some("page")>{words::ORDERS}</a>
                        {Suspend::new(async {
                            let open = glance().await.unwrap_or_default().desk.open;
                            counted(bar::ORDERS, "/orders", open, words::open_orders(open))
                        })}
                    </li>
                    <li>
                        <a href="/quarantine" aria-current=(nav == Nav::Quarantine).then_some("page")>
                            {words::QUARANTINE}
                        </a>
                        {Suspend::new(async {
                            let count = glance().await.unwrap_or_default().count(TaskState::Quarantined);
                            let says = super::overview::words::quarantined(count);
                            counted(bar::QUARANTINE, "/quarantine", count, says)
                        })}
                    </li>
                    {item(Nav::Flows, "/flows", words::FLOWS)}
                    {item(Nav::Rules, "/rules", words::RULES)}
                    {item(Nav::Gates, "/gates", words::GATES)}
                    {item(Nav::Pool, "/pool", words::POOL)}
                    {item(Nav::Breaker, "/breaker", words::BREAKER)}
                </ul>
            </nav>
            {Suspend::new(async { alarm(&glance().await.unwrap_or_default()) })}
            {theme_switch()}
            {person()}
        </header>
    }
}

/// How many there are beside an entry of the navigation; nothing where there are none.
fn counted(name: &'static str, href: &'static str, count: u64, says: String) -> impl IntoView {
    view! {
        <a class="count" data-count=name href=href title=says.clone() aria-label=says hidden=count == 0>
            {count}
        </a>
    }
}

/// That the fleet's breaker is not closed, on every page.
fn alarm(overview: &Overview) -> impl IntoView + use<> {
    let state = overview.breaker.state;
    let says = bar::alarm(state);
    view! {
        <a class="alarm" href="/breaker" data-breaker=state.as_str() hidden=says.is_none()>{says.unwrap_or_default()}</a>
    }
}

/// The product's mark: a semaphore signal.
fn mark() -> impl IntoView {
    view! {
        <svg class="mark-sign" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
            <path class="mark-post" d="M8 22V5M4 22h8"/>
            <path class="mark-arm" d="M8 8l10-5"/>
            <circle class="mark-lamp" cx="8" cy="8" r="3"/>
        </svg>
    }
}

fn theme_switch() -> impl IntoView {
    let chosen = super::shell::theme();
    let back = use_context::<http::request::Parts>()
        .and_then(|parts| parts.uri.path_and_query().map(ToString::to_string))
        .unwrap_or_else(|| "/".to_owned());
    let choice = move |value: &'static str, shape: &'static str, word: &'static str| {
        let pressed = if chosen.unwrap_or("system") == value { "true" } else { "false" };
        view! {
            <button name="theme" value=value aria-pressed=pressed title=word>
                <span aria-hidden="true">{shape}</span>
                <span class="unseen">{word}</span>
            </button>
        }
    };
    view! {
        <form class="theme" method="post" action="/fn/set_theme" aria-label=words::THEME>
            <input type="hidden" name="back" value=back/>
            {choice("light", "☀", "light")}
            {choice("dark", "☾", "dark")}
            {choice("system", "◐", "as the system")}
        </form>
    }
}

fn person() -> impl IntoView {
    caller().ok().map(|caller| {
        view! {
            <form class="person" method="post" action="/sign-out">
                <span class="person-name">
                    {caller.name} <small>{caller.role.as_str()}</small>
                </span>
                <button class="plain-button">{words::SIGN_OUT}</button>
            </form>
        }
    })
}
