//! The API's description to read: a page made from the same document that programs read.

use std::sync::{Arc, LazyLock};

use axum::{Router, http::StatusCode, response::Response, routing::get};
use serde_json::{Map, Value};

use super::{
    Shared,
    html::{self, escape},
    openapi::DOCUMENT,
};

const CSS: &str = include_str!("docs.css");

/// The methods of a path, in the order they are shown.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

static BODY: LazyLock<String> = LazyLock::new(|| body(&DOCUMENT));

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/docs", get(page))
        .route("/pkg/docs.css", get(|| async { html::stylesheet(CSS) }))
}

/// The description of this API to read
#[utoipa::path(get, path = "/api/docs", tag = "docs",
    responses((status = 200, description = "A page", content_type = "text/html", body = String)))]
pub(super) async fn page() -> Response {
    html::page(StatusCode::OK, "API · Signalbox", "/pkg/docs.css", &BODY)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn object<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.pointer(pointer).and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn body(document: &Value) -> String {
    let mut nav = String::new();
    let mut main = String::new();
    main.push_str(&format!(
        "<h1>{} API</h1>\n<p>{}</p>\n<p>Programs send <code>Authorization: Bearer TOKEN</code>; make a token \
         with <code>signalbox token create</code>. The same description for programs: \
         <a href=\"/api/openapi.json\">openapi.json</a>.</p>\n",
        escape(text(&document["info"], "title")),
        escape(text(&document["info"], "description")),
    ));
    for tag in list(document, "tags") {
        let name = text(tag, "name");
        nav.push_str(&format!("<li><a href=\"#{0}\">{0}</a></li>\n", escape(name)));
        main.push_str(&format!(
            "<section id=\"{0}\">\n<h2>{0}</h2>\n<p>{1}</p>\n",
            escape(name),
            escape(text(tag, "description"))
        ));
        for (path, item) in object(document, "/paths") {
            for method in METHODS {
                let operation = &item[method];
                if list(operation, "tags").any(|tag| tag.as_str() == Some(name)) {
                    show_operation(&mut main, method, path, operation);
                }
            }
        }
        main.push_str("</section>\n");
    }
    nav.push_str("<li><a href=\"#schemas\">schemas</a></li>\n");
    main.push_str("<section id=\"schemas\">\n<h2>schemas</h2>\n");
    for (name, schema) in object(document, "/components/schemas") {
        show_schema(&mut main, name, schema);
    }
    main.push_str("</section>\n");
    format!(
        "<nav aria-label=\"Sections\">\n<p><a href=\"/\">Signalbox</a></p>\n<ul>\n{nav}</ul>\n</nav>\n<main>\n{main}</main>"
    )
}

fn show_operation(out: &mut String, method: &str, path: &str, operation: &Value) {
    out.push_str(&format!(
        "<article>\n<h3><code><span class=\"method\">{}</span> {}</code></h3>\n<p>{}</p>\n",
        method.to_uppercase(),
        escape(path),
        escape(text(operation, "summary")),
    ));
    let description = text(operation, "description");
    if !description.is_empty() {
        out.push_str(&format!("<p>{}</p>\n", words(description)));
    }
    let mut rows = String::new();
    for parameter in list(operation, "parameters") {
        rows.push_str(&format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            escape(text(parameter, "name")),
            escape(text(parameter, "in")),
            kind(&parameter["schema"]),
            words(text(parameter, "description")),
        ));
    }
    table(out, "Parameters", "<th>name</th><th>in</th><th>type</th><th>what</th>", &rows);
    for (media, content) in object(&operation["requestBody"], "/content") {
        out.push_str(&format!("<p>Body, <code>{}</code>: {}</p>\n", escape(media), kind(&content["schema"])));
    }
    let mut rows = String::new();
    for (status, response) in object(operation, "/responses") {
        let bodies: Vec<String> = object(response, "/content")
            .map(|(media, content)| format!("<code>{}</code> {}", escape(media), kind(&content["schema"])))
            .collect();
        rows.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            escape(status),
            words(text(response, "description")),
            bodies.join("<br>"),
        ));
    }
    table(out, "Answers", "<th>status</th><th>what</th><th>body</th>", &rows);
    out.push_str("</article>\n");
}

fn show_schema(out: &mut String, name: &str, schema: &Value) {
    out.push_str(&format!(
        "<article id=\"schema-{0}\">\n<h3><code>{0}</code></h3>\n<p>{1}</p>\n",
        escape(name),
        words(text(schema, "description"))
    ));
    let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
    let mut rows = String::new();
    for (field, of) in object(schema, "/properties") {
        let needed = if required.contains(&field.as_str()) { "always" } else { "" };
        rows.push_str(&format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{needed}</td><td>{}</td></tr>\n",
            escape(field),
            kind(of),
            words(text(of, "description")),
        ));
    }
    if rows.is_empty() {
        out.push_str(&format!("<p>{}</p>\n", kind(schema)));
    }
    table(out, "Fields", "<th>field</th><th>type</th><th>there</th><th>what</th>", &rows);
    out.push_str("</article>\n");
}

fn table(out: &mut String, caption: &str, head: &str, rows: &str) {
    if !rows.is_empty() {
        out.push_str(&format!(
            "<div class=\"scroll\"><table>\n<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table></div>\n"
        ));
    }
}

/// A schema in a few words, as HTML; the named ones link to where they are shown.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|address| address.rsplit('/').next()) {
        return format!("<a href=\"#schema-{0}\"><code>{0}</code></a>", escape(name));
    }
    if schema["enum"].is_array() {
        let values: Vec<String> = list(schema, "enum")
            .map(|value| format!("<code>{}</code>", escape(value.as_str().unwrap_or(&value.to_string()))))
            .collect();
        return values.join(", ");
    }
    let many = ["oneOf", "anyOf", "allOf"].iter().find(|name| schema[**name].is_array());
    if let Some(name) = many {
        let parts = list(schema, name).filter(|part| text(part, "type") != "null").map(kind);
        return parts.collect::<Vec<_>>().join(if *name == "allOf" { " and " } else { " or " });
    }
    let plain = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            let names: Vec<&str> =
                names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect();
            names.join(" or ")
        }
        _ => "anything".to_owned(),
    };
    match (plain.as_str(), text(schema, "format")) {
        ("array", _) if schema["items"].is_object() => format!("list of {}", kind(&schema["items"])),
        ("object", _) if schema["additionalProperties"].is_object() => {
            format!("object of {}", kind(&schema["additionalProperties"]))
        }
        (plain, "") => escape(plain),
        (plain, format) => format!("{} ({})", escape(plain), escape(format)),
    }
}

/// Words with `code` in backticks.
fn words(text: &str) -> String {
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        match n % 2 {
            0 => out.push_str(&escape(part)),
            _ => out.push_str(&format!("<code>{}</code>", escape(part))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_shown_once_and_every_link_leads_somewhere() {
        let page = body(&DOCUMENT);
        let operations: usize = object(&DOCUMENT, "/paths")
            .map(|(_, item)| METHODS.iter().filter(|method| item[**method].is_object()).count())
            .sum();
        assert_eq!(page.matches("class=\"method\"").count(), operations);
        for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }

    #[test]
    fn what_the_document_says_is_text() {
        assert_eq!(words("a <b> `c<d`"), "a &lt;b&gt; <code>c&lt;d</code>");
    }
}
