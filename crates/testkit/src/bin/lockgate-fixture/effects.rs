//! Effects that can be counted from outside: lines in a file, which outlive the fixture and its caller.

use crate::Fixture;
use crate::catalog::tool;
use crate::protocol::Job;
use crate::tools::{failed, integer, structured, text_part};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// One effect at a time, so that a key is looked for and added in one go.
static ORDER: Mutex<()> = Mutex::new(());

/// The tools that leave effects.
pub(crate) fn tools() -> [Value; 2] {
    let fields = json!({"id": {}, "ms": {"type": "integer"}, "fail": {"type": "string"}});
    let mut once = tool("effect-once", "Leaves one line for each key", fields.clone(), &[]);
    once["annotations"] = json!({"idempotentHint": true});
    [tool("effect", "Leaves a line at every call", fields, &[]), once]
}

/// Waits, leaves a line and tells what the line says; with `fail` it fails after that.
pub(crate) fn leave(fixture: &Fixture, job: &Job) -> Value {
    let ms = u64::try_from(integer(&job.arguments, "ms", 0)).unwrap_or(0);
    thread::sleep(Duration::from_millis(ms));
    let params: Value = serde_json::from_str(&job.raw_params).unwrap_or_default();
    let key = &params["_meta"]["lockgate/idempotencyKey"];
    let value = json!({"tool": job.tool, "id": job.arguments["id"], "key": key});
    let line = value.to_string();
    let path = fixture.switches.effects.as_deref().expect("the tool is there with its file only");
    let _order = ORDER.lock();
    let there = std::fs::read_to_string(path).unwrap_or_default();
    let known = job.tool == "effect-once" && there.lines().any(|old| old == line);
    if !known {
        let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file to append to");
        file.write_all(format!("{line}\n").as_bytes()).expect("the file takes a line");
    }
    match job.arguments["fail"].as_str() {
        Some(why) => failed(&json!([text_part(why)])),
        None => structured(&value),
    }
}
