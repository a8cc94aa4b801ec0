//! The area of schedules: the start times of workflows.

use crate::marks::Since;
use crate::{Backend, Counts, Error};

/// A schedule as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSchedule {
    /// Its name; unique.
    pub id: String,
    /// The workflow that it starts.
    pub workflow: String,
    /// The JSON text of the schedule.
    pub body: String,
    /// When it fires next, in milliseconds since 1970.
    pub next: Option<i64>,
    /// Whether it does not fire for now.
    pub paused: bool,
    /// When it was added.
    pub created_at: i64,
    /// When it was changed last; firing is no change.
    pub updated_at: i64,
    /// Why its last time passed unused.
    pub refused: Option<String>,
}

/// Schedules, by their ids.
pub struct Schedules<'a> {
    pub(crate) backend: &'a Backend,
    pub(crate) since: Since,
}

impl Schedules<'_> {
    /// The same for changes that were decided upon hooks, workflows, activities and schedules as they were at these
    /// counts: when any of them were changed since, a change is [`Error::Moved`] and nothing is done.
    pub fn since(self, counts: Counts) -> Self {
        Self { since: Some(counts), ..self }
    }

    /// Every schedule, as they were added.
    pub async fn list(&self) -> Result<Vec<StoredSchedule>, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.list_schedules(),
            Backend::Sqlite(sqlite) => sqlite.list_schedules().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_schedules()).await,
            Backend::Redis(redis) => Box::pin(redis.list_schedules()).await,
        }
    }

    /// The schedule of that id.
    pub async fn get(&self, id: &str) -> Result<Option<StoredSchedule>, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.get_schedule(id),
            Backend::Sqlite(sqlite) => sqlite.get_schedule(id).await,
            Backend::Postgres(postgres) => Box::pin(postgres.get_schedule(id)).await,
            Backend::Redis(redis) => Box::pin(redis.get_schedule(id)).await,
        }
    }

    /// Keeps a schedule, in the place of the one of its id if there is one.
    pub async fn put(&self, schedule: StoredSchedule) -> Result<(), Error> {
        match self.backend {
            Backend::Memory(memory) => memory.put_schedule(schedule, self.since),
            Backend::Sqlite(sqlite) => sqlite.put_schedule(schedule, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.put_schedule(schedule, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.put_schedule(schedule, self.since)).await,
        }
    }

    /// Forgets a schedule, and says whether there was one of that id.
    pub async fn delete(&self, id: &str) -> Result<bool, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.delete_schedule(id, self.since),
            Backend::Sqlite(sqlite) => sqlite.delete_schedule(id, self.since).await,
            Backend::Postgres(postgres) => Box::pin(postgres.delete_schedule(id, self.since)).await,
            Backend::Redis(redis) => Box::pin(redis.delete_schedule(id, self.since)).await,
        }
    }

    /// At most `limit` schedules that fire at `now`, the longest due first. Paused ones do not fire.
    pub async fn due(&self, now: i64, limit: usize) -> Result<Vec<StoredSchedule>, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.due_schedules(now, limit),
            Backend::Sqlite(sqlite) => sqlite.due_schedules(now, limit).await,
            Backend::Postgres(postgres) => Box::pin(postgres.due_schedules(now, limit)).await,
            Backend::Redis(redis) => Box::pin(redis.due_schedules(now, limit)).await,
        }
    }

    /// Moves a schedule from one time to the next, with why the first one passed unused, and says whether that was
    /// done. Who moves it fires it: of many that try, one is told so. It is not done when the schedule is gone, is
    /// paused, or fires at another time.
    pub async fn advance(
        &self,
        id: &str,
        expected: i64,
        next: Option<i64>,
        refused: Option<&str>,
    ) -> Result<bool, Error> {
        match self.backend {
            Backend::Memory(memory) => memory.advance_schedule(id, expected, next, refused),
            Backend::Sqlite(sqlite) => sqlite.advance_schedule(id, expected, next, refused).await,
            Backend::Postgres(postgres) => {
                Box::pin(postgres.advance_schedule(id, expected, next, refused)).await
            }
            Backend::Redis(redis) => Box::pin(redis.advance_schedule(id, expected, next, refused)).await,
        }
    }
}
