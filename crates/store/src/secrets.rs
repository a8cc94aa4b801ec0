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
            Backend::Postgres(postgres) => postgres.secret(name, fresh).await,
            Backend::Redis(redis) => redis.secret(name, fresh).await,
        }
    }
}
