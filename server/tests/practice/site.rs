//! The practice site's pages, straight through its router and on a real listener.

use std::time::Duration;

use crate::browser::Browser;
use axum::http::{StatusCode, header};
use serde_json::Value;
use server::practice::{State, serve};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

const ADDRESS: [(&str, &str); 7] = [
    ("name", "Grace Ekeland"),
    ("email", "grace@example.com"),
    ("street", "Kongens gate 12"),
    ("postcode", "1767"),
    ("city", "Halden"),
    ("country", "NO"),
    ("terms", "yes"),
];

#[tokio::test]
async fn the_shops_pages_are_there_and_call_nothing_outside() {
    let state = State::default();
    let mut browser = Browser::new(&state);
    for path in [
        "/",
        "/products",
        "/products?category=lanterns&sort=cheapest",
        "/products/roros-hand-plane",
        "/search",
        "/search?q=lamp",
        "/cart",
        "/wish-list",
        "/sign-in",
        "/help",
        "/help/delivery",
        "/trouble",
        "/control",
    ] {
        let page = browser.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        let outside = page.body.replace("http://www.w3.org/", "").contains("//");
        assert!(!outside, "{path} has an address of another site");
        assert_eq!(page.body.matches("<h1").count(), 1, "{path}");
    }
    assert_eq!(browser.get("/nowhere").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/products/nothing").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_search_is_paged_and_keeps_its_query() {
    let mut browser = Browser::new(&State::default());
    let first = browser.get("/search?q=lamp").await;
    assert_eq!(first.text_after("id=\"summary\""), "1–12 of 20 products");
    assert!(first.body.contains("/search?q=lamp&amp;page=2"));
    let second = browser.get("/search?q=lamp&page=2").await;
    assert_eq!(second.text_after("id=\"summary\""), "13–20 of 20 products");
    assert_eq!(second.body.matches("data-testid=\"result\"").count(), 8);
    let none = browser.get("/search?q=submarine").await;
    assert!(none.body.contains("Nothing matches"));
}

#[tokio::test]
async fn what_was_typed_comes_back_as_text() {
    let mut browser = Browser::new(&State::default());
    let page = browser.get("/search?q=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E").await;
    assert!(!page.body.contains("<script>alert"));
    let page = browser.post("/sign-in", &[("email", "\"><b>x"), ("password", "no")]).await;
    assert!(!page.body.contains("<b>x"));
    let page = browser.get("/trouble/script-title").await;
    assert!(page.text_after("<title").starts_with("&lt;script&gt;"));
}

#[tokio::test]
async fn an_order_is_placed_once_and_has_a_number() {
    let state = State::default();
    let mut browser = Browser::new(&state);
    browser.post("/cart", &[("product", "voss-lantern"), ("pieces", "2")]).await;
    let page = browser.post("/checkout", &ADDRESS).await;
    assert_eq!(page.status, StatusCode::OK);
    let number = page.text_after("id=\"order-number\"").to_owned();
    assert_eq!(number, "H-500001");
    // The cart is empty now, so the same form sent again orders nothing.
    let again = browser.post("/checkout", &ADDRESS).await;
    assert_eq!(again.path, "/cart");
    let orders: Value = serde_json::from_str(&browser.get("/control/orders.json").await.body).expect("JSON");
    assert_eq!((&orders["count"], &orders["orders"][0]["number"]), (&1.into(), &"H-500001".into()));
    // Nobody else sees it.
    let other = Browser::new(&state).get("/confirmation?order=H-500001").await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_faulty_form_comes_back_with_what_was_typed_and_what_is_wrong() {
    let mut browser = Browser::new(&State::default());
    browser.post("/cart", &[("product", "voss-lantern")]).await;
    let mut form = ADDRESS.to_vec();
    form[1].1 = "nonsense";
    form[3].1 = "";
    let page = browser.post("/checkout", &form).await;
    assert_eq!(page.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        page.has_id("contact-email-error") && page.has_id("postcode-error") && !page.has_id("city-error")
    );
    assert!(page.body.contains("value=\"Kongens gate 12\"") && page.body.contains("value=\"nonsense\""));
}

#[tokio::test]
async fn orders_are_behind_sign_in_and_signing_in_leads_back_to_them() {
    let state = State::default();
    let mut browser = Browser::new(&state);
    for path in ["/orders", "/orders/H-104412", "/orders/export.csv"] {
        assert_eq!(browser.get(path).await.path, "/sign-in?next=/orders");
    }
    let refused = browser.post("/sign-in", &[("email", "ada@example.com"), ("password", "wrong")]).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let form = [("email", "ada@example.com"), ("password", "practice"), ("next", "/orders")];
    let orders = browser.post("/sign-in", &form).await;
    assert_eq!((orders.path.as_str(), orders.body.matches("data-testid=\"order\"").count()), ("/orders", 6));
    assert_eq!(browser.get("/orders/export.csv").await.body.lines().count(), 7);
    assert_eq!(
        Browser::new(&state).get("/orders").await.path,
        "/sign-in?next=/orders",
        "another visitor is not signed in"
    );
    browser.post("/sign-out", &[]).await;
    assert_eq!(browser.get("/orders").await.path, "/sign-in?next=/orders");
}

#[tokio::test]
async fn a_design_by_address_stays_with_its_visitor_and_the_control_pages_is_for_all() {
    let state = State::default();
    let mut one = Browser::new(&state);
    let mut other = Browser::new(&state);
    assert!(one.get("/products/voss-lantern?design=2").await.has_id("buy-box-main"));
    assert!(one.get("/products/voss-lantern").await.has_id("buy-box-main"), "it stays");
    assert!(other.get("/products/voss-lantern").await.has_id("add-to-cart"));

    other.post("/control/design", &[("look", "2"), ("remove", "on")]).await;
    let page = other.get("/products/voss-lantern").await;
    assert!(!page.has_id("buy-box-main") && page.has_id("buy-box-later"));
    one.get("/?design=1").await;
    assert!(one.get("/products/voss-lantern").await.has_id("add-to-cart"), "the address stands above");
    one.get("/?design=shop").await;
    assert!(!one.get("/products/voss-lantern").await.has_id("add-to-cart"), "until it is given back");

    other.post("/control/design", &[("design", "1-trade")]).await;
    assert_eq!(
        other.get("/products/voss-lantern").await.text_after("id=\"add-to-cart\""),
        "Add to wish list"
    );
    other.post("/control/design", &[("design", "1-swap")]).await;
    let page = other.get("/products/voss-lantern").await.body;
    assert!(page.find("id=\"add-to-wish-list\"") < page.find("id=\"add-to-cart\""));
}

#[tokio::test]
async fn the_log_tells_what_came_in_and_reset_forgets_it() {
    let state = State::default();
    let mut browser = Browser::new(&state);
    browser.get("/search?q=secret+words&sort=name").await;
    browser.get("/trouble/error").await;
    let log: Value = serde_json::from_str(&browser.get("/control/log.json").await.body).expect("JSON");
    let entries = log["entries"].as_array().expect("a list");
    assert_eq!(entries.len(), 2, "the control pages are not in it");
    assert_eq!(entries[0]["path"], "/search");
    assert_eq!(entries[0]["query"], serde_json::json!(["q", "sort"]));
    assert_eq!(entries[1]["status"], 500);
    assert!(!log.to_string().contains("secret"), "names only");
    browser.post("/control/reset", &[]).await;
    assert!(state.log().0.is_empty());
}

#[tokio::test]
async fn every_trouble_page_of_the_index_answers() {
    let mut browser = Browser::new(&State::default());
    let index = browser.get("/trouble").await.body;
    let addresses: Vec<&str> = index
        .split("<dt><a href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|address| *address != "/trouble/never")
        .collect();
    assert!(addresses.len() > 30);
    for address in addresses {
        let page = browser.get(&address.replace("ms=2000", "ms=1")).await;
        let refuses = ["too-many", "busy?", "error", "forbidden", "gone", "password", "redirect-loop"]
            .iter()
            .any(|name| address.contains(name));
        assert_eq!(page.status != StatusCode::OK, refuses, "{address}: {}", page.status);
    }
}

#[tokio::test]
async fn refusals_carry_what_they_were_told_to_and_end_after_so_many() {
    let mut browser = Browser::new(&State::default());
    let page = browser.get("/trouble/too-many?after=3").await;
    assert_eq!(
        (page.status, &page.headers[header::RETRY_AFTER]),
        (StatusCode::TOO_MANY_REQUESTS, &"3".parse().expect("a value"))
    );
    let page = browser.get("/trouble/too-many?after=junk%20-1&times=2&key=a").await;
    assert_eq!(page.headers[header::RETRY_AFTER], "junk -1");
    assert_eq!(browser.get("/trouble/too-many?times=2&key=a").await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(browser.get("/trouble/too-many?times=2&key=a").await.status, StatusCode::OK);
    assert_eq!(browser.get("/trouble/too-many?times=2&key=b").await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(browser.get("/trouble/error?code=404").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/trouble/error?code=200").await.status, StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn the_redirects_go_where_they_say() {
    let mut browser = Browser::new(&State::default());
    let page = browser.get("/trouble/redirect-once").await;
    assert_eq!((page.status, page.text_after("id=\"answer\"")), (StatusCode::OK, "The cookie is there."));
    assert_eq!(browser.get("/trouble/redirect-loop").await.status, StatusCode::FOUND, "still going");
    assert_eq!(browser.post("/trouble/submit", &[("amount", "1")]).await.text_after("id=\"answer\""), "1");
    assert_eq!(browser.post("/trouble/submit", &[("amount", "1")]).await.text_after("id=\"answer\""), "2");
    browser.follow = false;
    let page = browser.get("/trouble/redirect?to=http%3A%2F%2F169.254.169.254%2F").await;
    assert_eq!(page.headers[header::LOCATION], "http://169.254.169.254/");
}

#[tokio::test]
async fn the_site_stops_when_told_to_although_an_answer_has_no_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let site = tokio::spawn(serve(listener, async {
        let _ = stopped.await;
    }));
    let mut stream = TcpStream::connect(address).await.expect("connects");
    stream.write_all(b"GET /trouble/endless.svg HTTP/1.1\r\nhost: shop\r\n\r\n").await.expect("sent");
    let mut first = vec![0; 4096];
    let mut read = 0;
    while !String::from_utf8_lossy(&first[..read]).contains("<svg") {
        read += stream.read(&mut first[read..]).await.expect("begins");
    }
    stop.send(()).expect("listens");
    let ended =
        tokio::time::timeout(Duration::from_secs(10), site).await.expect("in time").expect("no panic");
    assert!(ended.is_ok());
    let mut rest = Vec::new();
    tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut rest))
        .await
        .expect("in time")
        .expect("ends");
}
