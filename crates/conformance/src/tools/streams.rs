//! Tools that tell something while they run: log messages and progress.

use super::plain;
use crate::call::{Answer, Call, text};
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam};
use serde_json::{Value, json};
use std::time::Duration;

pub(super) const NAMES: [&str; 4] =
    ["test_tool_with_logging", "test_logging_tool", "test_tool_with_progress", "test_reconnection"];

const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn definitions() -> Value {
    json!([
        plain(NAMES[0], "Logs three messages"),
        plain(NAMES[1], "Logs a message when the request asks for it"),
        plain(NAMES[2], "Reports progress three times"),
        plain(NAMES[3], "Takes a moment"),
    ])
}

pub(super) async fn call(name: &str, call: &Call<'_>) -> Answer {
    match name {
        "test_tool_with_logging" => {
            log(call, "Tool execution started").await;
            tokio::time::sleep(PAUSE).await;
            log(call, "Tool processing data").await;
            tokio::time::sleep(PAUSE).await;
            log(call, "Tool execution completed").await;
            Ok(text("Tool with logging executed"))
        }
        "test_logging_tool" => {
            log(call, "Logging tool called").await;
            Ok(text("Logging tool executed"))
        }
        "test_tool_with_progress" => {
            report(call, 0.0).await;
            tokio::time::sleep(PAUSE).await;
            report(call, 50.0).await;
            tokio::time::sleep(PAUSE).await;
            report(call, 100.0).await;
            Ok(text("Tool with progress executed"))
        }
        _ => {
            tokio::time::sleep(PAUSE).await;
            Ok(text("Reconnection test completed"))
        }
    }
}

/// Sends a message of level `info`, when the client wants those. A client that is gone wants nothing.
async fn log(call: &Call<'_>, message: &str) {
    let level = match call.is_modern() {
        true => call.context.meta.log_level(),
        false => Some(call.fixture.level()),
    };
    if matches!(level, Some(LoggingLevel::Debug | LoggingLevel::Info)) {
        let params = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        let _ = call.context.peer.notify_logging_message(params).await;
    }
}

async fn report(call: &Call<'_>, progress: f64) {
    if let Some(token) = call.context.meta.get_progress_token() {
        let params = ProgressNotificationParam::new(token, progress).with_total(100.0);
        let _ = call.context.peer.notify_progress(params).await;
    }
}
