//! The versions area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres, signed, size, unsigned};
use crate::{Error, StoredVersion};
use tokio_postgres::Row;

impl Postgres {
    pub(crate) async fn add_version(&self, one: StoredVersion) -> Result<(), Error> {
        let sql = "INSERT INTO lockgate.versions (workflow, revision, body, made_at) VALUES ($1, $2, $3, $4)
                   ON CONFLICT DO NOTHING";
        let row: Parameters<'_> =
            &[&Text(&one.workflow), &signed(one.revision), &Text(&one.body), &one.made_at];
        match self.execute("keep a version", sql, row).await? {
            0 => Err(Error::Taken(format!("{} {}", one.workflow, one.revision))),
            _ => Ok(()),
        }
    }

    pub(crate) async fn list_versions(
        &self,
        workflow: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredVersion>, Error> {
        let sql = "SELECT workflow, revision, body, made_at FROM lockgate.versions WHERE workflow = $1
                   ORDER BY revision DESC LIMIT $2 OFFSET $3";
        let rows =
            self.rows("read the versions", sql, &[&Text(workflow), &size(limit), &size(offset)]).await?;
        rows.iter().map(|row| self.version(row)).collect()
    }

    pub(crate) async fn get_version(
        &self,
        workflow: &str,
        revision: u64,
    ) -> Result<Option<StoredVersion>, Error> {
        let sql = "SELECT workflow, revision, body, made_at FROM lockgate.versions
                   WHERE workflow = $1 AND revision = $2";
        let rows = self.rows("read a version", sql, &[&Text(workflow), &signed(revision)]).await?;
        rows.first().map(|row| self.version(row)).transpose()
    }

    pub(crate) async fn delete_version(&self, workflow: &str, revision: u64) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.versions WHERE workflow = $1 AND revision = $2";
        Ok(self.execute("remove a version", sql, &[&Text(workflow), &signed(revision)]).await? > 0)
    }

    pub(crate) async fn delete_versions(&self, workflow: &str) -> Result<u64, Error> {
        let sql = "DELETE FROM lockgate.versions WHERE workflow = $1";
        self.execute("remove versions", sql, &[&Text(workflow)]).await
    }

    fn version(&self, row: &Row) -> Result<StoredVersion, Error> {
        Ok(StoredVersion {
            workflow: self.text(row, 0)?,
            revision: unsigned(self.get(row, 1)?),
            body: self.text(row, 2)?,
            made_at: self.get(row, 3)?,
        })
    }
}
