//! The body of `POST /mcp/call`: no bytes make the parser panic, a refusal is always a validation error
//! with a field, and what passes keeps the rules when somebody else reads it.

#![no_main]

use gateway::ToolCall;
use libfuzzer_sys::fuzz_target;
use model::{Code, Fault, Settings};
use serde_json::Value;
use std::sync::LazyLock;

static SETTINGS: LazyLock<Settings> = LazyLock::new(Settings::default);

fuzz_target!(|body: &[u8]| {
    match ToolCall::parse(body, &SETTINGS) {
        Ok(call) => passed(&call, body),
        Err(fault) => refused(&fault),
    }
});

fn refused(fault: &Fault) {
    assert_eq!(fault.code, Code::ValidationError);
    assert!(!fault.message.is_empty());
    assert!(fault.details["field"].is_string());
    let envelope = fault.envelope();
    assert!(envelope["error"]["details"].is_object());
    let text = envelope.to_string();
    assert_eq!(serde_json::from_str::<Value>(&text).expect("an envelope is JSON"), envelope);
}

fn passed(call: &ToolCall<'_>, body: &[u8]) {
    assert!(call.server.as_deref().is_some_and(|name| model::check_name(name, 50).is_ok()));
    assert!(model::check_name(&call.tool, 100).is_ok());
    assert!(call.timeout.is_none_or(|n| (1..=SETTINGS.max_timeout).contains(&n)));
    // Numbers beyond f64 and lone surrogates pass as text and have no tree.
    let Ok(input) = serde_json::from_str::<Value>(call.input.get()) else { return };
    assert!(input.is_object());
    check(&input, 1);
    let again = serde_json::to_string(&input).expect("a tree can be written");
    assert_eq!(serde_json::from_str::<Value>(&again).expect("what was written is JSON"), input);
    if let Ok(whole) = serde_json::from_slice::<Value>(body) {
        assert_eq!(whole["input"], input);
    }
}

/// Depth and keys as a plain walk over the tree finds them.
fn check(value: &Value, level: u64) {
    match value {
        Value::Object(map) => {
            assert!(level <= SETTINGS.limits.depth);
            for (key, value) in map {
                assert!(!["__proto__", "constructor", "prototype"].contains(&key.as_str()));
                check(value, level + 1);
            }
        }
        Value::Array(items) => {
            assert!(level <= SETTINGS.limits.depth);
            items.iter().for_each(|item| check(item, level + 1));
        }
        _ => {}
    }
}
