//! Members of a JSON object found and replaced in its text: no text makes the search panic, what is found is
//! what any reader finds, and what is not replaced stays.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp::{Splice, member_at, members};
use serde_json::Value;

fuzz_target!(|text: &str| {
    let at = member_at(text, "name");
    let all = members(text);
    // Numbers beyond f64 and lone surrogates are passed on as text and have no tree.
    let Ok(Value::Object(tree)) = serde_json::from_str::<Value>(text) else { return };
    assert_eq!(at.is_some(), tree.contains_key("name"));
    assert!(tree.keys().all(|key| all.iter().any(|(name, _)| name == key)));
    let start = text.find('{').expect("an object has a brace");
    let mut splice = Splice::new(text);
    splice.insert_members(start, r#""first":1"#);
    if let Some(at) = at {
        let value: Value = serde_json::from_str(&text[at.clone()]).expect("a member is JSON");
        assert_eq!(tree["name"], value);
        splice.replace(at, br#""other""#.as_slice());
    }
    let mut out = Vec::new();
    splice.write(&mut out);
    assert!(!out.contains(&b'\n') && !out.contains(&b'\r'));
    let changed: Value = serde_json::from_slice(&out).expect("what was written is JSON");
    for (key, value) in &tree {
        match key.as_str() {
            "name" => assert_eq!(changed["name"], "other"),
            "first" => {}
            _ => assert_eq!(&changed[key], value),
        }
    }
});
