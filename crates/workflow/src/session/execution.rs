//! One execution of an activity, and several of them (spec 4.2).

use super::activity::{Activity, ActivityContext, ActivityResult, Running, STANDALONE};
use super::input::{LEVELS, fits};
use super::kinds::{UNDO, WAITS, attempt_key};
use super::schema::{MISMATCH, Mismatch, Schemas, of_arguments, of_object};
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

/// One execution: input checked, run against the clock, output checked, callbacks.
pub(super) async fn execute<A: Activity + ?Sized>(
    activity: &A,
    context: &mut ActivityContext,
) -> ActivityResult {
    once(activity, &Schemas::of(activity), context).await
}

async fn once<A: Activity + ?Sized>(
    activity: &A,
    schemas: &Schemas,
    context: &mut ActivityContext,
) -> ActivityResult {
    let result = attempt(activity, schemas, context).await;
    settle(activity, context, result).await
}

/// Executions until one succeeds or the last one allowed fails, with the waits between them.
pub(super) async fn execute_with_retry<A: Activity + ?Sized>(
    activity: &A,
    context: &mut ActivityContext,
) -> ActivityResult {
    tried(activity, &Schemas::of(activity), context).await
}

async fn tried<A: Activity + ?Sized>(
    activity: &A,
    schemas: &Schemas,
    context: &mut ActivityContext,
) -> ActivityResult {
    let began = Instant::now();
    let Some(retry) = activity.retry() else { return once(activity, schemas, context).await };
    let mut done = 0;
    loop {
        let mut tried = ActivityContext { attempt: done, ..context.clone() };
        // What ran before was this attempt; the next one begins anew.
        context.child = None;
        let mut result = attempt(activity, schemas, &mut tried).await;
        done += 1;
        if retry.hooks_per_attempt {
            note_attempts(&mut result, done);
            result = settle(activity, &tried, result).await;
        }
        // A session that waits, or of which nobody can tell, has not failed; trying again would start another one.
        let waits = result.metadata.contains_key(WAITS) || tried.unknown.is_some();
        if result.success || waits || done >= retry.max_attempts.max(1) {
            *context = tried;
            match waits {
                true => note_attempts(&mut result, done),
                false => result = closing(result, done, began.elapsed()),
            }
            return match retry.hooks_per_attempt {
                true => result,
                false => settle(activity, context, result).await,
            };
        }
        tokio::time::sleep(Duration::from_millis(retry.wait(done))).await;
    }
}

/// What a call of a tool gives, for its client, its arguments and the time.
type Called<'a> = Box<dyn Fn(String, Option<Value>, i64) -> Running<'a, Value> + Send + Sync + 'a>;

/// An activity as a tool of its own (spec 4.2).
pub struct ActivityTool<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub description: &'a str,
    /// JSON Schema of its arguments, which are an object.
    pub input_schema: Value,
    /// JSON Schema of its data, where that is an object.
    pub output_schema: Option<&'a Value>,
    call: Called<'a>,
}

impl<'a> ActivityTool<'a> {
    pub(super) fn new<A: Activity + ?Sized>(activity: &'a A) -> Self {
        let call = move |client_id, input, now| -> Running<'a, Value> {
            Box::pin(async move {
                let mut context = ActivityContext { client_id, ..ActivityContext::standalone(input, now) };
                as_tool_result(&tried(activity, &Schemas::of_tool(activity), &mut context).await)
            })
        };
        Self {
            name: activity.name(),
            description: activity.description(),
            input_schema: of_arguments(activity.input_schema()),
            output_schema: of_object(activity.output_schema()),
            call: Box::new(call),
        }
    }

    /// What a client that calls it gets; `now` is the time in milliseconds since 1970.
    pub fn call(&self, input: Option<Value>, now: i64) -> Running<'a, Value> {
        self.call_by("", input, now)
    }

    /// The same for the client of this id, who owns what the activity starts.
    pub fn call_by(&self, client_id: &str, input: Option<Value>, now: i64) -> Running<'a, Value> {
        (self.call)(client_id.to_owned(), input, now)
    }
}

/// A result in the shape of a tool's.
pub fn as_tool_result(result: &ActivityResult) -> Value {
    let text = serde_json::to_string(result).expect("a result is plain data");
    let mut reply = json!({"content": [{"type": "text", "text": text}], "isError": !result.success});
    // Clients take structured content that is null for a mistake.
    if let Some(data) = result.data.as_ref().filter(|data| !data.is_null()) {
        reply["structuredContent"] = data.clone();
    }
    reply
}

/// The work itself, without callbacks: checked, timed, never more than its timeout.
pub(crate) async fn attempt<A: Activity + ?Sized>(
    activity: &A,
    schemas: &Schemas,
    context: &mut ActivityContext,
) -> ActivityResult {
    let began = Instant::now();
    let mut result = match schemas.input(context.input.as_ref()) {
        Err(mismatch) => ActivityResult::failure(told(activity, mismatch)),
        Ok(()) => timed(activity, context).await,
    };
    if activity.nested().is_none() {
        // Nothing else can wait for a session, whatever a script says.
        result.metadata.shift_remove(WAITS);
    }
    if !fits_all(context, &result) {
        let said = format!("What the activity gives is nested too deeply; {LEVELS} levels are the most");
        result = ActivityResult { metadata: result.metadata, ..ActivityResult::failure(said) };
    }
    if result.success && result.data.is_none() {
        result.data = schemas.instead();
    }
    if let Some(data) = &result.data
        && let Err(mismatch) = schemas.output(data)
    {
        let error = Some(told(activity, mismatch));
        result = ActivityResult { success: false, error, data: None, ..result };
    }
    if !result.success {
        result.error = Some(result.message().to_owned());
    }
    note_time(&mut result, began.elapsed());
    result
}

/// The message about a value that does not match its schema; the log hears which fields are wrong, not what they hold.
fn told<A: Activity + ?Sized>(activity: &A, mismatch: Mismatch) -> String {
    tracing::info!(activity = activity.name(), fields = mismatch.fields, "a value does not match its schema");
    mismatch.message
}

/// What kind of failure an error tells of, in words that hold nothing of what was given or came back.
pub fn kind_of(error: &str) -> &'static str {
    let last = error.strip_prefix(AFTER).and_then(|rest| Some(rest.split_once(ATTEMPTS)?.1));
    let last = last.unwrap_or(error);
    let mismatch = |what: &str| last.strip_prefix(what).is_some_and(|rest| rest.starts_with(MISMATCH));
    match last {
        _ if mismatch("Input") => "input does not match its schema",
        _ if mismatch("Output") => "output does not match its schema",
        _ if last.starts_with(TIMED_OUT) => "timed out",
        _ => "failed",
    }
}

/// What the error of several attempts begins with, and what stands before the last of their errors.
const AFTER: &str = "Activity failed after ";
const ATTEMPTS: &str = " attempts: ";

/// What is said of an execution whose time is over begins with this.
const TIMED_OUT: &str = "Activity timed out after ";

/// Whether all that would be kept of an execution can be.
fn fits_all(context: &ActivityContext, result: &ActivityResult) -> bool {
    let offered =
        result.tool_call_suggestions.iter().flat_map(|one| one.parameters.values().chain(&one.metadata));
    result.data.iter().chain(offered).chain(context.memory.changed()).all(|value| fits(value, LEVELS))
}

/// What is said of an execution whose time is over.
pub(crate) fn timed_out(ms: impl std::fmt::Display) -> String {
    format!("{TIMED_OUT}{ms}ms")
}

async fn timed<A: Activity + ?Sized>(activity: &A, context: &mut ActivityContext) -> ActivityResult {
    let (limit, left) = (activity.timeout(), context.left);
    // A panic is a failure of the activity, as an exception of a script is.
    let run = AssertUnwindSafe(async { activity.run(context).await }).catch_unwind();
    let run = run.map(|ran| ran.unwrap_or_else(|_| ActivityResult::failure(panicked("Activity"))));
    let Some(limit) = limit else { return run.await };
    if let Ok(result) = tokio::time::timeout(left.map_or(limit, |left| left.min(limit)), run).await {
        return result;
    }
    let error = timed_out(limit.as_millis());
    // The engine ends what runs as a step; what undoes one, and what runs outside any session, nobody else does.
    match (activity.nested(), &context.begun) {
        (Some((_, workflows)), Some(session)) => workflows.end(session, &error).await,
        (Some((workflow, workflows)), None) if context.key.ends_with(UNDO) => {
            let key = attempt_key(&context.key, context.attempt);
            workflows.end_attempt(workflow, &context.client_id, &key, &error).await;
        }
        _ => {}
    }
    ActivityResult::failure(error)
}

/// What a closure of the library's user gives. A panic is an error, as an exception of a script is.
pub(crate) async fn caught<T>(
    what: &str,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| Err(panicked(what)))
}

/// What is said of a closure that panicked.
pub(crate) fn panicked(what: &str) -> String {
    format!("{what} panicked; the log says where")
}

/// The callbacks: a success that its own callback refuses becomes a failure.
pub(crate) async fn settle<A: Activity + ?Sized>(
    activity: &A,
    context: &ActivityContext,
    mut result: ActivityResult,
) -> ActivityResult {
    // A session that waits has not ended yet; outside any other nobody will look at it again.
    let waits = result.metadata.contains_key(WAITS) && context.session_id != STANDALONE;
    if waits || context.unknown.is_some() {
        return result;
    }
    if result.success
        && let Err(message) = caught("onSuccess", async { activity.on_success(context, &result).await }).await
    {
        let metadata = std::mem::take(&mut result.metadata);
        result = ActivityResult { metadata, ..ActivityResult::failure(message) };
    }
    if !result.success
        && let Err(message) = caught("onFailure", async { activity.on_failure(context, &result).await }).await
    {
        tracing::warn!(activity = activity.name(), reason = message, "onFailure failed");
    }
    if let Err(message) = caught("onComplete", async { activity.on_complete(context, &result).await }).await {
        tracing::warn!(activity = activity.name(), reason = message, "onComplete failed");
    }
    result
}

/// Tells an activity that nobody waits for it any more, after so many milliseconds.
pub(crate) async fn give_up<A: Activity + ?Sized>(
    activity: &A,
    context: &ActivityContext,
    error: &str,
    ms: u64,
) {
    let mut result = ActivityResult::failure(error.to_owned());
    if activity.retry().is_some() {
        note_attempts(&mut result, context.attempt + 1);
    }
    note_time(&mut result, Duration::from_millis(ms));
    settle(activity, context, result).await;
}

/// The result of several attempts.
pub(crate) fn closing(mut result: ActivityResult, attempts: u32, took: Duration) -> ActivityResult {
    note_attempts(&mut result, attempts);
    note_time(&mut result, took);
    if !result.success {
        result.error = Some(format!("{AFTER}{attempts}{ATTEMPTS}{}", result.message()));
    }
    result
}

/// How many attempts there were so far.
pub(crate) fn note_attempts(result: &mut ActivityResult, attempts: u32) {
    result.metadata.insert("attempts".into(), attempts.into());
}

fn note_time(result: &mut ActivityResult, took: Duration) {
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    result.metadata.insert("executionTimeMs".into(), ms.into());
}
