//! The area of runs.

use crate::{Backend, Error};
use model::RunId;
use std::sync::Arc;

/// The record of one run, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// Its name; later runs have greater ones.
    pub id: RunId,
    /// The id of the workflow that it passed.
    pub workflow: String,
    /// The JSON text of the record.
    pub record: String,
}

/// Records of runs, by their ids.
pub struct Runs<'a>(pub(crate) &'a Backend);

impl Runs<'_> {
    /// Keeps these records, all or none. A record whose run is known takes the place of the older one.
    pub async fn keep(&self, runs: impl Into<Arc<Vec<StoredRun>>>) -> Result<(), Error> {
        let runs = runs.into();
        match self.0 {
            Backend::Memory(memory) => memory.keep_runs(Arc::unwrap_or_clone(runs)),
            Backend::Sqlite(sqlite) => sqlite.keep_runs(runs).await,
            Backend::Postgres(postgres) => Box::pin(postgres.keep_runs(&runs)).await,
            Backend::Redis(redis) => Box::pin(redis.keep_runs(&runs)).await,
        }
    }

    /// At most `limit` records, of one workflow or of all, newest first, without the newest `offset`.
    pub async fn list(
        &self,
        workflow: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<StoredRun>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_runs(workflow, limit, offset),
            Backend::Sqlite(sqlite) => sqlite.list_runs(workflow, limit, offset).await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_runs(workflow, limit, offset)).await,
            Backend::Redis(redis) => Box::pin(redis.list_runs(workflow, limit, offset)).await,
        }
    }

    /// How many records there are, of one workflow or of all.
    pub async fn count(&self, workflow: Option<&str>) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.count_runs(workflow),
            Backend::Sqlite(sqlite) => sqlite.count_runs(workflow).await,
            Backend::Postgres(postgres) => Box::pin(postgres.count_runs(workflow)).await,
            Backend::Redis(redis) => Box::pin(redis.count_runs(workflow)).await,
        }
    }

    /// The record of that run.
    pub async fn get(&self, id: RunId) -> Result<Option<StoredRun>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_run(id),
            Backend::Sqlite(sqlite) => sqlite.get_run(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_run(id)).await,
            Backend::Redis(redis) => Box::pin(redis.get_run(id)).await,
        }
    }

    /// Forgets the runs that began before `before`, in milliseconds since 1970, and of the others all but the
    /// newest `most`. Says how many went.
    pub async fn trim(&self, most: u64, before: i64) -> Result<u64, Error> {
        let before = RunId::first_of(before);
        match self.0 {
            Backend::Memory(memory) => memory.trim_runs(most, before),
            Backend::Sqlite(sqlite) => sqlite.trim_runs(most, before).await,
            Backend::Postgres(postgres) => Box::pin(postgres.trim_runs(most, before)).await,
            Backend::Redis(redis) => Box::pin(redis.trim_runs(most, before)).await,
        }
    }
}
