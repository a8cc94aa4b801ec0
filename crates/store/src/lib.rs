//! The one speaker to databases.
//!
//! A [`Store`] is a cheap handle on one database. It is divided into areas, one per kind of thing
//! kept ([`Store::servers`], [`Store::hooks`]); every area behaves alike on every backend, which the contract suite
//! in `tests/` holds them to. What a write acknowledged is on disk: with SQLite neither the end of
//! the process nor a loss of power takes it away, with PostgreSQL it is as safe as that server is set up to keep it, with Redis it may be
//! lost with the last second,
//! while `memory:` forgets everything at the end of the process and says so by its name.

mod activities;
mod audit;
mod bus;
mod clock;
mod copy;
mod definitions;
mod error;
mod hooks;
mod keys;
mod location;
mod marks;
mod memory;
mod news;
mod outage;
mod postgres;
mod rates;
mod redis;
mod runs;
mod schedules;
mod schema;
mod secrets;
mod servers;
mod sessions;
mod sqlite;
mod templates;
mod variables;
mod versions;
mod workflows;

pub use activities::{Activities, StoredActivity};
pub use audit::{Audit, AuditBatch, AuditBody, AuditDraft, AuditEntry, AuditFilter, AuditLines, Verified};
pub use bus::{Bus, Heard, MESSAGE_MAX, Word};
pub use copy::{Copied, copy};
pub use definitions::Definitions;
pub use error::Error;
pub use hooks::Hooks;
pub use keys::{Keys, StoredKey};
pub use location::{Location, Remote};
pub use marks::{Area, Counts, Marks};
pub use outage::Outage;
pub use rates::{Flow, Granted, Rates};
pub use runs::{Runs, StoredRun};
pub use schedules::{Schedules, StoredSchedule};
pub use schema::{Schema, schema};
pub use secrets::Secrets;
pub use servers::{Servers, StoredServer};
pub use sessions::{
    AT_WORK, Claim, Created, Lease, SessionFilter, SessionLimits, SessionRow, Sessions, StoredSession,
};
pub use templates::{StoredTemplate, Templates};
pub use variables::{Before, VariableChange, Variables};
pub use versions::{StoredVersion, Versions};
pub use workflows::Workflows;

use crate::redis::Redis;
use memory::Memory;
use postgres::Postgres;
use sqlite::Sqlite;
use std::sync::Arc;

/// A handle on an open store; a clone speaks to the same database.
#[derive(Clone)]
pub struct Store {
    backend: Arc<Backend>,
}

/// The databases that can be spoken to. The set is closed, so areas dispatch with a `match`. Work on a server is boxed:
/// its futures are large, and those of everybody who uses a store would have room for them.
enum Backend {
    Memory(Memory),
    Sqlite(Sqlite),
    Postgres(Postgres),
    Redis(Redis),
}

/// Opens the store at `location`, creating its folder, its file and its tables where missing.
pub async fn open(location: &Location) -> Result<Store, Error> {
    let backend = match location {
        Location::Memory => Backend::Memory(Memory::default()),
        Location::Sqlite(path) => Backend::Sqlite(Sqlite::open(path).await?),
        Location::Postgres(remote) => Backend::Postgres(Postgres::open(remote).await?),
        Location::Redis(remote) => Backend::Redis(Redis::open(remote).await?),
    };
    Ok(Store { backend: Arc::new(backend) })
}

impl Store {
    /// The servers that were added over the API.
    pub fn servers(&self) -> Servers<'_> {
        Servers(&self.backend)
    }

    /// The hooks.
    pub fn hooks(&self) -> Hooks<'_> {
        Hooks { backend: &self.backend, since: None }
    }

    /// The workflows.
    pub fn workflows(&self) -> Workflows<'_> {
        Workflows { backend: &self.backend, since: None, freed: None }
    }

    /// The records of runs.
    pub fn runs(&self) -> Runs<'_> {
        Runs(&self.backend)
    }

    /// What workflows remember from one run to the next.
    pub fn variables(&self) -> Variables<'_> {
        Variables(&self.backend)
    }

    /// The sessions, with their events.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions(&self.backend)
    }

    /// The definitions that sessions are pinned to.
    pub fn definitions(&self) -> Definitions<'_> {
        Definitions(&self.backend)
    }

    /// The activities that were added over the API.
    pub fn activities(&self) -> Activities<'_> {
        Activities { backend: &self.backend, since: None }
    }

    /// The start times of workflows.
    pub fn schedules(&self) -> Schedules<'_> {
        Schedules { backend: &self.backend, since: None }
    }

    /// The templates that users saved.
    pub fn templates(&self) -> Templates<'_> {
        Templates(&self.backend)
    }

    /// What workflows were and are.
    pub fn versions(&self) -> Versions<'_> {
        Versions(&self.backend)
    }

    /// What was changed, told to all instances.
    pub fn marks(&self) -> Marks<'_> {
        Marks(&self.backend)
    }

    /// What instances say to each other.
    pub fn bus(&self) -> Bus<'_> {
        Bus(&self.backend)
    }

    /// The secrets that all instances share.
    pub fn secrets(&self) -> Secrets<'_> {
        Secrets(&self.backend)
    }

    /// The time by the clock of the store, in milliseconds since 1970. All instances on one store agree on it.
    pub async fn now(&self) -> Result<i64, Error> {
        match &*self.backend {
            Backend::Memory(_) | Backend::Sqlite(_) => Ok(clock::now()),
            Backend::Postgres(postgres) => Box::pin(postgres.now()).await,
            Backend::Redis(redis) => Box::pin(redis.now()).await,
        }
    }

    /// The rates that all instances hold together; nothing where the store is one machine's.
    pub fn rates(&self) -> Option<Rates<'_>> {
        Rates::of(&self.backend)
    }

    /// Whether instances on other machines may use the same database.
    pub fn is_shared(&self) -> bool {
        !matches!(&*self.backend, Backend::Memory(_) | Backend::Sqlite(_))
    }

    /// Whether this is certainly the only process that uses the database, so that nobody can be at work on what was
    /// begun. To be asked once, at the start; every process that asks counts from then on until it ends.
    pub async fn is_alone(&self) -> bool {
        match &*self.backend {
            Backend::Memory(_) => true,
            Backend::Sqlite(sqlite) => sqlite.is_alone().await,
            // Who else is connected to a server cannot be known for certain.
            Backend::Postgres(_) | Backend::Redis(_) => false,
        }
    }

    /// The keys that were made by the gateway.
    pub fn keys(&self) -> Keys<'_> {
        Keys(&self.backend)
    }

    /// The audit log.
    pub fn audit(&self) -> Audit<'_> {
        Audit(&self.backend)
    }

    /// Finishes the writes that were begun, lets go of the files, and returns when this is done.
    /// Everything asked of the store afterwards, through any clone, is [`Error::Closed`].
    pub async fn close(&self) {
        match &*self.backend {
            Backend::Memory(memory) => memory.close(),
            Backend::Sqlite(sqlite) => sqlite.close().await,
            Backend::Postgres(postgres) => Box::pin(postgres.close()).await,
            Backend::Redis(redis) => Box::pin(redis.close()).await,
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &*self.backend {
            Backend::Memory(_) => "Store(memory)",
            Backend::Sqlite(_) => "Store(sqlite)",
            Backend::Postgres(_) => "Store(postgres)",
            Backend::Redis(_) => "Store(redis)",
        })
    }
}
