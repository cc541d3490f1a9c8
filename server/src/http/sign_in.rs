//! The sign-in page: a name and a password, or a sign-in link with which a password is chosen.
//!
//! A page of its own without scripts, because it has to work before anything else does, and stand open
//! while everything else is closed. Showing it changes nothing; only a post spends a link.

use std::sync::Arc;

use app::{api::room::OnceFor, model::problem::AppError};
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Shared,
    html::{self, escape},
    identify::{Credential, SESSION_COOKIE, session},
    input::{self, Params},
    problem::Refusal,
};
use crate::access::password;

/// How long a browser keeps the cookie: the longest that browsers allow. When the session ends is the
/// server's affair.
const COOKIE_AGE_S: u64 = 400 * 24 * 3_600;
/// Longest address to go on to.
const LONGEST_NEXT: usize = 2_048;

const CSS: &str = include_str!("sign_in.css");

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/sign-in", get(show).post(sign_in))
        .route("/sign-out", post(sign_out))
        .route("/pkg/sign-in.css", get(|| async { html::stylesheet(CSS) }))
}

/// What a form sends.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SignIn {
    /// The secret of a sign-in link, which this spends.
    #[serde(default)]
    once: Option<String>,
    /// The name. With a link only for the first admin.
    #[serde(default)]
    user: Option<String>,
    /// The password; with a link the new one.
    password: String,
    /// Where to go on to: a path of this server.
    #[serde(default)]
    next: Option<String>,
}

/// The sign-in page
#[utoipa::path(get, path = "/sign-in", tag = "sign-in", security(()),
    params(("once" = Option<String>, Query, description = "The secret of a sign-in link; showing the form spends nothing"),
        ("next" = Option<String>, Query, description = "Where to go on to afterwards: a path of this server")),
    responses((status = 200, description = "The form", content_type = "text/html", body = String)))]
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    mut query: Params,
) -> Response {
    let (once, next) = (query.text("once"), local(query.text("next")));
    let Some(once) = once else {
        let known = match Credential::of(&headers) {
            Some(credential) => credential.caller(&shared).await.ok().flatten(),
            None => None,
        };
        return match known {
            Some(_) => Redirect::to(next.as_deref().unwrap_or("/")).into_response(),
            None => Form { next, ..Form::default() }.page(StatusCode::OK),
        };
    };
    match shared.room.once(&once).await {
        Ok(Some(link)) => Form { link: Some((once, link)), next, ..Form::default() }.page(StatusCode::OK),
        Ok(None) => {
            let message = Some(LINK_OVER.to_owned());
            Form { message, next, ..Form::default() }.page(StatusCode::UNAUTHORIZED)
        }
        Err(error) => Refusal::from(error).into_response(),
    }
}

const LINK_OVER: &str =
    "This sign-in link has been used or is too old. Sign in with your password, or ask for a new link.";
const WRONG: &str = "That name and password do not belong together.";

/// Signs in by name and password, or spends a sign-in link
#[utoipa::path(post, path = "/sign-in", tag = "sign-in", security(()),
    request_body(content = SignIn, content_type = "application/x-www-form-urlencoded"),
    responses((status = 303, description = "Signed in: the session's cookie, and where to go on"),
        (status = 401, description = "A wrong name or password, or a link that is spent or over"),
        (status = 422, description = "A password that cannot be, or a name that is missing"),
        (status = 429, description = "Too many failed sign-ins")))]
pub(super) async fn sign_in(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let headers = request.headers().clone();
    let page = wants_page(&headers);
    let form = match read(&headers, request).await {
        Ok(form) => form,
        Err(refusal) if page && refusal.problem.status == 422 => {
            let message = Some("Please fill in all fields.".to_owned());
            return Form { message, ..Form::default() }.page(refusal.status());
        }
        Err(refusal) => return refusal.into_response(),
    };
    let next = local(form.next.clone());
    let user = form.user.as_deref().map(str::trim).filter(|user| !user.is_empty());
    let signed_in = match &form.once {
        Some(once) => shared.room.spend_once(once, user, &form.password).await,
        None => shared.room.sign_in(user.unwrap_or_default(), &form.password).await,
    };
    match signed_in {
        Ok(secret) => {
            // Whoever was signed in here before is so no longer.
            if let Some(old) = session(&headers)
                && let Err(error) = shared.room.sign_out(&old).await
            {
                tracing::warn!(%error, "the session before could not be ended");
            }
            let mut response = Redirect::to(next.as_deref().unwrap_or("/")).into_response();
            response.headers_mut().insert(header::SET_COOKIE, cookie(&secret, COOKIE_AGE_S, shared.secure()));
            response
        }
        Err(error) if page => refused(&shared, form, next, error).await,
        Err(error) => Refusal::from(error).into_response(),
    }
}

/// The page again, saying why not, with what was typed except the password.
async fn refused(shared: &Shared, form: SignIn, next: Option<String>, error: AppError) -> Response {
    let refusal = Refusal::from(error);
    let link = match form.once {
        Some(once) => shared.room.once(&once).await.ok().flatten().map(|link| (once, link)),
        None => None,
    };
    let message = match (refusal.problem.status, refusal.problem.errors.first()) {
        (401, _) if link.is_none() && form.user.is_none() => LINK_OVER.to_owned(),
        (401, _) => WRONG.to_owned(),
        (_, Some(fault)) => format!("Sorry: {}.", fault.message),
        _ => refusal.problem.detail.clone(),
    };
    let mut response = Form { link, user: form.user.unwrap_or_default(), message: Some(message), next }
        .page(refusal.status());
    if let Some(seconds) = refusal.retry_after_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Ends the session
#[utoipa::path(post, path = "/sign-out", tag = "sign-in",
    responses((status = 303, description = "Signed out: to the sign-in page")))]
pub(super) async fn sign_out(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    if let Some(session) = session(&headers) {
        shared.room.sign_out(&session).await?;
    }
    let mut response = Redirect::to("/sign-in").into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie("", 0, shared.secure()));
    Ok(response)
}

fn cookie(secret: &str, age_s: u64, secure: bool) -> HeaderValue {
    let secure = if secure { "; Secure" } else { "" };
    format!("{SESSION_COOKIE}={secret}; HttpOnly; SameSite=Lax; Path=/; Max-Age={age_s}{secure}")
        .parse()
        .expect("a session's secret is plain ASCII")
}

/// A program that sends or asks for JSON gets problems; everybody else the page.
fn wants_page(headers: &HeaderMap) -> bool {
    let names = |name, what| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value: &str| value.contains(what))
    };
    names(header::ACCEPT, "text/html")
        || !(names(header::ACCEPT, "json") || names(header::CONTENT_TYPE, "json"))
}

/// Reads the post: a form, or the same fields as JSON.
async fn read(headers: &HeaderMap, request: Request) -> Result<SignIn, Refusal> {
    let body = input::bytes(request, &()).await?;
    let of_form = |wanted| {
        let value =
            headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted))
    };
    if of_form("application/x-www-form-urlencoded") {
        // What was left empty is as good as not sent.
        let fields = url::form_urlencoded::parse(&body).filter(|(_, value)| !value.is_empty());
        let fields: serde_json::Map<String, Value> =
            fields.map(|(name, value)| (name.into_owned(), Value::String(value.into_owned()))).collect();
        return input::parse(Value::Object(fields).to_string().as_bytes());
    }
    if headers.contains_key(header::CONTENT_TYPE) && input::is_json(headers) {
        return input::parse(&body);
    }
    Err(Refusal::media_type("application/x-www-form-urlencoded"))
}

/// A path of this server to go on to; anything that a browser could read as another place is none.
fn local(next: Option<String>) -> Option<String> {
    next.filter(|next| {
        next.len() <= LONGEST_NEXT
            && next.starts_with('/')
            && !next.starts_with("//")
            && next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\')
    })
}

/// What the page shows.
#[derive(Default)]
struct Form {
    link: Option<(String, OnceFor)>,
    user: String,
    message: Option<String>,
    next: Option<String>,
}

impl Form {
    fn page(&self, status: StatusCode) -> Response {
        let (heading, lead, button) = match &self.link {
            None => ("Sign in", String::new(), "Sign in"),
            Some((_, OnceFor::FirstAdmin)) => (
                "Welcome to Signalbox",
                "You are the first here: choose a name and a password. You will be an admin.".to_owned(),
                "Create account",
            ),
            Some((_, OnceFor::Account { name })) => {
                ("Choose a password", format!("For the account {name}."), "Set password and sign in")
            }
        };
        let mut body = String::from("<main class=\"card\">\n<p class=\"product\">Signalbox</p>\n");
        body.push_str(&format!("<h1>{}</h1>\n", escape(heading)));
        if !lead.is_empty() {
            body.push_str(&format!("<p class=\"lead\">{}</p>\n", escape(&lead)));
        }
        if let Some(message) = &self.message {
            body.push_str(&format!(
                "<p class=\"message\" id=\"message\" role=\"alert\">{}</p>\n",
                escape(message)
            ));
        }
        body.push_str("<form method=\"post\" action=\"/sign-in\">\n");
        self.fields(&mut body);
        body.push_str(&format!("<button type=\"submit\">{button}</button>\n</form>\n</main>"));
        html::page(status, &format!("{heading} · Signalbox"), "/pkg/sign-in.css", &body)
    }

    fn fields(&self, body: &mut String) {
        if let Some((once, _)) = &self.link {
            body.push_str(&format!("<input type=\"hidden\" name=\"once\" value=\"{}\">\n", escape(once)));
        }
        if let Some(next) = &self.next {
            body.push_str(&format!("<input type=\"hidden\" name=\"next\" value=\"{}\">\n", escape(next)));
        }
        let described = if self.message.is_some() { " aria-describedby=\"message\"" } else { "" };
        match &self.link {
            // The name stands there for password managers; the link says whose it is.
            Some((_, OnceFor::Account { name })) => body.push_str(&format!(
                "<input type=\"text\" value=\"{}\" autocomplete=\"username\" readonly hidden>\n",
                escape(name)
            )),
            _ => body.push_str(&format!(
                "<label for=\"user\">Name</label>\n<input id=\"user\" name=\"user\" type=\"text\" value=\"{}\" \
                 autocomplete=\"username\" autocapitalize=\"none\" spellcheck=\"false\" required autofocus{described}>\n",
                escape(&self.user)
            )),
        }
        body.push_str("<label for=\"password\">Password</label>\n");
        match &self.link {
            None => body.push_str(
                "<input id=\"password\" name=\"password\" type=\"password\" autocomplete=\"current-password\" required>\n",
            ),
            Some(_) => body.push_str(&format!(
                "<input id=\"password\" name=\"password\" type=\"password\" autocomplete=\"new-password\" \
                 minlength=\"{least}\" aria-describedby=\"password-hint\" required>\n\
                 <p class=\"hint\" id=\"password-hint\">At least {least} characters.</p>\n",
                least = password::SHORTEST
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_a_path_of_this_server_is_gone_on_to() {
        for path in ["/", "/tasks?state=queued&q=a%20b", "/tasks/0190#evidence", "/a//b"] {
            assert_eq!(local(Some(path.to_owned())).as_deref(), Some(path));
        }
        for path in [
            "",
            "tasks",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\nb",
            "/ä",
            "/\t/evil.example",
        ] {
            assert_eq!(local(Some(path.to_owned())), None, "{path}");
        }
    }

    proptest! {
        #[test]
        fn wherever_it_leads_it_stays_on_this_server(next in "[/\\\\a-z:@.?#\t ]{0,16}") {
            if let Some(next) = local(Some(next)) {
                let base = url::Url::parse("http://box:3000/sign-in").expect("an address");
                let there = base.join(&next).expect("an address");
                prop_assert_eq!(there.origin(), base.origin());
            }
        }
    }
}
