//! The entries of `[egress] allow` and `deny`.

use std::net::IpAddr;

use ipnet::IpNet;
use thiserror::Error;
use url::Host;

use super::target::{Target, is_loopback_name};

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// As it was written.
    pub text: String,
    what: What,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Net(IpNet),
    Name(String),
    /// A name's subdomains.
    Under(String),
}

/// An entry that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("[egress] {list}: '{entry}' {why}")]
pub struct RuleError {
    /// `allow` or `deny`.
    pub list: &'static str,
    /// The entry as it was written.
    pub entry: String,
    /// What is wrong with it.
    pub why: &'static str,
}

const FORMS: &str =
    "is not an address, address:port, CIDR block or name (IPv6 with a port in brackets: [::1]:8080)";

impl Rule {
    /// Reads an entry of the allow list.
    ///
    /// # Errors
    /// When it has none of the forms, or is a loopback name without a port.
    pub fn allow(entry: &str) -> Result<Self, RuleError> {
        let error = |why| RuleError { list: "allow", entry: entry.to_owned(), why };
        let rule = Self::parse(entry).ok_or_else(|| error(FORMS))?;
        match &rule.what {
            What::Name(name) if is_loopback_name(name) && rule.port.is_none() => {
                Err(error("needs a port, such as localhost:8123: a whole machine is not opened by its name"))
            }
            What::Under(name) if is_loopback_name(name) => {
                Err(error("is not possible: name each one with its port"))
            }
            _ => Ok(rule),
        }
    }

    /// Reads an entry of the deny list.
    ///
    /// # Errors
    /// When it has none of the forms.
    pub fn deny(entry: &str) -> Result<Self, RuleError> {
        Self::parse(entry).ok_or_else(|| RuleError { list: "deny", entry: entry.to_owned(), why: FORMS })
    }

    fn parse(entry: &str) -> Option<Self> {
        let text = entry.trim();
        let rule = |what, port| Some(Self { text: text.to_owned(), what, port });
        if let Ok(net) = text.parse::<IpNet>() {
            return rule(What::Net(canonical(net)), None);
        }
        if let Ok(address) = text.parse::<IpAddr>() {
            return rule(What::Net(canonical(address.into())), None);
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => match port.parse::<u16>() {
                Ok(port) if port > 0 => (host, Some(port)),
                // The colon may be one of an IPv6 address in brackets.
                _ if text.ends_with(']') => (text, None),
                _ => return None,
            },
            None => (text, None),
        };
        if let Some(name) = host.strip_prefix("*.") {
            return match Target::new(name, 0)?.host {
                Host::Domain(name) => rule(What::Under(name), port),
                _ => None,
            };
        }
        // A bare IPv6 address with a port cannot be told from one without.
        if host.contains(':') && !host.starts_with('[') {
            return None;
        }
        match Target::new(host, 0)?.host {
            // The parser lets a star pass in a name; here it would look as if it stood for others.
            Host::Domain(name) if name.contains('*') => None,
            Host::Domain(name) => rule(What::Name(name), port),
            Host::Ipv4(address) => rule(What::Net(IpAddr::from(address).into()), port),
            Host::Ipv6(address) => rule(What::Net(canonical(IpAddr::from(address).into())), port),
        }
    }

    /// Whether the entry names the target's host, and its port where it has one.
    #[must_use]
    pub fn names(&self, target: &Target) -> bool {
        let Host::Domain(name) = &target.host else { return false };
        self.fits_port(target.port)
            && match &self.what {
                What::Name(mine) => mine == name,
                What::Under(mine) => {
                    name.strip_suffix(mine.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
                }
                What::Net(_) => false,
            }
    }

    /// Whether the entry covers an address at a port.
    #[must_use]
    pub fn covers(&self, address: IpAddr, port: u16) -> bool {
        self.fits_port(port) && matches!(self.what, What::Net(net) if net.contains(&address))
    }

    /// Whether the entry is this very address, not a block that holds it.
    #[must_use]
    pub fn is_exactly(&self, address: IpAddr, port: u16) -> bool {
        self.covers(address, port)
            && matches!(self.what, What::Net(net) if net.prefix_len() == net.max_prefix_len())
    }

    fn fits_port(&self, port: u16) -> bool {
        self.port.is_none_or(|mine| mine == port)
    }
}

/// A block without its host bits; one of IPv4-mapped addresses as the IPv4 block that it is.
fn canonical(net: IpNet) -> IpNet {
    match net {
        IpNet::V6(v6) if v6.prefix_len() >= 96 => match v6.network().to_ipv4_mapped() {
            Some(v4) => IpNet::new(v4.into(), v6.prefix_len() - 96).map_or(net, |net| net.trunc()),
            None => net.trunc(),
        },
        _ => net.trunc(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn every_form_is_read() {
        let allow = |entry| Rule::allow(entry).expect(entry);
        assert!(allow("127.0.0.1").covers(ip("127.0.0.1"), 99));
        assert!(allow("127.0.0.1:8123").covers(ip("127.0.0.1"), 8123));
        assert!(!allow("127.0.0.1:8123").covers(ip("127.0.0.1"), 8124));
        assert!(
            allow("10.0.0.0/8").covers(ip("10.9.9.9"), 1) && !allow("10.0.0.0/8").covers(ip("11.0.0.0"), 1)
        );
        assert!(allow("10.1.2.3/8").covers(ip("10.9.9.9"), 1));
        assert!(allow("::1").covers(ip("::1"), 1) && allow("[::1]").covers(ip("::1"), 1));
        assert!(allow("[::1]:80").covers(ip("::1"), 80) && !allow("[::1]:80").covers(ip("::1"), 81));
        assert!(allow("fd00::/8").covers(ip("fd12::1"), 1));
        assert!(allow("::ffff:10.0.0.1").covers(ip("10.0.0.1"), 1));
        assert!(allow("LOCALHOST:8123").names(&Target::new("localhost", 8123).expect("a host")));
        assert!(allow("shop.example.").names(&Target::new("shop.example", 1).expect("a host")));
        let under = allow("*.shop.example");
        assert!(under.names(&Target::new("a.b.shop.example", 1).expect("a host")));
        assert!(!under.names(&Target::new("shop.example", 1).expect("a host")));
        assert!(!under.names(&Target::new("myshop.example", 1).expect("a host")));
    }

    #[test]
    fn an_entry_that_is_none_is_named_in_the_error() {
        for bad in [
            "",
            "*",
            "a b",
            "10.0.0.0/33",
            "shop.example:0",
            "shop.example:x",
            "http://shop.example",
            "::1:80:",
            "1.2.3.4.5",
            "a/b",
        ] {
            for error in [Rule::allow(bad).expect_err(bad), Rule::deny(bad).expect_err(bad)] {
                assert!(error.to_string().contains(&format!("'{bad}'")), "{error}");
            }
        }
        assert!(Rule::allow("localhost").expect_err("no port").to_string().contains("needs a port"));
        assert!(Rule::allow("*.localhost:1").is_err());
        assert!(Rule::deny("localhost").is_ok());
    }
}
