//! Tests of definitions as users write them.

use super::*;
use crate::{Code, Fault};
use serde_json::{Value, json};

const KINDS: [&str; 4] = ["start", "end", "mcp-call", "hook"];

fn body(extra: &Value) -> Value {
    let mut body = json!({
        "name": "w", "workflowType": "tools/call",
        "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"}],
        "edges": [{"source": "s", "target": "e"}],
    });
    body.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
    body
}

fn check(extra: &Value, expected: &str) {
    let found = WorkflowDraft::parse(&body(extra).to_string(), &KINDS);
    assert_eq!(found.map_or_else(|error| error.message, |_| "ok".into()), expected, "{extra}");
}

#[test]
fn a_draft_is_refused_in_the_order_of_the_rules() {
    check(&json!({}), "ok");
    check(&json!({"name": null, "workflowType": null, "nodes": []}), "Workflow name is required");
    check(&json!({"name": " \u{3000}", "nodes": []}), "Workflow name is required");
    check(&json!({"workflowType": null, "nodes": []}), "Workflow type is required");
    check(&json!({"workflowType": ""}), "Workflow type is required");
    check(
        &json!({"workflowType": "tools/all"}),
        "workflowType must be one of tools/list, tools/call, session",
    );
    check(
        &json!({"nodes": null, "steps": []}),
        "steps are for the workflowType session; give nodes and edges instead",
    );
    check(
        &json!({"steps": [{"activity": "a"}]}),
        "steps are for the workflowType session; give nodes and edges instead",
    );
    check(&json!({"nodes": []}), "Workflow must have at least one node");
    check(&json!({"nodes": null}), "Workflow must have at least one node");
    check(&json!({"nodes": [{"id": "e", "type": "end"}]}), "Workflow must have a start node");
    check(&json!({"nodes": [{"id": "s", "type": "start"}]}), "Workflow must have an end node");
    check(&json!({"nodes": {}}), "nodes must be an array");
    check(&json!({"nodes": [7]}), "nodes[0] must be a JSON object");
    check(&json!({"nodes": [{"type": "start"}]}), "nodes[0].id must be a string that is not empty");
    check(&json!({"edges": null}), "edges must be an array");
    check(&json!({"edges": {}}), "edges must be an array");
    check(&json!({"edges": []}), "ok");
    check(&json!({"edges": [{"source": "s"}]}), "edges[0].target must be a string that is not empty");
    check(&json!({"enabled": "yes"}), "enabled must be true or false");
    let loops =
        json!([{"id": "s", "type": "start"}, {"id": "e", "type": "end"}, {"id": "l", "type": "loop"}]);
    check(
        &json!({"nodes": loops}),
        "nodes[2].type 'loop' is not known; use one of start, end, mcp-call, hook",
    );
    let mut many = vec![json!({"id": "s", "type": "start"}), json!({"id": "e", "type": "end"})];
    many.resize(WORKFLOW_NODES_MAX + 1, json!({"id": "h", "type": "hook"}));
    check(&json!({"nodes": many}), "Workflow has too many nodes (at most 10000)");
    check(
        &json!({"description": "x".repeat(WORKFLOW_BYTES_MAX)}),
        "Workflow is too large (at most 8388608 bytes)",
    );
    for text in ["", "[]", "{", "null"] {
        let error = WorkflowDraft::parse(text, &KINDS).expect_err("refused");
        assert_eq!(error.message, "body must be a JSON object");
    }
    let fault = Fault::from(WorkflowDraft::parse("{}", &KINDS).expect_err("refused"));
    assert_eq!((fault.code, fault.details["field"].as_str()), (Code::ValidationError, Some("name")));
}

#[test]
fn a_definition_is_not_too_deep_to_be_held_by_something_else() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    // The list, the node and its data lie around it, and the body around all.
    let nodes = |inner: &str| {
        let start = format!(r#"{{"id":"s","type":"start","data":{{"a":"]}}[","x":{inner}}}}}"#);
        let body = body(&json!({"nodes": [0]}));
        body.to_string().replace("[0]", &format!(r#"[{{"id":"e","type":"end"}},{start}]"#))
    };
    let refused = "nodes[1] is nested too deeply; a workflow has at most 100 levels";
    let parse = |body: &str| WorkflowDraft::parse(body, &KINDS).map(drop).map_err(|error| error.message);
    let patch = |body: &str| WorkflowPatch::parse(body, &KINDS).map(drop).map_err(|error| error.message);
    for (levels, expected) in [(96, Ok(())), (97, Err(refused.to_owned())), (400, Err(refused.to_owned()))] {
        let text = nodes(&deep(levels));
        assert_eq!((parse(&text), patch(&text)), (expected.clone(), expected), "{levels}");
    }
    let steps = |levels: usize| {
        let step = format!(r#"{{"activity":"a","input":{{"x":{}}}}}"#, deep(levels));
        format!(r#"{{"name":"w","workflowType":"session","steps":[{{"activity":"b"}},{step}]}}"#)
    };
    let refused = "steps[1] is nested too deeply; a workflow has at most 98 levels";
    assert_eq!(parse(&steps(95)), Err(refused.to_owned()));
    let line = WorkflowDraft::parse(&steps(94), &["start", "end", "activity"]).expect("a workflow");
    let exported = Workflow::new("w".into(), line, 0).export();
    WorkflowDraft::import(&exported, &["start", "end", "activity"])
        .expect("what is exported can be imported");
}

#[test]
fn what_is_stored_comes_back_as_it_was_written() {
    let nodes = r#"[{"id":"s","type":"start","position":{"x":0.30000000000000004,"y":1e2},"data":{"label":"S","zz":[1.0,9007199254740993123]},"mine":null},{"id":"e","type":"end","deletable":false}]"#;
    let text =
        format!("{{\"name\":\"w\",\"workflowType\":\"tools/list\",\"nodes\":\n {nodes},\"edges\": [ ]}}");
    let draft = WorkflowDraft::parse(&text, &KINDS).expect("valid");
    let workflow = Workflow::new("1".into(), draft, 1000);
    assert_eq!((workflow.nodes.text(), workflow.edges.text()), (nodes, "[]"));
    let kept = serde_json::to_string(&workflow).expect("plain data");
    assert!(kept.contains(nodes), "{kept}");
    let read: Workflow = serde_json::from_str(&kept).expect("reads back");
    assert_eq!(read, workflow);
    assert_eq!((read.nodes[0].position, read.nodes[0].label()), (Some((0.30000000000000004, 100.0)), "S"));
    assert_eq!(read.nodes[1].label(), "e");
}

#[test]
fn a_patch_changes_what_it_names_and_nothing_else() {
    let draft =
        WorkflowDraft::parse(&body(&json!({"description": "d", "enabled": true})).to_string(), &KINDS);
    let draft = draft.expect("valid");
    assert!(draft.enabled);
    let workflow = Workflow::new("1".into(), draft, 1000);
    assert!(!workflow.enabled, "activation is a step of its own");
    let parse = |text: &str| WorkflowPatch::parse(text, &KINDS);
    let patch = parse(r#"{"description": null, "name": "v", "id": "9", "enabled": true}"#).expect("valid");
    assert_eq!((patch.enabled, patch.is_switch()), (Some(true), false));
    let changed = workflow.patched(patch, 900).expect("sound");
    assert_eq!(
        (changed.name.as_str(), changed.description.as_deref(), changed.id.as_str()),
        ("v", None, "1")
    );
    assert_eq!((changed.revision, changed.updated_at, changed.created_at), (2, 1001, 1000));
    assert_eq!((&changed.nodes, &changed.edges), (&workflow.nodes, &workflow.edges));
    assert!(parse(r#"{"enabled": false}"#).expect("valid").is_switch());
    for (text, expected) in [
        (r#"{"name": null}"#, "Workflow name is required"),
        (r#"{"workflowType": null}"#, "Workflow type is required"),
        (r#"{"nodes": []}"#, "Workflow must have at least one node"),
        (r#"{"nodes": null}"#, "nodes must be an array"),
        (r#"{"edges": null}"#, "edges must be an array"),
    ] {
        assert_eq!(parse(text).expect_err("refused").message, expected, "{text}");
    }
}

#[test]
fn an_import_names_existing_nodes_and_is_not_active() {
    let import = |extra: Value| WorkflowDraft::import(&body(&extra).to_string(), &KINDS);
    assert!(!import(json!({"enabled": true})).expect("valid").enabled);
    let error = import(json!({"edges": [{"source": "s", "target": "x"}]})).expect_err("refused");
    assert_eq!(error.message, "edges[0].target names the node 'x', which does not exist");
    let workflow = Workflow::new("1".into(), import(json!({})).expect("valid"), 5);
    let exported = workflow.export();
    let again = Workflow::new("1".into(), WorkflowDraft::import(&exported, &KINDS).expect("valid"), 5);
    assert_eq!(again, workflow);
    assert!(!exported.contains("createdAt"), "{exported}");
}
