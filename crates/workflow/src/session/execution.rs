//! One execution of an activity, and several of them (spec 4.2).

use super::activity::{Activity, ActivityContext, ActivityResult, Running};
use super::schema::Schemas;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

/// What every activity can do.
pub trait Execute: Activity {
    /// One execution: input checked, run against the clock, output checked, callbacks.
    fn execute<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(async move {
            let result = attempt(self, &Schemas::of(self), context).await;
            settle(self, context, result).await
        })
    }

    /// Executions until one succeeds or the last one allowed fails, with the waits between them.
    fn execute_with_retry<'a>(&'a self, context: &'a mut ActivityContext) -> Running<'a, ActivityResult> {
        Box::pin(async move {
            let schemas = Schemas::of(self);
            let began = Instant::now();
            let Some(retry) = self.retry() else { return self.execute(context).await };
            let mut done = 0;
            loop {
                let mut tried = context.clone();
                let mut result = attempt(self, &schemas, &mut tried).await;
                done += 1;
                if retry.hooks_per_attempt {
                    note_attempts(&mut result, done);
                    result = settle(self, &tried, result).await;
                }
                if result.success || done >= retry.max_attempts.max(1) {
                    *context = tried;
                    result = closing(result, done, began.elapsed());
                    return match retry.hooks_per_attempt {
                        true => result,
                        false => settle(self, context, result).await,
                    };
                }
                tokio::time::sleep(Duration::from_millis(retry.wait(done))).await;
            }
        })
    }

    /// What a client gets of it as a tool of its own.
    fn to_tool<'a>(&'a self, input: Option<Value>, now: i64) -> Running<'a, Value> {
        Box::pin(async move {
            let mut context = ActivityContext::standalone(input, now);
            let result = self.execute_with_retry(&mut context).await;
            as_tool_result(&result)
        })
    }
}

impl<T: Activity + ?Sized> Execute for T {}

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
        Err(message) => ActivityResult::failure(message),
        Ok(()) => timed(activity, context).await,
    };
    if let Some(data) = &result.data
        && let Err(message) = schemas.output(data)
    {
        result = ActivityResult { success: false, error: Some(message), data: None, ..result };
    }
    if !result.success {
        result.error = Some(result.message().to_owned());
    }
    note_time(&mut result, began.elapsed());
    result
}

/// What is said of an execution whose time is over.
pub(crate) fn timed_out(ms: impl std::fmt::Display) -> String {
    format!("Activity timed out after {ms}ms")
}

async fn timed<A: Activity + ?Sized>(activity: &A, context: &mut ActivityContext) -> ActivityResult {
    let limit = activity.timeout();
    // A panic is a failure of the activity, as an exception of a script is.
    let run = AssertUnwindSafe(async { activity.run(context).await }).catch_unwind();
    let run = run
        .map(|ran| ran.unwrap_or_else(|_| ActivityResult::failure("Activity panicked; the log says where")));
    let Some(limit) = limit else { return run.await };
    match tokio::time::timeout(limit, run).await {
        Ok(result) => result,
        Err(_) => ActivityResult::failure(timed_out(limit.as_millis())),
    }
}

/// The callbacks: a success that its own callback refuses becomes a failure.
pub(crate) async fn settle<A: Activity + ?Sized>(
    activity: &A,
    context: &ActivityContext,
    mut result: ActivityResult,
) -> ActivityResult {
    if result.success
        && let Err(message) = activity.on_success(context, &result).await
    {
        let metadata = std::mem::take(&mut result.metadata);
        result = ActivityResult { metadata, ..ActivityResult::failure(message) };
    }
    if !result.success
        && let Err(message) = activity.on_failure(context, &result).await
    {
        tracing::warn!(activity = activity.name(), reason = message, "onFailure failed");
    }
    if let Err(message) = activity.on_complete(context, &result).await {
        tracing::warn!(activity = activity.name(), reason = message, "onComplete failed");
    }
    result
}

/// The result of several attempts.
pub(crate) fn closing(mut result: ActivityResult, attempts: u32, took: Duration) -> ActivityResult {
    note_attempts(&mut result, attempts);
    note_time(&mut result, took);
    if !result.success {
        result.error = Some(format!("Activity failed after {attempts} attempts: {}", result.message()));
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
