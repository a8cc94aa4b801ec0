//! The activities area in SQL.

use super::{Sqlite, refused_on, signed, unsigned};
use crate::marks::Since;
use crate::{Error, StoredActivity};
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str = "name, body, revision, created_at, updated_at";

impl Sqlite {
    pub(crate) async fn list_activities(&self) -> Result<Vec<StoredActivity>, Error> {
        self.read(|connection| list(connection).map_err(refused_on("read the activities", connection))).await
    }

    pub(crate) async fn get_activity(&self, name: &str) -> Result<Option<StoredActivity>, Error> {
        let name = name.to_owned();
        self.read(move |connection| {
            get(connection, &name).map_err(refused_on("read an activity", connection))
        })
        .await
    }

    pub(crate) async fn put_activity(
        &self,
        activity: StoredActivity,
        before: Option<u64>,
        since: Since,
    ) -> Result<bool, Error> {
        self.write_since(since, move |connection| {
            let failed = || refused_on("keep an activity", connection);
            let known = get(connection, &activity.name).map_err(failed())?;
            match (known, before) {
                (None, Some(_)) => Err(Error::Gone(activity.name)),
                (Some(_), None) => Err(Error::Taken(activity.name)),
                (Some(known), Some(revision)) if known.revision != revision => Ok(false),
                _ => put(connection, &activity).map_err(failed()).map(|()| true),
            }
        })
        .await
    }

    pub(crate) async fn delete_activity(&self, name: &str, since: Since) -> Result<bool, Error> {
        let name = name.to_owned();
        self.write_since(since, move |connection| {
            let removed = connection.execute("DELETE FROM activities WHERE name = ?1", params![name]);
            Ok(removed.map_err(refused_on("remove an activity", connection))? > 0)
        })
        .await
    }
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<StoredActivity>> {
    let sql = format!("SELECT {COLUMNS} FROM activities ORDER BY position");
    connection.prepare_cached(&sql)?.query_map((), read)?.collect()
}

fn get(connection: &Connection, name: &str) -> rusqlite::Result<Option<StoredActivity>> {
    let sql = format!("SELECT {COLUMNS} FROM activities WHERE name = ?1");
    connection.query_row(&sql, params![name], read).optional()
}

fn put(connection: &Connection, one: &StoredActivity) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO activities (name, body, revision, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (name) DO UPDATE SET body = excluded.body, revision = excluded.revision,
               created_at = excluded.created_at, updated_at = excluded.updated_at";
    let row = params![one.name, one.body, signed(one.revision), one.created_at, one.updated_at];
    connection.execute(sql, row).map(drop)
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredActivity> {
    Ok(StoredActivity {
        name: row.get(0)?,
        body: row.get(1)?,
        revision: unsigned(row.get(2)?),
        created_at: row.get(3)?,
        updated_at: row.get(4)?,
    })
}
