//! Which addresses outside may be reached on behalf of somebody who is not the operator (spec 1.11).

use model::Address;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far a permission goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The origin is named, whatever it resolves to.
    Origin,
    /// The host is named; its name must resolve to a public address.
    Public,
}

impl Reach {
    /// The test that an address found at connect time must pass.
    pub fn admits(self) -> fn(IpAddr) -> bool {
        match self {
            Reach::Origin => |_| true,
            Reach::Public => is_public,
        }
    }
}

/// Why an address may not be reached. Never holds any part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no URL.
    #[error("{0}")]
    Url(&'static str),
    /// No entry permits it.
    #[error("is not permitted by outbound.allow (add its host, for https, or its origin)")]
    NotListed,
    /// Only its host is listed, and the address is private by its very text.
    #[error("is a private address, which outbound.allow permits only as an origin")]
    Private,
}

/// Whether `allow` permits `url`, and how far. A host permits `https` to that host on its usual port or
/// any other; an origin permits exactly that origin.
pub fn permits(allow: &[String], url: &str) -> Result<Reach, Refusal> {
    let address = Address::parse(url).map_err(Refusal::Url)?;
    let origin = address.origin();
    let is_origin = |entry: &String| Address::parse(entry).is_ok_and(|entry| entry.origin() == origin);
    if allow.iter().any(is_origin) {
        return Ok(Reach::Origin);
    }
    if !address.secure || !allow.iter().any(|entry| is_host(entry, &address)) {
        return Err(Refusal::NotListed);
    }
    match address.host.parse::<IpAddr>() {
        Ok(ip) if !is_public(ip) => Err(Refusal::Private),
        _ => Ok(Reach::Public),
    }
}

/// Whether an entry names the host of an address, and its port where it names one.
fn is_host(entry: &str, address: &Address) -> bool {
    let read = |scheme: &str| Address::parse(&format!("{scheme}://{entry}"));
    match (read("https"), read("http")) {
        (Ok(secure), Ok(plain)) => {
            let any_port = secure.port != plain.port;
            secure.host == address.host && (any_port || secure.port == address.port)
        }
        _ => false,
    }
}

/// Whether an address belongs to the open internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let benchmark = a == 198 && (b == 18 || b == 19);
    let protocol = (a, b, c) == (192, 0, 0);
    !(a == 0
        || a >= 224
        || ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || shared
        || benchmark
        || protocol)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    if let Some(inner) = carried_v4(ip) {
        return is_public_v4(inner);
    }
    let [first, second, ..] = ip.segments();
    // Only 2000::/3 is given out; a part of that is for documents, and a part leads into tunnels.
    first & 0xe000 == 0x2000 && !(first == 0x2001 && matches!(second, 0 | 0xdb8))
}

/// The IPv4 address that an IPv6 address stands for: mapped, translated (64:ff9b::/96) or 6to4.
fn carried_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = ip.segments();
    let pair = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(pair(high, low)),
        [0x2002, high, low, ..] => Some(pair(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allow: &[&str], url: &str, expected: Option<Reach>) {
        let allow: Vec<String> = allow.iter().map(|entry| (*entry).to_owned()).collect();
        assert_eq!(permits(&allow, url).ok(), expected, "{allow:?} {url}");
    }

    #[test]
    fn a_host_permits_https_to_it_and_an_origin_exactly_itself() {
        check(&[], "https://example.com/mcp", None);
        let host = ["Example.com"];
        check(&host, "https://example.com/mcp", Some(Reach::Public));
        check(&host, "https://EXAMPLE.com:8443/", Some(Reach::Public));
        check(&host, "http://example.com/mcp", None);
        check(&["example.com:443"], "https://example.com/mcp", Some(Reach::Public));
        check(&["example.com:443"], "https://example.com:8443/mcp", None);
        check(&host, "https://a.example.com/", None);
        check(&host, "https://example.com.evil.net/", None);
        check(&host, "https://example.com@evil.net/", None);
        let origin = ["http://127.0.0.1:9000"];
        check(&origin, "http://127.0.0.1:9000/mcp", Some(Reach::Origin));
        check(&origin, "http://127.0.0.1:9001/mcp", None);
        check(&origin, "https://127.0.0.1:9000/mcp", None);
        check(&["https://a.b"], "https://a.b:443/x", Some(Reach::Origin));
        check(&["[::1]"], "https://[::1]/", None);
        check(&["10.0.0.1"], "https://10.0.0.1/", None);
        check(&["https://10.0.0.1"], "https://10.0.0.1/", Some(Reach::Origin));
        check(&["1.1.1.1"], "https://1.1.1.1/", Some(Reach::Public));
        check(&["example.com"], "ftp://example.com", None);
    }

    #[test]
    fn a_refusal_says_what_to_do_and_holds_no_secret() {
        let refused = permits(&[], "https://u:s3cret@h/s3cret?s3cret").expect_err("refused").to_string();
        assert_eq!(refused, "is not permitted by outbound.allow (add its host, for https, or its origin)");
    }

    #[test]
    fn private_loopback_and_link_local_addresses_are_not_public() {
        for ip in ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "172.32.0.1", "100.128.0.1"] {
            assert!(is_public(ip.parse().expect("an address")), "{ip}");
        }
        for ip in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
        ] {
            assert!(!is_public(ip.parse().expect("an address")), "{ip}");
        }
        assert!(!Reach::Public.admits()(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        assert!(Reach::Origin.admits()(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    }
}
