//! The schedules area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres, size};
use crate::marks::Since;
use crate::{Area, Error, StoredSchedule};
use tokio_postgres::Row;

impl Postgres {
    pub(crate) async fn list_schedules(&self) -> Result<Vec<StoredSchedule>, Error> {
        self.schedules("TRUE ORDER BY position", &[]).await
    }

    pub(crate) async fn get_schedule(&self, id: &str) -> Result<Option<StoredSchedule>, Error> {
        Ok(self.schedules("id = $1", &[&Text(id)]).await?.pop())
    }

    pub(crate) async fn put_schedule(&self, one: StoredSchedule, since: Since) -> Result<(), Error> {
        let sql = "INSERT INTO lockgate.schedules 
                       (id, workflow, body, next, paused, created_at, updated_at, refused)
                   SELECT $1, $2, $3, $4::bigint, $5::boolean, $6::bigint, $7::bigint, $8
                   FROM lockgate.hold_marks($9, $10)
                   ON CONFLICT (id) DO UPDATE SET workflow = excluded.workflow, body = excluded.body,
                   next = excluded.next, paused = excluded.paused, created_at = excluded.created_at,
                   updated_at = excluded.updated_at, refused = excluded.refused RETURNING true";
        let (id, workflow, body) = (Text(&one.id), Text(&one.workflow), Text(&one.body));
        let refused = one.refused.as_deref().map(Text);
        let row: Parameters<'_> =
            &[&id, &workflow, &body, &one.next, &one.paused, &one.created_at, &one.updated_at, &refused];
        self.change("keep a schedule", sql, row, (Area::Schedules, since)).await.map(drop)
    }

    pub(crate) async fn delete_schedule(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.remove("remove a schedule", id, (Area::Schedules, since)).await
    }

    pub(crate) async fn due_schedules(&self, now: i64, limit: usize) -> Result<Vec<StoredSchedule>, Error> {
        let condition = "next IS NOT NULL AND NOT paused AND next <= $1 ORDER BY next, id LIMIT $2";
        self.schedules(condition, &[&now, &size(limit)]).await
    }

    pub(crate) async fn advance_schedule(
        &self,
        id: &str,
        expected: i64,
        next: Option<i64>,
        refused: Option<&str>,
    ) -> Result<bool, Error> {
        let sql = "UPDATE lockgate.schedules SET next = $3, refused = $4
                   WHERE id = $1 AND next = $2 AND NOT paused";
        let values: Parameters<'_> = &[&Text(id), &expected, &next, &refused.map(Text)];
        Ok(self.execute("move a schedule", sql, values).await? > 0)
    }

    async fn schedules(&self, condition: &str, values: Parameters<'_>) -> Result<Vec<StoredSchedule>, Error> {
        let sql = format!(
            "SELECT id, workflow, body, next, paused, created_at, updated_at, refused
             FROM lockgate.schedules WHERE {condition}"
        );
        let rows = self.rows("read the schedules", &sql, values).await?;
        rows.iter().map(|row| self.schedule(row)).collect()
    }

    fn schedule(&self, row: &Row) -> Result<StoredSchedule, Error> {
        Ok(StoredSchedule {
            id: self.text(row, 0)?,
            workflow: self.text(row, 1)?,
            body: self.text(row, 2)?,
            next: self.get(row, 3)?,
            paused: self.get(row, 4)?,
            created_at: self.get(row, 5)?,
            updated_at: self.get(row, 6)?,
            refused: self.get(row, 7).map(|text: Option<Text<String>>| text.map(|text| text.0))?,
        })
    }
}
