//! The templates area in SQL.

use super::{Sqlite, refused_on};
use crate::{Error, StoredTemplate};
use rusqlite::{Connection, OptionalExtension, Row, params};

impl Sqlite {
    pub(crate) async fn list_templates(&self) -> Result<Vec<StoredTemplate>, Error> {
        self.read(|connection| list(connection).map_err(refused_on("read the templates", connection))).await
    }

    pub(crate) async fn get_template(&self, id: &str) -> Result<Option<StoredTemplate>, Error> {
        let id = id.to_owned();
        self.read(move |connection| {
            let sql = "SELECT id, body, created_at FROM templates WHERE id = ?1";
            let found = connection.query_row(sql, params![id], read).optional();
            found.map_err(refused_on("read a template", connection))
        })
        .await
    }

    pub(crate) async fn add_template(&self, template: StoredTemplate) -> Result<(), Error> {
        self.write(move |connection| {
            let sql = "INSERT INTO templates (id, body, created_at) VALUES (?1, ?2, ?3)
                       ON CONFLICT (id) DO NOTHING";
            let added = connection.execute(sql, params![template.id, template.body, template.created_at]);
            match added.map_err(refused_on("keep a template", connection))? {
                0 => Err(Error::Taken(template.id)),
                _ => Ok(()),
            }
        })
        .await
    }

    pub(crate) async fn remove_template(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let removed = connection.execute("DELETE FROM templates WHERE id = ?1", params![id]);
            Ok(removed.map_err(refused_on("remove a template", connection))? > 0)
        })
        .await
    }
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<StoredTemplate>> {
    let sql = "SELECT id, body, created_at FROM templates ORDER BY position";
    connection.prepare_cached(sql)?.query_map((), read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredTemplate> {
    Ok(StoredTemplate { id: row.get(0)?, body: row.get(1)?, created_at: row.get(2)? })
}
