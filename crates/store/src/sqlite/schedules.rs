//! The schedules area in SQL.

use super::{Sqlite, refused_on, size};
use crate::marks::Since;
use crate::{Error, StoredSchedule};
use rusqlite::{Connection, Params, Row, params};

impl Sqlite {
    pub(crate) async fn list_schedules(&self) -> Result<Vec<StoredSchedule>, Error> {
        self.read(|connection| select(connection, "TRUE ORDER BY position", ())).await
    }

    pub(crate) async fn get_schedule(&self, id: &str) -> Result<Option<StoredSchedule>, Error> {
        let id = id.to_owned();
        self.read(move |connection| Ok(select(connection, "id = ?1", params![id])?.pop())).await
    }

    pub(crate) async fn put_schedule(&self, one: StoredSchedule, since: Since) -> Result<(), Error> {
        self.write_since(since, move |connection| {
            let sql =
                "INSERT INTO schedules (id, workflow, body, next, paused, created_at, updated_at, refused)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                       ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, body = excluded.body,
                       next = excluded.next, paused = excluded.paused, created_at = excluded.created_at,
                       updated_at = excluded.updated_at, refused = excluded.refused";
            let StoredSchedule { id, workflow, body, next, paused, created_at, updated_at, refused } = one;
            let row = params![id, workflow, body, next, paused, created_at, updated_at, refused];
            connection.execute(sql, row).map(drop).map_err(refused_on("keep a schedule", connection))
        })
        .await
    }

    pub(crate) async fn delete_schedule(&self, id: &str, since: Since) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write_since(since, move |connection| {
            let removed = connection.execute("DELETE FROM schedules WHERE id = ?1", params![id]);
            Ok(removed.map_err(refused_on("remove a schedule", connection))? > 0)
        })
        .await
    }

    pub(crate) async fn due_schedules(&self, now: i64, limit: usize) -> Result<Vec<StoredSchedule>, Error> {
        let condition = "next IS NOT NULL AND NOT paused AND next <= ?1 ORDER BY next, id LIMIT ?2";
        self.read(move |connection| select(connection, condition, params![now, size(limit)])).await
    }

    pub(crate) async fn advance_schedule(
        &self,
        id: &str,
        expected: i64,
        next: Option<i64>,
        refused: Option<&str>,
    ) -> Result<bool, Error> {
        let (id, refused) = (id.to_owned(), refused.map(str::to_owned));
        self.write(move |connection| {
            let sql =
                "UPDATE schedules SET next = ?3, refused = ?4 WHERE id = ?1 AND next = ?2 AND NOT paused";
            let moved = connection.execute(sql, params![id, expected, next, refused]);
            Ok(moved.map_err(refused_on("move a schedule", connection))? > 0)
        })
        .await
    }
}

fn select(
    connection: &Connection,
    condition: &str,
    params: impl Params,
) -> Result<Vec<StoredSchedule>, Error> {
    let sql = format!(
        "SELECT id, workflow, body, next, paused, created_at, updated_at, refused FROM schedules
         WHERE {condition}"
    );
    let rows = || connection.prepare_cached(&sql)?.query_map(params, read)?.collect::<Result<_, _>>();
    rows().map_err(refused_on("read the schedules", connection))
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredSchedule> {
    Ok(StoredSchedule {
        id: row.get(0)?,
        workflow: row.get(1)?,
        body: row.get(2)?,
        next: row.get(3)?,
        paused: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
        refused: row.get(7)?,
    })
}
