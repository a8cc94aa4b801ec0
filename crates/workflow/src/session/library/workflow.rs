//! A session workflow in the hands of its author.

use super::manager::SessionManager;
use super::{LOCAL, LibraryError, ToolShown, WorkflowBuilder};
use crate::session::engine::{Continue, Start, Steps};
use crate::session::plan::{Definition, Plan};
use crate::session::reply::Reply;
use model::session::{Face, WorkflowSession};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A session workflow, registered with a [`SessionManager`]; a clone is the same one.
///
/// Replies are those of the tools (spec 4.6): a step that fails is a [`Reply`] with `is_error`, while an error here
/// says that the session is unknown or could not be recorded.
#[derive(Clone)]
pub struct Workflow {
    plan: Arc<Plan>,
    manager: SessionManager,
    /// Whether its tools are shown on a server.
    #[cfg(feature = "rmcp")]
    pub(super) attached: Arc<std::sync::atomic::AtomicBool>,
}

impl Workflow {
    /// A workflow of this name, to be made of steps.
    pub fn builder(name: impl Into<String>) -> WorkflowBuilder {
        WorkflowBuilder::new(name)
    }

    /// A workflow that is written as data. The manager needs a kit for its scripts.
    pub fn define(manager: &SessionManager, definition: Definition) -> Result<Self, LibraryError> {
        let plan = manager.engine().plan(definition).map_err(LibraryError::Refused)?;
        Self::register(manager, plan)
    }

    pub(super) fn register(manager: &SessionManager, plan: Arc<Plan>) -> Result<Self, LibraryError> {
        plan.check_nested().map_err(LibraryError::Refused)?;
        manager.engine().add(Arc::clone(&plan)).map_err(LibraryError::Refused)?;
        let manager = manager.clone();
        Ok(Self {
            plan,
            manager,
            #[cfg(feature = "rmcp")]
            attached: Arc::default(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.plan.name()
    }

    /// The manager of its sessions.
    pub const fn manager(&self) -> &SessionManager {
        &self.manager
    }

    /// The tools that it shows itself as.
    pub fn tools(&self) -> Vec<ToolShown> {
        self.plan.tools(&Face::ALL)
    }

    /// Starts a session and runs its first step.
    pub async fn start(&self, input: Value) -> Result<Reply, LibraryError> {
        self.start_with(Start { client_id: LOCAL.into(), input, ..Start::default() }).await
    }

    /// Starts a session with more to say: for whom, under which key, how far.
    pub async fn start_with(&self, start: Start) -> Result<Reply, LibraryError> {
        self.manager.keep_time();
        Ok(self.manager.engine().start(self.name(), start).await?)
    }

    /// Runs the next step of a session. A result takes the place of the output of the step before; arguments, an
    /// object or null, are merged over the input of the next one.
    pub async fn continue_session(
        &self,
        id: &str,
        result: Option<Value>,
        arguments: Value,
    ) -> Result<Reply, LibraryError> {
        let arguments = object(arguments)?;
        let session = Some(id.to_owned());
        self.continue_with(Continue { session, result, arguments, ..Continue::default() }).await
    }

    /// Runs a session from where it stands to its end, as long as there is nothing to choose.
    pub async fn run_on(&self, id: &str) -> Result<Reply, LibraryError> {
        let session = Some(id.to_owned());
        self.continue_with(Continue { session, steps: Steps::All, ..Continue::default() }).await
    }

    /// Continues a session with more to say: which step is expected, an approval, what became of a step.
    pub async fn continue_with(&self, request: Continue) -> Result<Reply, LibraryError> {
        self.manager.keep_time();
        Ok(self.manager.engine().proceed(self.name(), request).await?)
    }

    /// Runs one step of a session. Those before it that were not run are passed over; one that was run gives its
    /// recorded reply.
    pub async fn execute_step(&self, id: &str, step: usize) -> Result<Reply, LibraryError> {
        self.manager.keep_time();
        Ok(self.manager.engine().execute_step(self.name(), id, step).await?)
    }

    /// Completes a session; its remaining steps do not run.
    pub async fn complete(&self, id: &str) -> Result<Reply, LibraryError> {
        Ok(self.manager.engine().complete(self.name(), id).await?)
    }

    /// Fails a session with an error; its steps that can be undone are.
    pub async fn fail(&self, id: &str, error: impl Into<String>) -> Result<Reply, LibraryError> {
        Ok(self.manager.engine().fail(self.name(), id, error.into()).await?)
    }

    /// Holds a session until it is continued.
    pub async fn pause(&self, id: &str) -> Result<Reply, LibraryError> {
        Ok(self.manager.engine().pause(Some(self.name()), None, id).await?)
    }

    /// Ends a session without undoing anything.
    pub async fn cancel(&self, id: &str) -> Result<Reply, LibraryError> {
        Ok(self.manager.engine().cancel(Some(self.name()), None, id, false).await?)
    }

    /// Ends a session and undoes its steps.
    pub async fn cancel_and_undo(&self, id: &str) -> Result<Reply, LibraryError> {
        Ok(self.manager.engine().cancel(Some(self.name()), None, id, true).await?)
    }

    /// Shows a session as its status tool does.
    pub async fn status(&self, id: &str) -> Result<Reply, LibraryError> {
        Ok(self.manager.engine().status(Some(self.name()), None, id).await?)
    }

    /// Its sessions, newest first.
    pub async fn sessions(&self) -> Result<Vec<WorkflowSession>, LibraryError> {
        self.manager.sessions_of(self.name()).await
    }

    pub(super) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }
}

/// Arguments, which are an object or nothing.
fn object(arguments: Value) -> Result<Map<String, Value>, LibraryError> {
    match arguments {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(LibraryError::refused("The arguments of a continue must be an object, or null for none")),
    }
}
