//! A gateway that proves that what it refused reached no server.

use crate::{Reply, TestGateway, body};
use serde_json::Value;

/// The content type of every call.
pub const JSON: &str = "application/json";

/// A gateway, and the proof that nothing refused reached its server.
pub struct Guarded(pub TestGateway);

impl Guarded {
    /// A gateway with the fixture as `test-server`.
    #[track_caller]
    pub fn start() -> Self {
        Self(TestGateway::start())
    }

    /// Sends this body and expects exactly this refusal.
    #[track_caller]
    pub fn refuses(&self, body: &str, message: &str, details: Value) {
        self.post(body).expect_fault(400, "VALIDATION_ERROR", message, details);
    }

    /// Calls `echo` with this text as `input` and expects exactly this refusal.
    #[track_caller]
    pub fn refuses_input(&self, input: &str, message: &str, details: Value) {
        self.refuses(&body(input), message, details);
    }

    /// Sends this body.
    #[track_caller]
    pub fn post(&self, body: &str) -> Reply {
        self.0.post_raw("/mcp/call", JSON, body)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.0.stats("test-server")["calls"], 1, "only this call reached the server");
        }
    }
}
