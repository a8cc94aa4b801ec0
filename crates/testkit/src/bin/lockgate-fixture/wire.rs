//! Standard output: whole lines, one at a time, whichever thread writes them.

use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The one writer of standard output.
pub(crate) struct Wire {
    modern: bool,
    turn: Mutex<()>,
}

impl Wire {
    pub(crate) fn new(modern: bool) -> Self {
        Self { modern, turn: Mutex::new(()) }
    }

    /// Writes these bytes as they are. When nobody reads any more there is nothing left to do.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = std::io::stdout();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    /// Writes one line.
    pub(crate) fn line(&self, text: &str) {
        self.bytes(format!("{text}\n").as_bytes());
    }

    /// Answers a request with a result, stamped as the era demands.
    pub(crate) fn result(&self, id: &Value, mut result: Value) {
        if let (true, Some(fields)) = (self.modern, result.as_object_mut()) {
            fields.insert("resultType".into(), "complete".into());
            fields.insert(
                "_meta".into(),
                json!({"io.modelcontextprotocol/serverInfo": crate::protocol::server_info()}),
            );
        }
        self.line(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    /// Answers a request with an error.
    pub(crate) fn error(&self, id: &Value, code: &Value, message: &str, data: Option<&Value>) {
        let mut error = json!({"code": code, "message": message});
        if let (Some(data), Some(fields)) = (data, error.as_object_mut()) {
            fields.insert("data".into(), data.clone());
        }
        self.line(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }
}
