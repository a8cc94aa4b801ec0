//! The meaning of a `redis://` or `rediss://` URL. The latter is TLS with the certificate of the server checked;
//! `sslrootcert` names a file with the authorities to trust.

use crate::Error;
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, TlsCertificates};
use std::borrow::Cow;
use std::path::PathBuf;
use tokio_rustls::rustls::crypto::ring;

/// What to say about a URL that cannot be read; the URL itself may hold a password.
const MALFORMED: Error = Error::Url(Cow::Borrowed(
    "is not an address of Redis; write redis://:password@host:6379/0, or rediss:// for TLS",
));

/// How to reach a server.
struct Address {
    info: ConnectionInfo,
    /// The file with the authorities to trust instead of those of the system.
    authorities: Option<PathBuf>,
}

/// Checks a URL, and gives the words to show for it, without the password.
pub(crate) fn read(url: &str) -> Result<String, Error> {
    let Address { info, .. } = Address::parse(url)?;
    let settings = info.redis_settings();
    let user = settings.username().map(|user| format!("{user}@")).unwrap_or_default();
    let (scheme, place) = match info.addr() {
        ConnectionAddr::Tcp(host, port) => ("redis", format!("{host}:{port}")),
        ConnectionAddr::TcpTls { host, port, .. } => ("rediss", format!("{host}:{port}")),
        other => ("redis", other.to_string()),
    };
    Ok(format!("{scheme}://{user}{place}/{}", settings.db()))
}

/// What makes connections to the server.
pub(super) fn client(url: &str) -> Result<Client, Error> {
    let Address { info, authorities } = Address::parse(url)?;
    if !matches!(info.addr(), ConnectionAddr::TcpTls { .. }) {
        return Client::open(info).map_err(|_| MALFORMED);
    }
    // Where one was chosen before, that one will do.
    let _ = ring::default_provider().install_default();
    let root_cert = authorities.as_deref().map(Error::authorities).transpose()?;
    let given = root_cert.is_some();
    Client::build_with_tls(info, TlsCertificates { client_tls: None, root_cert }).map_err(|_| match given {
        true => Error::Url("names with sslrootcert a file that holds no certificates in PEM".into()),
        false => Error::Url(
            "needs certificate authorities to check the server with: install ca-certificates".into(),
        ),
    })
}

impl Address {
    fn parse(url: &str) -> Result<Self, Error> {
        let from = url.rfind('@').unwrap_or(0);
        let (plain, query) = match url[from..].find('?') {
            Some(at) => (&url[..from + at], &url[from + at + 1..]),
            None => (url, ""),
        };
        // The library would take `#insecure` for leave not to check the certificate.
        if url[from..].contains('#') {
            return Err(MALFORMED);
        }
        let (files, rest): (Vec<_>, Vec<_>) = query
            .split('&')
            .filter(|part| !part.is_empty())
            .partition(|part| part.starts_with("sslrootcert="));
        let authorities = files.last().and_then(|part| part.split_once('=')).map(|(_, path)| path.into());
        if authorities.is_some() && !url.starts_with("rediss:") {
            return Err(Error::Url("has sslrootcert, which takes rediss://".into()));
        }
        // The library passes over what it does not know.
        if let Some(part) = rest.iter().find(|part| !part.starts_with("protocol=")) {
            return Err(Error::parameter(part.split('=').next().unwrap_or_default()));
        }
        let whole = if rest.is_empty() { plain.to_owned() } else { format!("{plain}?{}", rest.join("&")) };
        let info = whole.as_str().into_connection_info().map_err(|_| MALFORMED)?;
        Ok(Self { info, authorities })
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn check(url: &str, expected: &str) {
        assert_eq!(read(url).unwrap_or_else(|error| error.to_string()), expected, "{url}");
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        let malformed = "store.url: is not an address of Redis; write redis://:password@host:6379/0, or rediss:// for TLS";
        check("redis://host", "redis://host:6379/0");
        check("redis://:s3cret@host:7000/3", "redis://host:7000/3");
        check("redis://ann:s3cret@host", "redis://ann@host:6379/0");
        check("redis://:s3cret@", malformed);
        check("rediss://:s3cret@host:6380/1?sslrootcert=/ca.pem", "rediss://host:6380/1");
        check(
            "redis://:s3cret@host?sslrootcert=/ca.pem",
            "store.url: has sslrootcert, which takes rediss://",
        );
        check("rediss://:s3cret@host/0#insecure", malformed);
        check("redis://host/0?protocol=resp3", "redis://host:6379/0");
        check("redis://host/0?foo=s3cret", "store.url: has a parameter that is not known: foo");
        check("redis://host/0?s3cret", "store.url: has a parameter that is not known");
    }
}
