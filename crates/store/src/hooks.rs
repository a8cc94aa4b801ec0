//! The area of hooks.

use crate::{Backend, Error};
use model::Hook;

/// Hooks; their ids and their names are unique.
pub struct Hooks<'a>(pub(crate) &'a Backend);

impl Hooks<'_> {
    /// Every hook, in the order in which they run: by `executionOrder`, then by creation time, then
    /// as they were added.
    pub async fn list(&self) -> Result<Vec<Hook>, Error> {
        let mut hooks = match self.0 {
            Backend::Memory(memory) => memory.list_hooks()?,
            Backend::Sqlite(sqlite) => sqlite.list_hooks().await?,
            Backend::Postgres(postgres) => postgres.list_hooks().await?,
            Backend::Redis(redis) => redis.list_hooks().await?,
        };
        Hook::sort(&mut hooks);
        Ok(hooks)
    }

    /// Keeps these hooks, all or none. A name in use is [`Error::Taken`], and nothing changes. A
    /// caller that stops waiting may find them kept or not, but never kept in part.
    pub async fn add(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.add_hooks(hooks),
            Backend::Sqlite(sqlite) => sqlite.add_hooks(hooks).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_hooks(hooks)).await,
            Backend::Redis(redis) => Box::pin(redis.add_hooks(hooks)).await,
        }
    }

    /// Puts these hooks in the place of those with the same ids, all or none. An unknown id is
    /// [`Error::Gone`], a name in use is [`Error::Taken`], and nothing changes.
    pub async fn replace(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.replace_hooks(hooks),
            Backend::Sqlite(sqlite) => sqlite.replace_hooks(hooks).await,
            Backend::Postgres(postgres) => Box::pin(postgres.replace_hooks(hooks)).await,
            Backend::Redis(redis) => Box::pin(redis.replace_hooks(hooks)).await,
        }
    }

    /// Forgets a hook, and says whether there was one of that id.
    pub async fn remove(&self, id: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.remove_hook(id),
            Backend::Sqlite(sqlite) => sqlite.remove_hook(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.remove_hook(id)).await,
            Backend::Redis(redis) => Box::pin(redis.remove_hook(id)).await,
        }
    }
}
