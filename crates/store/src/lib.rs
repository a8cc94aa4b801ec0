//! The one speaker to databases.
//!
//! A [`Store`] is a cheap handle on one database. It is divided into areas, one per kind of thing
//! kept ([`Store::servers`], [`Store::hooks`]); every area behaves alike on every backend, which the contract suite
//! in `tests/` holds them to. What a write acknowledged is on disk: with SQLite neither the end of
//! the process nor a loss of power takes it away, while `memory:` forgets everything at the end of
//! the process and says so by its name.

mod activities;
mod definitions;
mod error;
mod hooks;
mod location;
mod memory;
mod runs;
mod schedules;
mod servers;
mod sessions;
mod sqlite;
mod templates;
mod variables;
mod versions;
mod workflows;

pub use activities::{Activities, StoredActivity};
pub use definitions::Definitions;
pub use error::Error;
pub use hooks::Hooks;
pub use location::Location;
pub use runs::{Runs, StoredRun};
pub use schedules::{Schedules, StoredSchedule};
pub use servers::{Servers, StoredServer};
pub use sessions::{Created, SessionFilter, SessionLimits, SessionRow, Sessions, StoredSession};
pub use templates::{StoredTemplate, Templates};
pub use variables::{Before, VariableChange, Variables};
pub use versions::{StoredVersion, Versions};
pub use workflows::Workflows;

use memory::Memory;
use sqlite::Sqlite;
use std::sync::Arc;

/// A handle on an open store; a clone speaks to the same database.
#[derive(Clone)]
pub struct Store {
    backend: Arc<Backend>,
}

/// The databases that can be spoken to. The set is closed, so areas dispatch with a `match`.
enum Backend {
    Memory(Memory),
    Sqlite(Sqlite),
}

/// Opens the store at `location`, creating its folder, its file and its tables where missing.
pub async fn open(location: &Location) -> Result<Store, Error> {
    let backend = match location {
        Location::Memory => Backend::Memory(Memory::default()),
        Location::Sqlite(path) => Backend::Sqlite(Sqlite::open(path).await?),
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
        Hooks(&self.backend)
    }

    /// The workflows.
    pub fn workflows(&self) -> Workflows<'_> {
        Workflows(&self.backend)
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
        Activities(&self.backend)
    }

    /// The start times of workflows.
    pub fn schedules(&self) -> Schedules<'_> {
        Schedules(&self.backend)
    }

    /// The templates that users saved.
    pub fn templates(&self) -> Templates<'_> {
        Templates(&self.backend)
    }

    /// What workflows were and are.
    pub fn versions(&self) -> Versions<'_> {
        Versions(&self.backend)
    }

    /// Finishes the writes that were begun, lets go of the files, and returns when this is done.
    /// Everything asked of the store afterwards, through any clone, is [`Error::Closed`].
    pub async fn close(&self) {
        match &*self.backend {
            Backend::Memory(memory) => memory.close(),
            Backend::Sqlite(sqlite) => sqlite.close().await,
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &*self.backend {
            Backend::Memory(_) => "Store(memory)",
            Backend::Sqlite(_) => "Store(sqlite)",
        })
    }
}
