//! One line from a server: no bytes make the readers panic, and an id that is taken for one of ours is
//! written exactly as we write it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp::{Body, CallResult, Message, RpcError};
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|line: &[u8]| {
    if let Some(message) = Message::parse(line) {
        if let Some(id) = message.own_id() {
            assert_eq!(message.id.map(RawValue::get), Some(id.to_string().as_str()));
        }
        match message.body {
            Body::Result(raw) => read(raw),
            Body::Error(raw) => drop(RpcError::read(raw)),
            Body::Method(..) | Body::Nothing => {}
        }
    }
    // The bare result as well, so that the fuzzer need not find the envelope first.
    if let Ok(raw) = serde_json::from_slice::<&RawValue>(line) {
        read(raw);
        RpcError::read(raw);
    }
});

fn read(raw: &RawValue) {
    let result = CallResult::read(raw);
    assert!(!result.complaint().is_empty());
    if let Some(text) = result.only_text() {
        let whole: Value = serde_json::from_str(raw.get()).expect("it was read");
        let parts = whole["content"].as_array().expect("it has parts");
        assert_eq!((parts.len(), parts[0]["text"].as_str()), (1, Some(&*text)));
    }
}
