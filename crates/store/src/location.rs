//! Where a store is: the meaning of `store.url`.

use crate::Error;
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
}

impl Location {
    /// The default: `lockgate.db` in the data folder.
    pub fn in_folder(data: &Path) -> Self {
        Location::Sqlite(data.join("lockgate.db"))
    }
}

impl FromStr for Location {
    type Err = Error;

    /// Reads `memory:`, `sqlite:<path>` or `sqlite://<path>`. Paths are taken as they are: no
    /// escapes, no parameters. Of anything else only the scheme is repeated in the error, because
    /// the rest may hold a password.
    fn from_str(url: &str) -> Result<Self, Error> {
        let Some((scheme, rest)) = url.split_once(':') else {
            return Err(Error::Url("must be memory: or sqlite:<path>"));
        };
        match scheme {
            "memory" if rest.is_empty() => Ok(Location::Memory),
            "memory" => Err(Error::Url("memory: takes nothing after the colon")),
            "sqlite" => match rest.strip_prefix("//").unwrap_or(rest) {
                "" => Err(Error::Url("sqlite: needs a path, such as sqlite:./data/lockgate.db")),
                // A name that SQLite itself reads as a private database in memory.
                ":memory:" => Err(Error::Url("sqlite::memory: is not a file; use memory:")),
                path if path.contains('\0') => Err(Error::Url("must not contain NUL")),
                path => Ok(Location::Sqlite(path.into())),
            },
            other => Err(Error::Unsupported(other.chars().take(20).collect())),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Memory => f.write_str("memory:"),
            Location::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
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
        check("sqlite:./data/lockgate.db", r#"Sqlite("./data/lockgate.db")"#);
        check("sqlite:/var/lib/a b.db", r#"Sqlite("/var/lib/a b.db")"#);
        check("sqlite://data/x.db", r#"Sqlite("data/x.db")"#);
        check("sqlite:///var/x.db", r#"Sqlite("/var/x.db")"#);
        check("sqlite:", "store.url: sqlite: needs a path, such as sqlite:./data/lockgate.db");
        check("sqlite::memory:", "store.url: sqlite::memory: is not a file; use memory:");
        check("memory:x", "store.url: memory: takes nothing after the colon");
        check("lockgate.db", "store.url: must be memory: or sqlite:<path>");
        check(
            "postgres://user:s3cret@host/db",
            "store.url: postgres: is not supported by this version; use memory: or sqlite:<path>",
        );
        check(
            "redis://host",
            "store.url: redis: is not supported by this version; use memory: or sqlite:<path>",
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
