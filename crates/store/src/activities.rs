//! The area of activities that were added over the API.

use crate::marks::Since;
use crate::{Backend, Counts, Error};

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
pub struct Activities<'a> {
    pub(crate) backend: &'a Backend,
    pub(crate) since: Since,
}

impl Activities<'_> {
    /// The same for changes that were decided upon hooks, workflows, activities and schedules as they were at these
    /// counts: when any of them were changed since, a change is [`Error::Moved`] and nothing is done.
    pub fn since(self, counts: Counts) -> Self {
        Self { since: Some(counts), ..self }
    }

    /// Every activity, as they were added.
    pub async fn list(&self) -> Result<Vec<StoredActivity>, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.list_activities(),
            Backend::Sqlite(sqlite) => sqlite.list_activities().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_activities()).await,
            Backend::Redis(redis) => Box::pin(redis.list_activities()).await,
        }
    }

    /// The activity of that name.
    pub async fn get(&self, name: &str) -> Result<Option<StoredActivity>, Error> {
        match self.backend {
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
        match self.backend {
            Backend::Memory(memory) => memory.put_activity(activity, before, self.since),
            Backend::Sqlite(sqlite) => sqlite.put_activity(activity, before, self.since).await,
            Backend::Postgres(postgres) => {
                Box::pin(postgres.put_activity(activity, before, self.since)).await
            }
            Backend::Redis(redis) => Box::pin(redis.put_activity(activity, before, self.since)).await,
        }
    }

    /// Forgets an activity, and says whether there was one of that name.
    pub async fn delete(&self, name: &str) -> Result<bool, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.delete_activity(name, self.since),
            Backend::Sqlite(sqlite) => sqlite.delete_activity(name, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.delete_activity(name, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.delete_activity(name, self.since)).await,
        }
    }
}
