//! Who may come in: `Host` and `Origin` guard against web pages that reach for loopback (DNS rebinding).

use super::{Refused, refused};
use crate::access::is_endpoint;
use crate::app::App;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use std::net::IpAddr;

/// Why a request is refused, with the header at fault. A page whose name points to loopback has no key, so `Host`
/// matters only where none is needed; who listens for other machines without keys is reached under names that nobody
/// can list. A gateway that asks itself would list what it lists, without end.
pub(crate) fn stranger(app: &App, headers: &HeaderMap, path: &str) -> Option<(Refused, &'static str)> {
    // A probe may come from anywhere under any name.
    if path == crate::health::PATH {
        return None;
    }
    if is_endpoint(path) && headers.get(gateway::INSTANCE).is_some_and(|id| id == app.gateway().instance()) {
        const TEXT: &str = "This is Lockgate itself; a gateway cannot be a server of its own";
        return Some((refused(StatusCode::LOOP_DETECTED, -32600, TEXT), gateway::INSTANCE));
    }
    if let Err(refused) = check_origin(app, headers) {
        return Some((refused, "Origin"));
    }
    if !app.near() {
        return None;
    }
    strange_host(app, headers)
}

/// The same of one who was let in: the MCP endpoint always wants a `Host` that it knows.
pub(crate) fn stranger_inside(app: &App, headers: &HeaderMap, path: &str) -> Option<(Refused, &'static str)> {
    if app.near() || !is_endpoint(path) {
        return None;
    }
    strange_host(app, headers)
}

fn strange_host(app: &App, headers: &HeaderMap) -> Option<(Refused, &'static str)> {
    check_host(app, headers).err().map(|refused| (refused, "Host"))
}

/// Whether a request names one host only: who is in between, and what stands behind, could each take another.
pub(crate) fn names_one_host(uri: &Uri, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (host, other) = (hosts.next(), hosts.next());
    let differs = |authority: &Authority| {
        host.is_some_and(|host| !host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes()))
    };
    other.is_none() && !uri.authority().is_some_and(differs)
}

/// 403 for a `Host` that is neither loopback nor allowed.
fn check_host(app: &App, headers: &HeaderMap) -> Result<(), Refused> {
    let Some(host) = headers.get(header::HOST) else { return Ok(()) };
    let host = host.to_str().unwrap_or("?");
    let settings = app.gateway().settings();
    let public = settings.http.public_url.as_deref();
    let is_public =
        |own: &str| own.split_once("://").is_some_and(|(scheme, place)| same_place(scheme, place, host));
    if is_loopback(host) || allowed(&settings.http.allowed_hosts, host) || public.is_some_and(is_public) {
        return Ok(());
    }
    Err(refused(StatusCode::FORBIDDEN, -32600, "This Host is not allowed; see http.allowedHosts"))
}

/// 403 for an `Origin` that is neither loopback nor allowed. Only browsers send one.
fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Refused> {
    if !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let settings = app.gateway().settings();
    let own = settings.http.public_url.as_deref();
    let known = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or("?");
        let host = origin.split_once("://").map_or("?", |(_, host)| host);
        let mut all = settings.http.allowed_origins.iter().map(String::as_str).chain(own);
        is_loopback(host) || all.any(|entry| same_origin(entry, origin))
    };
    if headers.get_all(header::ORIGIN).iter().all(known) {
        return Ok(());
    }
    Err(refused(StatusCode::FORBIDDEN, -32600, "This Origin is not allowed; see http.allowedOrigins"))
}

/// Whether a host is listed: as it stands, or without a port, which stands for every port. Clients leave the usual ports
/// out.
fn allowed(list: &[String], host: &str) -> bool {
    let without = without_port(host);
    list.iter().any(|entry| {
        entry.eq_ignore_ascii_case(without) || ["https", "http"].iter().any(|it| same_place(it, entry, host))
    })
}

/// Whether both mean one origin. Pages on two ports of a host are strangers to each other, as they are for browsers.
fn same_origin(entry: &str, origin: &str) -> bool {
    let [(scheme, place), (other, its)] = [entry, origin].map(|it| it.split_once("://").unwrap_or(("", it)));
    scheme.eq_ignore_ascii_case(other) && same_place(scheme, place, its)
}

/// Whether both are one host and port for a scheme, whose usual port may be left out.
fn same_place(scheme: &str, place: &str, other: &str) -> bool {
    fn bare<'a>(place: &'a str, usual: &str) -> &'a str {
        let place = place.strip_suffix('/').unwrap_or(place);
        place.strip_suffix(usual).unwrap_or(place)
    }
    let usual = match scheme {
        _ if scheme.eq_ignore_ascii_case("https") => ":443",
        _ if scheme.eq_ignore_ascii_case("http") => ":80",
        _ => "",
    };
    bare(place, usual).eq_ignore_ascii_case(bare(other, usual))
}

fn is_loopback(host: &str) -> bool {
    let name = without_port(host);
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if !name.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') =>
        {
            name
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_known_by_every_name() {
        for good in ["localhost", "LOCALHOST:3001", "127.0.0.1", "127.0.0.2:80", "[::1]", "[::1]:3001"] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in [
            "",
            "?",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "10.0.0.1",
            "[::2]:1",
        ] {
            assert!(!is_loopback(bad), "{bad}");
        }
    }

    #[test]
    fn an_allowed_name_holds_with_and_without_its_port() {
        let list =
            ["gate.example", "ui.example:8443", "a.example:443", "[2001:db8::1]:80"].map(str::to_owned);
        for host in [
            "gate.example:3001",
            "GATE.example",
            "ui.example:8443",
            "A.example",
            "a.example:443",
            "[2001:db8::1]",
        ] {
            assert!(allowed(&list, host), "{host}");
        }
        for host in ["ui.example", "a.example:80", "a.example:8443", "[2001:db8::1]:443", "[2001:db8::1:80]"]
        {
            assert!(!allowed(&list, host), "{host}");
        }
    }

    #[test]
    fn an_allowed_origin_holds_for_its_own_port_alone() {
        for (entry, origin) in [
            ("https://ui.example", "https://ui.example"),
            ("https://UI.example/", "HTTPS://ui.example"),
            ("https://ui.example:443", "https://ui.example"),
            ("http://ui.example", "http://ui.example:80"),
            ("https://ui.example:8443", "https://ui.example:8443"),
            ("http://[2001:db8::1]:80", "http://[2001:db8::1]"),
            ("null", "null"),
            ("app://ui", "app://ui"),
        ] {
            assert!(same_origin(entry, origin), "{entry} {origin}");
        }
        for (entry, origin) in [
            ("https://ui.example", "https://ui.example:8443"),
            ("https://ui.example", "http://ui.example"),
            ("https://ui.example:80", "https://ui.example"),
            ("https://ui.example:8443", "https://ui.example"),
            ("http://[2001:db8::80]", "http://[2001:db8:]"),
            ("null", "https://null"),
            ("app://ui:443", "app://ui"),
        ] {
            assert!(!same_origin(entry, origin), "{entry} {origin}");
        }
    }
}
