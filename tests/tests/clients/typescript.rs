//! The official TypeScript client in both eras, over every transport.

use crate::programs::{node, script};
use crate::servers::Real;
use crate::{address, calls, check};
use serde_json::json;

#[test]
fn the_typescript_client_finds_everything_over_http_and_sse() {
    let real = Real::new();
    let gateway = real.gateway();
    for (mode, transport, version) in
        [("legacy", "http", "2025-11-25"), ("legacy", "sse", "2025-11-25"), ("auto", "http", "2026-07-28")]
    {
        let target = [address(&gateway, transport)];
        let plan = json!({"mode": mode, "transport": transport, "target": target, "calls": calls(&real)});
        check(&script(node(), "client.mjs", &plan), version);
    }
}

#[test]
fn the_typescript_client_finds_everything_over_stdio() {
    let real = Real::new();
    for (mode, version) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let plan = json!({"mode": mode, "transport": "stdio", "target": real.stdio(), "calls": calls(&real)});
        check(&script(node(), "client.mjs", &plan), version);
    }
}
