//! A failure as a caller sees it: code, message, details.

use crate::{Code, FieldError};
use serde_json::{Map, Value};

/// The `details` of an error; always an object.
pub type Details = Map<String, Value>;

/// What a caller is told when a request fails. The message says what happened and what to do;
/// it never holds paths, commands, environment values or stack traces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// The stable name of the failure.
    pub code: Code,
    /// One sentence for people.
    pub message: String,
    /// Facts for programs.
    pub details: Details,
    jsonrpc: Option<i64>,
}

impl Fault {
    /// A fault without details.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Details::new(), jsonrpc: None }
    }

    /// A request whose text has more than `max` bytes.
    pub fn body_too_large(max: u64) -> Self {
        Self::new(Code::ValidationError, format!("request body exceeds maximum size ({max} bytes)"))
            .with("field", "body")
            .with("max", max)
    }

    /// The same fault with one more fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The same fault naming the server, under both keys that clients read.
    #[must_use]
    pub fn with_server(self, server: &str) -> Self {
        self.with("server", server).with("serverName", server)
    }

    /// The same fault under another JSON-RPC code than its own.
    #[must_use]
    pub fn as_jsonrpc(self, code: i64) -> Self {
        Self { jsonrpc: Some(code), ..self }
    }

    /// The JSON-RPC error code towards MCP clients.
    pub fn jsonrpc(&self) -> i64 {
        self.jsonrpc.unwrap_or(self.code.jsonrpc())
    }

    /// The error envelope of the REST API.
    pub fn envelope(&self) -> Value {
        serde_json::json!({
            "success": false,
            "error": {"code": self.code.name(), "message": self.message, "details": self.details},
        })
    }
}

impl From<FieldError> for Fault {
    fn from(error: FieldError) -> Self {
        Self::new(Code::ValidationError, error.under("")).with("field", error.path)
    }
}
