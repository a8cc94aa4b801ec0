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
        self.put_workflow("add a workflow", true, &workflow, (since, None)).await
    }

    pub(crate) async fn replace_workflow(
        &self,
        workflow: Workflow,
        since: Since,
        freed: Option<&str>,
    ) -> Result<(), Error> {
        self.put_workflow("change a workflow", false, &workflow, (since, freed)).await
    }

    async fn put_workflow(
        &self,
        doing: &'static str,
        new: bool,
        workflow: &Workflow,
        (since, freed): (Since, Option<&str>),
    ) -> Result<(), Error> {
        let definition = serde_json::to_string(workflow).map_err(unreadable("workflow", &workflow.id))?;
        let (name, single) = (workflow.workflow_type.name(), workflow.workflow_type.is_single());
        let sql = "SELECT lockgate.put_workflow($1, $2, $3, $4, $5, $6)
                   FROM lockgate.hold_marks($8, $9) WHERE lockgate.name_is_free($7)";
        let (id, freed) = (Text(&workflow.id), freed.map(Text));
        let row: Parameters<'_> =
            &[&new, &id, &Text(name), &workflow.enabled, &single, &Text(definition), &freed];
        self.change(doing, sql, row, (Area::Workflows, since)).await.map(drop)
    }

    pub(crate) async fn remove_workflow(
        &self,
        id: &str,
        since: Since,
        freed: Option<&str>,
    ) -> Result<bool, Error> {
        let sql = "SELECT lockgate.remove_definition('workflows', $1)
                   FROM lockgate.hold_marks($3, $4) WHERE lockgate.name_is_free($2)";
        let row: Parameters<'_> = &[&Text(id), &freed.map(Text)];
        let row = self.change("remove a workflow", sql, row, (Area::Workflows, since)).await?;
        self.get(&row, 0)
    }
}
