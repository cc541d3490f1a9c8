//! The session layer against a browser that the test plays: what is odd, late, lost or too much.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use server::cdp::protocol::browser_protocol::browser::GetVersionParams;
use server::cdp::protocol::browser_protocol::page::EventDomContentEventFired;
use server::cdp::protocol::js_protocol::runtime::EvaluateParams;
use server::cdp::{CdpError, Connection};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// The browser's side of the socket.
struct Browser(WebSocketStream<TcpStream>);

impl Browser {
    async fn say(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.expect("sent");
    }

    /// The next command that is not the layer's own.
    async fn hear(&mut self) -> Value {
        loop {
            let message = self.0.next().await.expect("a message").expect("received");
            let command: Value = serde_json::from_str(message.to_text().expect("text")).expect("JSON");
            if command["method"] != "Inspector.enable" {
                return command;
            }
        }
    }

    async fn attach(&mut self, session: &str, target: &str, through: Option<&str>) {
        let info = json!({"targetId": target, "type": "page", "url": "about:blank"});
        let params = json!({"sessionId": session, "targetInfo": info, "waitingForDebugger": false});
        let mut event = json!({"method": "Target.attachedToTarget", "params": params});
        if let Some(through) = through {
            event["sessionId"] = through.into();
        }
        self.say(event).await;
        // The layer enables the inspector on what is attached; with that, the session is known.
        self.0.next().await.expect("a message").expect("received");
    }
}

async fn connected() -> (Connection, Browser) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("ws://{}/devtools/browser/x", listener.local_addr().expect("its address"));
    let accept = async {
        let (stream, _) = listener.accept().await.expect("accepted");
        Browser(tokio_tungstenite::accept_async(stream).await.expect("upgraded"))
    };
    let (connection, browser) = tokio::join!(Connection::connect(&url), accept);
    (connection.expect("connected"), browser)
}

fn evaluate() -> EvaluateParams {
    EvaluateParams::new("1")
}

fn version() -> Value {
    json!({"protocolVersion": "1.3", "product": "P", "revision": "r", "userAgent": "u", "jsVersion": "j"})
}

#[tokio::test]
async fn what_is_not_understood_is_dropped_and_the_session_goes_on() {
    let (connection, mut browser) = connected().await;
    browser.attach("s", "t", None).await;
    let session = connection.session("s");
    let mut events = session.subscribe::<EventDomContentEventFired>(8);
    let sent = session.send(GetVersionParams {}).expect("sent");
    let id = browser.hear().await["id"].clone();
    browser.0.send(Message::text("no JSON")).await.expect("sent");
    browser.say(json!(["no", "envelope"])).await;
    browser.say(json!({"neither": "answer nor event"})).await;
    browser.say(json!({"method": "New.event", "params": {"unheard": "of"}, "sessionId": "s"})).await;
    browser
        .say(json!({"method": "Page.domContentEventFired", "params": {"timestamp": {}}, "sessionId": "s"}))
        .await;
    browser.say(json!({"method": "Page.domContentEventFired", "params": {"timestamp": 1.5}, "sessionId": "nobody"})).await;
    browser
        .say(json!({"method": "Page.domContentEventFired", "params": {"timestamp": 2.5}, "sessionId": "s"}))
        .await;
    browser.say(json!({"id": 999, "result": {}, "sessionId": "s"})).await;
    browser.say(json!({"id": id, "result": version(), "sessionId": "s"})).await;
    assert_eq!(sent.answer().await.expect("answered").product, "P");
    assert_eq!(*events.next().await.expect("an event").timestamp.inner(), 2.5);
}

#[tokio::test]
async fn a_refusal_and_an_odd_answer_are_told_apart() {
    let (connection, mut browser) = connected().await;
    let root = connection.root();
    let (first, second) =
        (root.send(GetVersionParams {}).expect("sent"), root.send(GetVersionParams {}).expect("sent"));
    let (one, two) = (browser.hear().await["id"].clone(), browser.hear().await["id"].clone());
    browser.say(json!({"id": two, "result": {"product": 7}})).await;
    browser.say(json!({"id": one, "error": {"code": -32000, "message": "no"}})).await;
    let refused = first.answer().await.expect_err("refused");
    assert!(matches!(refused, CdpError::Refused { code: -32000, .. }), "{refused}");
    assert!(matches!(second.answer().await, Err(CdpError::Decode { .. })));
}

#[tokio::test]
async fn a_closed_connection_fails_every_waiting_call_at_once() {
    let (connection, mut browser) = connected().await;
    browser.attach("s", "t", None).await;
    let session = connection.session("s");
    let waiting = [
        tokio::spawn({
            let session = session.clone();
            async move { session.call(evaluate()).await.map(drop) }
        }),
        tokio::spawn({
            let root = connection.root();
            async move { root.call(GetVersionParams {}).await.map(drop) }
        }),
    ];
    browser.hear().await;
    browser.hear().await;
    drop(browser);
    assert!(matches!(connection.closed().await, CdpError::Closed(_)));
    for call in waiting {
        assert!(matches!(call.await.expect("no panic"), Err(CdpError::Closed(_))));
    }
    assert!(matches!(session.call(evaluate()).await, Err(CdpError::Closed(_))));
    assert!(session.subscribe::<EventDomContentEventFired>(1).next().await.is_none());
}

#[tokio::test]
async fn a_detached_page_takes_its_frames_with_it_and_nobody_else() {
    let (connection, mut browser) = connected().await;
    browser.attach("page", "t1", None).await;
    browser.attach("frame", "t2", Some("page")).await;
    browser.attach("other", "t3", None).await;
    let frame = connection.session("frame").send(evaluate()).expect("sent");
    browser.say(json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "page"}})).await;
    assert_eq!(frame.answer().await.map(drop), Err(CdpError::Detached));
    assert_eq!(connection.session("page").is_gone(), Some(CdpError::Detached));
    assert_eq!(connection.session("other").is_gone(), None);
}

#[tokio::test]
async fn a_crash_told_of_the_target_ends_its_sessions() {
    let (connection, mut browser) = connected().await;
    browser.attach("s", "t", None).await;
    let call = connection.session("s").send(evaluate()).expect("sent");
    let crash = json!({"targetId": "t", "status": "crashed", "errorCode": 5});
    browser.say(json!({"method": "Target.targetCrashed", "params": crash})).await;
    assert_eq!(call.answer().await.map(drop), Err(CdpError::Crashed));
}

#[tokio::test]
async fn a_slow_listener_misses_events_and_can_see_how_many() {
    let (connection, mut browser) = connected().await;
    let mut events = connection.root().events(["Page.domContentEventFired"], 2);
    for n in 0..5 {
        browser.say(json!({"method": "Page.domContentEventFired", "params": {"timestamp": n}})).await;
    }
    let sent = connection.root().send(GetVersionParams {}).expect("sent");
    let id = browser.hear().await["id"].clone();
    browser.say(json!({"id": id, "result": version()})).await;
    sent.answer().await.expect("answered, so the events before it are here");
    assert_eq!(events.missed(), 3);
    assert_eq!(events.next().await.expect("the first").params(), r#"{"timestamp":0}"#);
}

#[tokio::test]
async fn a_browser_that_does_not_read_takes_no_memory_without_end() {
    let (connection, _browser) = connected().await;
    let large = EvaluateParams::new("x".repeat(64 << 10));
    let refused = (0..100_000).find_map(|n| {
        // The pump gets its turn on another thread; what is refused in the end is what it could not send.
        (n % 64 == 0).then(std::thread::yield_now);
        connection.root().tell(large.clone()).err()
    });
    assert!(matches!(refused, Some(CdpError::Congested { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_connection_nobody_uses_is_closed() {
    let (connection, mut browser) = connected().await;
    drop(connection);
    let last = tokio::time::timeout(Duration::from_secs(5), browser.0.next()).await.expect("an end");
    assert!(!matches!(last, Some(Ok(Message::Text(_)))), "{last:?}");
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_named() {
    let error = Connection::connect("ws://127.0.0.1:9/devtools/browser/x").await.map(drop);
    assert!(matches!(&error, Err(CdpError::Connect { url, .. }) if url.contains(":9/")), "{error:?}");
}
