//! The MCP endpoint as clients of both eras see it, over every transport (spec 1.4 and part 6).

mod catalog;
mod door;
mod errors;
mod faults;
mod fidelity;
mod legacy;
mod modern;
mod names;
mod progress;
mod remote;
mod resume;
mod said;
mod scope;
mod sessions;
mod sparse;
mod sse;
mod standing;
mod stdio;
mod subscriptions;
mod tasks;
mod translation;

use serde_json::Value;
use testkit::{Server, TestGateway};

/// A gateway whose only server is the fixture, as `one`, set up by the closure.
#[track_caller]
fn one(edit: impl FnOnce(Server) -> Server) -> TestGateway {
    TestGateway::builder().server("one", edit).start()
}

/// A server that speaks the modern era.
fn in_modern(server: Server) -> Server {
    server.env("FX_ERA", "modern")
}

/// The first text of a result.
#[track_caller]
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}
