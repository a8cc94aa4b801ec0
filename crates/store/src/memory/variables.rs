//! The variables area in memory.

use super::Memory;
use crate::{Error, VariableChange};
use std::collections::BTreeMap;

impl Memory {
    pub(crate) fn list_variables(&self, workflow: &str) -> Result<BTreeMap<String, String>, Error> {
        self.with(|data| Ok(data.variables.get(workflow).cloned().unwrap_or_default()))
    }

    pub(crate) fn change_variables(
        &self,
        workflow: &str,
        changes: Vec<VariableChange>,
    ) -> Result<bool, Error> {
        self.with(|data| {
            if !data.workflows.iter().any(|known| known.id == workflow) {
                return Err(Error::Gone(workflow.to_owned()));
            }
            let kept = data.variables.entry(workflow.to_owned()).or_default();
            let allowed = |one: &VariableChange| one.before.allows(kept.get(&one.name).map(String::as_str));
            if !changes.iter().all(allowed) {
                return Ok(false);
            }
            kept.extend(changes.into_iter().map(|one| (one.name, one.after)));
            Ok(true)
        })
    }
}
