//! What can go wrong with a store, in words that say what to do.

use model::Code;
use std::borrow::Cow;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A failure of the store. All but [`Error::Taken`], [`Error::Gone`] and [`Error::Moved`] concern whoever runs the gateway, not its
/// callers, and may name paths. Each tells its cause itself, so that whoever prints a chain of causes says it once.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// `store.url` names a database that this version cannot speak to.
    #[error(
        "store.url: {0}: is not supported by this version; use memory:, sqlite:<path>, postgres://… or redis://…"
    )]
    Unsupported(String),
    /// `store.url` cannot be understood.
    #[error("store.url: {0}")]
    Url(Cow<'static, str>),
    /// A name that must be free is in use.
    #[error("the name '{0}' is taken")]
    Taken(String),
    /// Something to be changed is not there any more.
    #[error("'{0}' is not in the store")]
    Gone(String),
    /// A change was decided upon definitions that somebody else has changed meanwhile; nothing was done.
    #[error("the definitions that this change was decided upon were changed meanwhile")]
    Moved,
    /// The file or its folder cannot be made or opened.
    #[error("cannot open the store {}: {cause}; {}", .path.display(), advice_on_file(.cause))]
    File {
        /// The file, or the folder that could not be made.
        path: PathBuf,
        /// The answer of the operating system.
        cause: Arc<io::Error>,
    },
    /// The database refused something.
    #[error("cannot {doing} in the store {}: {cause}{}", .path.display(), advice_on_database(.cause))]
    Database {
        /// What was being done, as a verb.
        doing: &'static str,
        /// The database file.
        path: PathBuf,
        /// The answer of the database.
        cause: Arc<rusqlite::Error>,
    },
    /// A database server cannot be used now; the same may succeed later.
    #[error("cannot {doing} in the store {place}: {reason}")]
    Unavailable {
        /// What was being done, as a verb.
        doing: &'static str,
        /// The server, without its password.
        place: String,
        /// What it answered, or why it did not.
        reason: String,
        /// Whether it was asked and only its answer is missing: what it was to do may be done.
        lost: bool,
    },
    /// A database server refused something.
    #[error("cannot {doing} in the store {place}: {reason}")]
    Server {
        /// What was being done, as a verb.
        doing: &'static str,
        /// The server, without its password.
        place: String,
        /// Its answer, and what to do.
        reason: String,
    },
    /// The file is a database that something else made.
    #[error("{} is a database of another program; name another file with store.url or --data", .0.display())]
    Foreign(PathBuf),
    /// The database was last used by a later version of the gateway.
    #[error(
        "the store {} was written by a newer version (schema {found}, this version knows {known}); \
         use that version, or name another file with store.url or --data",
        .path.display()
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The version of its tables.
        found: u32,
        /// The last version known here.
        known: u32,
    },
    /// A stored definition does not have the shape that this version reads.
    #[error("the stored {kind} '{name}' cannot be read: {cause}")]
    Definition {
        /// What it defines.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Where it differs.
        cause: Arc<serde_json::Error>,
    },
    /// The store that something is to be copied to holds something already.
    #[error("the store to copy to is not empty: it has {0}; name an empty one")]
    Occupied(&'static str),
    /// A message to the other instances is too long.
    #[error("a message of {bytes} bytes is too long for the bus, which takes {most}")]
    Long {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// The store does not hold what it held when this process began to use it.
    #[error(
        "the store lost what it kept: it was emptied, or another stands in its place; put its data back, or restart \
         every instance to go on with what is there now"
    )]
    Lost,
    /// The chain of the audit log does not hold.
    #[error("the audit log is broken at entry {0}: it was changed, or an entry before it is gone")]
    Broken(u64),
    /// The store was closed, or its thread is gone.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    /// An address has a parameter that nobody knows. It is named where it looks like one: a slip can make a part of a
    /// password look like a parameter.
    pub(crate) fn parameter(name: &str) -> Self {
        let plain =
            (1..=40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let name = if plain { format!(": {name}") } else { String::new() };
        Error::Url(format!("has a parameter that is not known{name}").into())
    }

    /// The file of authorities that `sslrootcert` names.
    pub(crate) fn authorities(path: &Path) -> Result<Vec<u8>, Self> {
        std::fs::read(path).map_err(|error| {
            let path = path.display();
            Error::Url(
                format!("names with sslrootcert the file {path}, which cannot be read: {error}").into(),
            )
        })
    }

    /// A refusal that need not last.
    pub(crate) fn passing(self) -> Self {
        match self {
            Error::Server { doing, place, reason } => {
                Error::Unavailable { doing, place, reason, lost: false }
            }
            other => other,
        }
    }

    /// The same for a server that had been asked already.
    pub(crate) fn unanswered(mut self) -> Self {
        if let Error::Unavailable { lost, .. } = &mut self {
            *lost = true;
        }
        self
    }

    /// Whether what was asked of the store may be done though it failed: only the answer is missing.
    pub fn may_be_done(&self) -> bool {
        matches!(self, Error::Unavailable { lost: true, .. })
    }

    /// The stable name of the failure.
    pub fn code(&self) -> Code {
        match self {
            Error::Taken(_) | Error::Moved => Code::Conflict,
            Error::Gone(_) => Code::NotFound,
            Error::Unavailable { .. } | Error::Lost => Code::StoreUnavailable,
            _ => Code::InternalError,
        }
    }
}

fn advice_on_file(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => {
            "let this user read and write it and its folder, or name another with store.url or --data"
        }
        ErrorKind::ReadOnlyFilesystem => {
            "the disk is mounted read-only; name another place with store.url or --data"
        }
        ErrorKind::IsADirectory => "name a file, not a folder, with store.url",
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            "a part of the path is a file, not a folder; name another with store.url or --data"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full; make room",
        _ => "name another place with store.url or --data",
    }
}

fn advice_on_database(error: &rusqlite::Error) -> &'static str {
    use rusqlite::ErrorCode as Sql;
    match error.sqlite_error_code() {
        Some(Sql::NotADatabase) => "; move the file away, or name another with store.url or --data",
        Some(Sql::DatabaseCorrupt) => {
            "; the file is damaged: put a backup in its place, or name another with store.url"
        }
        Some(Sql::ReadOnly | Sql::PermissionDenied | Sql::CannotOpen) => {
            "; let this user read and write the file and its folder, or name another with store.url or --data"
        }
        Some(Sql::DatabaseBusy | Sql::DatabaseLocked) => {
            "; another process keeps it locked: stop that one, or name another file with store.url or --data"
        }
        Some(Sql::DiskFull) => "; the disk is full: make room",
        Some(Sql::SystemIoFailure) => "; the disk does not answer as it should: look at the system's log",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: i32, expected: &str) {
        let cause = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let error = Error::Database { doing: "read", path: "/p/x.db".into(), cause: Arc::new(cause) };
        assert!(std::error::Error::source(&error).is_none(), "the cause is told in the message");
        let message = error.to_string();
        assert!(message.starts_with("cannot read in the store /p/x.db: "), "{message}");
        assert!(message.contains(expected), "{message}");
        assert_eq!(error.code(), Code::InternalError);
    }

    #[test]
    fn a_refusal_of_the_database_says_what_to_do() {
        use rusqlite::ffi;
        check(ffi::SQLITE_NOTADB, "move the file away");
        check(ffi::SQLITE_CORRUPT, "put a backup in its place");
        check(ffi::SQLITE_READONLY, "let this user read and write");
        check(ffi::SQLITE_READONLY_DIRECTORY, "let this user read and write");
        check(ffi::SQLITE_BUSY, "another process keeps it locked");
        check(ffi::SQLITE_FULL, "make room");
    }
}
