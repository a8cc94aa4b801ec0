//! The workflows area in memory.

use super::Memory;
use crate::marks::Since;
use crate::{Area, Error};
use model::Workflow;

impl Memory {
    pub(crate) fn list_workflows(&self) -> Result<Vec<Workflow>, Error> {
        self.with(|data| Ok(data.workflows.clone()))
    }

    pub(crate) fn add_workflow(&self, workflow: Workflow, since: Since) -> Result<(), Error> {
        self.change_since(since, Area::Workflows, |data| {
            if data.workflows.iter().any(|known| known.id == workflow.id) {
                return Err(Error::Taken(workflow.id));
            }
            turn_off_others(&mut data.workflows, &workflow);
            data.workflows.push(workflow);
            Ok(())
        })
    }

    pub(crate) fn replace_workflow(
        &self,
        workflow: Workflow,
        since: Since,
        freed: Option<&str>,
    ) -> Result<(), Error> {
        self.change_since(since, Area::Workflows, |data| {
            data.refuse_open(freed)?;
            let Some(place) = data.workflows.iter().position(|known| known.id == workflow.id) else {
                return Err(Error::Gone(workflow.id));
            };
            turn_off_others(&mut data.workflows, &workflow);
            data.workflows[place] = workflow;
            Ok(())
        })
    }

    pub(crate) fn remove_workflow(&self, id: &str, since: Since, freed: Option<&str>) -> Result<bool, Error> {
        self.change_since(since, Area::Workflows, |data| {
            data.refuse_open(freed)?;
            let before = data.workflows.len();
            data.workflows.retain(|workflow| workflow.id != id);
            data.variables.remove(id);
            Ok(data.workflows.len() < before)
        })
    }
}

fn turn_off_others(all: &mut [Workflow], one: &Workflow) {
    if one.enabled && one.workflow_type.is_single() {
        let others = all.iter_mut().filter(|other| other.workflow_type == one.workflow_type);
        others.for_each(|other| other.enabled = false);
    }
}
