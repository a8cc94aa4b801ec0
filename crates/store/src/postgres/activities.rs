//! The activities area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres, signed, unsigned};
use crate::marks::Since;
use crate::{Area, Error, StoredActivity};
use tokio_postgres::Row;

impl Postgres {
    pub(crate) async fn list_activities(&self) -> Result<Vec<StoredActivity>, Error> {
        let sql =
            "SELECT name, body, revision, created_at, updated_at FROM lockgate.activities ORDER BY position";
        let rows = self.rows("read the activities", sql, &[]).await?;
        rows.iter().map(|row| self.activity(row)).collect()
    }

    pub(crate) async fn get_activity(&self, name: &str) -> Result<Option<StoredActivity>, Error> {
        let sql =
            "SELECT name, body, revision, created_at, updated_at FROM lockgate.activities WHERE name = $1";
        let rows = self.rows("read an activity", sql, &[&Text(name)]).await?;
        rows.first().map(|row| self.activity(row)).transpose()
    }

    pub(crate) async fn put_activity(
        &self,
        one: StoredActivity,
        before: Option<u64>,
        since: Since,
    ) -> Result<bool, Error> {
        let sql = "SELECT lockgate.put_activity($1, $2, $3, $4, $5, $6) FROM lockgate.hold_marks($7, $8)";
        let (name, body, revision) = (Text(&one.name), Text(&one.body), signed(one.revision));
        let values: Parameters<'_> =
            &[&name, &body, &revision, &one.created_at, &one.updated_at, &before.map(signed)];
        let row = self.change("keep an activity", sql, values, (Area::Activities, since)).await?;
        self.get(&row, 0)
    }

    pub(crate) async fn delete_activity(&self, name: &str, since: Since) -> Result<bool, Error> {
        self.remove("remove an activity", name, (Area::Activities, since)).await
    }

    fn activity(&self, row: &Row) -> Result<StoredActivity, Error> {
        Ok(StoredActivity {
            name: self.text(row, 0)?,
            body: self.text(row, 1)?,
            revision: unsigned(self.get(row, 2)?),
            created_at: self.get(row, 3)?,
            updated_at: self.get(row, 4)?,
        })
    }
}
