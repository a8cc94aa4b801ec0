//! Workflows made of steps and closures.

use super::{LibraryError, SessionManager, Step, Workflow};
use crate::session::activity::{ActivityContext, Running};
use crate::session::plan::{Callbacks, Middleware, Plan, PlanStep};
use model::session::{Face, Procedure, TimeoutScope, Tools};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

type Success =
    Arc<dyn for<'a> Fn(&'a Map<String, Value>, &'a str) -> Running<'a, Result<(), String>> + Send + Sync>;
type Word = Arc<dyn for<'a> Fn(&'a str, &'a str) -> Running<'a, Result<(), String>> + Send + Sync>;

/// Makes a [`Workflow`].
pub struct WorkflowBuilder {
    procedure: Procedure,
    steps: Vec<Step>,
    middleware: Vec<Arc<dyn Middleware>>,
    told: Told,
}

/// The callbacks of a workflow, as closures.
#[derive(Default)]
struct Told {
    success: Option<Success>,
    failure: Option<Word>,
    complete: Option<Word>,
}

impl WorkflowBuilder {
    pub(super) fn new(name: impl Into<String>) -> Self {
        let procedure = Procedure::named(name);
        Self { procedure, steps: Vec::new(), middleware: Vec::new(), told: Told::default() }
    }

    /// What it is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.procedure.description = description.into();
        self
    }

    /// The next step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// How long the whole may take, and which time counts.
    #[must_use]
    pub fn timeout(mut self, limit: Duration, scope: TimeoutScope) -> Self {
        self.procedure.timeout = Some(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        self.procedure.timeout_scope = Some(scope);
        self
    }

    /// Which tools are shown; start and continue always are.
    #[must_use]
    pub fn expose(mut self, faces: impl IntoIterator<Item = Face>) -> Self {
        self.tools().expose = Some(faces.into_iter().collect());
        self
    }

    /// Another title of a tool.
    #[must_use]
    pub fn title(mut self, face: Face, title: impl Into<String>) -> Self {
        self.tools().titles.insert(face, title.into());
        self
    }

    fn tools(&mut self) -> &mut Tools {
        self.procedure.tools.get_or_insert_default()
    }

    /// Is run with the context before every step, after those added before; an error fails the session.
    #[must_use]
    pub fn with_middleware<F>(self, before: F) -> Self
    where
        F: for<'a> Fn(&'a mut ActivityContext) -> Running<'a, Result<(), String>> + Send + Sync + 'static,
    {
        self.with_shared_middleware(Arc::new(Before(before)))
    }

    /// The same for a middleware that is a type of its own, or that several workflows use.
    #[must_use]
    pub fn with_shared_middleware(mut self, middleware: Arc<dyn Middleware>) -> Self {
        self.middleware.push(middleware);
        self
    }

    /// Is told of the memory and the session of a success; an error is logged.
    #[must_use]
    pub fn on_success<F>(mut self, told: F) -> Self
    where
        F: for<'a> Fn(&'a Map<String, Value>, &'a str) -> Running<'a, Result<(), String>>
            + Send
            + Sync
            + 'static,
    {
        self.told.success = Some(Arc::new(told));
        self
    }

    /// Is told of the error and the session of a failure; an error is logged.
    #[must_use]
    pub fn on_failure<F>(mut self, told: F) -> Self
    where
        F: for<'a> Fn(&'a str, &'a str) -> Running<'a, Result<(), String>> + Send + Sync + 'static,
    {
        self.told.failure = Some(Arc::new(told));
        self
    }

    /// Is told last of the status and the session; an error is logged.
    #[must_use]
    pub fn on_complete<F>(mut self, told: F) -> Self
    where
        F: for<'a> Fn(&'a str, &'a str) -> Running<'a, Result<(), String>> + Send + Sync + 'static,
    {
        self.told.complete = Some(Arc::new(told));
        self
    }

    /// The workflow, registered with a manager. A name that is taken there is refused.
    pub fn build(self, manager: &SessionManager) -> Result<Workflow, LibraryError> {
        let name = self.procedure.name.clone();
        if model::check_name(&name, Procedure::NAME_MAX).is_err() {
            let rule = "must have 1 to 91 characters of a-z, A-Z, 0-9, - and _";
            return Err(LibraryError::refused(format!("The name of a workflow {rule}, not {name:?}")));
        }
        if self.steps.is_empty() {
            return Err(LibraryError::refused("Workflow must have at least one step"));
        }
        let steps = self.steps.into_iter().map(Step::plan).collect::<Result<Vec<PlanStep>, _>>()?;
        let first = steps.first().and_then(|step| step.members.first());
        let input_schema = first.and_then(|member| member.activity.input_schema().cloned());
        let plan = Plan {
            procedure: self.procedure,
            hash: Plan::native_hash(&name),
            version: None,
            steps,
            forks: Vec::new(),
            middleware: self.middleware,
            callbacks: Some(Arc::new(self.told)),
            input_schema,
            text: None,
            kept: std::sync::atomic::AtomicBool::new(false),
        };
        Workflow::register(manager, Arc::new(plan))
    }
}

impl Callbacks for Told {
    fn on_success<'a>(
        &'a self,
        memory: &'a Map<String, Value>,
        session: &'a str,
    ) -> Running<'a, Result<(), String>> {
        match &self.success {
            Some(told) => told(memory, session),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn on_failure<'a>(&'a self, error: &'a str, session: &'a str) -> Running<'a, Result<(), String>> {
        match &self.failure {
            Some(told) => told(error, session),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn on_complete<'a>(&'a self, status: &'a str, session: &'a str) -> Running<'a, Result<(), String>> {
        match &self.complete {
            Some(told) => told(status, session),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }
}

/// A middleware that is a closure.
struct Before<F>(F);

impl<F> Middleware for Before<F>
where
    F: for<'a> Fn(&'a mut ActivityContext) -> Running<'a, Result<(), String>> + Send + Sync,
{
    fn before<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, Result<(), String>> {
        (self.0)(context)
    }
}
