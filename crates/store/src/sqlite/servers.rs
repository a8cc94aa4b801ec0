//! The servers area in SQL.

use super::{Sqlite, refused_on};
use crate::{Error, StoredServer};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

impl Sqlite {
    pub(crate) async fn list_servers(&self) -> Result<Vec<StoredServer>, Error> {
        self.read(list).await
    }

    pub(crate) async fn add_server(&self, server: StoredServer) -> Result<StoredServer, Error> {
        self.write(move |connection| add(connection, server)).await
    }

    pub(crate) async fn replace_server(&self, server: StoredServer) -> Result<bool, Error> {
        self.write(move |connection| {
            let name = &server.entry.name;
            let definition = serde_json::to_string(&server.entry).map_err(|e| unreadable(name, e))?;
            let sql = "UPDATE servers SET definition = ?2 WHERE name = ?1 AND created_at = ?3";
            let replaced = connection.execute(sql, params![name, definition, server.created_at]);
            Ok(replaced.map_err(refused_on("change a server", connection))? > 0)
        })
        .await
    }

    pub(crate) async fn remove_server(&self, name: &str) -> Result<bool, Error> {
        let name = name.to_owned();
        self.write(move |connection| {
            let removed = connection.execute("DELETE FROM servers WHERE name = ?1", params![name]);
            Ok(removed.map_err(refused_on("remove a server", connection))? > 0)
        })
        .await
    }
}

fn list(connection: &Connection) -> Result<Vec<StoredServer>, Error> {
    let rows = read_rows(connection).map_err(refused_on("read the servers", connection))?;
    rows.into_iter()
        .map(|(name, definition, created_at)| {
            let entry = serde_json::from_str(&definition).map_err(|e| unreadable(&name, e))?;
            Ok(StoredServer { entry, created_at })
        })
        .collect()
}

fn read_rows(connection: &Connection) -> rusqlite::Result<Vec<(String, String, i64)>> {
    let sql = "SELECT name, definition, created_at FROM servers ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

fn add(connection: &Connection, server: StoredServer) -> Result<StoredServer, Error> {
    let name = &server.entry.name;
    let definition = serde_json::to_string(&server.entry).map_err(|e| unreadable(name, e))?;
    let sql = "INSERT INTO servers (name, definition, created_at) VALUES (?1, ?2, ?3)
               ON CONFLICT (name) DO NOTHING RETURNING position";
    let position: Option<i64> = connection
        .query_row(sql, params![name, definition, server.created_at], |row| row.get(0))
        .optional()
        .map_err(refused_on("add a server", connection))?;
    match position {
        Some(_) => Ok(server),
        None => Err(Error::Taken(server.entry.name)),
    }
}

fn unreadable(name: &str, cause: serde_json::Error) -> Error {
    Error::Definition { kind: "server", name: name.to_owned(), cause: Arc::new(cause) }
}
