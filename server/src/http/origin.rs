//! Whether a browser's request comes from our own pages: the guard against requests that another site
//! makes a signed-in browser send.
//!
//! Browsers say so in `Sec-Fetch-Site`; over plain http to another machine they leave that out, and
//! `Origin` has to agree with the `Host` that was asked or with the public address. A request with
//! neither is not a browser's.

use axum::http::{HeaderMap, Method, header};

/// Whether a request may change something, as far as its origin goes. `public` is the origin of the
/// address that people use, which stands where a proxy has rewritten `Host`.
#[must_use]
pub fn allowed(method: &Method, headers: &HeaderMap, public: Option<&str>) -> bool {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return true;
    }
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    match text("sec-fetch-site") {
        Some("same-origin" | "none") => return true,
        Some(_) => return text("origin").is_some_and(|origin| public == Some(origin)),
        None => {}
    }
    let Some(origin) = text("origin") else { return true };
    if public == Some(origin) {
        return true;
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    matches!((authority, host), (Some(authority), Some(host)) if authority.eq_ignore_ascii_case(host))
}

/// The origin of an address, as a browser writes it.
#[must_use]
pub fn of_url(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    url.has_host().then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(pairs: &[(&'static str, &'static str)], public: Option<&str>) -> bool {
        let headers = pairs
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        allowed(&Method::POST, &headers.collect(), public)
    }

    #[test]
    fn our_own_pages_and_programs_come_through() {
        assert!(post(&[("host", "box:3000")], None), "no browser");
        assert!(post(&[("sec-fetch-site", "same-origin")], None));
        assert!(post(&[("sec-fetch-site", "none")], None), "typed by the person");
        assert!(post(&[("origin", "http://box:3000"), ("host", "Box:3000")], None));
        assert!(post(
            &[("origin", "https://box.example"), ("host", "10.0.0.7:3000")],
            Some("https://box.example")
        ));
    }

    #[test]
    fn other_sites_do_not() {
        assert!(!post(&[("sec-fetch-site", "cross-site"), ("host", "box")], None));
        assert!(!post(&[("sec-fetch-site", "same-site"), ("host", "box")], None));
        assert!(!post(&[("sec-fetch-site", "cross-site"), ("origin", "http://box"), ("host", "box")], None));
        assert!(!post(&[("origin", "http://evil.example"), ("host", "box")], None));
        assert!(!post(&[("origin", "null"), ("host", "box")], None));
        assert!(
            !post(&[("origin", "http://box:8080"), ("host", "box:3000")], None),
            "another port is another site"
        );
        assert!(!post(&[("origin", "http://box")], None), "no host to compare with");
        assert!(!post(&[("sec-fetch-site", "nonsense")], None));
    }

    #[test]
    fn reading_is_not_held_up() {
        let headers = [("sec-fetch-site".parse().expect("a name"), "cross-site".parse().expect("a value"))];
        assert!(allowed(&Method::GET, &headers.into_iter().collect(), None));
    }

    #[test]
    fn the_public_address_is_compared_as_a_browser_writes_it() {
        assert_eq!(of_url("https://Box.example:443/path").as_deref(), Some("https://box.example"));
        assert_eq!(of_url("http://127.0.0.1:3000").as_deref(), Some("http://127.0.0.1:3000"));
        assert_eq!(of_url("nonsense"), None);
    }
}
