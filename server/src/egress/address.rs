//! Which addresses are public, and which only look as if they were.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not public; the words end a sentence that begins "it is".
pub type Kind = &'static str;

/// The addresses at which clouds hand out their machines' secrets.
const METADATA: [IpAddr; 6] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// What makes an address one that is not reached unasked; none for a public one.
#[must_use]
pub fn not_public(address: IpAddr) -> Option<Kind> {
    if is_metadata(address) {
        return Some("a cloud metadata address");
    }
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

/// Whether clouds hand out their machines' secrets there.
#[must_use]
pub fn is_metadata(address: IpAddr) -> bool {
    METADATA.contains(&address)
}

fn not_public_v4(address: Ipv4Addr) -> Option<Kind> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, ..) => "an unspecified address",
        (127, ..) => "a loopback address",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "a private address",
        (169, 254, _) => "a link-local address",
        (100, 64..=127, _) => "a carrier's shared address",
        (224..=239, ..) => "a multicast address",
        (240..=255, ..) => "a reserved address",
        (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _) => "an address for special purposes",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "an address for documentation",
        _ => return None,
    })
}

fn not_public_v6(address: Ipv6Addr) -> Option<Kind> {
    if embedded(address).is_some() {
        return Some("an IPv4 address in another form");
    }
    let [a, b, ..] = address.segments();
    Some(match (a, b) {
        _ if address.is_loopback() => "a loopback address",
        _ if address.is_unspecified() => "an unspecified address",
        (0xfc00..=0xfdff, _) => "a private address",
        (0xfe80..=0xfebf, _) => "a link-local address",
        (0xfec0..=0xfeff, _) => "a site-local address",
        (0xff00..=0xffff, _) => "a multicast address",
        (0x2001, 0x0db8) | (0x3fff, 0..=0x0fff) => "an address for documentation",
        (0x2001, 0..=0x01ff) => "an address for special purposes",
        // All that is given to the public so far.
        (0x2000..=0x3fff, _) => return None,
        _ => "a reserved address",
    })
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, translated (both NAT64 prefixes and
/// the old one), 6to4, Teredo.
#[must_use]
pub fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => v4(high, low),
        [0, 0, 0, 0, 0xffff, 0, high, low] => v4(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x64, 0xff9b, 1, _, _, _, high, low] => v4(high, low),
        [0x2002, high, low, ..] => v4(high, low),
        [0x2001, 0, _, _, _, _, high, low] => v4(!high, !low),
        _ => None,
    }
}

/// Whether an address is this machine itself: loopback, unspecified, or one of its interfaces'.
#[must_use]
pub fn is_own(address: IpAddr) -> bool {
    // Only an address of one's own can be bound to.
    address.is_loopback() || address.is_unspecified() || std::net::UdpSocket::bind((address, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<Kind> {
        not_public(text.parse().expect("an address"))
    }

    #[test]
    fn public_addresses_are_public() {
        for public in [
            "8.8.8.8",
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860::8888",
        ] {
            assert_eq!(kind(public), None, "{public}");
        }
    }

    #[test]
    fn what_is_not_public_says_what_it_is() {
        for (address, said) in [
            ("0.0.0.0", "unspecified"),
            ("0.1.2.3", "unspecified"),
            ("10.0.0.1", "private"),
            ("100.64.0.1", "shared"),
            ("127.9.9.9", "loopback"),
            ("169.254.1.1", "link-local"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("198.19.0.1", "special"),
            ("224.0.0.1", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "reserved"),
            ("169.254.169.254", "metadata"),
            ("168.63.129.16", "metadata"),
            ("100.100.100.200", "metadata"),
            ("fd00:ec2::254", "metadata"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("fc00::1", "private"),
            ("fd12::1", "private"),
            ("fe80::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("2001:db8::1", "documentation"),
            ("5f00::1", "reserved"),
            ("100::1", "reserved"),
            ("::ffff:8.8.8.8", "another form"),
            ("::8.8.8.8", "another form"),
            ("64:ff9b::a00:1", "another form"),
            ("64:ff9b:1::a00:1", "another form"),
            ("2002:a00:1::", "another form"),
            ("2001::1", "another form"),
            ("::ffff:0:10.0.0.1", "another form"),
        ] {
            assert!(kind(address).is_some_and(|kind| kind.contains(said)), "{address}: {:?}", kind(address));
        }
    }

    #[test]
    fn own_addresses_are_told_from_others() {
        assert!(is_own("127.0.0.1".parse().expect("an address")));
        assert!(is_own("0.0.0.0".parse().expect("an address")));
        assert!(!is_own("192.0.2.7".parse().expect("an address")));
    }
}
