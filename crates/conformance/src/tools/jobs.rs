//! Tools that run as tasks (the tasks extension of 2026-07-28) when the client knows tasks.

use super::questions::elicitation;
use super::{plain, tool};
use crate::call::{Answer, Asked, Call, from_json, text};
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ClientCapabilities, CreateTaskResult};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const NAMES: [&str; 6] = [
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];

pub(super) fn definitions() -> Value {
    json!([
        tool(NAMES[0], "Takes its time", json!({"seconds": {"type": "number"}}), &[]),
        plain(NAMES[1], "Fails after a second, as a task only"),
        plain(NAMES[2], "Ends in an error of the protocol"),
        tool(NAMES[3], "Deletes nothing, after asking", json!({"filename": {"type": "string"}}), &[]),
        plain(NAMES[4], "Asks two things at once"),
        plain(NAMES[5], "Asks first and runs as a task then"),
    ])
}

pub(super) async fn call(name: &str, call: &Call<'_>) -> Answer {
    let knows_tasks = call.capabilities().supports_tasks();
    match name {
        "slow_compute" => {
            let seconds = call.arguments.get("seconds").and_then(Value::as_f64).unwrap_or_default();
            let time = Duration::from_secs_f64(seconds.clamp(0.0, 60.0));
            if knows_tasks {
                return Ok(spawn(call, move |task| compute(task, time)));
            }
            tokio::time::sleep(time).await;
            Ok(text("Computed"))
        }
        _ if !knows_tasks => Err(ErrorData::missing_required_client_capability(
            ClientCapabilities::builder().enable_tasks().build(),
        )),
        "failing_job" => Ok(spawn(call, |_| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let content = json!([{"type": "text", "text": "The job failed"}]);
            Ok(from_json(json!({"resultType": "complete", "isError": true, "content": content})))
        })),
        "protocol_error_job" => {
            Ok(spawn(call, |_| async { Err(ErrorData::internal_error("The job broke", None).into()) }))
        }
        "confirm_delete" => Ok(spawn(call, |task| async move {
            let answer = confirm(&task, "confirm", "Really delete it?").await?;
            complete(&format!("Confirmation: {answer}"))
        })),
        "multi_input" => Ok(spawn(call, |task| async move {
            let first = confirm(&task, "first", "Is the first one right?");
            let second = confirm(&task, "second", "Is the second one right?");
            let (first, second) = tokio::try_join!(first, second)?;
            complete(&format!("Answers: {first} and {second}"))
        })),
        _ => ask_then_run(call).await,
    }
}

async fn ask_then_run(call: &Call<'_>) -> Answer {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let question = json!({"user_name": elicitation("What is your name?", schema)});
    match call.ask(question, None).await? {
        Asked::Required(result) => Ok(result.into()),
        Asked::Answered(answers) => {
            let name = answers["user_name"]["content"]["name"].clone();
            Ok(spawn(call, move |_| async move { complete(&format!("Hello, {name}!")) }))
        }
    }
}

/// Starts the work as a task and gives the result that says so.
fn spawn<W, F>(call: &Call<'_>, work: W) -> CallToolResponse
where
    W: FnOnce(TaskContext) -> F,
    F: Future<Output = Result<CallToolResult, TaskExit>> + Send + 'static,
{
    let options = TaskOptions::new().with_ttl_ms(300_000).with_poll_interval_ms(100);
    let task = call.fixture.tasks.spawn(options, |task| Box::pin(work(task)));
    CreateTaskResult::new(task).into()
}

async fn compute(task: TaskContext, time: Duration) -> Result<CallToolResult, TaskExit> {
    tokio::select! {
        () = tokio::time::sleep(time) => complete("Computed"),
        () = task.cancelled() => Err(TaskExit::Cancelled),
    }
}

async fn confirm(task: &TaskContext, key: &str, message: &str) -> Result<Value, TaskExit> {
    let schema =
        json!({"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]});
    task.request_input(key, from_json(elicitation(message, schema))).await
}

fn complete(text: &str) -> Result<CallToolResult, TaskExit> {
    Ok(from_json(json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})))
}
