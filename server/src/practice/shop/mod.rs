//! The shop's own pages.

mod account;
mod cart;
mod checkout;
mod help;
mod orders;
mod products;

use axum::{
    Router,
    http::StatusCode,
    response::Response,
    routing::{get, post},
};

use super::{html::Page, state::State, visit::Visit};

pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/", get(products::home))
        .route("/products", get(products::list))
        .route("/products/{slug}", get(products::one))
        .route("/search", get(products::search))
        .route("/cart", get(cart::show).post(cart::add))
        .route("/cart/update", post(cart::update))
        .route("/wish-list", get(cart::wishes).post(cart::wish))
        .route("/checkout", get(checkout::form).post(checkout::place))
        .route("/confirmation", get(checkout::confirmation))
        .route("/sign-in", get(account::form).post(account::sign_in))
        .route("/sign-out", post(account::sign_out))
        .route("/profile", get(account::profile).post(account::save_profile))
        .route("/orders", get(orders::list))
        .route("/orders/export.csv", get(orders::export))
        .route("/orders/{number}", get(orders::one))
        .route("/help", get(help::help))
        .route("/help/delivery", get(help::delivery))
}

/// What is answered where nothing is.
pub(super) async fn not_found(visit: Visit) -> Response {
    let body = "<h1>This page is not here</h1><p>It may have been moved, or the link has a mistake. \
                Try the search above, or go <a href=\"/\">back to the start</a>.</p>";
    visit.page(Page::new("Page not found", body).status(StatusCode::NOT_FOUND))
}
