//! The manager of sessions: one engine on one store, with its limits and its clock.

use super::store::{InMemoryStore, WorkflowStore};
use super::{LOCAL, LibraryError};
use crate::session::engine::{Clock, Engine, EngineOptions, Limits, Listen, SessionChange, Start, Wake};
use crate::session::kinds::WorkflowActivity;
use crate::session::plan::Kit;
use crate::session::{Approval, Reply};
use model::session::{BranchDecision, SessionStats, StepExecution, WorkflowSession};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// What a [`SessionManager`] is made of.
pub struct SessionManagerOptions {
    /// Where sessions are kept; memory by default.
    pub store: Arc<dyn WorkflowStore>,
    /// The most sessions.
    pub max_sessions: u64,
    /// Finished sessions older than this many milliseconds are removed.
    pub session_ttl_ms: u64,
    /// What happens at the limit when no session is finished.
    pub on_full: OnFull,
    /// Tells the time; the system's clock by default.
    pub clock: Option<Clock>,
    /// Is told what happens to sessions.
    pub listener: Option<Arc<dyn Listen>>,
    /// What workflows that are written as data are run with.
    pub kit: Option<Kit>,
}

impl Default for SessionManagerOptions {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            store: Arc::new(InMemoryStore::new()),
            max_sessions: limits.max_sessions,
            session_ttl_ms: limits.session_ttl_ms,
            on_full: OnFull::Reject,
            clock: None,
            listener: None,
            kit: None,
        }
    }
}

/// What happens at the limit of sessions when none is finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// The start is refused.
    #[default]
    Reject,
    /// The oldest open session is removed.
    EvictOldest,
}

/// Keeps sessions; a clone is the same one. While it is open, nobody else changes sessions in its store.
#[derive(Clone)]
pub struct SessionManager(Arc<Shared>);

struct Shared {
    engine: Engine,
    store: Arc<dyn WorkflowStore>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            keeper.abort();
        }
    }
}

impl Default for SessionManager {
    fn default() -> Self {
        Self::new(SessionManagerOptions::default())
    }
}

impl SessionManager {
    /// A manager without workflows.
    pub fn new(options: SessionManagerOptions) -> Self {
        let limits = Limits {
            max_sessions: options.max_sessions,
            session_ttl_ms: options.session_ttl_ms,
            evict_oldest: options.on_full == OnFull::EvictOldest,
            ..Limits::default()
        };
        let engine = Engine::new(EngineOptions {
            store: options.store.journal().clone(),
            kit: options.kit,
            limits,
            clock: options.clock,
            listener: options.listener,
            instance: None,
        });
        Self(Arc::new(Shared { engine, store: options.store, keeper: Mutex::default() }))
    }

    /// The engine beneath.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Takes up what was under way when the process ended, and keeps time from now on. To be called once, after
    /// the workflows were registered and before they are used; says how many sessions are taken up.
    pub async fn recover(&self) -> Result<usize, LibraryError> {
        let count = self.engine().recover().await?;
        self.keep_time();
        Ok(count)
    }

    /// Wakes sessions whose time has come, from the first use on until the manager is closed or gone.
    pub(super) fn keep_time(&self) {
        let mut keeper = self.0.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.as_ref().is_none_or(JoinHandle::is_finished) {
            let engine = self.engine().clone();
            *keeper = Some(tokio::spawn(async move { engine.keep_time().await }));
        }
    }

    /// An activity that runs a workflow of this manager as one step, in a session of its own.
    pub fn workflow_activity(&self, name: &str, workflow: &str) -> WorkflowActivity {
        WorkflowActivity::new(name, workflow, self.engine().workflows())
    }

    /// Creates a session without running a step; the next continue runs the first one.
    pub async fn create(&self, workflow: &str, input: Value) -> Result<WorkflowSession, LibraryError> {
        let start = Start { client_id: LOCAL.into(), input, ..Start::default() };
        Ok(self.engine().create(workflow, start).await?)
    }

    /// One session.
    pub async fn get(&self, id: &str) -> Result<WorkflowSession, LibraryError> {
        Ok(self.engine().get(id).await?)
    }

    /// Changes a session that is open.
    pub async fn update(&self, id: &str, change: &SessionChange) -> Result<WorkflowSession, LibraryError> {
        Ok(self.engine().change(id, change).await?)
    }

    /// Remembers something in a session.
    pub async fn set_memory(&self, id: &str, key: &str, value: Value) -> Result<(), LibraryError> {
        let memory = BTreeMap::from([(key.to_owned(), Some(value))]);
        self.update(id, &SessionChange { memory, ..SessionChange::default() }).await.map(drop)
    }

    /// What a session remembers under a key.
    pub async fn get_memory(&self, id: &str, key: &str) -> Result<Option<Value>, LibraryError> {
        Ok(self.get(id).await?.memory.get(key).cloned())
    }

    /// Notes a step that was run elsewhere.
    pub async fn record_step(&self, id: &str, step: StepExecution) -> Result<WorkflowSession, LibraryError> {
        Ok(self.engine().record_step(id, step).await?)
    }

    /// Notes which tool was chosen.
    pub async fn record_branch(
        &self,
        id: &str,
        decision: BranchDecision,
    ) -> Result<WorkflowSession, LibraryError> {
        Ok(self.engine().record_branch(id, decision).await?)
    }

    /// Completes a session; its remaining steps do not run.
    pub async fn complete(&self, id: &str) -> Result<Reply, LibraryError> {
        let session = self.get(id).await?;
        Ok(self.engine().complete(&session.workflow_name, id).await?)
    }

    /// Removes a session, whatever it is doing; says whether there was one.
    pub async fn delete(&self, id: &str) -> Result<bool, LibraryError> {
        Ok(self.engine().delete(id).await?)
    }

    /// Removes finished sessions that are older than the limit; says how many.
    pub async fn clean_up(&self) -> Result<u64, LibraryError> {
        Ok(self.engine().clean_up().await?)
    }

    /// The sessions of a workflow, newest first.
    pub async fn sessions_of(&self, workflow: &str) -> Result<Vec<WorkflowSession>, LibraryError> {
        let filter = ::store::SessionFilter { workflow: Some(workflow), ..Default::default() };
        Ok(self.engine().list(filter, usize::MAX, 0).await?)
    }

    /// How many sessions there are, by status and by workflow.
    pub async fn stats(&self) -> Result<SessionStats, LibraryError> {
        Ok(self.engine().stats().await?)
    }

    /// Brings an event to the sessions that wait for it; says how many took it.
    pub async fn signal(&self, wake: &Wake) -> Result<usize, LibraryError> {
        Ok(self.engine().signal(wake).await?)
    }

    /// Answers the question of a session that waits for approval.
    pub async fn decide(&self, id: &str, approval: Approval) -> Result<Reply, LibraryError> {
        Ok(self.engine().decide(id, approval).await?)
    }

    /// Stops keeping time and closes the store, once what was begun to be written is.
    pub async fn close(&self) {
        if let Some(keeper) = self.0.keeper.lock().unwrap_or_else(PoisonError::into_inner).take() {
            keeper.abort();
        }
        self.0.store.close().await;
    }
}
