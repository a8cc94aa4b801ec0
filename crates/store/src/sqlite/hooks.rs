//! The hooks area in SQL.

use super::{Sqlite, refused_on};
use crate::Error;
use crate::marks::Since;
use model::Hook;
use rusqlite::{Connection, params};
use std::sync::Arc;

impl Sqlite {
    pub(crate) async fn list_hooks(&self) -> Result<Vec<Hook>, Error> {
        self.read(list).await
    }

    pub(crate) async fn add_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        self.write_since(since, move |connection| hooks.iter().try_for_each(|hook| add(connection, hook)))
            .await
    }

    pub(crate) async fn replace_hooks(&self, hooks: Vec<Hook>, since: Since) -> Result<(), Error> {
        self.write_since(since, move |connection| hooks.iter().try_for_each(|hook| replace(connection, hook)))
            .await
    }

    pub(crate) async fn remove_hook(&self, id: &str, since: Since) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write_since(since, move |connection| {
            let removed = connection.execute("DELETE FROM hooks WHERE id = ?1", params![id]);
            Ok(removed.map_err(refused_on("remove a hook", connection))? > 0)
        })
        .await
    }
}

fn list(connection: &Connection) -> Result<Vec<Hook>, Error> {
    let rows = read_rows(connection).map_err(refused_on("read the hooks", connection))?;
    rows.into_iter()
        .map(|(name, definition)| serde_json::from_str(&definition).map_err(|e| unreadable(&name, e)))
        .collect()
}

fn read_rows(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = connection.prepare_cached("SELECT name, definition FROM hooks ORDER BY position")?;
    statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn add(connection: &Connection, hook: &Hook) -> Result<(), Error> {
    let sql = "INSERT INTO hooks (id, name, definition) VALUES (?1, ?2, ?3)";
    let added = connection.execute(sql, params![hook.id, hook.name, text(hook)?]);
    added.map(drop).map_err(|e| taken_or(e, hook, "add a hook", connection))
}

fn replace(connection: &Connection, hook: &Hook) -> Result<(), Error> {
    let sql = "UPDATE hooks SET name = ?2, definition = ?3 WHERE id = ?1";
    let replaced = connection.execute(sql, params![hook.id, hook.name, text(hook)?]);
    match replaced.map_err(|e| taken_or(e, hook, "change a hook", connection))? {
        0 => Err(Error::Gone(hook.id.clone())),
        _ => Ok(()),
    }
}

/// A refusal by one of the two `UNIQUE` columns means that the id or the name is in use.
fn taken_or(error: rusqlite::Error, hook: &Hook, doing: &'static str, connection: &Connection) -> Error {
    let unique = rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE;
    match error.sqlite_extended_error_code() {
        Some(code) if code == unique => Error::Taken(hook.name.clone()),
        _ => refused_on(doing, connection)(error),
    }
}

fn text(hook: &Hook) -> Result<String, Error> {
    serde_json::to_string(hook).map_err(|e| unreadable(&hook.name, e))
}

fn unreadable(name: &str, cause: serde_json::Error) -> Error {
    Error::Definition { kind: "hook", name: name.to_owned(), cause: Arc::new(cause) }
}
