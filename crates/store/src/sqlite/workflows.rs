//! The workflows area in SQL.

use super::{Sqlite, refused_on};
use crate::Error;
use crate::marks::Since;
use model::Workflow;
use rusqlite::{Connection, params};
use std::sync::Arc;

impl Sqlite {
    pub(crate) async fn list_workflows(&self) -> Result<Vec<Workflow>, Error> {
        self.read(list).await
    }

    pub(crate) async fn add_workflow(&self, workflow: Workflow, since: Since) -> Result<(), Error> {
        self.write_since(since, move |connection| {
            turn_off_others(connection, &workflow)?;
            let sql = "INSERT INTO workflows (id, type, enabled, definition) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (id) DO NOTHING";
            match put(connection, sql, &workflow, "add a workflow")? {
                0 => Err(Error::Taken(workflow.id)),
                _ => Ok(()),
            }
        })
        .await
    }

    pub(crate) async fn replace_workflow(
        &self,
        workflow: Workflow,
        since: Since,
        freed: Option<&str>,
    ) -> Result<(), Error> {
        let freed = freed.map(str::to_owned);
        self.write_since(since, move |connection| {
            refuse_open(connection, freed)?;
            turn_off_others(connection, &workflow)?;
            let sql = "UPDATE workflows SET type = ?2, enabled = ?3, definition = ?4 WHERE id = ?1";
            match put(connection, sql, &workflow, "change a workflow")? {
                0 => Err(Error::Gone(workflow.id)),
                _ => Ok(()),
            }
        })
        .await
    }

    pub(crate) async fn remove_workflow(
        &self,
        id: &str,
        since: Since,
        freed: Option<&str>,
    ) -> Result<bool, Error> {
        let (id, freed) = (id.to_owned(), freed.map(str::to_owned));
        self.write_since(since, move |connection| {
            refuse_open(connection, freed)?;
            let removed = connection.execute("DELETE FROM workflows WHERE id = ?1", params![id]);
            Ok(removed.map_err(refused_on("remove a workflow", connection))? > 0)
        })
        .await
    }
}

/// Refuses what cannot be while a session of the workflow of this name is open.
fn refuse_open(connection: &Connection, workflow: Option<String>) -> Result<(), Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sessions WHERE open AND workflow = ?1)";
    let open = connection.query_row(sql, [workflow], |row| row.get(0));
    match open.map_err(refused_on("look for open sessions", connection))? {
        true => Err(Error::Moved),
        false => Ok(()),
    }
}

fn list(connection: &Connection) -> Result<Vec<Workflow>, Error> {
    let rows = read_rows(connection).map_err(refused_on("read the workflows", connection))?;
    rows.into_iter()
        .map(|(id, enabled, definition)| {
            let kept: Workflow = serde_json::from_str(&definition).map_err(|e| unreadable(&id, e))?;
            Ok(Workflow { enabled, ..kept })
        })
        .collect()
}

fn read_rows(connection: &Connection) -> rusqlite::Result<Vec<(String, bool, String)>> {
    let sql = "SELECT id, enabled, definition FROM workflows ORDER BY position";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

fn put(connection: &Connection, sql: &str, workflow: &Workflow, doing: &'static str) -> Result<usize, Error> {
    let definition = serde_json::to_string(workflow).map_err(|e| unreadable(&workflow.id, e))?;
    let row = params![workflow.id, workflow.workflow_type.name(), workflow.enabled, definition];
    connection.execute(sql, row).map_err(refused_on(doing, connection))
}

fn turn_off_others(connection: &Connection, workflow: &Workflow) -> Result<(), Error> {
    if !workflow.enabled || !workflow.workflow_type.is_single() {
        return Ok(());
    }
    let sql = "UPDATE workflows SET enabled = 0 WHERE type = ?1 AND id <> ?2 AND enabled";
    let done = connection.execute(sql, params![workflow.workflow_type.name(), workflow.id]);
    done.map(drop).map_err(refused_on("turn off a workflow", connection))
}

fn unreadable(id: &str, cause: serde_json::Error) -> Error {
    Error::Definition { kind: "workflow", name: id.to_owned(), cause: Arc::new(cause) }
}
