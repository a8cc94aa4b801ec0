//! The area of workflows.

use crate::{Backend, Error};
use model::Workflow;

/// Workflows; their ids are unique, and at most one graph of a type is enabled.
pub struct Workflows<'a>(pub(crate) &'a Backend);

impl Workflows<'_> {
    /// Every workflow, as they were added.
    pub async fn list(&self) -> Result<Vec<Workflow>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_workflows(),
            Backend::Sqlite(sqlite) => sqlite.list_workflows().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_workflows()).await,
            Backend::Redis(redis) => Box::pin(redis.list_workflows()).await,
        }
    }

    /// Keeps this workflow. Is it an enabled graph, the others of its type are turned off in the same step.
    /// An id in use is [`Error::Taken`], and nothing changes.
    pub async fn add(&self, workflow: Workflow) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.add_workflow(workflow),
            Backend::Sqlite(sqlite) => sqlite.add_workflow(workflow).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_workflow(workflow)).await,
            Backend::Redis(redis) => Box::pin(redis.add_workflow(workflow)).await,
        }
    }

    /// Puts this workflow in the place of the one with the same id. Is it an enabled graph, the others of
    /// its type are turned off in the same step. An unknown id is [`Error::Gone`], and nothing changes.
    pub async fn replace(&self, workflow: Workflow) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.replace_workflow(workflow),
            Backend::Sqlite(sqlite) => sqlite.replace_workflow(workflow).await,
            Backend::Postgres(postgres) => Box::pin(postgres.replace_workflow(workflow)).await,
            Backend::Redis(redis) => Box::pin(redis.replace_workflow(workflow)).await,
        }
    }

    /// Forgets a workflow, and says whether there was one of that id. Its variables go with it; its runs stay until they are trimmed.
    pub async fn remove(&self, id: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.remove_workflow(id),
            Backend::Sqlite(sqlite) => sqlite.remove_workflow(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.remove_workflow(id)).await,
            Backend::Redis(redis) => Box::pin(redis.remove_workflow(id)).await,
        }
    }
}
