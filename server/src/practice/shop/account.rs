//! Signing in and out, and the profile.

use std::collections::HashMap;

use axum::{Form, http::StatusCode, response::Response};

use crate::practice::{
    PASSWORD, USER,
    html::{Field, Page, escape},
    visit::Visit,
};

/// Longest name on a profile.
const LONGEST: usize = 100;

pub(super) async fn form(visit: Visit) -> Response {
    if visit.session().signed_in {
        return visit.see("/profile");
    }
    let next = visit.query("next").to_owned();
    let body = render(&visit, &next, "", None);
    let title = visit.look().sign_in_go.label;
    visit.page(Page::new(title, body))
}

pub(super) async fn sign_in(mut visit: Visit, Form(form): Form<HashMap<String, String>>) -> Response {
    let text = |name: &str| form.get(name).map(|value| value.trim()).unwrap_or_default();
    if text("email").eq_ignore_ascii_case(USER) && text("password") == PASSWORD {
        visit.change(|session| session.signed_in = true);
        return visit.see(own_path(text("next")).unwrap_or("/profile"));
    }
    let body = render(&visit, text("next"), text("email"), Some("Address and password do not go together"));
    let title = visit.look().sign_in_go.label;
    visit.page(Page::new(title, body).status(StatusCode::UNAUTHORIZED))
}

/// A path of this site; none for an address that leads elsewhere.
fn own_path(next: &str) -> Option<&str> {
    (next.starts_with('/') && !next.starts_with("//") && !next.contains(['\\', '\r', '\n'])).then_some(next)
}

pub(super) async fn sign_out(mut visit: Visit) -> Response {
    visit.change(|session| session.signed_in = false);
    visit.see("/")
}

fn render(visit: &Visit, next: &str, email: &str, error: Option<&str>) -> String {
    let look = visit.look();
    let field = |named, name, kind, value, more| Field { named, name, kind, value, error: None, more }.html();
    let notice =
        error.map_or(String::new(), |error| format!("<p class=\"notice\" role=\"alert\">{error}.</p>"));
    format!(
        "<div class=\"narrow\"><h1>{heading}</h1>{notice}<form id=\"sign-in-form\" action=\"/sign-in\" method=\"post\">\
         <input type=\"hidden\" name=\"next\" value=\"{next}\">{email}{password}\
         <button id=\"{go_id}\" type=\"submit\">{go}</button></form>\
         <p class=\"hint\">This is a practice site. Sign in as <code>{USER}</code> with the password <code>{PASSWORD}</code>.</p></div>",
        heading = look.sign_in_go.label,
        next = escape(next),
        email = field(look.sign_in_email, "email", "email", email, "autocomplete=\"username\" required"),
        password = field(
            look.sign_in_password,
            "password",
            "password",
            "",
            "autocomplete=\"current-password\" required"
        ),
        go_id = look.sign_in_go.id,
        go = look.sign_in_go.label,
    )
}

pub(super) async fn profile(visit: Visit) -> Response {
    let session = visit.session();
    if !session.signed_in {
        return visit.see("/sign-in?next=/profile");
    }
    let look = visit.look();
    let saved = if visit.query("saved").is_empty() {
        ""
    } else {
        "<p class=\"notice good\" role=\"status\">Saved.</p>"
    };
    let body = format!(
        "<div class=\"narrow\"><h1>{title}</h1>{saved}<p>Welcome back, <strong id=\"profile-name\">{name}</strong>. \
         You have {count} <a href=\"/orders\">orders</a>.</p>\
         <form action=\"/profile\" method=\"post\">{field}<button type=\"submit\">Save</button></form>\
         <form action=\"/sign-out\" method=\"post\"><button class=\"quiet\" type=\"submit\">Sign out</button></form></div>",
        title = look.account_link.label,
        name = escape(session.name()),
        count = session.all_orders().len(),
        field = Field {
            named: look.full_name,
            name: "name",
            kind: "text",
            value: session.name(),
            error: None,
            more: "autocomplete=\"name\" required",
        }
        .html(),
    );
    visit.page(Page::new(look.account_link.label, body))
}

pub(super) async fn save_profile(mut visit: Visit, Form(form): Form<HashMap<String, String>>) -> Response {
    if !visit.session().signed_in {
        return visit.see("/sign-in?next=/profile");
    }
    let name: String =
        form.get("name").map(|name| name.trim().chars().take(LONGEST).collect()).unwrap_or_default();
    if !name.is_empty() {
        visit.change(|session| session.name = Some(name));
    }
    visit.see("/profile?saved=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_to_a_page_of_this_site_only() {
        assert_eq!(own_path("/orders"), Some("/orders"));
        for elsewhere in ["", "orders", "//evil.example", "https://evil.example", "/\\evil.example"] {
            assert_eq!(own_path(elsewhere), None, "{elsewhere}");
        }
    }
}
