//! Secrets that all instances share.

use crate::{Backend, Error};

/// Secrets, by their names.
pub struct Secrets<'a>(pub(crate) &'a Backend);

impl Secrets<'_> {
    /// The secret of that name. Is there none, `fresh` becomes it; of many that try at once, all get the same.
    pub async fn get_or_keep(&self, name: &str, fresh: &str) -> Result<String, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.secret(name, fresh),
            Backend::Sqlite(sqlite) => sqlite.secret(name, fresh).await,
            Backend::Postgres(postgres) => Box::pin(postgres.secret(name, fresh)).await,
            Backend::Redis(redis) => Box::pin(redis.secret(name, fresh)).await,
        }
    }

    /// The secret of that name, where there is one.
    pub async fn get(&self, name: &str) -> Result<Option<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_secret(name),
            Backend::Sqlite(sqlite) => sqlite.get_secret(name).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_secret(name)).await,
            Backend::Redis(redis) => Box::pin(redis.get_secret(name)).await,
        }
    }

    /// Keeps a secret in place of an earlier one of that name.
    pub async fn put(&self, name: &str, value: &str) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.put_secret(name, value),
            Backend::Sqlite(sqlite) => sqlite.put_secret(name, value).await,
            Backend::Postgres(postgres) => Box::pin(postgres.put_secret(name, value)).await,
            Backend::Redis(redis) => Box::pin(redis.put_secret(name, value)).await,
        }
    }

    /// Puts a secret in the place of one that is still the one that was read, and says whether it was.
    pub async fn replace(&self, name: &str, was: &str, value: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.replace_secret(name, was, value),
            Backend::Sqlite(sqlite) => sqlite.replace_secret(name, was, value).await,
            Backend::Postgres(postgres) => Box::pin(postgres.replace_secret(name, was, value)).await,
            Backend::Redis(redis) => Box::pin(redis.replace_secret(name, was, value)).await,
        }
    }

    /// Removes the secret of that name and gives it out; of many that try at once, one gets it.
    pub async fn take(&self, name: &str) -> Result<Option<String>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.take_secret(name),
            Backend::Sqlite(sqlite) => sqlite.take_secret(name).await,
            Backend::Postgres(postgres) => Box::pin(postgres.take_secret(name)).await,
            Backend::Redis(redis) => Box::pin(redis.take_secret(name)).await,
        }
    }
}
