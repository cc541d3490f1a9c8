//! Where a request wants to go: host and port in their one normal form.
//!
//! Every host goes through the address parser that browsers agree on (WHATWG), so that `2130706433`,
//! `0x7f.1`, `0177.0.0.1`, `１２７.0.0.1` and `127.0.0.1.` are all the IPv4 address that they mean, and what
//! is left as a name really is one.

use std::{fmt, net::IpAddr};

use hyper::Uri;
use url::Host;

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The host: a name in lower case without a trailing dot, or an address.
    pub host: Host<String>,
    /// The port.
    pub port: u16,
}

impl Target {
    /// Reads a host as it stands in an address, and a port; none where it is no host.
    #[must_use]
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let host = match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(address)) => Host::Ipv6(address),
            _ => match Host::parse(host).ok()? {
                Host::Domain(name) => {
                    let name = name.trim_end_matches('.');
                    // Without its dots it may be a number: then it is an address that was spelled as a name.
                    match Host::parse(name).ok()? {
                        Host::Domain(name) => Host::Domain(name),
                        address => address,
                    }
                }
                address => address,
            },
        };
        Some(Self { host, port })
    }

    /// Reads what CONNECT asks for, `host:port`.
    #[must_use]
    pub fn of_connect(uri: &Uri) -> Option<Self> {
        let authority = uri.authority()?;
        if authority.as_str().contains('@') {
            return None;
        }
        Self::new(authority.host(), authority.port_u16()?)
    }

    /// Reads where an `http://host[:port]/…` request goes.
    #[must_use]
    pub fn of_http(uri: &Uri) -> Option<Self> {
        let authority = uri.authority()?;
        let port = match authority.port_u16() {
            Some(port) => port,
            // Anything else beside the host is a port that is none, or credentials.
            None if authority.as_str() == authority.host() => 80,
            None => return None,
        };
        (!authority.as_str().contains('@')).then(|| Self::new(authority.host(), port))?
    }

    /// The host's address where it is one.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// Whether the host is a name that always means this machine.
    #[must_use]
    pub fn is_loopback_name(&self) -> bool {
        matches!(&self.host, Host::Domain(name) if is_loopback_name(name))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// `localhost` and what lies under it.
#[must_use]
pub fn is_loopback_name(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(host: &str, port: u16) -> Option<String> {
        Target::new(host, port).map(|target| target.to_string())
    }

    #[test]
    fn every_spelling_of_an_address_is_that_address() {
        for spelling in [
            "127.0.0.1",
            "127.0.0.1.",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0X7F.1",
            "0177.0.0.01",
            "017700000001",
            "%31%32%37.0.0.1",
            "１２７．０．０．１",
            "127。0。0。1",
        ] {
            assert_eq!(text(spelling, 80), Some("127.0.0.1:80".to_owned()), "{spelling}");
        }
        for spelling in ["::1", "[::1]", "[0:0:0:0:0:0:0:1]", "[::0.0.0.1]"] {
            assert_eq!(text(spelling, 1), Some("[::1]:1".to_owned()), "{spelling}");
        }
    }

    #[test]
    fn names_are_lower_case_punycode_without_a_trailing_dot() {
        assert_eq!(text("Shop.EXAMPLE.", 443), Some("shop.example:443".to_owned()));
        assert_eq!(text("bücher.example", 443), Some("xn--bcher-kva.example:443".to_owned()));
    }

    #[test]
    fn what_is_no_host_is_none() {
        for bad in [
            "",
            ".",
            "a b",
            "1.2.3.4.5",
            "256.0.0.1",
            "[fe80::1%25eth0]",
            "fe80::1%eth0",
            "[::1",
            "a/b",
            "user@a",
        ] {
            assert_eq!(text(bad, 80), None, "{bad}");
        }
    }

    #[test]
    fn requests_name_their_target() {
        let connect = |text: &str| {
            text.parse::<Uri>().ok().as_ref().and_then(Target::of_connect).map(|t| t.to_string())
        };
        assert_eq!(connect("shop.example:443").as_deref(), Some("shop.example:443"));
        assert_eq!(connect("[::1]:443").as_deref(), Some("[::1]:443"));
        assert_eq!(connect("shop.example"), None);
        assert_eq!(connect("me@shop.example:443"), None);
        let http =
            |text: &str| text.parse::<Uri>().ok().as_ref().and_then(Target::of_http).map(|t| t.to_string());
        assert_eq!(http("http://Shop.example/a?b").as_deref(), Some("shop.example:80"));
        assert_eq!(http("http://0x7f.1:8080/").as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(http("http://me:secret@shop.example/"), None);
        assert_eq!(http("http://shop.example:99999/"), None);
    }
}
