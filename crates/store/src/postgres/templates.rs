//! The templates area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres};
use crate::{Error, StoredTemplate};
use tokio_postgres::Row;

impl Postgres {
    pub(crate) async fn list_templates(&self) -> Result<Vec<StoredTemplate>, Error> {
        let sql = "SELECT id, body, created_at FROM lockgate.templates ORDER BY position";
        let rows = self.rows("read the templates", sql, &[]).await?;
        rows.iter().map(|row| self.template(row)).collect()
    }

    pub(crate) async fn get_template(&self, id: &str) -> Result<Option<StoredTemplate>, Error> {
        let sql = "SELECT id, body, created_at FROM lockgate.templates WHERE id = $1";
        let rows = self.rows("read a template", sql, &[&Text(id)]).await?;
        rows.first().map(|row| self.template(row)).transpose()
    }

    pub(crate) async fn add_template(&self, one: StoredTemplate) -> Result<(), Error> {
        let sql = "INSERT INTO lockgate.templates (id, body, created_at) VALUES ($1, $2, $3)
                   ON CONFLICT (id) DO NOTHING";
        let row: Parameters<'_> = &[&Text(&one.id), &Text(&one.body), &one.created_at];
        match self.execute("save a template", sql, row).await? {
            0 => Err(Error::Taken(one.id)),
            _ => Ok(()),
        }
    }

    pub(crate) async fn remove_template(&self, id: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.templates WHERE id = $1";
        Ok(self.execute("remove a template", sql, &[&Text(id)]).await? > 0)
    }

    fn template(&self, row: &Row) -> Result<StoredTemplate, Error> {
        Ok(StoredTemplate { id: self.text(row, 0)?, body: self.text(row, 1)?, created_at: self.get(row, 2)? })
    }
}
