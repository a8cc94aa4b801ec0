//! The meaning of a `postgres://` URL.
//!
//! It is what PostgreSQL's own tools take. Without `sslmode`, TLS is required of every server that is not on this
//! machine, and its certificate is checked; `sslrootcert` names a file with the authorities to trust.

use crate::Error;
use std::borrow::Cow;
use std::error::Error as _;
use std::fmt::Write;
use std::path::PathBuf;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// What to say about a URL that cannot be read; the URL itself may hold a password.
const MALFORMED: Error = Error::Url(Cow::Borrowed(
    "is not an address of PostgreSQL; write postgres://user:password@host:5432/database, \
     and special characters of the password as %xx",
));

/// How to reach a server.
pub(super) struct Address {
    pub(super) config: Config,
    /// The file with the authorities to trust instead of those of the system.
    pub(super) authorities: Option<PathBuf>,
}

/// Checks a URL, and gives the words to show for it: without the password, and without parameters.
pub(crate) fn read(url: &str) -> Result<String, Error> {
    Address::parse(url).map(|address| shown(&address.config))
}

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, Error> {
        // The library ends the password at the first one, and what is left of it would be shown as a host or a database.
        if url.matches('@').count() > 1 {
            return Err(Error::Url(
                "has more than one @; write special characters of user and password as %xx (@ is %40)".into(),
            ));
        }
        let (url, query) = split_query(url);
        let (mut authorities, mut chosen, mut rest) = (None, false, Vec::new());
        for part in query.split('&').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("sslrootcert", path)) => authorities = Some(PathBuf::from(path)),
                // What is required here is always verified.
                Some(("sslmode", "verify-full" | "verify-ca")) => {
                    chosen = true;
                    rest.push("sslmode=require");
                }
                Some(("sslmode", "disable" | "prefer" | "require")) => {
                    chosen = true;
                    rest.push(part);
                }
                Some(("sslmode", _)) => {
                    return Err(Error::Url(
                        "has an sslmode that is none of disable, prefer, require, verify-ca and verify-full"
                            .into(),
                    ));
                }
                _ => rest.push(part),
            }
        }
        let mut config: Config =
            format!("{url}?{}", rest.join("&")).parse().map_err(|error| refused(&error))?;
        if config.get_hosts().is_empty() {
            return Err(Error::Url("needs a host, such as postgres://user@localhost/lockgate".into()));
        }
        if !chosen {
            let near = config.get_hosts().iter().all(is_near);
            config.ssl_mode(if near { SslMode::Disable } else { SslMode::Require });
        }
        Ok(Self { config, authorities })
    }
}

/// What is wrong with a URL. Of what the library says only the name of a parameter is repeated.
fn refused(error: &tokio_postgres::Error) -> Error {
    let reason = error.source().map(ToString::to_string).unwrap_or_default();
    let named = |words: &str| Some(reason.strip_prefix(words)?.trim_matches('`').to_owned());
    if let Some(name) = named("unknown option ") {
        return Error::parameter(&name);
    }
    match named("invalid value for option ").as_deref() {
        Some("port") => Error::Url(
            "has a port that is none from 1 to 65535; write special characters of the password as %xx".into(),
        ),
        Some(name) => Error::Url(format!("has a value that cannot be read for the parameter {name}").into()),
        None => MALFORMED,
    }
}

/// The parameters of a URL; a `?` in a password is none of theirs.
fn split_query(url: &str) -> (&str, &str) {
    let from = url.rfind('@').unwrap_or(0);
    match url[from..].find('?') {
        Some(at) => (&url[..from + at], &url[from + at + 1..]),
        None => (url, ""),
    }
}

/// Whether a server is on this machine.
fn is_near(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
        Host::Unix(_) => true,
    }
}

fn shown(config: &Config) -> String {
    let mut text = String::from("postgres://");
    if let Some(user) = config.get_user() {
        // A slip in the URL can make a part of a password look like the user.
        let plain = user.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
        let _ = write!(text, "{}@", if plain { user } else { "***" });
    }
    for (i, host) in config.get_hosts().iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let _ = match host {
            Host::Tcp(name) => write!(text, "{comma}{name}"),
            Host::Unix(path) => write!(text, "{comma}{}", path.display()),
        };
        let ports = config.get_ports();
        if let Some(port) = ports.get(i).or(ports.first()).filter(|&&port| port != 5432) {
            let _ = write!(text, ":{port}");
        }
    }
    if let Some(name) = config.get_dbname() {
        let _ = write!(text, "/{name}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: &str) {
        let found = Address::parse(url).map(|one| {
            let tls = one.config.get_ssl_mode();
            let file = one.authorities.map(|path| format!(" {}", path.display())).unwrap_or_default();
            format!("{} {tls:?}{file}", shown(&one.config))
        });
        assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected, "{url}");
    }

    #[test]
    fn a_server_elsewhere_must_show_its_certificate_unless_told_otherwise() {
        check("postgres://u:p@db.example/lock", "postgres://u@db.example/lock Require");
        check("postgresql://u:p@h:6000/d", "postgres://u@h:6000/d Require");
        check("postgres://u@localhost/d", "postgres://u@localhost/d Disable");
        check("postgres://u@127.0.0.1:7000/d?sslmode=require", "postgres://u@127.0.0.1:7000/d Require");
        check("postgres://u@h/d?sslmode=disable", "postgres://u@h/d Disable");
        check("postgres://u@h/d?sslmode=verify-full&sslrootcert=/ca.pem", "postgres://u@h/d Require /ca.pem");
        check("postgres://u@a,b/d?target_session_attrs=read-write", "postgres://u@a,b/d Require");
        check("postgres:///d?host=/run/postgresql&user=u", "postgres://u@/run/postgresql/d Disable");
    }

    #[test]
    fn what_is_wrong_with_a_url_is_named() {
        let modes =
            "store.url: has an sslmode that is none of disable, prefer, require, verify-ca and verify-full";
        check("postgres://u@h/d?sslmode=bogus", modes);
        check("postgres://u@h/d?foo=s3cret", "store.url: has a parameter that is not known: foo");
        check(
            "postgres://u@h/d?connect_timeout=soon",
            "store.url: has a value that cannot be read for the parameter connect_timeout",
        );
        let port = "store.url: has a port that is none from 1 to 65535; write special characters of the password as %xx";
        check("postgres://u@h:99999/d", port);
        let at =
            "store.url: has more than one @; write special characters of user and password as %xx (@ is %40)";
        check("postgres://u:p@ss@h/d", at);
        check("postgres://u:p%40ss@h/d", "postgres://u@h/d Require");
    }

    #[test]
    fn no_password_is_shown_whatever_the_url() {
        for url in [
            "postgres://u:s3cret@h/d",
            "postgres://u:s3cret@h:x/d",
            "postgres://u:s3cret?a@h/d",
            "postgres://u:s3/cret@h/d?nonsense=s3cret",
            "postgres://h/d?password=s3cret",
            "postgres://h/d?password=s3cret&user=x@y",
            "postgres://u:s3cret",
            "postgres://:s3cret@/",
            "postgres://u:half@s3cret@h/d",
            "postgres://u:half@s3/cret@h/d",
            "postgres://u:half@a,s3cret@h/d",
            "postgres://u:half@s3?cret@h/d",
            "postgres://u:half@s3:1/cret@h:2/d?sslmode=disable",
        ] {
            let words = read(url).unwrap_or_else(|error| error.to_string());
            assert!(!words.contains("s3c") && !words.contains("cret"), "{words}");
        }
    }
}
