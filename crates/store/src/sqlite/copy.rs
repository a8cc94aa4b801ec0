//! What only a copy asks of SQLite, and a look at the version of the tables.

use super::{Sqlite, migrations, refused, refused_on};
use crate::{Error, Schema};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::sync::Arc;

impl Sqlite {
    /// Looks at a file without making or changing it.
    pub(crate) async fn schema(path: &Path) -> Result<Schema, Error> {
        let path = path.to_owned();
        let look = move || {
            let known = migrations::KNOWN;
            if !path.exists() {
                return Ok(Schema { found: 0, known });
            }
            if path.is_dir() {
                // The database itself would speak of a broken disk.
                let cause = Arc::new(std::io::ErrorKind::IsADirectory.into());
                return Err(Error::File { path, cause });
            }
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let opened = Connection::open_with_flags(&path, flags);
            let mut connection = opened.map_err(refused("open the file", &path))?;
            migrations::check(&mut connection, &path)?;
            let found = migrations::version(&connection).map_err(refused("read the version", &path))?;
            Ok(Schema { found, known })
        };
        tokio::task::spawn_blocking(look).await.unwrap_or(Err(Error::Closed))
    }

    pub(crate) async fn session_keys(&self) -> Result<Vec<(String, String)>, Error> {
        self.pairs("SELECT id, key FROM sessions WHERE key IS NOT NULL").await
    }

    pub(crate) async fn versioned_workflows(&self) -> Result<Vec<String>, Error> {
        let pairs = self.pairs("SELECT DISTINCT workflow, '' FROM versions").await?;
        Ok(pairs.into_iter().map(|(workflow, _)| workflow).collect())
    }

    pub(crate) async fn secrets(&self) -> Result<Vec<(String, String)>, Error> {
        self.pairs("SELECT name, value FROM secrets").await
    }

    async fn pairs(&self, sql: &'static str) -> Result<Vec<(String, String)>, Error> {
        self.read(|connection| {
            let all = || {
                let mut statement = connection.prepare(sql)?;
                statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()
            };
            all().map_err(refused_on("read what is to be copied", connection))
        })
        .await
    }
}
