//! Where a store is: the meaning of `store.url`.

use crate::{Error, postgres, redis};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The place of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// `memory:`; forgotten when the process ends.
    Memory,
    /// `sqlite:<path>`; one file, with two more beside it while it is open.
    Sqlite(PathBuf),
    /// `postgres://user:password@host/database`; many instances may share it.
    Postgres(Remote),
    /// `redis://:password@host/0`, or `rediss://` for TLS; many instances may share it, and acknowledged work may be lost.
    Redis(Remote),
}

/// The address of a database server. It may hold a password, so it is shown without.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    url: String,
    shown: String,
}

impl Remote {
    /// The whole address, with its secrets.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Location {
    /// The default: `lockgate.db` in the data folder.
    pub fn in_folder(data: &Path) -> Self {
        Location::Sqlite(data.join("lockgate.db"))
    }
}

impl FromStr for Location {
    type Err = Error;

    /// Reads `memory:`, `sqlite:<path>`, `sqlite://<path>`, `postgres://…` or `redis://…`. Paths are taken as they are: no
    /// escapes, no parameters. Of anything else only the scheme is repeated in the error, because
    /// the rest may hold a password.
    fn from_str(url: &str) -> Result<Self, Error> {
        let Some((scheme, rest)) = url.split_once(':') else {
            return Err(Error::Url("must be memory:, sqlite:<path>, postgres://… or redis://…".into()));
        };
        // The scheme of an address may be written either way.
        let scheme = scheme.to_ascii_lowercase();
        let url = format!("{scheme}:{rest}");
        match scheme.as_str() {
            "memory" if rest.is_empty() => Ok(Location::Memory),
            "memory" => Err(Error::Url("memory: takes nothing after the colon".into())),
            "sqlite" => match rest.strip_prefix("//").unwrap_or(rest) {
                "" => Err(Error::Url("sqlite: needs a path, such as sqlite:./data/lockgate.db".into())),
                // A name that SQLite itself reads as a private database in memory.
                ":memory:" => Err(Error::Url("sqlite::memory: is not a file; use memory:".into())),
                path if path.contains('\0') => Err(Error::Url("must not contain NUL".into())),
                path => Ok(Location::Sqlite(path.into())),
            },
            "postgres" | "postgresql" => {
                Ok(Location::Postgres(Remote { shown: postgres::read_address(&url)?, url }))
            }
            "redis" | "rediss" => Ok(Location::Redis(Remote { shown: redis::read_address(&url)?, url })),
            other => Err(Error::Unsupported(other.chars().take(20).collect())),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Memory => f.write_str("memory:"),
            Location::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Location::Postgres(remote) | Location::Redis(remote) => remote.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: &str) {
        let found = url.parse::<Location>().map_or_else(|e| e.to_string(), |l| format!("{l:?}"));
        assert_eq!(found, expected, "{url}");
    }

    #[test]
    fn a_url_names_a_store_or_says_what_is_wrong() {
        check("memory:", "Memory");
        check("MEMORY:", "Memory");
        check("SQLITE:/X.db", r#"Sqlite("/X.db")"#);
        check("Postgres://Ann:s3cret@localhost/Db", "Postgres(postgres://Ann@localhost/Db)");
        check("REDIS://:s3cret@host", "Redis(redis://host:6379/0)");
        check("sqlite:./data/lockgate.db", r#"Sqlite("./data/lockgate.db")"#);
        check("sqlite:/var/lib/a b.db", r#"Sqlite("/var/lib/a b.db")"#);
        check("sqlite://data/x.db", r#"Sqlite("data/x.db")"#);
        check("sqlite:///var/x.db", r#"Sqlite("/var/x.db")"#);
        check("sqlite:", "store.url: sqlite: needs a path, such as sqlite:./data/lockgate.db");
        check("sqlite::memory:", "store.url: sqlite::memory: is not a file; use memory:");
        check("memory:x", "store.url: memory: takes nothing after the colon");
        check("lockgate.db", "store.url: must be memory:, sqlite:<path>, postgres://… or redis://…");
        check("postgres://user:s3cret@host/db", "Postgres(postgres://user@host/db)");
        check(
            "postgres://user:s3cret@/db",
            "store.url: needs a host, such as postgres://user@localhost/lockgate",
        );
        check(
            "mysql://user:s3cret@host",
            "store.url: mysql: is not supported by this version; use memory:, sqlite:<path>, postgres://… or redis://…",
        );
    }

    #[test]
    fn a_location_is_written_as_it_is_read() {
        for url in ["memory:", "sqlite:/var/x.db", "sqlite:data/x.db"] {
            let location: Location = url.parse().expect("the URL is good");
            assert_eq!(location.to_string(), url);
        }
    }
}
