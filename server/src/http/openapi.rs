//! The API's description, made from the handlers and the model.

use std::sync::{Arc, LazyLock};

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self, ContentBuilder, Ref, ResponseBuilder,
        path::{Operation, ParameterIn},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use super::{Shared, api, health, identify::SESSION_COOKIE, observe, problem, sign_in};

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/openapi.json", get(document))
}

/// The description of this API
#[utoipa::path(get, path = "/api/openapi.json", tag = "docs",
    responses((status = 200, description = "An OpenAPI 3.1 document", body = Object)))]
async fn document() -> Json<&'static Value> {
    Json(&DOCUMENT)
}

/// The document as it is served.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(Description::openapi()).unwrap_or(Value::Null);
    never_null(&mut document);
    // A cursor is always there and null at the end of a list.
    if let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        for (name, schema) in schemas {
            if name.starts_with("Page_") {
                schema["required"] = json!(["items", "next"]);
                schema["properties"]["next"]["type"] = json!(["string", "null"]);
            }
        }
    }
    let picture = "/paths/~1api~1v1~1attempts~1{id}~1evidence~1{kind}/get/responses/200/content/image~1png";
    if let Some(picture) = document.pointer_mut(picture) {
        picture["schema"] = json!({"type": "string", "format": "binary"});
    }
    document
});

/// What is optional is absent and never null: the schemas say so too.
fn never_null(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(never_null),
        Value::Object(fields) => {
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [one] = &types[..] {
                    let one = one.clone();
                    fields.insert("type".to_owned(), one);
                }
            }
            if let Some(Value::Array(choices)) = fields.get_mut("oneOf") {
                choices.retain(|choice| choice["type"] != "null");
                if let [Value::Object(one)] = &choices[..] {
                    let one = one.clone();
                    fields.remove("oneOf");
                    fields.extend(one);
                }
            }
            fields.values_mut().for_each(never_null);
        }
        _ => {}
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Signalbox",
        description = "The control room for a fleet of browser jobs. Times are RFC 3339 in UTC, ids are \
            UUIDv7, optional fields are absent. Unknown fields are refused. Errors are RFC 9457 problems \
            that name the place of each fault. Every POST may come without a body where all its fields are \
            optional.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "tasks", description = "Submit work, follow it, take it back, run it again"),
        (name = "flows", description = "Recordings of Chrome DevTools' Recorder panel, kept by name and version"),
        (name = "orders", description = "What the machine cannot finish, for a person: claim, annotate, close"),
        (name = "rules", description = "Conclusions made executable"),
        (name = "fleet", description = "The overview, the pool, the gates, the breakers and the live stream"),
        (name = "health", description = "Whether the server is well"),
        (name = "sign-in", description = "Sessions of browsers"),
        (name = "docs", description = "This description"),
    ),
    paths(
        api::tasks::submit, api::tasks::list, api::tasks::one, api::tasks::cancel, api::tasks::release,
        api::tasks::retry, api::tasks::evidence,
        api::flows::check, api::flows::save, api::flows::list, api::flows::one,
        api::fleet::overview, api::fleet::pool, api::fleet::patch_pool, api::fleet::gates,
        api::orders::list, api::orders::one, api::orders::tasks, api::orders::claim, api::orders::heartbeat,
        api::orders::release, api::orders::annotate, api::orders::draft, api::orders::close,
        api::orders::reopen, api::orders::assign, api::orders::take_over,
        api::rules::list, api::rules::one, api::rules::create, api::rules::change,
        api::breaker::one, api::breaker::set, api::breaker::sites,
        api::events::events,
        health::healthz, health::readyz, health::readyz_pool, observe::metrics,
        sign_in::show, sign_in::sign_in, sign_in::sign_out,
        document, super::docs::page,
    ),
    components(schemas(app::model::problem::Problem, app::model::event::Topic)),
    security(("token" = []), ("session" = [])),
    modifiers(&Keys, &Refusals),
)]
struct Description;

/// How a caller says who it is.
struct Keys;

impl Modify for Keys {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let token =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API token")).build();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        let session = ApiKeyValue::with_description(SESSION_COOKIE, "A browser's session");
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
    }
}

/// The refusals that follow from what an operation takes, so that no handler has to list them.
struct Refusals;

impl Modify for Refusals {
    fn modify(&self, document: &mut openapi::OpenApi) {
        for (path, item) in &mut document.paths.paths {
            let operations =
                [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
            for operation in operations.into_iter().flatten() {
                complete(path, operation);
            }
        }
    }
}

fn complete(path: &str, operation: &mut Operation) {
    let open = operation.security.as_ref().is_some_and(|needs| !needs.is_empty());
    let takes = |place| {
        operation.parameters.iter().flatten().any(
            |parameter| matches!(parameter, openapi::RefOr::T(parameter) if parameter.parameter_in == place),
        )
    };
    let (in_path, in_query) = (takes(ParameterIn::Path), takes(ParameterIn::Query));
    let body = operation.request_body.is_some();
    let mut needed = Vec::new();
    if !open {
        needed.extend([("401", "Not signed in"), ("403", "Not allowed"), ("429", "Too much at once")]);
    }
    if in_path {
        needed.push(("404", "There is no such thing"));
    }
    if body {
        needed.extend([
            ("400", "The body is not JSON"),
            ("413", "The body is too large"),
            ("415", "The body is of another media type"),
        ]);
    }
    if body || (in_query && path.starts_with("/api/")) {
        needed.push(("422", "The input is at fault"));
    }
    needed.push(("default", "Failed inside"));
    for (status, description) in needed {
        if !operation.responses.responses.contains_key(status) {
            let response = ResponseBuilder::new().description(description).build();
            operation.responses.responses.insert(status.to_owned(), response.into());
        }
    }
    for (status, response) in &mut operation.responses.responses {
        let refuses = status == "default" || status.starts_with(['4', '5']);
        if refuses && let openapi::RefOr::T(response) = response {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
            response.content.insert(problem::MEDIA_TYPE.to_owned(), content.into());
        }
    }
}
