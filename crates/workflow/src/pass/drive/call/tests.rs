//! Tests of calls on terms.

use crate::Graph;
use crate::pass::Tool;
use crate::testing::{Setup, line, node, outcome, stored, workflow};
use model::Workflow;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

/// Start, a hook, the call with this `data`, a hook, end.
fn graph(data: &Value) -> Workflow {
    let mut nodes: Vec<Value> = ["s start", "c mcp-call", "b hook ok", "e end"].map(node).into();
    nodes[1]["data"] = data.clone();
    let edges = json!([{"source": "s", "target": "c"}, {"source": "c", "target": "b"}, {"source": "b", "target": "e"}]);
    stored(&json!(nodes), &edges)
}

fn tool(read_only: bool, idempotent: bool) -> Option<Tool> {
    Some(Tool { server: "s".into(), name: "t".into(), read_only, idempotent })
}

fn retry() -> Workflow {
    graph(&json!({"retry": {"maxAttempts": 2, "backoffMs": 250}}))
}

fn record(passed: &crate::Passed<crate::testing::Down>) -> Value {
    serde_json::from_str(&passed.run.to_json(None)).expect("a record is JSON")
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_made_again_after_a_wait_when_the_tool_allows_it() {
    for tool in [tool(true, false), tool(false, true)] {
        let setup = Setup { tool, failures: 1, ..Setup::default() };
        let began = tokio::time::Instant::now();
        let passed = setup.pass(&retry()).await;
        assert!(began.elapsed() >= Duration::from_millis(250));
        assert_eq!((outcome(&passed).as_str(), setup.calls()), (crate::testing::REPLY, 2));
        let did = &record(&passed)["results"]["c"];
        assert_eq!(
            (&did["attempts"], &did["cached"], &did["error"]),
            (&json!(2), &json!(false), &Value::Null)
        );
        let seen = setup.fake.saw("ok");
        assert_eq!((&seen["metadata"]["attempts"], &seen["metadata"]["cached"]), (&json!(2), &json!(false)));
    }
    let setup = Setup { tool: tool(false, true), down: true, ..Setup::default() };
    let passed = setup.pass(&retry()).await;
    assert_eq!((outcome(&passed).as_str(), setup.calls()), ("! the server is down", 2), "and no more");
    assert_eq!(record(&passed)["results"]["c"]["attempts"], 2);
}

#[tokio::test]
async fn a_call_of_another_tool_is_made_once() {
    for tool in [None, tool(false, false)] {
        let setup = Setup { tool, failures: 1, ..Setup::default() };
        let passed = setup.pass(&retry()).await;
        assert_eq!((outcome(&passed).as_str(), setup.calls()), ("! the server is down", 1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_reply_of_a_read_only_tool_is_given_again_until_its_time_is_over() {
    let graph = Graph::compile(&graph(&json!({"cache": {"ttlMs": 1000}}))).expect("valid");
    let setup = Setup { tool: tool(true, false), ..Setup::default() }.recorded().await;
    let first = record(&setup.pass_through(&graph).await);
    assert_eq!(
        (&first["results"]["c"]["cached"], &first["results"]["c"]["attempts"]),
        (&json!(false), &json!(1))
    );
    let passed = setup.pass_through(&graph).await;
    assert_eq!((outcome(&passed).as_str(), setup.calls()), (crate::testing::REPLY, 1));
    let second = record(&passed);
    assert_eq!(
        (&second["results"]["c"]["cached"], &second["mcpResult"]),
        (&json!(true), &json!({"content": []}))
    );
    assert_eq!(setup.fake.saw("ok")["metadata"]["cached"], json!(true));
    tokio::time::advance(Duration::from_millis(1001)).await;
    setup.pass_through(&graph).await;
    assert_eq!(setup.calls(), 2);
}

#[tokio::test]
async fn the_reply_of_another_tool_and_a_failure_are_not_kept() {
    let graph = Graph::compile(&graph(&json!({"cache": {"ttlMs": 1000}}))).expect("valid");
    for tool in [None, tool(false, true)] {
        let setup = Setup { tool, ..Setup::default() };
        setup.pass_through(&graph).await;
        setup.pass_through(&graph).await;
        assert_eq!(setup.calls(), 2);
    }
    let setup = Setup { tool: tool(true, false), failures: 1, ..Setup::default() };
    setup.pass_through(&graph).await;
    assert_eq!(outcome(&setup.pass_through(&graph).await), crate::testing::REPLY);
    assert_eq!(setup.calls(), 2);
}

#[tokio::test]
async fn without_terms_nothing_is_said_of_attempts() {
    let setup = Setup { tool: tool(true, true), ..Setup::default() };
    let passed = setup.pass(&line(&[], &["b hook ok"])).await;
    assert_eq!(record(&passed)["results"]["c"].get("attempts"), None);
    assert_eq!(setup.fake.saw("ok")["metadata"].get("attempts"), None);
}

#[test]
fn terms_that_make_no_sense_are_named() {
    for (data, expected) in [
        (json!({"cache": {"ttlMs": 1}, "retry": {"maxAttempts": 5, "backoffMs": 0}}), vec![]),
        (json!({"cache": 5}), vec!["has a data.cache that is not an object"]),
        (json!({"cache": {}}), vec!["needs data.cache.ttlMs"]),
        (json!({"cache": {"ttlMs": 0}}), vec!["has a data.cache.ttlMs below 1"]),
        (
            json!({"cache": {"ttlMs": 1, "maxEntries": 0.5}}),
            vec!["has a data.cache.maxEntries that is not an integer"],
        ),
        (json!({"cache": {"ttlMs": 1, "ttl": 1}}), vec!["has data.cache.ttl, which is not known"]),
        (json!({"retry": {"maxAttempts": 1}}), vec!["has a data.retry.maxAttempts below 2"]),
        (json!({"retry": {"maxAttempts": 6}}), vec!["has a data.retry.maxAttempts above 5"]),
        (json!({"retry": {"maxAttempts": 2, "backoffMs": -1}}), vec!["has a data.retry.backoffMs below 0"]),
    ] {
        let problems = crate::validate(&graph(&data));
        let found: Vec<_> = problems.iter().map(|one| one.message.trim_start_matches("Node 'c' ")).collect();
        assert_eq!(found, expected, "{data}");
    }
    let list = Workflow { workflow_type: model::WorkflowType::ToolsList, ..retry() };
    let problems = crate::validate(&list);
    assert_eq!(
        problems[0].message,
        "Node 'c' has data.retry, which is for tools/call workflows only; remove it"
    );
    assert_eq!(crate::validate(&workflow(&["s start", "c mcp-call", "e end"], &["s c", "c e"])), []);
}

proptest! {
    #[test]
    fn whatever_fails_the_server_is_asked_no_more_often_than_the_node_allows(
        most in 2_u32..=5,
        failures in 0_usize..8,
        read_only in any::<bool>(),
        idempotent in any::<bool>(),
        with_retry in any::<bool>(),
        with_cache in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let mut data = json!({});
        if with_retry {
            data["retry"] = json!({"maxAttempts": most});
        }
        if with_cache {
            data["cache"] = json!({"ttlMs": 60_000});
        }
        let setup = Setup { tool: tool(read_only, idempotent), failures, ..Setup::default() };
        runtime.block_on(setup.pass(&graph(&data)));
        let repeats = with_retry && (read_only || idempotent);
        let expected = if repeats { (failures + 1).min(most as usize) } else { 1 };
        prop_assert_eq!(setup.calls(), expected);
    }
}
