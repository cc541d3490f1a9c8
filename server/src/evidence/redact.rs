//! Masks secrets in text that is about to be written.
//!
//! Two rules, both blind to length, so that a mask tells nothing of what it hides:
//!
//! - a secret's value, in every writing in which a page, an address or a log may show it: raw, percent-encoded,
//!   form-encoded, base64 (at any alignment, so that it is found inside `user:password` too), JSON- and
//!   HTML-escaped, and these in one another where that differs;
//! - what follows `name=` in an address's query or fragment, for the names in the settings, and what follows
//!   `Authorization`, `Cookie` and `Set-Cookie`.
//!
//! Pure: text in, text out.

use std::collections::BTreeSet;

use app::model::evidence::Trace;
use app::model::fault::Fault;

use super::writings::{base64_forms, forms};

/// What stands in the place of what is hidden.
pub const MASK: &str = "•••";

/// Secrets shorter than this are masked only where they stand alone: in the middle of words they would be found
/// everywhere and their masks would make evidence useless.
const FREE_STANDING: usize = 4;

/// Headers whose values are never shown.
const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "set-cookie", "cookie"];

/// Masks the secrets and the query names that it was made with.
#[derive(Clone)]
pub struct Redactor {
    needles: Vec<Needle>,
    /// For each first byte the needles that begin with it, the longest first.
    by_first: Vec<Vec<u32>>,
    names: BTreeSet<String>,
}

#[derive(Clone)]
struct Needle {
    text: String,
    free_standing: bool,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").field("needles", &self.needles.len()).field("names", &self.names).finish()
    }
}

impl Redactor {
    /// A redactor for these secret values and these names of query and fragment fields (whole names, any case).
    /// Empty secrets hide nothing.
    #[must_use]
    pub fn new(secrets: &[String], mask_names: &[String]) -> Self {
        let mut texts: BTreeSet<(String, bool)> = BTreeSet::new();
        for secret in secrets.iter().filter(|secret| !secret.trim().is_empty()) {
            let free_standing = secret.chars().count() < FREE_STANDING;
            for form in forms(secret) {
                texts.insert((form, free_standing));
            }
            if !free_standing {
                texts.extend(base64_forms(secret).into_iter().map(|form| (form, false)));
            }
        }
        let mut needles: Vec<Needle> =
            texts.into_iter().map(|(text, free_standing)| Needle { text, free_standing }).collect();
        needles.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then_with(|| a.text.cmp(&b.text)));
        let mut by_first = vec![Vec::new(); 256];
        for (index, needle) in needles.iter().enumerate() {
            if let Some(first) = needle.text.bytes().next() {
                by_first[usize::from(first)].push(index as u32);
            }
        }
        let names =
            mask_names.iter().map(|name| name.trim().to_lowercase()).filter(|n| !n.is_empty()).collect();
        Self { needles, by_first, names }
    }

    /// Masks secrets, masked names in addresses, and credentials in header lines.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        mask_headers(&self.markup(text))
    }

    /// As [`Redactor::text`] without the header lines: prose about cookies is no header.
    #[must_use]
    pub fn markup(&self, text: &str) -> String {
        self.mask_names(&self.mask_secrets(text))
    }

    /// Masks what a fault says.
    #[must_use]
    pub fn fault(&self, mut fault: Fault) -> Fault {
        for value in fault.what.params.values_mut() {
            *value = self.text(value);
        }
        fault
    }

    /// Masks everything in a trace.
    pub fn trace(&self, trace: &mut Trace) {
        let mask = |text: &mut String| *text = self.text(text);
        for step in &mut trace.steps {
            mask(&mut step.words);
            for tried in &mut step.tries {
                mask(&mut tried.chain);
                tried.why.as_mut().map(mask);
            }
        }
        trace.console.iter_mut().for_each(|line| mask(&mut line.text));
        trace.dialogs.iter_mut().for_each(|line| mask(&mut line.text));
        for line in &mut trace.network {
            mask(&mut line.url);
            line.error.as_mut().map(mask);
        }
    }

    fn mask_secrets(&self, text: &str) -> String {
        if self.needles.is_empty() {
            return text.to_owned();
        }
        let bytes = text.as_bytes();
        let mut out = String::with_capacity(text.len());
        let (mut copied, mut at) = (0, 0);
        while at < bytes.len() {
            match self.needle_at(text, at) {
                Some(length) => {
                    out.push_str(&text[copied..at]);
                    out.push_str(MASK);
                    at += length;
                    copied = at;
                }
                None => at += 1,
            }
        }
        out.push_str(&text[copied..]);
        out
    }

    /// The length of the longest needle that begins at a byte.
    fn needle_at(&self, text: &str, at: usize) -> Option<usize> {
        let rest = &text.as_bytes()[at..];
        self.by_first[usize::from(rest[0])].iter().find_map(|index| {
            let needle = &self.needles[*index as usize];
            let fits = rest.starts_with(needle.text.as_bytes())
                && (!needle.free_standing || stands_alone(text, at, at + needle.text.len()));
            fits.then_some(needle.text.len())
        })
    }

    fn mask_names(&self, text: &str) -> String {
        if self.names.is_empty() {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((value, end)) = self.next_named(rest) {
            out.push_str(&rest[..value]);
            out.push_str(MASK);
            rest = &rest[end..];
        }
        out.push_str(rest);
        out
    }

    /// Where the value of the first masked name begins and ends.
    fn next_named(&self, text: &str) -> Option<(usize, usize)> {
        let mut from = 0;
        while let Some(found) = next_equals(text, from) {
            let Equals { at, length, encoded } = found;
            from = at + length;
            let name_start = name_start(&text[..at], encoded);
            let Some(name_start) = name_start else { continue };
            let name = percent_decoded(&text[name_start..at]).to_lowercase();
            if !self.names.contains(&name) {
                continue;
            }
            let end = from + value_length(&text[from..], encoded);
            let value = &text[from..end];
            if !value.is_empty() && value != MASK {
                return Some((from, end));
            }
        }
        None
    }
}

/// The `=` between a name and its value, as it is or percent-encoded.
struct Equals {
    at: usize,
    length: usize,
    encoded: bool,
}

fn next_equals(text: &str, from: usize) -> Option<Equals> {
    let rest = &text.as_bytes()[from..];
    rest.iter().enumerate().find_map(|(i, byte)| match byte {
        b'=' => Some(Equals { at: from + i, length: 1, encoded: false }),
        b'%' if rest[i..].len() >= 3 && rest[i..i + 3].eq_ignore_ascii_case(b"%3d") => {
            Some(Equals { at: from + i, length: 3, encoded: true })
        }
        _ => None,
    })
}

/// Where a field's name begins that ends with this text; none where nothing of an address stands before it.
fn name_start(before: &str, encoded: bool) -> Option<usize> {
    let tail_start = before.char_indices().rev().nth(80).map_or(0, |(i, _)| i);
    let tail = &before[tail_start..];
    let start = if encoded {
        ["%3F", "%3f", "%26", "%23"].iter().filter_map(|mark| tail.rfind(mark).map(|i| i + 3)).max()
    } else {
        tail.rfind(['?', '&', '#', ';']).map(|i| i + 1)
    };
    start.map(|i| tail_start + i)
}

fn value_length(value: &str, encoded: bool) -> usize {
    let end =
        |c: char| c.is_whitespace() || matches!(c, '&' | '#' | '"' | '\'' | '<' | '>' | '`' | ')' | '\\');
    let plain = value.find(end).unwrap_or(value.len());
    if !encoded {
        return plain;
    }
    let value = &value[..plain];
    let marks = ["%26", "%23", "%22", "%27", "%3C", "%3c", "%3E", "%3e", "%20"];
    marks.iter().filter_map(|mark| value.find(mark)).min().unwrap_or(value.len())
}

/// Masks the values of credential headers, in header lines and in JSON.
fn mask_headers(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while at < text.len() {
        let Some((start, end)) = header_value(&lower, at) else {
            at += 1;
            continue;
        };
        out.push_str(&text[copied..start]);
        out.push_str(MASK);
        copied = end;
        at = end.max(at + 1);
    }
    out.push_str(&text[copied..]);
    out
}

/// Where the value of a credential header stands whose name begins here.
fn header_value(lower: &str, at: usize) -> Option<(usize, usize)> {
    let rest = lower.as_bytes().get(at..)?;
    let name = HEADERS.iter().find(|name| rest.starts_with(name.as_bytes()))?;
    if at > 0 && (lower.as_bytes()[at - 1].is_ascii_alphanumeric() || lower.as_bytes()[at - 1] == b'-') {
        return None;
    }
    let mut value = at + name.len();
    let bytes = lower.as_bytes();
    let quoted = bytes.get(value) == Some(&b'"');
    value += usize::from(quoted);
    while bytes.get(value) == Some(&b' ') {
        value += 1;
    }
    if bytes.get(value) != Some(&b':') {
        return None;
    }
    value += 1;
    while bytes.get(value) == Some(&b' ') {
        value += 1;
    }
    let in_quotes = bytes.get(value) == Some(&b'"');
    value += usize::from(in_quotes);
    let tail = &lower[value..];
    let length = if in_quotes { quoted_length(tail) } else { tail.find(['\n', '\r']).unwrap_or(tail.len()) };
    (length > 0).then_some((value, value + length))
}

/// The length of a JSON string's inside.
fn quoted_length(tail: &str) -> usize {
    let mut escaped = false;
    tail.bytes()
        .position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })
        .unwrap_or(tail.len())
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let decoded = code
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(decoded.unwrap_or(bytes[at]));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
