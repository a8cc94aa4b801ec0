//! The official Python client, which checks every message against the schema of its revision.

use crate::programs::{python, script};
use crate::servers::Real;
use crate::{address, calls, check};
use serde_json::json;

#[test]
fn the_python_client_finds_everything_over_http() {
    let real = Real::new();
    let gateway = real.gateway();
    for (mode, version) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        let plan = json!({"mode": mode, "target": [address(&gateway, "http")], "calls": calls(&real)});
        check(&script(python("python"), "client.py", &plan), version);
    }
}

#[test]
fn the_python_client_finds_everything_over_stdio() {
    let real = Real::new();
    let plan = json!({"mode": "auto", "target": real.stdio(), "calls": calls(&real)});
    check(&script(python("python"), "client.py", &plan), "2026-07-28");
}
