//! The keys area in SQL.

use super::{Sqlite, refused_on};
use crate::{Error, StoredKey};
use rusqlite::{Connection, Row, params};

impl Sqlite {
    pub(crate) async fn list_keys(&self) -> Result<Vec<StoredKey>, Error> {
        self.read(|connection| list(connection).map_err(refused_on("read the keys", connection))).await
    }

    pub(crate) async fn add_key(&self, key: StoredKey) -> Result<(), Error> {
        self.write(move |connection| {
            let sql = "INSERT INTO keys (name, digest, permits, created_at) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT DO NOTHING";
            let added = connection.execute(sql, params![key.name, key.digest, key.grant, key.created_at]);
            match added.map_err(refused_on("keep a key", connection))? {
                0 => Err(Error::Taken(key.name)),
                _ => Ok(()),
            }
        })
        .await
    }

    pub(crate) async fn remove_key(&self, name: &str) -> Result<bool, Error> {
        let name = name.to_owned();
        self.write(move |connection| {
            let removed = connection.execute("DELETE FROM keys WHERE name = ?1", params![name]);
            Ok(removed.map_err(refused_on("remove a key", connection))? > 0)
        })
        .await
    }
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<StoredKey>> {
    let sql = "SELECT name, digest, permits, created_at FROM keys ORDER BY position";
    connection.prepare_cached(sql)?.query_map((), read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredKey> {
    Ok(StoredKey { name: row.get(0)?, digest: row.get(1)?, grant: row.get(2)?, created_at: row.get(3)? })
}
