//! The area of workflows.

use crate::marks::Since;
use crate::{Backend, Counts, Error};
use model::Workflow;

/// Workflows; their ids are unique, and at most one graph of a type is enabled.
pub struct Workflows<'a> {
    pub(crate) backend: &'a Backend,
    pub(crate) since: Since,
    pub(crate) freed: Option<&'a str>,
}

impl<'a> Workflows<'a> {
    /// The same for changes that were decided upon hooks, workflows, activities and schedules as they were at these
    /// counts: when any of them were changed since, a change is [`Error::Moved`] and nothing is done.
    pub fn since(self, counts: Counts) -> Self {
        Self { since: Some(counts), ..self }
    }

    /// The same for changes that take a session workflow its name: while a session of that name is open, they are
    /// [`Error::Moved`] and nothing is done.
    pub fn freeing(self, name: Option<&'a str>) -> Self {
        Self { freed: name, ..self }
    }

    /// Every workflow, as they were added.
    pub async fn list(&self) -> Result<Vec<Workflow>, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.list_workflows(),
            Backend::Sqlite(sqlite) => sqlite.list_workflows().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_workflows()).await,
            Backend::Redis(redis) => Box::pin(redis.list_workflows()).await,
        }
    }

    /// Keeps this workflow. Is it an enabled graph, the others of its type are turned off in the same step.
    /// An id in use is [`Error::Taken`], and nothing changes.
    pub async fn add(&self, workflow: Workflow) -> Result<(), Error> {
        match self.backend {
            Backend::Memory(memory) => memory.add_workflow(workflow, self.since),
            Backend::Sqlite(sqlite) => sqlite.add_workflow(workflow, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_workflow(workflow, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.add_workflow(workflow, self.since)).await,
        }
    }

    /// Puts this workflow in the place of the one with the same id. Is it an enabled graph, the others of
    /// its type are turned off in the same step. An unknown id is [`Error::Gone`], and nothing changes.
    pub async fn replace(&self, workflow: Workflow) -> Result<(), Error> {
        match self.backend {
            Backend::Memory(memory) => memory.replace_workflow(workflow, self.since, self.freed),
            Backend::Sqlite(sqlite) => sqlite.replace_workflow(workflow, self.since, self.freed).await,
            Backend::Postgres(postgres) => {
                Box::pin(postgres.replace_workflow(workflow, self.since, self.freed)).await
            }
            Backend::Redis(redis) => Box::pin(redis.replace_workflow(workflow, self.since, self.freed)).await,
        }
    }

    /// Forgets a workflow, and says whether there was one of that id. Its variables go with it; its runs stay until they are trimmed.
    pub async fn remove(&self, id: &str) -> Result<bool, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.remove_workflow(id, self.since, self.freed),
            Backend::Sqlite(sqlite) => sqlite.remove_workflow(id, self.since, self.freed).await,
            Backend::Postgres(postgres) => {
                Box::pin(postgres.remove_workflow(id, self.since, self.freed)).await
            }
            Backend::Redis(redis) => Box::pin(redis.remove_workflow(id, self.since, self.freed)).await,
        }
    }
}
