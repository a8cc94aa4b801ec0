//! The area of hooks.

use crate::marks::Since;
use crate::{Backend, Counts, Error};
use model::Hook;

/// Hooks; their ids and their names are unique.
pub struct Hooks<'a> {
    pub(crate) backend: &'a Backend,
    pub(crate) since: Since,
}

impl Hooks<'_> {
    /// The same for changes that were decided upon hooks, workflows, activities and schedules as they were at these
    /// counts: when any of them were changed since, a change is [`Error::Moved`] and nothing is done.
    pub fn since(self, counts: Counts) -> Self {
        Self { since: Some(counts), ..self }
    }

    /// Every hook, in the order in which they run: by `executionOrder`, then by creation time, then
    /// as they were added.
    pub async fn list(&self) -> Result<Vec<Hook>, Error> {
        let mut hooks = match self.backend {
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
        match self.backend {
            Backend::Memory(memory) => memory.add_hooks(hooks, self.since),
            Backend::Sqlite(sqlite) => sqlite.add_hooks(hooks, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_hooks(hooks, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.add_hooks(hooks, self.since)).await,
        }
    }

    /// Puts these hooks in the place of those with the same ids, all or none. An unknown id is
    /// [`Error::Gone`], a name in use is [`Error::Taken`], and nothing changes.
    pub async fn replace(&self, hooks: Vec<Hook>) -> Result<(), Error> {
        match self.backend {
            Backend::Memory(memory) => memory.replace_hooks(hooks, self.since),
            Backend::Sqlite(sqlite) => sqlite.replace_hooks(hooks, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.replace_hooks(hooks, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.replace_hooks(hooks, self.since)).await,
        }
    }

    /// Forgets a hook, and says whether there was one of that id.
    pub async fn remove(&self, id: &str) -> Result<bool, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.remove_hook(id, self.since),
            Backend::Sqlite(sqlite) => sqlite.remove_hook(id, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.remove_hook(id, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.remove_hook(id, self.since)).await,
        }
    }
}
