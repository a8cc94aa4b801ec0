//! The versions area in SQL.

use super::{Sqlite, refused_on, signed, size, unsigned};
use crate::{Error, StoredVersion};
use rusqlite::{Connection, Params, Row, params};

impl Sqlite {
    pub(crate) async fn add_version(&self, one: StoredVersion) -> Result<(), Error> {
        self.write(move |connection| {
            let sql = "INSERT INTO versions (workflow, revision, body, made_at) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT DO NOTHING";
            let row = params![one.workflow, signed(one.revision), one.body, one.made_at];
            match connection.execute(sql, row).map_err(refused_on("keep a version", connection))? {
                0 => Err(Error::Taken(format!("{} {}", one.workflow, one.revision))),
                _ => Ok(()),
            }
        })
        .await
    }

    pub(crate) async fn list_versions(
        &self,
        workflow: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredVersion>, Error> {
        let workflow = workflow.to_owned();
        let condition = "workflow = ?1 ORDER BY revision DESC LIMIT ?2 OFFSET ?3";
        self.read(move |connection| {
            select(connection, condition, params![workflow, size(limit), size(offset)])
        })
        .await
    }

    pub(crate) async fn get_version(
        &self,
        workflow: &str,
        revision: u64,
    ) -> Result<Option<StoredVersion>, Error> {
        let workflow = workflow.to_owned();
        let condition = "workflow = ?1 AND revision = ?2";
        self.read(move |connection| {
            Ok(select(connection, condition, params![workflow, signed(revision)])?.pop())
        })
        .await
    }

    pub(crate) async fn delete_version(&self, workflow: &str, revision: u64) -> Result<bool, Error> {
        let workflow = workflow.to_owned();
        self.write(move |connection| {
            let sql = "DELETE FROM versions WHERE workflow = ?1 AND revision = ?2";
            let removed = connection.execute(sql, params![workflow, signed(revision)]);
            Ok(removed.map_err(refused_on("remove a version", connection))? > 0)
        })
        .await
    }

    pub(crate) async fn delete_versions(&self, workflow: &str) -> Result<u64, Error> {
        let workflow = workflow.to_owned();
        self.write(move |connection| {
            let removed = connection.execute("DELETE FROM versions WHERE workflow = ?1", params![workflow]);
            Ok(removed.map_err(refused_on("remove versions", connection))? as u64)
        })
        .await
    }
}

fn select(
    connection: &Connection,
    condition: &str,
    params: impl Params,
) -> Result<Vec<StoredVersion>, Error> {
    let sql = format!("SELECT workflow, revision, body, made_at FROM versions WHERE {condition}");
    let rows = || connection.prepare_cached(&sql)?.query_map(params, read)?.collect::<Result<_, _>>();
    rows().map_err(refused_on("read the versions", connection))
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredVersion> {
    Ok(StoredVersion {
        workflow: row.get(0)?,
        revision: unsigned(row.get(1)?),
        body: row.get(2)?,
        made_at: row.get(3)?,
    })
}
