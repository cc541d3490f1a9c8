//! Coming in and going out.

use server::http::router;

use crate::{
    fake::{PASSWORD, Room},
    probe::{ask, front, front_of, options},
};

fn password() -> String {
    PASSWORD.replace(' ', "+")
}

#[tokio::test]
async fn a_right_password_is_a_cookie_and_a_way_on() {
    let front = front();
    let post = |next: &str| {
        ask("POST", "/sign-in").form(&format!("user=operator&password={}&next={next}", password()))
    };
    let seen = post("%2Ftasks%3Fstate%3Dqueued").of(&front).await;
    assert_eq!((seen.status, seen.header("location")), (303, "/tasks?state=queued"));
    assert_eq!(
        seen.header("set-cookie"),
        "signalbox_session=operator; HttpOnly; SameSite=Lax; Path=/; Max-Age=34560000"
    );
    for elsewhere in ["%2F%2Fevil.example", "https%3A%2F%2Fevil.example", "%2F%5Cevil.example", ""] {
        assert_eq!(post(elsewhere).of(&front).await.header("location"), "/", "{elsewhere}");
    }
}

#[tokio::test]
async fn over_https_the_cookie_is_secure() {
    let mut options = options();
    options.public_url = "https://box.example".to_owned();
    let front = router(Room::new(), options);
    let seen = ask("POST", "/sign-in").form(&format!("user=admin&password={}", password())).of(&front).await;
    assert!(seen.header("set-cookie").ends_with("; Secure"), "{seen:?}");
}

#[tokio::test]
async fn a_wrong_password_is_401_with_the_page_and_what_was_typed_but_the_password() {
    let seen = ask("POST", "/sign-in").form("user=%3Cb%3Eada&password=wrong+horse").of(&front()).await;
    assert_eq!((seen.status, seen.header("content-type")), (401, "text/html; charset=utf-8"));
    assert!(seen.body.contains("value=\"&lt;b&gt;ada\""), "{}", seen.body);
    assert!(seen.body.contains("role=\"alert\"") && !seen.body.contains("wrong horse"));
    assert_eq!(seen.header("set-cookie"), "");
}

#[tokio::test]
async fn too_many_failures_say_when_to_come_again() {
    let seen = ask("POST", "/sign-in").form("user=guessed&password=wrong+horse").of(&front()).await;
    assert_eq!((seen.status, seen.header("retry-after")), (429, "9"));
}

#[tokio::test]
async fn a_program_that_asks_for_json_gets_problems() {
    let front = front();
    let body = "{\"user\": \"ada\", \"password\": \"wrong horse\"}";
    assert_eq!(ask("POST", "/sign-in").json(body).of(&front).await.problem().0, 401);
    let good = format!("{{\"user\": \"admin\", \"password\": \"{PASSWORD}\"}}");
    assert_eq!(ask("POST", "/sign-in").json(good).of(&front).await.status, 303);
    let unknown =
        ask("POST", "/sign-in").header("accept", "application/json").form("user=a&password=b&colour=c");
    assert_eq!(unknown.of(&front).await.problem(), (422, vec!["/colour".to_owned()]));
    assert_eq!(
        ask("POST", "/sign-in").header("content-type", "text/plain").of(&front).await.problem().0,
        415
    );
}

#[tokio::test]
async fn the_first_admin_chooses_name_and_password() {
    let front = front();
    let page = ask("GET", "/sign-in?once=first").of(&front).await;
    assert_eq!(page.status, 200);
    for part in ["name=\"once\" value=\"first\"", "name=\"user\"", "autocomplete=\"new-password\""] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let weak = ask("POST", "/sign-in").form("once=first&user=ada&password=short").of(&front).await;
    assert_eq!(weak.status, 422);
    assert!(
        weak.body.contains("at least 10 characters") && weak.body.contains("value=\"first\""),
        "the link is not lost"
    );
    let nameless = ask("POST", "/sign-in").form(&format!("once=first&user=&password={}", password()));
    assert_eq!(nameless.of(&front).await.status, 422);
    let good = ask("POST", "/sign-in").form(&format!("once=first&user=ada&password={}", password()));
    assert_eq!(good.of(&front).await.header("location"), "/");
}

#[tokio::test]
async fn a_link_for_an_account_asks_for_a_password_alone() {
    let page = ask("GET", "/sign-in?once=grace").of(&front()).await;
    assert!(
        page.body.contains("For the account Grace &lt;3.") && !page.body.contains("name=\"user\""),
        "{}",
        page.body
    );
}

#[tokio::test]
async fn a_spent_link_says_so_and_offers_the_ordinary_way() {
    let front = front();
    let page = ask("GET", "/sign-in?once=spent").of(&front).await;
    assert_eq!(page.status, 401);
    assert!(page.body.contains("name=\"user\"") && page.body.contains("ask for a new link"));
    let post = ask("POST", "/sign-in").form(&format!("once=spent&password={}", password())).of(&front).await;
    assert_eq!(post.status, 401);
    assert!(post.body.contains("ask for a new link"), "{}", post.body);
}

#[tokio::test]
async fn another_site_cannot_sign_anybody_in() {
    let form = format!("user=admin&password={}", password());
    let foreign = ask("POST", "/sign-in").header("sec-fetch-site", "cross-site").form(&form);
    assert_eq!(foreign.of(&front()).await.problem().0, 403);
}

#[tokio::test]
async fn who_is_signed_in_is_sent_on_and_who_signs_in_anew_ends_the_old_session() {
    let room = Room::new();
    let front = front_of(room.clone());
    let seen = ask("GET", "/sign-in?next=%2Ftasks").session("viewer").of(&front).await;
    assert_eq!((seen.status, seen.header("location")), (303, "/tasks"));
    assert_eq!(ask("GET", "/sign-in").session("nobody").of(&front).await.status, 200);
    ask("POST", "/sign-in")
        .session("viewer")
        .form(&format!("user=admin&password={}", password()))
        .of(&front)
        .await;
    assert_eq!(*room.signed_out.lock(), ["viewer"]);
}

#[tokio::test]
async fn signing_out_ends_the_session_and_takes_the_cookie_back() {
    let room = Room::new();
    let front = front_of(room.clone());
    let seen = ask("POST", "/sign-out").session("viewer").of(&front).await;
    assert_eq!((seen.status, seen.header("location")), (303, "/sign-in"));
    assert!(
        seen.header("set-cookie").starts_with("signalbox_session=; ")
            && seen.header("set-cookie").contains("Max-Age=0")
    );
    assert_eq!(*room.signed_out.lock(), ["viewer"]);
}
