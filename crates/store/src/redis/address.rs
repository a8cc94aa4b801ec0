//! The meaning of a `redis://` URL.

use crate::Error;
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo};

/// Checks a URL, and gives the words to show for it, without the password.
pub(crate) fn read(url: &str) -> Result<String, Error> {
    let info = info(url)?;
    let settings = info.redis_settings();
    let user = settings.username().map(|user| format!("{user}@")).unwrap_or_default();
    let place = match info.addr() {
        ConnectionAddr::Tcp(host, port) => format!("{host}:{port}"),
        other => other.to_string(),
    };
    Ok(format!("redis://{user}{place}/{}", settings.db()))
}

/// How to reach the server.
pub(super) fn info(url: &str) -> Result<ConnectionInfo, Error> {
    url.into_connection_info()
        .map_err(|_| Error::Url("is not an address of Redis; write redis://:password@host:6379/0"))
}

#[cfg(test)]
mod tests {
    use super::read;

    fn check(url: &str, expected: &str) {
        assert_eq!(read(url).unwrap_or_else(|error| error.to_string()), expected, "{url}");
    }

    #[test]
    fn an_address_is_shown_without_its_password() {
        check("redis://host", "redis://host:6379/0");
        check("redis://:s3cret@host:7000/3", "redis://host:7000/3");
        check("redis://ann:s3cret@host", "redis://ann@host:6379/0");
        check(
            "redis://:s3cret@",
            "store.url: is not an address of Redis; write redis://:password@host:6379/0",
        );
    }
}
