use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use proptest::prelude::*;

use super::super::writings::{
    ascii_json_escaped, html_escaped, json_escaped, percent_encoded, percent_encoded_strict,
};
use super::*;

fn redactor(secrets: &[&str]) -> Redactor {
    let names = ["code", "token", "api_key", "password"];
    Redactor::new(&secrets.map_owned(), &names.as_slice().map_owned())
}

trait MapOwned {
    fn map_owned(&self) -> Vec<String>;
}

impl MapOwned for &[&str] {
    fn map_owned(&self) -> Vec<String> {
        self.iter().map(|text| (*text).to_owned()).collect()
    }
}

#[test]
fn a_secret_is_masked_in_every_writing() {
    let secret = "p&ss \"w<rd>' ü/1";
    let masked = redactor(&[secret]);
    for text in [
        secret.to_owned(),
        json_escaped(secret),
        ascii_json_escaped(secret),
        html_escaped(secret, "&#39;"),
        html_escaped(secret, "&#x27;"),
        percent_encoded(secret, false),
        percent_encoded(secret, true),
        percent_encoded(secret, false).replace("%20", "+"),
        percent_encoded_strict(secret),
        percent_encoded(&percent_encoded(secret, false), false),
        html_escaped(&json_escaped(secret), "&#39;"),
    ] {
        assert_eq!(masked.text(&format!("before {text} after")), "before ••• after", "{text}");
    }
}

#[test]
fn a_secret_inside_basic_credentials_is_masked_at_any_alignment() {
    let masked = redactor(&["correct horse battery"]);
    for user in ["", "a", "bo", "eve", "mary"] {
        let encoded = STANDARD.encode(format!("{user}:correct horse battery"));
        let out = masked.text(&format!("Basic {encoded}."));
        let shown = out.replace(MASK, "");
        assert!(out.contains(MASK) && shown.len() < "Basic .".len() + 12, "{user}: {out}");
    }
}

#[test]
fn a_mask_is_as_long_for_a_short_secret_as_for_a_long_one() {
    let (short, long) = ("seven77", "a much longer secret with many words");
    assert_eq!(redactor(&[short]).text(short), redactor(&[long]).text(long));
}

#[test]
fn a_very_short_secret_is_masked_only_where_it_stands_alone() {
    assert_eq!(redactor(&["42"]).text("pin 42, room 1428"), "pin •••, room 1428");
}

#[test]
fn masked_names_go_by_the_whole_name_in_any_case() {
    let masked = redactor(&[]);
    for (text, wanted) in [
        ("http://s/?Token=abc&page=2", "http://s/?Token=•••&page=2"),
        ("http://s/?a=1&api_key=k#code=xyz", "http://s/?a=1&api_key=•••#code=•••"),
        ("http://s/?zipcode=8000", "http://s/?zipcode=8000"),
        ("<a data-href=\"/x?a=1&amp;token=abc\">", "<a data-href=\"/x?a=1&amp;token=•••\">"),
        ("/r?to=http%3A%2F%2Fs%2F%3Ftoken%3Dabc%26x%3D1", "/r?to=http%3A%2F%2Fs%2F%3Ftoken%3D•••%26x%3D1"),
        ("/r?%74oken=abc", "/r?%74oken=•••"),
        ("see ?token= and token=abc", "see ?token= and token=abc"),
    ] {
        assert_eq!(masked.text(text), wanted);
    }
}

#[test]
fn credential_headers_lose_their_values() {
    let masked = redactor(&[]);
    assert_eq!(masked.text("Authorization: Bearer abc\nAccept: */*"), "Authorization: •••\nAccept: */*");
    assert_eq!(
        masked.text(r#"{"set-cookie": "sid=\"1\"; Path=/", "a": 1}"#),
        r#"{"set-cookie": "•••", "a": 1}"#
    );
    assert_eq!(masked.markup("Cookie: we use some"), "Cookie: we use some");
}

#[test]
fn a_fault_and_a_trace_are_masked_throughout() {
    use app::model::evidence::{ConsoleLine, DialogLine, NetworkLine, SelectorTry, TraceStep};
    use app::model::fault::FaultClass;
    use app::model::message::Message;

    let masked = redactor(&["hunter22"]);
    let fault =
        Fault::new(FaultClass::HttpStatus, Message::new("http.status").with("url", "http://s/?q=hunter22"));
    assert_eq!(masked.fault(fault).what.params["url"], "http://s/?q=•••");

    let secret = || "hunter22".to_owned();
    let mut trace = Trace {
        steps: vec![TraceStep {
            index: 0,
            words: secret(),
            at_ms: 0,
            tries: vec![SelectorTry { chain: secret(), matched: 0, why: Some(secret()) }],
        }],
        console: vec![ConsoleLine { at_ms: 0, level: "log".into(), text: secret() }],
        network: vec![NetworkLine {
            at_ms: 0,
            method: "GET".into(),
            url: secret(),
            status: None,
            error: Some(secret()),
        }],
        dialogs: vec![DialogLine { at_ms: 0, kind: "alert".into(), text: secret() }],
        dropped: 0,
        screenshot_note: None,
    };
    masked.trace(&mut trace);
    let json = serde_json::to_string(&trace).expect("a trace is JSON");
    assert!(!json.contains("hunter22"), "{json}");
}

/// Writings that can hold any text.
fn writings(secret: &str) -> Vec<String> {
    vec![
        secret.to_owned(),
        json_escaped(secret),
        html_escaped(secret, "&#39;"),
        percent_encoded(secret, false),
        percent_encoded(secret, true),
        STANDARD_NO_PAD.encode(secret),
    ]
}

proptest! {
    #[test]
    fn no_writing_of_a_secret_survives(secret in "\\PC{8,24}", before in "[a-z ]{0,8}", after in "[a-z ]{0,8}") {
        prop_assume!(!secret.trim().is_empty());
        let masked = Redactor::new(std::slice::from_ref(&secret), &[]);
        for text in writings(&secret) {
            let out = masked.text(&format!("{before}|{text}|{after}"));
            prop_assert!(out.contains(MASK), "{} in {}", text, out);
            prop_assert!(secret == MASK || !out.contains(&text) , "{} in {}", text, out);
        }
    }

    #[test]
    fn text_without_secrets_is_left_as_it_is(text in "[a-z0-9 .,/:<>\"']{0,200}") {
        let masked = redactor(&["CORRECT HORSE"]);
        prop_assert_eq!(masked.text(&text), text);
    }

    #[test]
    fn masking_twice_is_masking_once(text in "\\PC{0,60}", secret in "[a-zA-Z0-9]{5,9}") {
        let masked = redactor(&[&secret]);
        let once = masked.text(&format!("{text}{secret}?token={text}"));
        prop_assert_eq!(masked.text(&once), once);
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,300}", secret in "\\PC{0,4}") {
        let _ = redactor(&[&secret]).text(&text);
    }
}
