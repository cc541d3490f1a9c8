//! The one key of a site: what two addresses must share to wait at the same gate.
//!
//! The key is the host in lower case without a trailing dot, names from other scripts as punycode, IPv6 in
//! brackets, and the port where it is not the scheme's own. By default every subdomain is a site of its
//! own; by the public suffix list (`site = "registrable"`) all of `*.shop.example` are one. The port counts
//! in both.

use url::{Host, Url};

use crate::config::SiteBy;

/// The canonical key of the site that an address belongs to; none for schemes other than http and https.
#[must_use]
pub fn site_key(url: &Url, by: SiteBy) -> Option<String> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    // The parser has dropped the scheme's own port already.
    key(url.host()?, url.port(), by)
}

/// The canonical key of what a person types as a domain: `Shop.Example.`, `shop.example:8080`, `[::1]:81`,
/// `bücher.example`, or a whole http(s) address. Without a scheme both 80 and 443 count as its own port.
///
/// # Errors
/// A sentence that says what is wrong with the text.
pub fn canonical_domain(text: &str, by: SiteBy) -> Result<String, String> {
    let text = text.trim();
    let bad = || format!("'{text}' is not a domain, such as shop.example or shop.example:8080");
    let url = match text.split_once("://") {
        Some((scheme, _)) if matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") => {
            return Url::parse(text).ok().and_then(|url| site_key(&url, by)).ok_or_else(bad);
        }
        Some((scheme, _)) => {
            return Err(format!("'{text}' is not a domain: only http and https have gates, not {scheme}"));
        }
        None if text.parse::<std::net::Ipv6Addr>().is_ok() => format!("http://[{text}]"),
        None => format!("http://{text}"),
    };
    // What the parser would read as something beside the host, or would silently leave out.
    if text.is_empty()
        || text.contains(['/', '\\', '?', '#', '@', '*', '\t', '\n', '\r', ' '])
        || text.ends_with(':')
    {
        return Err(bad());
    }
    let url = Url::parse(&url).map_err(|_| bad())?;
    let port = url.port().filter(|port| *port != 443);
    url.host().and_then(|host| key(host, port, by)).ok_or_else(bad)
}

fn key(host: Host<&str>, port: Option<u16>, by: SiteBy) -> Option<String> {
    let host = match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            if name.is_empty() {
                return None;
            }
            match by {
                SiteBy::Host => name.to_owned(),
                // A single label, or a name that is itself a public suffix, stands for itself.
                SiteBy::Registrable => psl::domain_str(name).unwrap_or(name).to_owned(),
            }
        }
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => format!("[{address}]"),
    };
    Some(match port {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn host(text: &str) -> Option<String> {
        site_key(&Url::parse(text).expect("an address"), SiteBy::Host)
    }

    fn registrable(text: &str) -> Option<String> {
        site_key(&Url::parse(text).expect("an address"), SiteBy::Registrable)
    }

    #[test]
    fn every_spelling_of_a_site_has_one_key() {
        for spelling in [
            "http://shop.example/",
            "HTTP://SHOP.Example/basket?x=1#y",
            "http://shop.example.:80/",
            "https://shop.example:443/",
            "https://shop.example./",
            "http://user:secret@shop.example/",
            "http://%73hop.ex%61mple/",
            "http://ｓｈｏｐ.example/",
        ] {
            assert_eq!(host(spelling).as_deref(), Some("shop.example"), "{spelling}");
        }
    }

    #[test]
    fn a_port_that_is_not_the_schemes_own_is_another_site() {
        assert_eq!(host("http://shop.example:443/").as_deref(), Some("shop.example:443"));
        assert_eq!(host("https://shop.example:8443/").as_deref(), Some("shop.example:8443"));
        assert_eq!(registrable("https://www.shop.example:8443/").as_deref(), Some("shop.example:8443"));
    }

    #[test]
    fn names_from_other_scripts_are_punycode() {
        assert_eq!(host("http://bücher.example/").as_deref(), Some("xn--bcher-kva.example"));
        assert_eq!(host("http://BÜCHER.example/"), host("http://xn--bcher-kva.example/"));
    }

    #[test]
    fn addresses_have_one_spelling() {
        for spelling in ["http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.01./"]
        {
            assert_eq!(host(spelling).as_deref(), Some("127.0.0.1"), "{spelling}");
        }
        assert_eq!(host("http://[0:0::0001]:8080/").as_deref(), Some("[::1]:8080"));
        assert_eq!(registrable("http://192.168.0.1/").as_deref(), Some("192.168.0.1"));
    }

    #[test]
    fn only_http_and_https_have_a_site() {
        for other in
            ["file:///etc/passwd", "data:text/html,x", "about:blank", "ftp://shop.example/", "javascript:1"]
        {
            assert_eq!(host(other), None, "{other}");
        }
    }

    #[test]
    fn a_registrable_domain_goes_by_the_public_suffix_list() {
        assert_eq!(registrable("http://a.b.shop.co.uk/").as_deref(), Some("shop.co.uk"));
        assert_eq!(registrable("http://me.github.io/").as_deref(), Some("me.github.io"));
        assert_eq!(
            registrable("http://a.xn--bcher-kva.xn--55qx5d.cn/").as_deref(),
            Some("xn--bcher-kva.xn--55qx5d.cn")
        );
        assert_eq!(registrable("http://co.uk/").as_deref(), Some("co.uk"));
        assert_eq!(registrable("http://localhost/").as_deref(), Some("localhost"));
    }

    #[test]
    fn what_a_person_types_becomes_the_key() {
        let typed = |text| canonical_domain(text, SiteBy::Host);
        assert_eq!(typed("Shop.Example.").as_deref(), Ok("shop.example"));
        assert_eq!(typed(" shop.example:443 ").as_deref(), Ok("shop.example"));
        assert_eq!(typed("shop.example:80").as_deref(), Ok("shop.example"));
        assert_eq!(typed("shop.example:8080").as_deref(), Ok("shop.example:8080"));
        assert_eq!(typed("bücher.example").as_deref(), Ok("xn--bcher-kva.example"));
        assert_eq!(typed("::1").as_deref(), Ok("[::1]"));
        assert_eq!(typed("[::1]:81").as_deref(), Ok("[::1]:81"));
        assert_eq!(typed("https://shop.example:80/basket").as_deref(), Ok("shop.example:80"));
        assert_eq!(canonical_domain("www.shop.example", SiteBy::Registrable).as_deref(), Ok("shop.example"));
    }

    #[test]
    fn what_is_no_domain_is_refused_with_its_text() {
        for bad in [
            "",
            ".",
            "a b",
            "shop.example/x",
            "me@shop.example",
            "*.shop.example",
            "x:",
            "x:99999",
            "ftp://x",
            "[::1",
        ] {
            let fault = canonical_domain(bad, SiteBy::Host).expect_err(bad);
            assert!(fault.contains(bad), "{fault}");
        }
    }

    proptest! {
        #[test]
        fn case_dots_ports_and_escapes_never_split_a_site(
            name in "[a-z]{1,9}(\\.[a-z]{2,6}){0,3}", upper in any::<u32>(), escape in any::<u32>(),
            dot in any::<bool>(), tls in any::<bool>(), own_port in any::<bool>(),
        ) {
            let spelled: String = name.chars().enumerate().map(|(i, c)| {
                let c = if upper >> (i % 32) & 1 == 1 { c.to_ascii_uppercase() } else { c };
                if escape >> (i % 32) & 1 == 1 && c != '.' { format!("%{:02X}", c as u32) } else { c.to_string() }
            }).collect();
            let (scheme, port) = if tls { ("https", ":443") } else { ("http", ":80") };
            let text = format!(
                "{scheme}://{spelled}{}{}/", if dot { "." } else { "" }, if own_port { port } else { "" }
            );
            prop_assert_eq!(host(&text), Some(name.clone()));
            prop_assert_eq!(canonical_domain(&spelled, SiteBy::Host), Ok(name));
        }

        #[test]
        fn a_key_is_its_own_key(text in "\\PC{0,24}") {
            for by in [SiteBy::Host, SiteBy::Registrable] {
                if let Ok(key) = canonical_domain(&text, by) && !key.ends_with(":80") {
                    prop_assert_eq!(canonical_domain(&key, by), Ok(key));
                }
            }
        }
    }
}
