//! The area of definitions that sessions are pinned to.

use crate::{Backend, Error};

/// Definitions, by their hashes.
pub struct Definitions<'a>(pub(crate) &'a Backend);

impl Definitions<'_> {
    /// Keeps a definition. One that is known stays as it is. To be sure that the next sweeps spare it, put it
    /// before each session that is created with it.
    pub async fn put(&self, hash: &str, body: &str) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.put_definition(hash, body),
            Backend::Sqlite(sqlite) => sqlite.put_definition(hash, body).await,
            Backend::Postgres(postgres) => Box::pin(postgres.put_definition(hash, body)).await,
            Backend::Redis(redis) => Box::pin(redis.put_definition(hash, body)).await,
        }
    }

    /// The definition of that hash.
    pub async fn get(&self, hash: &str) -> Result<Option<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_definition(hash),
            Backend::Sqlite(sqlite) => sqlite.get_definition(hash).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_definition(hash)).await,
            Backend::Redis(redis) => Box::pin(redis.get_definition(hash)).await,
        }
    }

    /// Forgets the definitions that no session is pinned to, and says how many went. One that was put since the
    /// sweep before is spared, because the session that needs it may be on its way.
    pub async fn sweep(&self) -> Result<u64, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.sweep_definitions(),
            Backend::Sqlite(sqlite) => sqlite.sweep_definitions().await,
            Backend::Postgres(postgres) => Box::pin(postgres.sweep_definitions()).await,
            Backend::Redis(redis) => Box::pin(redis.sweep_definitions()).await,
        }
    }
}
