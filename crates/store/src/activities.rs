//! The area of activities that were added over the API.

use crate::{Backend, Error};

/// An activity as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredActivity {
    /// Its name; unique.
    pub name: String,
    /// The JSON text of the activity.
    pub body: String,
    /// Which edition of it this is.
    pub revision: u64,
    /// When it was added, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was changed last.
    pub updated_at: i64,
}

/// Activities; their names are unique.
pub struct Activities<'a>(pub(crate) &'a Backend);

impl Activities<'_> {
    /// Every activity, as they were added.
    pub async fn list(&self) -> Result<Vec<StoredActivity>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_activities(),
            Backend::Sqlite(sqlite) => sqlite.list_activities().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_activities()).await,
            Backend::Redis(redis) => Box::pin(redis.list_activities()).await,
        }
    }

    /// The activity of that name.
    pub async fn get(&self, name: &str) -> Result<Option<StoredActivity>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.get_activity(name),
            Backend::Sqlite(sqlite) => sqlite.get_activity(name).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_activity(name)).await,
            Backend::Redis(redis) => Box::pin(redis.get_activity(name)).await,
        }
    }

    /// Adds an activity (`before` is `None`), or puts it in the place of the one of its name that has the
    /// revision `before`. Says whether that was done: it is not when the revision is another. A name in use is
    /// [`Error::Taken`] for a new one, an unknown name is [`Error::Gone`] for a change.
    pub async fn put(&self, activity: StoredActivity, before: Option<u64>) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.put_activity(activity, before),
            Backend::Sqlite(sqlite) => sqlite.put_activity(activity, before).await,
            Backend::Postgres(postgres) => Box::pin(postgres.put_activity(activity, before)).await,
            Backend::Redis(redis) => Box::pin(redis.put_activity(activity, before)).await,
        }
    }

    /// Forgets an activity, and says whether there was one of that name.
    pub async fn delete(&self, name: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.delete_activity(name),
            Backend::Sqlite(sqlite) => sqlite.delete_activity(name).await,
            Backend::Postgres(postgres) => Box::pin(postgres.delete_activity(name)).await,
            Backend::Redis(redis) => Box::pin(redis.delete_activity(name)).await,
        }
    }
}
