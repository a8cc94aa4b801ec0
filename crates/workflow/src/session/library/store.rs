//! Where the library keeps sessions. Every store is a journal of events, to which the engine appends.

use super::LibraryError;
use crate::session::activity::Running;
use crate::session::engine::{Engine, EngineOptions, Error, Limits, SessionChange};
use futures_util::FutureExt;
use model::session::{BranchDecision, SessionStats, SessionStatus, StepExecution, WorkflowSession};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use store::{Location, SessionFilter, Store};

/// The future of an operation.
type Doing<'a, T> = Running<'a, Result<T, LibraryError>>;

/// Where sessions are kept. Only the journal is required: what clients see of a session is what its events make
/// of it, so the operations follow from it. While a [`super::SessionManager`] is open on a store, change sessions
/// through the manager.
pub trait WorkflowStore: Send + Sync + 'static {
    /// The journal.
    fn journal(&self) -> &Store;

    /// Keeps a session as it is given. An id in use is an error.
    fn create_session<'a>(&'a self, session: &'a WorkflowSession) -> Doing<'a, ()> {
        Box::pin(async move { Ok(engine(self.journal()).keep(session).await?) })
    }

    /// The session of that id, or nothing.
    fn get_session<'a>(&'a self, id: &'a str) -> Doing<'a, Option<WorkflowSession>> {
        Box::pin(async move {
            match engine(self.journal()).get(id).await {
                Ok(session) => Ok(Some(session)),
                Err(Error::NotFound(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    /// Changes a session. An unknown id is an error; its id and the name of its workflow cannot change.
    fn update_session<'a>(&'a self, id: &'a str, change: &'a SessionChange) -> Doing<'a, WorkflowSession> {
        Box::pin(async move { Ok(engine(self.journal()).change(id, change).await?) })
    }

    /// Forgets a session, and says whether there was one.
    fn delete_session<'a>(&'a self, id: &'a str) -> Doing<'a, bool> {
        Box::pin(async move { Ok(self.journal().sessions().delete(id).await?) })
    }

    /// Sessions, newest first.
    fn list_sessions<'a>(&'a self, query: SessionQuery<'a>) -> Doing<'a, Vec<WorkflowSession>> {
        Box::pin(async move {
            let filter = SessionFilter {
                workflow: query.workflow_name,
                status: query.status.map(SessionStatus::name),
                ..SessionFilter::default()
            };
            let limit = query.limit.unwrap_or(usize::MAX);
            Ok(engine(self.journal()).list(filter, limit, query.offset).await?)
        })
    }

    /// How many sessions there are, by status and by workflow.
    fn get_stats(&self) -> Doing<'_, SessionStats> {
        Box::pin(async move { Ok(engine(self.journal()).stats().await?) })
    }

    /// Forgets finished sessions, and says how many.
    fn cleanup<'a>(&'a self, rules: Cleanup<'a>) -> Doing<'a, u64> {
        Box::pin(async move {
            let age = i64::try_from(rules.max_age.as_millis()).unwrap_or(i64::MAX);
            let before = engine(self.journal()).0.now().saturating_sub(age);
            let statuses: Vec<&str> = rules.statuses.iter().map(|status| status.name()).collect();
            Ok(self.journal().sessions().cleanup(before, rules.max_sessions, &statuses).await?)
        })
    }

    /// Remembers something in a session.
    fn set_memory<'a>(&'a self, id: &'a str, key: &'a str, value: Value) -> Doing<'a, ()> {
        Box::pin(async move {
            let memory = BTreeMap::from([(key.to_owned(), Some(value))]);
            let change = SessionChange { memory, ..SessionChange::default() };
            self.update_session(id, &change).await.map(drop)
        })
    }

    /// What a session remembers under a key. An unknown id is an error.
    fn get_memory<'a>(&'a self, id: &'a str, key: &'a str) -> Doing<'a, Option<Value>> {
        Box::pin(async move { Ok(engine(self.journal()).get(id).await?.memory.get(key).cloned()) })
    }

    /// Adds a step to the history of a session, which goes on after it.
    fn record_step_execution<'a>(&'a self, id: &'a str, step: StepExecution) -> Doing<'a, ()> {
        Box::pin(async move { Ok(engine(self.journal()).record_step(id, step).await.map(drop)?) })
    }

    /// Adds a choice to the history of a session.
    fn record_branch_decision<'a>(&'a self, id: &'a str, decision: BranchDecision) -> Doing<'a, ()> {
        Box::pin(async move { Ok(engine(self.journal()).record_branch(id, decision).await.map(drop)?) })
    }

    /// Finishes the writes that were begun; whatever is asked for afterwards is an error.
    fn close(&self) -> Running<'_, ()> {
        Box::pin(self.journal().close())
    }
}

/// An engine for one operation, which reads what is recorded now.
fn engine(journal: &Store) -> Engine {
    let store = journal.clone();
    let (limits, clock, listener, instance) = (Limits::default(), None, None, None);
    Engine::new(EngineOptions { store, kit: None, limits, clock, listener, instance })
}

/// Which sessions are listed; what is `None` does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionQuery<'a> {
    /// Those of the workflow of this name.
    pub workflow_name: Option<&'a str>,
    /// Those in this status.
    pub status: Option<SessionStatus>,
    /// At most that many.
    pub limit: Option<usize>,
    /// Without the first ones.
    pub offset: usize,
}

/// Which finished sessions are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cleanup<'a> {
    /// Those finished longer ago than this.
    pub max_age: Duration,
    /// The oldest ones, while there are more sessions than this.
    pub max_sessions: Option<u64>,
    /// Of these statuses only; of every one where there is none.
    pub statuses: &'a [SessionStatus],
}

/// Sessions in memory: fast, and lost with the process. A clone is the same store.
#[derive(Clone, Debug)]
pub struct InMemoryStore(Store);

impl InMemoryStore {
    /// A store without sessions.
    pub fn new() -> Self {
        let opened = store::open(&Location::Memory).now_or_never();
        Self(opened.and_then(Result::ok).expect("memory needs no waiting to be opened"))
    }
}

impl Default for InMemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl WorkflowStore for InMemoryStore {
    fn journal(&self) -> &Store {
        &self.0
    }
}

/// Sessions in a SQLite file: what was acknowledged survives the end of the process and a loss of power. A clone
/// is the same store.
#[derive(Clone, Debug)]
pub struct SqliteStore(Store);

impl SqliteStore {
    /// Opens the file, which is made where missing.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, LibraryError> {
        Ok(Self(store::open(&Location::Sqlite(path.as_ref().to_owned())).await?))
    }
}

impl WorkflowStore for SqliteStore {
    fn journal(&self) -> &Store {
        &self.0
    }
}

/// Sessions in a PostgreSQL database, which many instances may share. A clone is the same store.
#[derive(Clone, Debug)]
pub struct PostgresStore(Store);

impl PostgresStore {
    /// Connects to the database at `postgres://user:password@host/database`; its tables are made where missing.
    pub async fn open(url: &str) -> Result<Self, LibraryError> {
        remote(url, "postgres", |location| matches!(location, Location::Postgres(_))).await.map(Self)
    }
}

impl WorkflowStore for PostgresStore {
    fn journal(&self) -> &Store {
        &self.0
    }
}

/// Sessions in a Redis database, which many instances may share; what was acknowledged may be lost with its server.
/// A clone is the same store.
#[derive(Clone, Debug)]
pub struct RedisStore(Store);

impl RedisStore {
    /// Connects to the database at `redis://:password@host/0`, or `rediss://` for TLS.
    pub async fn open(url: &str) -> Result<Self, LibraryError> {
        remote(url, "redis", |location| matches!(location, Location::Redis(_))).await.map(Self)
    }
}

impl WorkflowStore for RedisStore {
    fn journal(&self) -> &Store {
        &self.0
    }
}

/// Opens the store at an address, which must be one of this kind.
async fn remote(url: &str, kind: &str, fits: fn(&Location) -> bool) -> Result<Store, LibraryError> {
    let refused = |reason: String| LibraryError::refused(format!("This is no {kind} address: {reason}"));
    let location: Location = url.parse().map_err(|error| refused(format!("{error}")))?;
    if !fits(&location) {
        return Err(refused(location.to_string()));
    }
    Ok(store::open(&location).await?)
}
