//! The area of versions: what workflows were and are.

use crate::{Backend, Error};

/// One version of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVersion {
    /// The id of the workflow.
    pub workflow: String,
    /// Its number; later versions have greater ones.
    pub revision: u64,
    /// The JSON text of the workflow as it was then.
    pub body: String,
    /// When it was made, in milliseconds since 1970.
    pub made_at: i64,
}

/// Versions, by the id of their workflow and their numbers.
pub struct Versions<'a>(pub(crate) &'a Backend);

impl Versions<'_> {
    /// Keeps a version. A number in use is [`Error::Taken`], and nothing changes.
    pub async fn add(&self, version: StoredVersion) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.add_version(version),
            Backend::Sqlite(sqlite) => sqlite.add_version(version).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_version(version)).await,
            Backend::Redis(redis) => Box::pin(redis.add_version(version)).await,
        }
    }

    /// At most `limit` versions of a workflow, newest first, without the newest `offset`.
    pub async fn list(
        &self,
        workflow: &str,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredVersion>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_versions(workflow, limit, offset),
            Backend::Sqlite(sqlite) => sqlite.list_versions(workflow, limit, offset).await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_versions(workflow, limit, offset)).await,
            Backend::Redis(redis) => Box::pin(redis.list_versions(workflow, limit, offset)).await,
        }
    }

    /// One version of a workflow.
    pub async fn get(&self, workflow: &str, revision: u64) -> Result<Option<StoredVersion>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_version(workflow, revision),
            Backend::Sqlite(sqlite) => sqlite.get_version(workflow, revision).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_version(workflow, revision)).await,
            Backend::Redis(redis) => Box::pin(redis.get_version(workflow, revision)).await,
        }
    }

    /// Forgets a version, and says whether there was one.
    pub async fn delete(&self, workflow: &str, revision: u64) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.delete_version(workflow, revision),
            Backend::Sqlite(sqlite) => sqlite.delete_version(workflow, revision).await,
            Backend::Postgres(postgres) => Box::pin(postgres.delete_version(workflow, revision)).await,
            Backend::Redis(redis) => Box::pin(redis.delete_version(workflow, revision)).await,
        }
    }

    /// Forgets every version of a workflow, and says how many went.
    pub async fn delete_all(&self, workflow: &str) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.delete_versions(workflow),
            Backend::Sqlite(sqlite) => sqlite.delete_versions(workflow).await,
            Backend::Postgres(postgres) => Box::pin(postgres.delete_versions(workflow)).await,
            Backend::Redis(redis) => Box::pin(redis.delete_versions(workflow)).await,
        }
    }
}
