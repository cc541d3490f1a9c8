//! The ways in which a page, an address or a log may write a secret. Pure.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The fewest characters of base64 that are taken for a secret.
const BASE64_LEAST: usize = 6;

/// The writings of a secret but base64.
pub(super) fn forms(secret: &str) -> BTreeSet<String> {
    let json = json_escaped(secret);
    let html = html_escaped(secret, "&#39;");
    let percent = percent_encoded(secret, false);
    let mut forms = BTreeSet::from([
        secret.to_owned(),
        secret.trim().to_owned(),
        secret.replace("\r\n", "\n"),
        json.replace('/', "\\/"),
        json_escaped(&json),
        html_escaped(secret, "&#x27;"),
        html_escaped(secret, "'"),
        html_escaped(&json, "'"),
        html_escaped(&json, "&#39;"),
        json_escaped(&html),
        percent.replace("%20", "+"),
        percent_encoded(&percent, false),
        ascii_json_escaped(secret),
        percent_encoded_strict(secret),
        json,
        html,
        percent,
    ]);
    // Hexadecimal digits come in either case.
    let lower: Vec<String> = [
        percent_encoded(secret, true),
        percent_encoded(secret, true).replace("%20", "+"),
        percent_encoded(&percent_encoded(secret, true), true),
        ascii_json_escaped(secret).to_ascii_uppercase().replace("\\U", "\\u"),
    ]
    .into_iter()
    .filter(|form| !form.is_empty())
    .collect();
    // The upper-cased JSON form is only of use where it escapes everything: else it is another word.
    forms.extend(
        lower.into_iter().filter(|form| !form.contains("\\u") || secret.chars().all(|c| !c.is_ascii())),
    );
    forms.retain(|form| !form.is_empty());
    forms
}

pub(super) fn json_escaped(text: &str) -> String {
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// JSON that keeps to ASCII.
pub(super) fn ascii_json_escaped(text: &str) -> String {
    let mut out = String::new();
    for c in json_escaped(text).chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

pub(super) fn html_escaped(text: &str, apostrophe: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', apostrophe)
}

/// As `encodeURIComponent` writes it.
pub(super) fn percent_encoded(text: &str, lower: bool) -> String {
    percent(text, lower, |byte| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte))
}

/// As RFC 3986 writes it: only unreserved characters stay.
pub(super) fn percent_encoded_strict(text: &str) -> String {
    percent(text, false, |byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
}

fn percent(text: &str, lower: bool, stays: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len() * 3);
    for byte in text.bytes() {
        if stays(byte) {
            out.push(char::from(byte));
        } else if lower {
            out.push_str(&format!("%{byte:02x}"));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The characters of base64 that depend on the secret alone, for each of the three alignments at which it can
/// stand in what was encoded.
pub(super) fn base64_forms(secret: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    for offset in 0..3_usize {
        let mut bytes = vec![0; offset];
        bytes.extend_from_slice(secret.as_bytes());
        let first = (offset * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            // A secret's own end may be the end of what was encoded: its last, partly filled character is then
            // shown, and says nothing without the others.
            let own = &encoded[first.min(encoded.len())..last.min(encoded.len())];
            if own.len() >= BASE64_LEAST {
                forms.insert(percent_encoded(own, false));
                forms.insert(own.to_owned());
            }
        }
    }
    forms
}
