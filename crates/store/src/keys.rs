//! The area of keys that were made by the gateway.

use crate::{Backend, Error};

/// A key as it is kept: never the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// Its name; unique.
    pub name: String,
    /// The SHA-256 of the key, as hexadecimal digits; unique.
    pub digest: String,
    /// What it permits, as JSON text.
    pub grant: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
}

/// Keys, by their names.
pub struct Keys<'a>(pub(crate) &'a Backend);

impl Keys<'_> {
    /// Every key, as they were made.
    pub async fn list(&self) -> Result<Vec<StoredKey>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_keys(),
            Backend::Sqlite(sqlite) => sqlite.list_keys().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_keys()).await,
            Backend::Redis(redis) => Box::pin(redis.list_keys()).await,
        }
    }

    /// Keeps a key. A name or a digest in use is [`Error::Taken`], and nothing changes.
    pub async fn add(&self, key: StoredKey) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.add_key(key),
            Backend::Sqlite(sqlite) => sqlite.add_key(key).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_key(key)).await,
            Backend::Redis(redis) => Box::pin(redis.add_key(key)).await,
        }
    }

    /// Forgets a key, and says whether there was one of that name.
    pub async fn remove(&self, name: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.remove_key(name),
            Backend::Sqlite(sqlite) => sqlite.remove_key(name).await,
            Backend::Postgres(postgres) => Box::pin(postgres.remove_key(name)).await,
            Backend::Redis(redis) => Box::pin(redis.remove_key(name)).await,
        }
    }
}
