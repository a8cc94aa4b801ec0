//! The area of templates that users saved.

use crate::{Backend, Error};

/// A template as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTemplate {
    /// Given by the gateway; unique.
    pub id: String,
    /// The JSON text of the template.
    pub body: String,
    /// When it was saved, in milliseconds since 1970.
    pub created_at: i64,
}

/// Templates; their ids are unique.
pub struct Templates<'a>(pub(crate) &'a Backend);

impl Templates<'_> {
    /// Every template, as they were saved.
    pub async fn list(&self) -> Result<Vec<StoredTemplate>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_templates(),
            Backend::Sqlite(sqlite) => sqlite.list_templates().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_templates()).await,
            Backend::Redis(redis) => Box::pin(redis.list_templates()).await,
        }
    }

    /// The template of that id.
    pub async fn get(&self, id: &str) -> Result<Option<StoredTemplate>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_template(id),
            Backend::Sqlite(sqlite) => sqlite.get_template(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_template(id)).await,
            Backend::Redis(redis) => Box::pin(redis.get_template(id)).await,
        }
    }

    /// Keeps a template. An id in use is [`Error::Taken`], and nothing changes.
    pub async fn add(&self, template: StoredTemplate) -> Result<(), Error> {
        match self.0 {
            Backend::Memory(memory) => memory.add_template(template),
            Backend::Sqlite(sqlite) => sqlite.add_template(template).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_template(template)).await,
            Backend::Redis(redis) => Box::pin(redis.add_template(template)).await,
        }
    }

    /// Forgets a template, and says whether there was one of that id.
    pub async fn remove(&self, id: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.remove_template(id),
            Backend::Sqlite(sqlite) => sqlite.remove_template(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.remove_template(id)).await,
            Backend::Redis(redis) => Box::pin(redis.remove_template(id)).await,
        }
    }
}
