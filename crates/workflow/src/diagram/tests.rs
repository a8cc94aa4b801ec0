//! Golden-file tests of diagrams. With `UPDATE_GOLDEN=1` the files are written anew, to be looked at.

use super::*;
use crate::testing::{node, stored, workflow};
use serde_json::{Value, json};

fn check(name: &str, found: &str) {
    let path = format!("{}/src/diagram/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("written");
    }
    assert_eq!(found, std::fs::read_to_string(&path).expect("the golden file"), "{name}");
}

fn sample() -> Workflow {
    workflow(
        &["s start", "d if context.toolName == \"x\"", "a hook ok", "c mcp-call", "e end", "f side ok"],
        &["s d", "d a true", "d c false", "a c", "c e", "c f"],
    )
}

#[test]
fn a_definition_and_a_run_have_their_diagrams() {
    let states = DrawnRun::parse(
        r#"{"workflowId":"w","version":1,"status":"completed","results":{
            "s":{"state":"completed","durationMs":0},"d":{"state":"completed","durationMs":1},
            "a":{"state":"skipped","durationMs":null},"c":{"state":"completed","durationMs":512},
            "e":{"state":"error","durationMs":3},"f":{"state":"running","durationMs":null}}}"#,
    )
    .expect("a record")
    .states;
    check("graph.mmd", &mermaid(&sample(), None));
    check("run.mmd", &mermaid(&sample(), Some(&states)));
    check("graph.svg", &svg(&sample(), None));
    check("run.svg", &svg(&sample(), Some(&states)));
}

#[test]
fn nodes_that_stand_on_top_of_each_other_are_told_apart() {
    let mut whole = serde_json::to_value(sample()).expect("a workflow");
    for node in whole["nodes"].as_array_mut().expect("nodes") {
        node["position"] = json!({"x": 5, "y": 5});
    }
    let heap: Workflow = serde_json::from_value(whole).expect("a workflow");
    assert_eq!(svg(&heap, None), svg(&sample(), None), "as if none had a place");
}

/// A session workflow with everything that a diagram tells apart.
fn session() -> Workflow {
    let steps = json!([
        {"activity": "score", "branches": {"valid:false": {"toolName": "err_start"}}},
        {"activity": "register", "condition": "memory.score.valid === true", "compensate": "unregister"},
        {"parallel": [{"activity": "bmi", "optional": true}, {"activity": "age"}], "approve": true},
        {"activity": "review", "optional": true, "waitFor": {"event": "paid"},
         "branches": [{"when": "result.x > \"3\"", "call": "advice_start"},
                      {"when": "true", "call": "other_start", "description": "Offer <advice>"}]},
    ]);
    let body = json!({"name": "intake", "workflowType": "session", "steps": steps}).to_string();
    let draft = model::WorkflowDraft::parse(&body, &crate::KIND_NAMES).expect("sound");
    Workflow::new("w".into(), draft, 0)
}

#[test]
fn steps_conditions_branches_groups_and_what_is_optional_are_told_apart() {
    check("session.mmd", &mermaid(&session(), None));
    check("session.svg", &svg(&session(), None));
    let states = DrawnRun::parse(
        r#"{"workflowId":"w","version":1,"results":{
            "start":{"state":"completed","durationMs":0},"step-1":{"state":"completed","durationMs":7},
            "step-2":{"state":"skipped","durationMs":null},"step-3":{"state":"error","durationMs":2}}}"#,
    )
    .expect("a record")
    .states;
    check("session-run.mmd", &mermaid(&session(), Some(&states)));
    check("session-run.svg", &svg(&session(), Some(&states)));
}

#[test]
fn labels_cannot_break_out_of_a_diagram() {
    let evil = "\"]; click n0 \"javascript:x\" <script>&`#x`</script>\n\u{1}end";
    let mut first = node("s start");
    first["data"] = json!({"label": evil});
    first["position"] = json!({"x": 1e300, "y": -1e300});
    let mut other = node("e end");
    other["position"] = json!({"x": 0, "y": 0.4});
    let edges =
        json!([{"source": "s", "target": "e", "sourceHandle": evil}, {"source": "s", "target": "gone"}]);
    let workflow = stored(&Value::Array(vec![first, other]), &edges);
    let text = mermaid(&workflow, None);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(!text.contains("script>") && !text.contains('`'), "{text}");
    assert_eq!(text.matches('"').count(), 6, "{text}");
    let image = svg(&workflow, None);
    assert!(!image.contains("<script") && !image.contains('\u{1}'), "{image}");
    assert!(image.contains("x=\"100000\""), "{image}");
}

#[test]
fn a_broken_definition_has_a_diagram_too() {
    for edges in [&["s s"][..], &["s e", "e s", "x y"], &[]] {
        let workflow = workflow(&["s start", "s start", "e end", "v loop"], edges);
        assert!(svg(&workflow, None).ends_with("</svg>\n"));
        assert!(mermaid(&workflow, None).starts_with("flowchart LR\n"));
    }
}
