//! The workflows area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres, unreadable};
use crate::Error;
use model::Workflow;

impl Postgres {
    pub(crate) async fn list_workflows(&self) -> Result<Vec<Workflow>, Error> {
        let sql = "SELECT id, definition, enabled FROM lockgate.workflows ORDER BY position";
        let rows = self.rows("read the workflows", sql, &[]).await?;
        rows.iter()
            .map(|row| {
                let (id, definition) = (self.text(row, 0)?, self.text(row, 1)?);
                let kept: Workflow =
                    serde_json::from_str(&definition).map_err(unreadable("workflow", &id))?;
                Ok(Workflow { enabled: self.get(row, 2)?, ..kept })
            })
            .collect()
    }

    pub(crate) async fn add_workflow(&self, workflow: Workflow) -> Result<(), Error> {
        self.put_workflow("add a workflow", true, &workflow).await
    }

    pub(crate) async fn replace_workflow(&self, workflow: Workflow) -> Result<(), Error> {
        self.put_workflow("change a workflow", false, &workflow).await
    }

    async fn put_workflow(&self, doing: &'static str, new: bool, workflow: &Workflow) -> Result<(), Error> {
        let definition = serde_json::to_string(workflow).map_err(unreadable("workflow", &workflow.id))?;
        let (name, single) = (workflow.workflow_type.name(), workflow.workflow_type.is_single());
        let sql = "SELECT lockgate.put_workflow($1, $2, $3, $4, $5, $6)";
        let row: Parameters<'_> =
            &[&new, &Text(&workflow.id), &Text(name), &workflow.enabled, &single, &Text(definition)];
        self.execute(doing, sql, row).await.map(drop)
    }

    pub(crate) async fn remove_workflow(&self, id: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM lockgate.workflows WHERE id = $1";
        Ok(self.execute("remove a workflow", sql, &[&Text(id)]).await? > 0)
    }
}
