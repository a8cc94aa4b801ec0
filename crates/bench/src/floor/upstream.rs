//! One stdio child, many calls in flight on it, told apart by id.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

/// A result, or the JSON-RPC error in its place; both as the child wrote them.
type Outcome = Result<Box<RawValue>, Box<RawValue>>;

/// The child as the doors see it.
pub(super) struct Upstream {
    next: AtomicU64,
    lines: mpsc::UnboundedSender<String>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Outcome>>>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Upstream {
    /// Starts the command and shakes hands with it.
    pub(super) async fn start(command: &[String]) -> anyhow::Result<Arc<Self>> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("starting the stdio server")?;
        let stdin = child.stdin.take().context("standard input is a pipe")?;
        let stdout = child.stdout.take().context("standard output is a pipe")?;
        let (lines, queue) = mpsc::unbounded_channel();
        let upstream = Arc::new(Self { next: AtomicU64::new(1), lines, waiting: Mutex::default() });
        tokio::spawn(write(child, stdin, queue));
        tokio::spawn(read(stdout, Arc::clone(&upstream)));
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"floor","version":"0"}}"#;
        upstream
            .request("initialize", hello)
            .await
            .map_err(|error| anyhow::anyhow!("initialize: {error}"))?;
        upstream.lines.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n".into())?;
        Ok(upstream)
    }

    /// Calls one tool of the child.
    pub(super) async fn call_tool(&self, name: &str, input: &RawValue) -> Outcome {
        let name = serde_json::to_string(name).expect("a string is valid JSON");
        self.request("tools/call", &format!(r#"{{"name":{name},"arguments":{input}}}"#)).await
    }

    async fn request(&self, method: &str, params: &str) -> Outcome {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, sender);
        let line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n");
        self.lines.send(line).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    fn settle(&self, line: &[u8]) {
        let Ok(Answer { id: Some(id), result, error }) = serde_json::from_slice(line) else { return };
        let waiter = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        let outcome = match (result, error) {
            (Some(result), _) => Ok(result.to_owned()),
            (None, Some(error)) => Err(error.to_owned()),
            (None, None) => Err(gone()),
        };
        if let Some(waiter) = waiter {
            let _ = waiter.send(outcome);
        }
    }
}

fn gone() -> Box<RawValue> {
    RawValue::from_string(r#"{"code":-32000,"message":"The server is gone"}"#.into()).expect("valid JSON")
}

/// Writes what is queued, one write per burst. Owns the child, which ends with this task.
async fn write(_child: Child, mut stdin: ChildStdin, mut queue: mpsc::UnboundedReceiver<String>) {
    let mut burst = Vec::with_capacity(64);
    let mut out = Vec::with_capacity(1 << 16);
    while queue.recv_many(&mut burst, 64).await > 0 {
        for line in burst.drain(..) {
            out.extend_from_slice(line.as_bytes());
        }
        if stdin.write_all(&out).await.is_err() {
            return;
        }
        out.clear();
    }
}

async fn read(mut stdout: ChildStdout, upstream: Arc<Upstream>) {
    let mut lines = Vec::with_capacity(1 << 16);
    while matches!(stdout.read_buf(&mut lines).await, Ok(1..)) {
        let mut from = 0;
        while let Some(end) = memchr::memchr(b'\n', &lines[from..]) {
            upstream.settle(&lines[from..from + end]);
            from += end + 1;
        }
        lines.drain(..from);
    }
}
