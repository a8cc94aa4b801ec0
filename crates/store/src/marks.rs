//! The marks: a counter for each area of definitions, raised in the same step as every change there. They tell one
//! instance that another one changed something.

use crate::{Backend, Error};

/// An area whose changes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Servers that were added over the API.
    Servers,
    /// Hooks.
    Hooks,
    /// Workflows.
    Workflows,
    /// Activities.
    Activities,
    /// Schedules; that one fires is no change.
    Schedules,
    /// Templates.
    Templates,
    /// Keys that the gateway made.
    Keys,
}

impl Area {
    /// Every area, in the order of their counters.
    pub const ALL: [Self; 7] = [
        Self::Servers,
        Self::Hooks,
        Self::Workflows,
        Self::Activities,
        Self::Schedules,
        Self::Templates,
        Self::Keys,
    ];

    /// The areas whose definitions name each other: a change in one of them is decided upon all of them.
    pub(crate) const LINKED: [Self; 4] = [Self::Hooks, Self::Workflows, Self::Activities, Self::Schedules];

    /// Its name, which is that of its table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Servers => "servers",
            Self::Hooks => "hooks",
            Self::Workflows => "workflows",
            Self::Activities => "activities",
            Self::Schedules => "schedules",
            Self::Templates => "templates",
            Self::Keys => "keys",
        }
    }
}

/// How often each area was changed. A counter grows with every change, and may grow without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Area::ALL.len()]);

impl Counts {
    /// The counter of one area.
    pub const fn of(&self, area: Area) -> u64 {
        self.0[area as usize]
    }

    pub(crate) fn set(&mut self, area: Area, count: u64) {
        self.0[area as usize] = count;
    }

    pub(crate) fn raise(&mut self, area: Area) {
        self.0[area as usize] += 1;
    }

    /// Refuses a change of definitions that name others when any of those were changed since it was decided.
    pub(crate) fn refuse_moved(&self, since: Since) -> Result<(), Error> {
        let moved = |since: Counts| Area::LINKED.into_iter().any(|area| self.of(area) != since.of(area));
        if since.is_some_and(moved) { Err(Error::Moved) } else { Ok(()) }
    }
}

/// The counters that a change was decided upon, where it was upon anything but itself.
pub(crate) type Since = Option<Counts>;

/// The counters of all areas.
pub struct Marks<'a>(pub(crate) &'a Backend);

impl Marks<'_> {
    /// The counters as they are.
    pub async fn read(&self) -> Result<Counts, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.marks(),
            Backend::Sqlite(sqlite) => sqlite.marks().await,
            Backend::Postgres(postgres) => Box::pin(postgres.marks()).await,
            Backend::Redis(redis) => Box::pin(redis.marks()).await,
        }
    }

    /// Waits until the counters are others than `seen`, and gives them. A change of another process is noticed
    /// within half a second.
    pub async fn changed(&self, seen: &Counts) -> Result<Counts, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.marks_changed(seen).await,
            Backend::Sqlite(sqlite) => sqlite.marks_changed(seen).await,
            Backend::Postgres(postgres) => Box::pin(postgres.marks_changed(seen)).await,
            Backend::Redis(redis) => Box::pin(redis.marks_changed(seen)).await,
        }
    }
}
