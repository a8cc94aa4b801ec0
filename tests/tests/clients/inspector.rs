//! The Inspector's command line.

use crate::address;
use crate::programs::{node, package};
use crate::servers::Real;
use serde_json::Value;
use std::process::Command;
use testkit::{Folder, Output, TestGateway};

/// Runs one method and gives what it prints.
#[track_caller]
fn inspect(gateway: &TestGateway, transport: &str, era: &str, method: &[&str]) -> Value {
    let home = Folder::new();
    let mut command = Command::new(node());
    command.arg(package(".bin/mcp-inspector")).arg("--cli").arg(address(gateway, transport));
    command.args(["--transport", transport, "--protocol-era", era, "--format", "json"]).args(method);
    command.env("HOME", home.path()).env("MCP_CATALOG_PATH", home.join("catalog.json"));
    let output = Output::of(&mut command);
    assert_eq!(output.code, Some(0), "{output:#?}");
    serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:#?}"))
}

#[test]
fn the_inspector_lists_and_calls() {
    let real = Real::new();
    let gateway = real.gateway();
    for (transport, era) in [("http", "legacy"), ("http", "modern"), ("sse", "legacy")] {
        let list = inspect(&gateway, transport, era, &["--method", "tools/list"]);
        for tool in ["echo", "git_status", "get_current_time"] {
            assert!(list.to_string().contains(&format!("\"name\":\"{tool}\"")), "{era}: {tool}: {list}");
        }
        let call = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=knock"];
        let result = inspect(&gateway, transport, era, &call);
        assert!(result.to_string().contains("knock"), "{era}: {result}");
    }
}
