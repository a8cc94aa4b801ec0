//! The area of servers that were added over the API.

use crate::{Backend, Error};
use model::ServerEntry;
use std::time::{SystemTime, UNIX_EPOCH};

/// A server as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredServer {
    /// The definition, as it was added.
    pub entry: ServerEntry,
    /// When it was added, in milliseconds since 1970.
    pub created_at: i64,
}

/// Servers that were added over the API; their names are unique.
pub struct Servers<'a>(pub(crate) &'a Backend);

impl Servers<'_> {
    /// Every server, in the order in which they were added.
    pub async fn list(&self) -> Result<Vec<StoredServer>, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.list_servers(),
            Backend::Sqlite(sqlite) => sqlite.list_servers().await,
            Backend::Postgres(postgres) => Box::pin(postgres.list_servers()).await,
            Backend::Redis(redis) => Box::pin(redis.list_servers()).await,
        }
    }

    /// Keeps a server that another store had, with its time.
    pub(crate) async fn keep(&self, server: StoredServer) -> Result<StoredServer, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.add_server(server),
            Backend::Sqlite(sqlite) => sqlite.add_server(server).await,
            Backend::Postgres(postgres) => Box::pin(postgres.add_server(server)).await,
            Backend::Redis(redis) => Box::pin(redis.add_server(server)).await,
        }
    }

    /// Keeps a server. A name in use is [`Error::Taken`], and nothing changes. A caller that
    /// stops waiting may find the server kept or not, but never kept in part.
    pub async fn add(&self, entry: ServerEntry) -> Result<StoredServer, Error> {
        self.keep(StoredServer { entry, created_at: now() }).await
    }

    /// Puts a definition in the place of the one of the same name that was added at the same time, in one step, and
    /// says whether there was one: what was removed and added again meanwhile is another server.
    pub async fn replace(&self, server: StoredServer) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.replace_server(&server),
            Backend::Sqlite(sqlite) => sqlite.replace_server(server).await,
            Backend::Postgres(postgres) => Box::pin(postgres.replace_server(server)).await,
            Backend::Redis(redis) => Box::pin(redis.replace_server(server)).await,
        }
    }

    /// Forgets a server, and says whether there was one of that name.
    pub async fn remove(&self, name: &str) -> Result<bool, Error> {
        match self.0 {
            Backend::Memory(memory) => memory.remove_server(name),
            Backend::Sqlite(sqlite) => sqlite.remove_server(name).await,
            Backend::Postgres(postgres) => Box::pin(postgres.remove_server(name)).await,
            Backend::Redis(redis) => Box::pin(redis.remove_server(name)).await,
        }
    }
}

/// Milliseconds since 1970; 0 on a clock set before that.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
