//! The address of a remote server, taken apart once and never printed with its credentials.

use std::net::{IpAddr, Ipv6Addr};

/// An `http` or `https` URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Whether the scheme is `https`.
    pub secure: bool,
    /// `user:password`, as it stands before the `@`.
    pub credentials: Option<String>,
    /// The host in lower case; an IPv6 address without its brackets.
    pub host: String,
    /// The port, said or implied.
    pub port: u16,
    /// Path and query; begins with `/`.
    pub path: String,
}

const SHAPE: &str = "must be an http or https URL";

impl Address {
    /// Takes a URL apart; the error says what it must be, to be read after the name of its field.
    pub fn parse(url: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = url.split_once("://").ok_or(SHAPE)?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(SHAPE),
        };
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) || rest.contains(['\\', '"', '<', '>', '`']) {
            return Err("must hold printable ASCII characters only, without spaces");
        }
        if rest.contains('#') {
            return Err("must not have a fragment (#)");
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (credentials, place) = match authority.rsplit_once('@') {
            Some((credentials, place)) => (Some(credentials.to_owned()), place),
            None => (None, authority),
        };
        let (host, port) = place_of(place, secure)?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        Ok(Self { secure, credentials, host, port, path: format!("{slash}{path}") })
    }

    /// The address that `reference`, found at this one, means; `None` when it has another origin.
    pub fn join(&self, reference: &str) -> Option<Self> {
        let with = |path: String| Self::parse(&format!("{}{path}", self.origin())).ok();
        let found = match reference {
            absolute if absolute.contains("://") && !absolute.starts_with(['/', '?', '.']) => {
                Self::parse(absolute).ok()?
            }
            foreign if foreign.starts_with("//") => return None,
            path if path.starts_with('/') => with(path.to_owned())?,
            query if query.starts_with('?') => with(format!("{}{query}", self.bare_path()))?,
            relative => {
                let folder = self.bare_path().rsplit_once('/').map_or("", |(folder, _)| folder);
                with(format!("{folder}/{}", relative.trim_start_matches("./")))?
            }
        };
        (found.origin() == self.origin()).then(|| Self { credentials: self.credentials.clone(), ..found })
    }

    /// Scheme, host and port, such as `https://example.com:443`.
    pub fn origin(&self) -> String {
        format!("{}://{}:{}", self.scheme(), self.bracketed(), self.port)
    }

    /// Host and port as the `Host` header has them: the usual port is left out.
    pub fn authority(&self) -> String {
        match self.port == if self.secure { 443 } else { 80 } {
            true => self.bracketed(),
            false => format!("{}:{}", self.bracketed(), self.port),
        }
    }

    /// `http` or `https`.
    pub const fn scheme(&self) -> &'static str {
        if self.secure { "https" } else { "http" }
    }

    /// Whether it is on this very machine, by its name or its number.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    fn bracketed(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        }
    }

    fn bare_path(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }
}

/// Path and credentials may be secret, so only the origin is shown.
impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.origin())
    }
}

fn place_of(place: &str, secure: bool) -> Result<(String, u16), &'static str> {
    const HOST: &str = "must have a host of letters, digits, '.', '-' and '_', or an IP address";
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(HOST)?;
            let address: Ipv6Addr = host.parse().map_err(|_| HOST)?;
            (IpAddr::V6(address).to_string(), after)
        }
        None => {
            let end = place.find(':').unwrap_or(place.len());
            let (host, after) = place.split_at(end);
            let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            if host.is_empty() || host.len() > 253 || !host.bytes().all(fine) {
                return Err(HOST);
            }
            (host.to_ascii_lowercase(), after)
        }
    };
    let port = match port.strip_prefix(':') {
        None if port.is_empty() => Some(if secure { 443 } else { 80 }),
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok().filter(|&n| n > 0),
        _ => None,
    };
    port.map(|port| (host, port)).ok_or("must have a port between 1 and 65535")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: &str) {
        let found = Address::parse(url).map(|a| format!("{} {}", a.origin(), a.path));
        assert_eq!(found.unwrap_or_else(str::to_owned), expected, "{url}");
    }

    #[test]
    fn a_url_is_taken_apart_or_refused() {
        check("https://Example.com/mcp?k=v", "https://example.com:443 /mcp?k=v");
        check("http://127.0.0.1:9000", "http://127.0.0.1:9000 /");
        check("http://[::1]:9?x", "http://[::1]:9 /?x");
        check("HTTPS://u:p@h/x@y", "https://h:443 /x@y");
        for url in ["", "h", "ftp://h", "file:///x", "//h/x"] {
            check(url, SHAPE);
        }
        for url in ["http://", "http:///x", "http://h%41/", "http://[::g]/", "http://u@/x"] {
            check(url, "must have a host of letters, digits, '.', '-' and '_', or an IP address");
        }
        for url in ["http://h:0", "http://h:65536", "http://h:x", "http://h:", "http://[::1]9"] {
            check(url, "must have a port between 1 and 65535");
        }
        check("http://h/#a", "must not have a fragment (#)");
        check("http://h/a b", "must hold printable ASCII characters only, without spaces");
        check("http://h/\r\nx", "must hold printable ASCII characters only, without spaces");
    }

    #[test]
    fn a_reference_is_joined_within_its_origin() {
        let at = Address::parse("https://u:p@h/a/sse?x=1").expect("fine");
        let joined = |reference: &str| at.join(reference).map(|a| a.path);
        assert_eq!(joined("/messages?id=1").as_deref(), Some("/messages?id=1"));
        assert_eq!(joined("messages?to=http://x").as_deref(), None);
        assert_eq!(joined("./messages").as_deref(), Some("/a/messages"));
        assert_eq!(joined("?id=1").as_deref(), Some("/a/sse?id=1"));
        assert_eq!(joined("https://H:443/m").as_deref(), Some("/m"));
        for foreign in ["http://h/m", "https://h:444/m", "https://other/m", "//other/m", "/a b"] {
            assert_eq!(at.join(foreign), None, "{foreign}");
        }
        assert_eq!(at.join("/m").and_then(|a| a.credentials).as_deref(), Some("u:p"));
    }

    #[test]
    fn an_address_is_printed_without_its_secrets() {
        let at = Address::parse("https://u:s3cret@h/s3cret?k=s3cret").expect("fine");
        assert_eq!(format!("{at:?}"), "https://h:443");
        assert_eq!(at.authority(), "h");
    }
}
