//! Real clients and real servers from npm and PyPI, through the gateway (spec 6.4).

mod inspector;
mod programs;
mod python;
mod servers;
mod typescript;

use serde_json::{Value, json};
use servers::Real;
use testkit::TestGateway;

/// The ways in over HTTP, and the word that clients have for them.
fn address(gateway: &TestGateway, transport: &str) -> String {
    let path = if transport == "sse" { "sse" } else { "mcp" };
    format!("http://127.0.0.1:{}/{path}", gateway.http().port)
}

/// One call for each server, and one that asks the client's model.
fn calls(real: &Real) -> Value {
    json!([
        {"name": "echo", "arguments": {"message": "knock"}},
        {"name": "read_text_file", "arguments": {"path": real.path("hello.txt")}},
        {"name": "create_entities", "arguments": {"entities":
            [{"name": "gate", "entityType": "thing", "observations": ["is open"]}]}},
        {"name": "open_nodes", "arguments": {"names": ["gate"]}},
        {"name": "convert_time", "arguments":
            {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}},
        {"name": "git_log", "arguments": {"repo_path": real.path("repository")}},
        {"name": "trigger-long-running-operation", "arguments": {"duration": 0.3, "steps": 3}},
        {"name": "trigger-sampling-request", "arguments": {"prompt": "p", "maxTokens": 5}},
    ])
}

/// Fails unless a client of that revision found all that there is to find.
#[track_caller]
fn check(found: &Value, version: &str) {
    assert_eq!(found["version"], version, "{found}");
    assert_eq!(found["server"]["name"], "lockgate", "{found}");
    for tool in ["echo", "read_text_file", "create_entities", "get_current_time", "git_status"] {
        let listed = found["tools"].as_array().is_some_and(|tools| tools.contains(&json!(tool)));
        assert!(listed, "{tool} is not in {}", found["tools"]);
    }
    let words = [
        "knock",
        "hello from a file",
        "entities",
        "is open",
        "21:00",
        "first commit",
        "Steps: 3",
        "from the model",
    ];
    for (n, word) in words.iter().enumerate() {
        let result = &found["results"][n];
        assert!(result["isError"] != true && result.to_string().contains(word), "{word}: {result}");
    }
    // The last report comes with the reply, and a client may no longer listen then.
    let reported = found["progress"].as_array().map_or(&[][..], Vec::as_slice);
    assert!(reported.starts_with(&[json!(1), json!(2)]), "{reported:?}");
}
