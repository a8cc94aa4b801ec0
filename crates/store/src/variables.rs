//! The area of variables: what workflows remember from one run to the next.

use crate::{Backend, Error};
use std::collections::BTreeMap;

/// One variable that is to be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableChange {
    /// Its name.
    pub name: String,
    /// What it must be for the change to happen.
    pub before: Before,
    /// What it is then, as JSON text.
    pub after: String,
}

/// What a variable must be for it to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Before {
    /// Whatever it is.
    Any,
    /// This JSON text to the letter, or not there at all.
    Is(Option<String>),
}

impl Before {
    pub(crate) fn allows(&self, now: Option<&str>) -> bool {
        match self {
            Before::Any => true,
            Before::Is(text) => text.as_deref() == now,
        }
    }
}

/// Variables of workflows, by the id of the workflow and their names. They go when their workflow does.
pub struct Variables<'a>(pub(crate) &'a Backend);

impl Variables<'_> {
    /// The variables of a workflow, each as JSON text.
    pub async fn all(&self, workflow: &str) -> Result<BTreeMap<String, String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_variables(workflow),
            Backend::Sqlite(sqlite) => sqlite.list_variables(workflow).await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_variables(workflow)).await,
            Backend::Redis(redis) => Box::pin(redis.list_variables(workflow)).await,
        }
    }

    /// Changes variables of a workflow, all or none, and says whether that was done: it is not when one of them
    /// is not what it must be. An unknown workflow is [`Error::Gone`].
    pub async fn change(&self, workflow: &str, changes: Vec<VariableChange>) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.change_variables(workflow, changes),
            Backend::Sqlite(sqlite) => sqlite.change_variables(workflow, changes).await,
            Backend::Postgres(postgres) => Box::pin(postgres.change_variables(workflow, changes)).await,
            Backend::Redis(redis) => Box::pin(redis.change_variables(workflow, changes)).await,
        }
    }
}
