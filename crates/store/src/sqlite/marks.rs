//! The marks and the shared secrets in SQL. Triggers raise the marks.

use super::{Sqlite, refused_on, unsigned};
use crate::{Area, Counts, Error};
use rusqlite::{Connection, OptionalExtension, params};
use std::time::Duration;

/// How often the marks are looked at for changes of other processes.
const LOOK: Duration = Duration::from_millis(500);

impl Sqlite {
    pub(crate) async fn marks(&self) -> Result<Counts, Error> {
        self.read(now).await
    }

    pub(crate) async fn marks_changed(&self, seen: &Counts) -> Result<Counts, Error> {
        loop {
            let counts = self.marks().await?;
            if counts != *seen {
                return Ok(counts);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    pub(crate) async fn secret(&self, name: &str, fresh: &str) -> Result<String, Error> {
        let (name, fresh) = (name.to_owned(), fresh.to_owned());
        self.write(move |connection| {
            let sql = "INSERT INTO secrets (name, value) VALUES (?1, ?2)
                       ON CONFLICT DO UPDATE SET value = value RETURNING value";
            let kept = connection.query_row(sql, params![name, fresh], |row| row.get(0));
            kept.map_err(refused_on("keep a secret", connection))
        })
        .await
    }

    pub(crate) async fn get_secret(&self, name: &str) -> Result<Option<String>, Error> {
        let name = name.to_owned();
        self.read(move |connection| {
            let sql = "SELECT value FROM secrets WHERE name = ?1";
            let found = connection.query_row(sql, [name], |row| row.get(0)).optional();
            found.map_err(refused_on("read a secret", connection))
        })
        .await
    }

    pub(crate) async fn put_secret(&self, name: &str, value: &str) -> Result<(), Error> {
        let (name, value) = (name.to_owned(), value.to_owned());
        self.write(move |connection| {
            let sql = "INSERT INTO secrets (name, value) VALUES (?1, ?2)
                       ON CONFLICT DO UPDATE SET value = excluded.value";
            connection
                .execute(sql, params![name, value])
                .map(drop)
                .map_err(refused_on("keep a secret", connection))
        })
        .await
    }

    pub(crate) async fn replace_secret(&self, name: &str, was: &str, value: &str) -> Result<bool, Error> {
        let [name, was, value] = [name, was, value].map(str::to_owned);
        self.write(move |connection| {
            let sql = "UPDATE secrets SET value = ?3 WHERE name = ?1 AND value = ?2";
            let replaced = connection.execute(sql, params![name, was, value]);
            Ok(replaced.map_err(refused_on("keep a secret", connection))? > 0)
        })
        .await
    }

    pub(crate) async fn take_secret(&self, name: &str) -> Result<Option<String>, Error> {
        let name = name.to_owned();
        self.write(move |connection| {
            let sql = "DELETE FROM secrets WHERE name = ?1 RETURNING value";
            let found = connection.query_row(sql, [name], |row| row.get(0)).optional();
            found.map_err(refused_on("take a secret", connection))
        })
        .await
    }
}

/// The counters as this connection sees them.
pub(super) fn now(connection: &Connection) -> Result<Counts, Error> {
    read(connection).map_err(refused_on("read the marks", connection))
}

fn read(connection: &Connection) -> rusqlite::Result<Counts> {
    let mut statement = connection.prepare_cached("SELECT area, count FROM marks")?;
    let mut rows = statement.query(())?;
    let mut counts = Counts::default();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str()?;
        if let Some(area) = Area::ALL.into_iter().find(|area| area.name() == name) {
            counts.set(area, unsigned(row.get(1)?));
        }
    }
    Ok(counts)
}
