//! The variables area in SQL.

use super::{Sqlite, refused_on};
use crate::{Error, VariableChange};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

impl Sqlite {
    pub(crate) async fn list_variables(&self, workflow: &str) -> Result<BTreeMap<String, String>, Error> {
        let workflow = workflow.to_owned();
        self.read(move |connection| {
            list(connection, &workflow).map_err(refused_on("read the variables", connection))
        })
        .await
    }

    pub(crate) async fn change_variables(
        &self,
        workflow: &str,
        changes: Vec<VariableChange>,
    ) -> Result<bool, Error> {
        let workflow = workflow.to_owned();
        self.write(move |connection| {
            let failed = || refused_on("change variables", connection);
            let known: bool = connection
                .query_row("SELECT EXISTS (SELECT 1 FROM workflows WHERE id = ?1)", [&workflow], |row| {
                    row.get(0)
                })
                .map_err(failed())?;
            if !known {
                return Err(Error::Gone(workflow));
            }
            for one in &changes {
                let now = get(connection, &workflow, &one.name).map_err(failed())?;
                if !one.before.allows(now.as_deref()) {
                    return Ok(false);
                }
            }
            changes.iter().try_for_each(|one| put(connection, &workflow, one)).map_err(failed())?;
            Ok(true)
        })
        .await
    }
}

fn list(connection: &Connection, workflow: &str) -> rusqlite::Result<BTreeMap<String, String>> {
    let sql = "SELECT name, value FROM variables WHERE workflow = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map([workflow], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn get(connection: &Connection, workflow: &str, name: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT value FROM variables WHERE workflow = ?1 AND name = ?2";
    connection.prepare_cached(sql)?.query_row([workflow, name], |row| row.get(0)).optional()
}

fn put(connection: &Connection, workflow: &str, one: &VariableChange) -> rusqlite::Result<()> {
    let sql = "INSERT INTO variables (workflow, name, value) VALUES (?1, ?2, ?3)
               ON CONFLICT (workflow, name) DO UPDATE SET value = excluded.value";
    connection.prepare_cached(sql)?.execute(params![workflow, one.name, one.after]).map(drop)
}
