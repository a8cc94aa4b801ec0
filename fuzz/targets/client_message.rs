//! A message of an MCP client, and the tokens it brings: no bytes make a reader panic, a refusal is a JSON-RPC
//! error, and a token that the gateway did not seal opens nothing.

#![no_main]

use gateway::{Claim, Guest, Seal};
use libfuzzer_sys::fuzz_target;
use mcp::{Body, Message};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::LazyLock;

static SEAL: LazyLock<Seal> = LazyLock::new(|| Seal::new("secret"));

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert_eq!(SEAL.open("session", text), None);
        let _ = Guest::from_initialize(text);
    }
    let Some(message) = Message::parse(bytes) else { return };
    if let Body::Method(_, Some(params)) = &message.body {
        let _ = Guest::from_initialize(RawValue::get(params));
    }
    let Some(claim) = Claim::read(&message) else { return };
    let _ = (claim.version(), claim.key());
    if let Err(reply) = claim.guest() {
        let reply: Value = serde_json::from_slice(&reply).expect("a refusal is JSON");
        assert!(reply["error"]["code"].is_i64(), "{reply}");
    }
});
