//! The runs area in PostgreSQL.

use super::text::Text;
use super::{Postgres, signed, size, unsigned};
use crate::{Error, StoredRun};
use model::RunId;
use tokio_postgres::Row;

impl Postgres {
    pub(crate) async fn keep_runs(&self, runs: &[StoredRun]) -> Result<(), Error> {
        let ids: Vec<_> = runs.iter().map(|run| run.id.number()).collect();
        let workflows: Vec<_> = runs.iter().map(|run| Text(&run.workflow)).collect();
        let records: Vec<_> = runs.iter().map(|run| Text(&run.record)).collect();
        // Of two records of one run the later counts.
        let sql = "INSERT INTO lockgate.runs (id, workflow, record)
                   SELECT DISTINCT ON (id) id, workflow, record
                   FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS new (id, workflow, record, n)
                   ORDER BY id, n DESC ON CONFLICT (id) DO UPDATE SET record = excluded.record";
        self.execute("keep a run", sql, &[&ids, &workflows, &records]).await.map(drop)
    }

    pub(crate) async fn list_runs(
        &self,
        workflow: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredRun>, Error> {
        let (limit, offset) = (size(limit), size(offset));
        let rows = match workflow {
            None => {
                let sql =
                    "SELECT id, workflow, record FROM lockgate.runs ORDER BY id DESC LIMIT $1 OFFSET $2";
                self.rows("read the runs", sql, &[&limit, &offset]).await?
            }
            Some(id) => {
                let sql = "SELECT id, workflow, record FROM lockgate.runs WHERE workflow = $3
                           ORDER BY id DESC LIMIT $1 OFFSET $2";
                self.rows("read the runs", sql, &[&limit, &offset, &Text(id)]).await?
            }
        };
        rows.iter().map(|row| self.run(row)).collect()
    }

    pub(crate) async fn count_runs(&self, workflow: Option<&str>) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM lockgate.runs WHERE $1::text IS NULL OR workflow = $1";
        let row = self.row("count the runs", sql, &[&workflow.map(Text)]).await?;
        Ok(unsigned(self.get(&row, 0)?))
    }

    pub(crate) async fn get_run(&self, id: RunId) -> Result<Option<StoredRun>, Error> {
        let sql = "SELECT id, workflow, record FROM lockgate.runs WHERE id = $1";
        let rows = self.rows("read a run", sql, &[&id.number()]).await?;
        rows.first().map(|row| self.run(row)).transpose()
    }

    pub(crate) async fn trim_runs(&self, most: u64, before: RunId) -> Result<u64, Error> {
        let sql = "DELETE FROM lockgate.runs WHERE id < $1
                   OR id <= (SELECT id FROM lockgate.runs ORDER BY id DESC LIMIT 1 OFFSET $2)";
        self.execute("forget runs", sql, &[&before.number(), &signed(most)]).await
    }

    fn run(&self, row: &Row) -> Result<StoredRun, Error> {
        Ok(StoredRun {
            id: RunId::of(self.get(row, 0)?),
            workflow: self.text(row, 1)?,
            record: self.text(row, 2)?,
        })
    }
}
