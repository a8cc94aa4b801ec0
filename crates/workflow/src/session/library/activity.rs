//! Activities made of closures.

use super::LibraryError;
use crate::session::activity::{Activity, ActivityContext, ActivityResult, Effect, Running};
use crate::session::schema;
use model::session::Retry;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

type Work = Arc<dyn for<'a> Fn(&'a mut ActivityContext) -> Running<'a, ActivityResult> + Send + Sync>;
type Told = Arc<
    dyn for<'a> Fn(&'a ActivityContext, &'a ActivityResult) -> Running<'a, Result<(), String>> + Send + Sync,
>;

/// Makes an [`Activity`] from closures.
///
/// ```
/// use lockgate_workflow::session::{Activity, ActivityBuilder, ActivityContext, ActivityResult, Effect};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let greet = ActivityBuilder::new("greet")
///     .description("Greets somebody")
///     .input_schema(json!({"type": "object", "required": ["name"]}))
///     .effect(Effect::None)
///     .run(|context| Box::pin(async move {
///         let name = context.input.as_ref().and_then(|input| input["name"].as_str()).unwrap_or("you");
///         ActivityResult::success(json!({"said": format!("Hello {name}")}))
///     }))
///     .unwrap();
/// let mut context = ActivityContext::standalone(Some(json!({"name": "Ada"})), 0);
/// assert_eq!(greet.execute(&mut context).await.data, Some(json!({"said": "Hello Ada"})));
/// # });
/// ```
pub struct ActivityBuilder {
    built: BuiltActivity,
}

/// An activity made of closures; a clone is the same one.
#[derive(Clone)]
pub struct BuiltActivity {
    name: String,
    description: String,
    input_schema: Option<Value>,
    output_schema: Option<Value>,
    timeout: Option<Duration>,
    retry: Option<Retry>,
    effect: Effect,
    work: Work,
    success: Option<Told>,
    failure: Option<Told>,
    complete: Option<Told>,
}

impl ActivityBuilder {
    /// An activity of this name, whose second run may do harm until [`ActivityBuilder::effect`] says otherwise.
    pub fn new(name: impl Into<String>) -> Self {
        let built = BuiltActivity {
            name: name.into(),
            description: String::new(),
            input_schema: None,
            output_schema: None,
            timeout: None,
            retry: None,
            effect: Effect::Once,
            work: Arc::new(|_| {
                Box::pin(std::future::ready(ActivityResult::failure("There is nothing to run")))
            }),
            success: None,
            failure: None,
            complete: None,
        };
        Self { built }
    }

    /// What it is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.built.description = description.into();
        self
    }

    /// JSON Schema of its input.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.built.input_schema = Some(schema);
        self
    }

    /// JSON Schema of its data.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.built.output_schema = Some(schema);
        self
    }

    /// How long one execution may take.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.built.timeout = Some(limit);
        self
    }

    /// How often it is tried.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.built.retry = Some(retry);
        self
    }

    /// What a second run would do: decides what is recorded before a run, and what a crash leads to.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.built.effect = effect;
        self
    }

    /// Is told of a success; an error makes it a failure.
    #[must_use]
    pub fn on_success<F>(mut self, told: F) -> Self
    where
        F: for<'a> Fn(&'a ActivityContext, &'a ActivityResult) -> Running<'a, Result<(), String>>
            + Send
            + Sync
            + 'static,
    {
        self.built.success = Some(Arc::new(told));
        self
    }

    /// Is told of a failure; an error is logged.
    #[must_use]
    pub fn on_failure<F>(mut self, told: F) -> Self
    where
        F: for<'a> Fn(&'a ActivityContext, &'a ActivityResult) -> Running<'a, Result<(), String>>
            + Send
            + Sync
            + 'static,
    {
        self.built.failure = Some(Arc::new(told));
        self
    }

    /// Is told last, whatever came of it; an error is logged.
    #[must_use]
    pub fn on_complete<F>(mut self, told: F) -> Self
    where
        F: for<'a> Fn(&'a ActivityContext, &'a ActivityResult) -> Running<'a, Result<(), String>>
            + Send
            + Sync
            + 'static,
    {
        self.built.complete = Some(Arc::new(told));
        self
    }

    /// The activity that does this. A name or a schema that cannot be used is refused.
    pub fn run<F>(mut self, work: F) -> Result<BuiltActivity, LibraryError>
    where
        F: for<'a> Fn(&'a mut ActivityContext) -> Running<'a, ActivityResult> + Send + Sync + 'static,
    {
        self.built.work = Arc::new(work);
        check(&self.built)?;
        Ok(self.built)
    }

    /// The activity that computes this at once, without waiting for anything.
    pub fn compute<F>(self, work: F) -> Result<BuiltActivity, LibraryError>
    where
        F: Fn(&mut ActivityContext) -> ActivityResult + Send + Sync + 'static,
    {
        self.run(move |context| {
            let result = work(context);
            Box::pin(std::future::ready(result))
        })
    }
}

/// What every activity of a workflow must be.
pub(super) fn check(activity: &dyn Activity) -> Result<(), LibraryError> {
    let name = activity.name();
    if model::check_name(name, model::TOOL_NAME_MAX).is_err() {
        let rule = "must have 1 to 100 characters of a-z, A-Z, 0-9, - and _";
        return Err(LibraryError::refused(format!("The name of an activity {rule}, not {name:?}")));
    }
    for (what, schema) in [("input", activity.input_schema()), ("output", activity.output_schema())] {
        if let Some(schema) = schema {
            let said = |error| format!("The {what} schema of activity '{name}' is no JSON Schema: {error}");
            schema::compile(schema).map_err(|error| LibraryError::Refused(said(error)))?;
        }
    }
    match activity.retry() {
        Some(Retry { max_attempts: 0, .. }) => Err(LibraryError::refused(format!(
            "Activity '{name}' must be tried at least once (max_attempts)"
        ))),
        _ => Ok(()),
    }
}

async fn tell(told: Option<&Told>, context: &ActivityContext, result: &ActivityResult) -> Result<(), String> {
    match told {
        Some(told) => told(context, result).await,
        None => Ok(()),
    }
}

impl Activity for BuiltActivity {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn input_schema(&self) -> Option<&Value> {
        self.input_schema.as_ref()
    }

    fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_ref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn retry(&self) -> Option<Retry> {
        self.retry
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    fn run<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        (self.work)(context)
    }

    fn on_success<'a>(
        &'a self,
        context: &'a ActivityContext,
        result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.success.as_ref(), context, result))
    }

    fn on_failure<'a>(
        &'a self,
        context: &'a ActivityContext,
        result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.failure.as_ref(), context, result))
    }

    fn on_complete<'a>(
        &'a self,
        context: &'a ActivityContext,
        result: &'a ActivityResult,
    ) -> Running<'a, Result<(), String>> {
        Box::pin(tell(self.complete.as_ref(), context, result))
    }
}
