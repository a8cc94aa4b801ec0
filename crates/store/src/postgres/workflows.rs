//! The workflows area in PostgreSQL.

use super::text::Text;
use super::{Parameters, Postgres, unreadable};
use crate::marks::Since;
use crate::{Area, Error};
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

    pub(crate) async fn add_workflow(&self, workflow: Workflow, since: Since) -> Result<(), Error> {
        self.put_workflow("add a workflow", true, &workflow, since).await
    }

    pub(crate) async fn replace_workflow(&self, workflow: Workflow, since: Since) -> Result<(), Error> {
        self.put_workflow("change a workflow", false, &workflow, since).await
    }

    async fn put_workflow(
        &self,
        doing: &'static str,
        new: bool,
        workflow: &Workflow,
        since: Since,
    ) -> Result<(), Error> {
        let definition = serde_json::to_string(workflow).map_err(unreadable("workflow", &workflow.id))?;
        let (name, single) = (workflow.workflow_type.name(), workflow.workflow_type.is_single());
        let sql = "SELECT lockgate.put_workflow($1, $2, $3, $4, $5, $6) FROM lockgate.hold_marks($7, $8)";
        let row: Parameters<'_> =
            &[&new, &Text(&workflow.id), &Text(name), &workflow.enabled, &single, &Text(definition)];
        self.change(doing, sql, row, (Area::Workflows, since)).await.map(drop)
    }

    pub(crate) async fn remove_workflow(&self, id: &str, since: Since) -> Result<bool, Error> {
        self.remove("remove a workflow", id, (Area::Workflows, since)).await
    }
}
