use std::net::Ipv4Addr;

use proptest::prelude::*;

use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn policy(allow: &[&str], deny: &[&str]) -> Policy {
    let lists = EgressSettings {
        allow: allow.iter().map(|s| (*s).to_owned()).collect(),
        deny: deny.iter().map(|s| (*s).to_owned()).collect(),
        ..EgressSettings::default()
    };
    let ports = RefusedPorts::default();
    ports.add(3000);
    let own = |address: IpAddr| address.is_loopback() || address == ip("10.0.0.7");
    Policy { is_own: own, ..Policy::new(&lists, ports).expect("good entries") }
}

fn judge(policy: &Policy, host: &str, port: u16, addresses: &[&str]) -> Result<usize, Refusal> {
    let addresses: Vec<IpAddr> = addresses.iter().map(|text| ip(text)).collect();
    policy.judge(&Target::new(host, port).expect("a host"), &addresses).map(|allowed| allowed.len())
}

#[test]
fn public_addresses_are_allowed_and_others_are_not() {
    let policy = policy(&[], &[]);
    assert_eq!(judge(&policy, "shop.example", 443, &["8.8.8.8", "2606:4700::1"]), Ok(2));
    for private in
        ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"]
    {
        assert!(
            matches!(judge(&policy, "shop.example", 443, &[private]), Err(Refusal::NotPublic(..))),
            "{private}"
        );
    }
}

#[test]
fn a_name_that_leads_inside_as_well_is_refused() {
    let refused = judge(&policy(&[], &[]), "rebind.example", 80, &["8.8.8.8", "192.168.0.1"]);
    assert_eq!(refused, Err(Refusal::NotPublic(ip("192.168.0.1"), "a private address")));
}

#[test]
fn the_allow_list_opens_what_it_names_and_nothing_beside_it() {
    let policy = policy(&["127.0.0.1:8123", "10.1.0.0/16", "localhost:9000", "intranet.example"], &[]);
    assert_eq!(judge(&policy, "127.0.0.1", 8123, &["127.0.0.1"]), Ok(1));
    assert!(judge(&policy, "127.0.0.1", 8124, &["127.0.0.1"]).is_err());
    assert_eq!(judge(&policy, "any.example", 80, &["10.1.2.3"]), Ok(1));
    assert!(judge(&policy, "any.example", 80, &["10.2.2.3"]).is_err());
    assert_eq!(judge(&policy, "localhost", 9000, &["::1", "127.0.0.1"]), Ok(2));
    assert!(judge(&policy, "127.0.0.1", 9000, &["127.0.0.1"]).is_err(), "allowed by its name only");
    assert!(judge(&policy, "localhost", 9000, &["10.0.0.1"]).is_err(), "a loopback name means loopback");
    assert!(
        judge(&policy, "intranet.example", 80, &["10.0.0.1"]).is_err(),
        "a name opens public addresses only"
    );
    assert_eq!(judge(&policy, "intranet.example", 80, &["8.8.8.8"]), Ok(1));
}

#[test]
fn a_loopback_name_is_dialled_where_it_is_allowed() {
    let policy = policy(&["127.0.0.1:8123"], &[]);
    assert_eq!(judge(&policy, "localhost", 8123, &["::1", "127.0.0.1"]), Ok(1));
    assert!(judge(&policy, "localhost", 8123, &["::1"]).is_err());
    assert!(judge(&policy, "shop.example", 8123, &["::1", "127.0.0.1"]).is_err(), "no other name may do so");
}

#[test]
fn a_translated_address_beside_a_fine_one_is_left_out() {
    let policy = policy(&[], &[]);
    assert_eq!(judge(&policy, "shop.example", 80, &["64:ff9b::808:808", "8.8.8.8"]), Ok(1));
    assert!(judge(&policy, "shop.example", 80, &["64:ff9b::808:808"]).is_err());
    assert!(judge(&policy, "shop.example", 80, &["64:ff9b::a00:1", "8.8.8.8"]).is_err());
}

#[test]
fn deny_beats_allow_in_every_form() {
    let policy =
        policy(&["10.0.0.0/8", "127.0.0.0/8"], &["10.0.0.1", "127.0.0.1:81", "*.ads.example", "8.8.8.0/24"]);
    for (host, port, address) in [
        ("10.0.0.1", 80, "10.0.0.1"),
        ("x.example", 80, "::ffff:10.0.0.1"),
        ("x.example", 80, "64:ff9b::a00:1"),
        ("127.0.0.1", 81, "127.0.0.1"),
        ("a.ads.example", 80, "1.1.1.1"),
        ("x.example", 80, "8.8.8.8"),
    ] {
        assert!(
            matches!(judge(&policy, host, port, &[address]), Err(Refusal::Denied(_))),
            "{host} {address}"
        );
    }
    assert_eq!(judge(&policy, "127.0.0.1", 80, &["127.0.0.1"]), Ok(1));
    let denied = Target::new("a.ads.example", 80).expect("a host");
    assert!(policy.judge_name(&denied).is_err(), "before it is looked up");
}

#[test]
fn own_ports_are_refused_though_they_are_allowed() {
    let policy = policy(&["127.0.0.1:3000", "::1", "localhost:3000", "10.0.0.0/8"], &[]);
    for (host, address) in [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "::1"),
        ("x.example", "::ffff:127.0.0.1"),
        ("10.0.0.7", "10.0.0.7"),
    ] {
        assert_eq!(judge(&policy, host, 3000, &[address]), Err(Refusal::OwnPort(3000)), "{host} {address}");
    }
    assert_eq!(judge(&policy, "10.0.0.8", 3000, &["10.0.0.8"]), Ok(1), "another machine's port 3000");
    assert!(judge(&policy, "127.0.0.1", 9222, &["127.0.0.1"]).is_err());
}

#[test]
fn a_port_is_refused_as_long_as_somebody_listens() {
    let ports = RefusedPorts::default();
    ports.add(9222);
    ports.add(9222);
    ports.remove(9222);
    assert!(ports.contains(9222));
    ports.remove(9222);
    ports.remove(9222);
    assert!(!ports.contains(9222));
}

#[test]
fn a_metadata_address_is_opened_by_its_own_entry_only() {
    let block = policy(&["169.254.0.0/16", "100.64.0.0/10"], &[]);
    assert!(judge(&block, "169.254.169.254", 80, &["169.254.169.254"]).is_err());
    assert!(judge(&block, "x.example", 80, &["100.100.100.200"]).is_err());
    assert_eq!(judge(&block, "x.example", 80, &["100.100.100.201"]), Ok(1));
    assert_eq!(judge(&policy(&["169.254.169.254"], &[]), "x.example", 80, &["169.254.169.254"]), Ok(1));
}

#[test]
fn a_bad_entry_is_named() {
    let lists = EgressSettings { allow: vec!["10.0.0.0/99".to_owned()], ..EgressSettings::default() };
    let error = Policy::new(&lists, RefusedPorts::default()).expect_err("no such block");
    assert!(error.to_string().contains("allow: '10.0.0.0/99'"), "{error}");
}

/// An address that is not public.
fn private() -> impl Strategy<Value = Ipv4Addr> {
    let any_of = |net: &'static str| {
        let net: ipnet::Ipv4Net = net.parse().expect("a block");
        (u32::from(net.network())..=u32::from(net.broadcast())).prop_map(Ipv4Addr::from)
    };
    prop_oneof![
        any_of("10.0.0.0/8"),
        any_of("127.0.0.0/8"),
        any_of("172.16.0.0/12"),
        any_of("192.168.0.0/16"),
        any_of("169.254.0.0/16"),
        any_of("100.64.0.0/10"),
        any_of("224.0.0.0/3"),
        any_of("0.0.0.0/8"),
        Just(Ipv4Addr::new(168, 63, 129, 16)),
    ]
}

/// One of the ways to write a number that browsers read.
fn number(value: u32, way: u32) -> String {
    match way % 4 {
        0 => value.to_string(),
        1 => format!("0x{value:x}"),
        2 => format!("0{value:o}"),
        _ => format!("0X{value:08X}"),
    }
}

fn spell(address: Ipv4Addr, parts: usize, ways: [u32; 4], disguise: u32) -> String {
    let octets = address.octets().map(u32::from);
    let rest = octets[parts - 1..].iter().fold(0, |sum, octet| sum << 8 | octet);
    let mut written: Vec<String> = (0..parts - 1).map(|i| number(octets[i], ways[i])).collect();
    written.push(number(rest, ways[3]));
    let text = written.join(".");
    match disguise % 6 {
        0 => text,
        1 => format!("{text}."),
        2 => text.bytes().map(|b| format!("%{b:02x}")).collect(),
        3 => text.chars().map(|c| char::from_u32(c as u32 + 0xfee0).unwrap_or(c)).collect(),
        4 => text.replace('.', "\u{3002}"),
        _ => format!("{}%2e", text.replace('.', "%2E")),
    }
}

proptest! {
    #[test]
    fn no_spelling_of_a_private_address_gets_through(
        address in private(), parts in 1_usize..=4, ways in any::<[u32; 4]>(), disguise in any::<u32>(),
    ) {
        let text = spell(address, parts, ways, disguise);
        // What cannot be read at all is refused before it comes to the policy.
        if let Some(target) = Target::new(&text, 80) {
            prop_assert_eq!(target.address(), Some(IpAddr::V4(address)), "{}", text);
            prop_assert!(policy(&[], &[]).judge(&target, &[address.into()]).is_err());
        }
    }

    #[test]
    fn no_other_form_of_a_private_address_gets_through(address in private(), form in 0_usize..7, fill in any::<u16>()) {
        let [a, b, c, d] = address.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        let v6: std::net::Ipv6Addr = match form {
            0 => [0, 0, 0, 0, 0, 0xffff, high, low],
            1 => [0, 0, 0, 0, 0, 0, high, low],
            2 => [0x64, 0xff9b, 0, 0, 0, 0, high, low],
            3 => [0x64, 0xff9b, 1, fill, fill, fill, high, low],
            4 => [0x2002, high, low, fill, fill, fill, fill, fill],
            5 => [0x2001, 0, fill, fill, fill, fill, !high, !low],
            _ => [0, 0, 0, 0, 0xffff, 0, high, low],
        }.into();
        let target = Target::new(&format!("[{v6}]"), 80).expect("an address");
        prop_assert!(policy(&[], &[]).judge(&target, &[v6.into()]).is_err());
        // Nor when the other form's own block is opened.
        prop_assert!(policy(&["2000::/3", "64:ff9b::/32"], &[]).judge(&target, &[v6.into()]).is_err());
    }
}
