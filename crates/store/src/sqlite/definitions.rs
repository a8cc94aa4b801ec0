//! The definitions area in SQL.

use super::{Sqlite, refused_on};
use crate::Error;
use rusqlite::{OptionalExtension, params};

impl Sqlite {
    pub(crate) async fn put_definition(&self, hash: &str, body: &str) -> Result<(), Error> {
        let (hash, body) = (hash.to_owned(), body.to_owned());
        self.write(move |connection| {
            let sql = "INSERT INTO definitions (hash, body, fresh) VALUES (?1, ?2, 1)
                       ON CONFLICT (hash) DO UPDATE SET fresh = 1 WHERE NOT fresh";
            let put = connection.prepare_cached(sql).and_then(|mut sql| sql.execute(params![hash, body]));
            put.map(drop).map_err(refused_on("keep a definition", connection))
        })
        .await
    }

    pub(crate) async fn get_definition(&self, hash: &str) -> Result<Option<String>, Error> {
        let hash = hash.to_owned();
        self.read(move |connection| {
            let sql = "SELECT body FROM definitions WHERE hash = ?1";
            let found = connection.query_row(sql, params![hash], |row| row.get(0)).optional();
            found.map_err(refused_on("read a definition", connection))
        })
        .await
    }

    pub(crate) async fn sweep_definitions(&self) -> Result<u64, Error> {
        self.write(move |connection| {
            let failed = || refused_on("remove definitions", connection);
            let sql = "DELETE FROM definitions
                       WHERE NOT fresh AND hash NOT IN (SELECT definition FROM sessions)";
            let removed = connection.execute(sql, ()).map_err(failed())?;
            connection.execute("UPDATE definitions SET fresh = 0 WHERE fresh", ()).map_err(failed())?;
            Ok(removed as u64)
        })
        .await
    }
}
