//! The runs area in SQL.

use super::{Sqlite, refused_on};
use crate::{Error, StoredRun};
use model::RunId;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;

impl Sqlite {
    pub(crate) async fn keep_runs(&self, runs: Arc<Vec<StoredRun>>) -> Result<(), Error> {
        self.write(move |connection| keep(connection, &runs).map_err(refused_on("keep a run", connection)))
            .await
    }

    pub(crate) async fn list_runs(
        &self,
        workflow: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredRun>, Error> {
        let workflow = workflow.map(str::to_owned);
        let (limit, offset) = (number(limit), number(offset));
        self.read(move |connection| {
            list(connection, workflow.as_deref(), limit, offset)
                .map_err(refused_on("read the runs", connection))
        })
        .await
    }

    pub(crate) async fn count_runs(&self, workflow: Option<&str>) -> Result<u64, Error> {
        let workflow = workflow.map(str::to_owned);
        self.read(move |connection| {
            let count: Result<i64, _> = match workflow {
                None => connection.query_row("SELECT count(*) FROM runs", (), |row| row.get(0)),
                Some(id) => {
                    let sql = "SELECT count(*) FROM runs WHERE workflow = ?1";
                    connection.query_row(sql, params![id], |row| row.get(0))
                }
            };
            let count = count.map_err(refused_on("count the runs", connection))?;
            Ok(u64::try_from(count).unwrap_or(0))
        })
        .await
    }

    pub(crate) async fn get_run(&self, id: RunId) -> Result<Option<StoredRun>, Error> {
        self.read(move |connection| {
            let sql = "SELECT id, workflow, record FROM runs WHERE id = ?1";
            let found = connection.query_row(sql, params![id.number()], read).optional();
            found.map_err(refused_on("read a run", connection))
        })
        .await
    }

    pub(crate) async fn trim_runs(&self, most: u64, before: RunId) -> Result<u64, Error> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.write(move |connection| {
            let old = connection.execute("DELETE FROM runs WHERE id < ?1", params![before.number()]);
            let old = old.map_err(refused_on("forget runs", connection))?;
            let sql = "DELETE FROM runs WHERE id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?1)";
            let over =
                connection.execute(sql, params![most]).map_err(refused_on("forget runs", connection))?;
            Ok((old + over) as u64)
        })
        .await
    }
}

fn keep(connection: &Connection, runs: &[StoredRun]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO runs (id, workflow, record) VALUES (?1, ?2, ?3)
               ON CONFLICT (id) DO UPDATE SET record = excluded.record";
    let mut statement = connection.prepare_cached(sql)?;
    runs.iter()
        .try_for_each(|run| statement.execute(params![run.id.number(), run.workflow, run.record]).map(drop))
}

fn list(
    connection: &Connection,
    workflow: Option<&str>,
    limit: i64,
    offset: i64,
) -> rusqlite::Result<Vec<StoredRun>> {
    match workflow {
        None => {
            let sql = "SELECT id, workflow, record FROM runs ORDER BY id DESC LIMIT ?1 OFFSET ?2";
            connection.prepare_cached(sql)?.query_map(params![limit, offset], read)?.collect()
        }
        Some(id) => {
            let sql = "SELECT id, workflow, record FROM runs WHERE workflow = ?3
                       ORDER BY id DESC LIMIT ?1 OFFSET ?2";
            connection.prepare_cached(sql)?.query_map(params![limit, offset, id], read)?.collect()
        }
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredRun> {
    Ok(StoredRun { id: RunId::of(row.get(0)?), workflow: row.get(1)?, record: row.get(2)? })
}

fn number(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
