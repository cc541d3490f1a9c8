//! From what a site, the network or Chrome did to a fault of the design's table. Pure.

use app::model::Timestamp;
use app::model::fault::{Fault, FaultClass};
use app::model::message::Message;
use url::Url;

use super::job::Reach;
use crate::cdp::CdpError;

/// The fault of a document's status; none where the document is a page to go on with. `until` is when the site
/// is to be left alone.
pub(super) fn status(url: &str, status: u16, retry_after: bool, until: Option<Timestamp>) -> Option<Fault> {
    if status < 400 {
        return None;
    }
    let refused = |code: &'static str| Message::new(code).with("domain", domain(url)).with("status", status);
    let page = |code: &'static str| Message::new(code).with("url", url).with("status", status);
    let fault = match status {
        401 | 407 => Fault::new(FaultClass::Auth, page("auth.status")),
        403 => Fault::new(FaultClass::Blocked, refused("blocked.status")),
        429 => Fault::new(FaultClass::Blocked, wait(refused, until)),
        503 if retry_after => Fault::new(FaultClass::Blocked, wait(refused, until)),
        _ => Fault::new(FaultClass::HttpStatus, page("http.status")),
    };
    Some(fault.with_status(status))
}

fn wait(refused: impl Fn(&'static str) -> Message, until: Option<Timestamp>) -> Message {
    match until {
        Some(until) => refused("blocked.retry_after").with("until", until.rfc3339()),
        None => refused("blocked.status"),
    }
}

/// The fault of a status that a flow did not expect.
pub(super) fn unexpected(url: &str, got: u16, wanted: &[u16], usual: Option<Fault>) -> Fault {
    let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let what = Message::new("http.unexpected")
        .with("url", url)
        .with("status", got)
        .with("wanted", wanted.join(" or "));
    // A site that refuses us does so whatever the flow expects, and is to be waited for as usual.
    match usual {
        Some(fault) if fault.class == FaultClass::Blocked => fault,
        Some(fault) => Fault::new(fault.class, what).with_status(got),
        None => Fault::new(FaultClass::HttpStatus, what).with_status(got),
    }
}

/// The fault of a navigation that brought no document, by Chrome's words for it and the proxy's judgement of
/// the host.
pub(super) fn navigation(url: &str, error: &str, reach: &Reach) -> Fault {
    let host = domain(url);
    let failed = |why: &str| {
        Fault::new(
            FaultClass::Navigation,
            Message::new("navigation.failed").with("url", url).with("why", why),
        )
    };
    let named =
        |code: &'static str| Fault::new(FaultClass::Navigation, Message::new(code).with("host", &host));
    match reach {
        Reach::Refused { why } => {
            return Fault::new(
                FaultClass::Policy,
                Message::new("policy.address").with("host", &host).with("why", why),
            );
        }
        Reach::DnsFailed => return named("navigation.dns"),
        Reach::ConnectFailed { .. } => return named("navigation.refused"),
        Reach::ConnectTimeout => return failed("no connection came about in time"),
        Reach::Allowed => {}
    }
    let error = error.strip_prefix("net::").unwrap_or(error);
    match error {
        "ERR_NAME_NOT_RESOLVED" | "ERR_NAME_RESOLUTION_FAILED" => named("navigation.dns"),
        "ERR_CONNECTION_REFUSED" => named("navigation.refused"),
        "ERR_TOO_MANY_REDIRECTS" => redirect_loop(url),
        "ERR_UNSAFE_REDIRECT" | "ERR_DISALLOWED_URL_SCHEME" | "ERR_UNKNOWN_URL_SCHEME" => scheme(url),
        _ if error.starts_with("ERR_CERT_") || error.starts_with("ERR_SSL_") => Fault::new(
            FaultClass::Navigation,
            Message::new("navigation.tls").with("host", &host).with("why", readable(error)),
        ),
        _ => failed(&readable(error)),
    }
}

/// The fault of redirects without end.
pub(super) fn redirect_loop(url: &str) -> Fault {
    Fault::new(FaultClass::Navigation, Message::new("navigation.redirect_loop").with("url", url))
}

/// The fault of a scheme that a job may not use.
pub(super) fn scheme(url: &str) -> Fault {
    Fault::new(FaultClass::Policy, Message::new("policy.scheme").with("url", cut(url, 200)))
}

/// The fault of an address that is a download.
pub(super) fn download(url: &str) -> Fault {
    Fault::new(FaultClass::Download, Message::new("download.started").with("url", url))
}

/// Whether a flow may navigate there: http, https, or an empty page.
pub(super) fn may_navigate(url: &str) -> bool {
    match Url::parse(url.trim()) {
        Ok(url) => matches!(url.scheme(), "http" | "https") || url.as_str() == "about:blank",
        Err(_) => false,
    }
}

/// The fault of a failed call to Chrome.
pub(super) fn chrome(error: &CdpError) -> Fault {
    match error {
        CdpError::Crashed => Fault::new(FaultClass::RendererCrash, Message::new("renderer.crashed")),
        CdpError::Connect { .. } | CdpError::Closed(_) => {
            Fault::new(FaultClass::InstanceLost, Message::new("instance.lost").with("why", error))
        }
        CdpError::Detached => Fault::new(
            FaultClass::Selector,
            Message::new("selector.target").with("target", "of this step: it was closed"),
        ),
        CdpError::TimedOut { method, limit } => slow(method, limit.as_millis() as u64),
        CdpError::Refused { .. }
        | CdpError::Decode { .. }
        | CdpError::Encode { .. }
        | CdpError::Congested { .. } => internal(error),
    }
}

/// The fault of a call that Chrome did not answer.
pub(super) fn slow(method: &str, ms: u64) -> Fault {
    Fault::new(FaultClass::Timeout, Message::new("timeout.chrome").with("method", method).with("ms", ms))
}

/// A fault of ours; what it was goes into the log, under a number that the fault carries.
pub(super) fn internal(error: &dyn std::fmt::Display) -> Fault {
    let incident = uuid::Uuid::now_v7();
    tracing::error!(%incident, %error, "an attempt failed inside");
    Fault::new(FaultClass::Internal, Message::new("internal").with("incident", incident))
}

/// Chrome's code for an error as words: `ERR_CERT_DATE_INVALID` becomes `cert date invalid`.
fn readable(error: &str) -> String {
    error.strip_prefix("ERR_").unwrap_or(error).to_lowercase().replace('_', " ")
}

/// The host of an address, with its port where that is not the scheme's own.
pub(super) fn domain(url: &str) -> String {
    match Url::parse(url) {
        Ok(parsed) => match (parsed.host_str(), parsed.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (Some(host), None) => host.to_owned(),
            (None, _) => cut(url, 100),
        },
        Err(_) => cut(url, 100),
    }
}

/// Host and port as the proxy knows them.
pub(super) fn host_and_port(url: &str) -> Option<(String, u16)> {
    let url = Url::parse(url).ok()?;
    Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
}

/// Whether a page is where a recording expects it: the same address, fragments aside unless the expected one
/// has its own.
pub(super) fn is_at(now: &str, expected: &str) -> bool {
    match (Url::parse(now), Url::parse(expected)) {
        (Ok(mut now), Ok(mut expected)) => {
            if expected.fragment().is_none_or(str::is_empty) {
                now.set_fragment(None);
                expected.set_fragment(None);
            }
            now == expected
        }
        _ => now == expected,
    }
}

/// Cuts a text at a number of characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    app::model::flow::words::cut(text, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_go_to_the_classes_of_the_table() {
        let class = |code, retry_after| status("http://s/", code, retry_after, None).map(|fault| fault.class);
        assert_eq!(class(200, false), None);
        assert_eq!(class(304, false), None);
        assert_eq!(class(404, false), Some(FaultClass::HttpStatus));
        assert_eq!(class(500, false), Some(FaultClass::HttpStatus));
        assert_eq!(class(401, false), Some(FaultClass::Auth));
        assert_eq!(class(407, false), Some(FaultClass::Auth));
        assert_eq!(class(403, false), Some(FaultClass::Blocked));
        assert_eq!(class(429, false), Some(FaultClass::Blocked));
        assert_eq!(class(503, true), Some(FaultClass::Blocked));
        assert_eq!(class(503, false), Some(FaultClass::HttpStatus));
    }

    #[test]
    fn a_stated_wait_is_in_the_message() {
        let fault = status("http://shop:8080/x", 429, true, Some(Timestamp(0))).expect("a fault");
        assert_eq!(fault.status, Some(429));
        assert_eq!(fault.message(), "shop:8080 answered 429 and asks to wait until 1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn the_proxys_judgement_comes_before_chromes_words() {
        let fault =
            |reach: Reach| navigation("https://s.example/", "net::ERR_TUNNEL_CONNECTION_FAILED", &reach);
        assert_eq!(fault(Reach::Refused { why: "private".into() }).class, FaultClass::Policy);
        assert_eq!(fault(Reach::DnsFailed).what.code, "navigation.dns");
        assert_eq!(fault(Reach::ConnectFailed { why: "refused".into() }).what.code, "navigation.refused");
        assert_eq!(fault(Reach::ConnectTimeout).class, FaultClass::Navigation);
        assert_eq!(
            fault(Reach::Allowed).message(),
            "The page at https://s.example/ could not be loaded: tunnel connection failed"
        );
    }

    #[test]
    fn errors_without_a_judgement_are_told_apart() {
        let code = |error: &str| navigation("http://s/", error, &Reach::Allowed).what.code;
        assert_eq!(code("net::ERR_NAME_NOT_RESOLVED"), "navigation.dns");
        assert_eq!(code("net::ERR_CONNECTION_REFUSED"), "navigation.refused");
        assert_eq!(code("net::ERR_TOO_MANY_REDIRECTS"), "navigation.redirect_loop");
        assert_eq!(code("net::ERR_CERT_DATE_INVALID"), "navigation.tls");
        assert_eq!(code("net::ERR_UNSAFE_REDIRECT"), "policy.scheme");
    }

    #[test]
    fn only_web_addresses_may_be_gone_to() {
        for good in ["http://s/", "HTTPS://s", "about:blank"] {
            assert!(may_navigate(good), "{good}");
        }
        for bad in ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "chrome://gpu", "s", ""]
        {
            assert!(!may_navigate(bad), "{bad}");
        }
    }

    #[test]
    fn an_expected_address_ignores_fragments_it_does_not_name() {
        assert!(is_at("http://s/a#top", "http://s/a"));
        assert!(is_at("http://s", "http://s/"));
        assert!(is_at("http://s/#/cart", "http://s/#/cart"));
        assert!(!is_at("http://s/#/cart", "http://s/#/home"));
        assert!(!is_at("http://s/a?x=1", "http://s/a"));
    }

    #[test]
    fn a_refusal_keeps_its_class_where_another_status_was_expected() {
        let usual = status("http://s/", 429, false, None);
        assert_eq!(unexpected("http://s/", 429, &[200], usual).class, FaultClass::Blocked);
        assert_eq!(unexpected("http://s/", 200, &[404], None).what.code, "http.unexpected");
    }
}
