//! The API's description, held against what really answers.

use serde_json::Value;

use crate::probe::{Ask, ask, front};

async fn document() -> Value {
    ask("GET", "/api/openapi.json").token("viewer").of(&front()).await.json()
}

#[tokio::test]
async fn every_operation_that_is_described_is_there() {
    let front = front();
    let document = document().await;
    let mut described = 0;
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in ["get", "post", "put", "patch", "delete"] {
            if item[method].is_null() {
                continue;
            }
            described += 1;
            let path = path
                .replace("{id}", "0190a000-0000-7000-8000-000000000000")
                .replace("{kind}", "dom")
                .replace("{name}", "search");
            let response = ask(&method.to_uppercase(), &path).token("admin").open(&front).await;
            assert_ne!(response.status(), 405, "{method} {path}");
            let there = response.status() != 404 || path.contains("0190a000");
            assert!(there, "{method} {path}");
        }
    }
    assert_eq!(described, 44);
}

#[tokio::test]
async fn the_contract_is_described() {
    let document = document().await;
    for (method, path) in [
        ("post", "/api/v1/tasks"),
        ("get", "/api/v1/tasks"),
        ("get", "/api/v1/tasks/{id}"),
        ("post", "/api/v1/tasks/{id}/cancel"),
        ("post", "/api/v1/tasks/{id}/release"),
        ("post", "/api/v1/tasks/{id}/retry"),
        ("get", "/api/v1/attempts/{id}/evidence/{kind}"),
        ("get", "/api/v1/flows"),
        ("post", "/api/v1/flows"),
        ("post", "/api/v1/flows/check"),
        ("get", "/api/v1/flows/{name}"),
        ("get", "/api/v1/overview"),
        ("get", "/api/v1/pool"),
        ("patch", "/api/v1/pool"),
        ("get", "/api/v1/gates"),
        ("get", "/api/v1/orders"),
        ("get", "/api/v1/orders/{id}"),
        ("get", "/api/v1/orders/{id}/tasks"),
        ("post", "/api/v1/orders/{id}/claim"),
        ("post", "/api/v1/orders/{id}/heartbeat"),
        ("post", "/api/v1/orders/{id}/release"),
        ("post", "/api/v1/orders/{id}/annotations"),
        ("post", "/api/v1/orders/{id}/draft"),
        ("post", "/api/v1/orders/{id}/close"),
        ("post", "/api/v1/orders/{id}/reopen"),
        ("post", "/api/v1/orders/{id}/assign"),
        ("post", "/api/v1/orders/{id}/takeover"),
        ("get", "/api/v1/rules"),
        ("post", "/api/v1/rules"),
        ("get", "/api/v1/rules/{id}"),
        ("patch", "/api/v1/rules/{id}"),
        ("get", "/api/v1/breaker"),
        ("post", "/api/v1/breaker"),
        ("get", "/api/v1/breaker/sites"),
        ("get", "/api/v1/events"),
        ("get", "/metrics"),
        ("get", "/healthz"),
    ] {
        assert!(document["paths"][path][method].is_object(), "{method} {path}");
    }
    let submit = &document["paths"]["/api/v1/tasks"]["post"]["responses"];
    for status in ["201", "200", "400", "401", "403", "409", "413", "415", "422", "429"] {
        assert!(submit[status].is_object(), "{status}");
    }
    assert_eq!(
        submit["422"]["content"]["application/problem+json"]["schema"]["$ref"],
        "#/components/schemas/Problem"
    );
    let page = &document["components"]["schemas"]["Page_Task"];
    assert_eq!(page["required"], serde_json::json!(["items", "next"]), "{page}");
}

#[tokio::test]
async fn every_reference_in_the_document_leads_somewhere() {
    let document = document().await;
    let text = document.to_string();
    let names = text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next());
    for name in names {
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[tokio::test]
async fn the_docs_are_a_page_that_needs_nothing_from_elsewhere() {
    let seen = Ask::token(ask("GET", "/api/docs"), "viewer").of(&front()).await;
    assert_eq!((seen.status, seen.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(seen.body.contains("/api/v1/tasks/{id}/cancel"));
    assert!(!seen.body.contains("<script") && !seen.body.contains("src=\"http"), "self-contained");
}

#[tokio::test]
async fn the_schemas_say_what_is_sent() {
    let document = document().await;
    let schemas = &document["components"]["schemas"];
    let fault = schemas["Fault"].to_string();
    assert!(fault.contains("\"message\"") && !fault.contains("\"what\""), "{fault}");
    assert_eq!(schemas["Order"]["properties"]["claimed_by"]["type"], "string", "absent, never null");
    let next = schemas.as_object().expect("schemas").iter().find(|(name, _)| name.starts_with("Page_"));
    assert_eq!(next.expect("a page").1["properties"]["next"]["type"], serde_json::json!(["string", "null"]));
}
