//! Tests of session workflows as graphs and as lists of steps.

use super::*;
use crate::{WorkflowDraft, WorkflowPatch};

const KINDS: [&str; 6] = ["start", "end", "mcp-call", "hook", "condition", "activity"];

fn draft(extra: &Value) -> Result<Workflow, String> {
    let mut body = json!({"name": "intake", "workflowType": "session"});
    body.as_object_mut().expect("a map").extend(extra.as_object().expect("a map").clone());
    let draft = WorkflowDraft::parse(&body.to_string(), &KINDS).map_err(|error| error.message)?;
    Ok(Workflow::new("1".into(), draft, 1000))
}

fn workflow(extra: &Value) -> Workflow {
    draft(extra).expect("sound")
}

fn refused(extra: &Value, expected: &str) {
    assert_eq!(draft(extra).map(|_| ()), Err(expected.to_owned()), "{extra}");
}

/// Nodes in words, such as `a activity score`.
fn nodes(words: &[&str]) -> Value {
    let node = |words: &&str| {
        let parts: Vec<&str> = words.split(' ').collect();
        let data = match (parts[1], parts.get(2)) {
            (_, None) => json!({}),
            ("condition", Some(expression)) => json!({"expression": expression}),
            (_, Some(name)) => json!({"step": {"activity": name}}),
        };
        json!({"id": parts[0], "type": parts[1], "data": data})
    };
    words.iter().map(node).collect()
}

fn edges(words: &[&str]) -> Value {
    let edge = |words: &&str| match words.split(' ').collect::<Vec<_>>()[..] {
        [source, target, way] => json!({"source": source, "target": target, "sourceHandle": way}),
        [source, target] => json!({"source": source, "target": target}),
        _ => panic!("two ids, and a way"),
    };
    words.iter().map(edge).collect()
}

#[test]
fn a_list_of_steps_becomes_the_line_and_comes_back() {
    let steps = json!([{"activity": "score"}, {"activity": "bmi", "optional": true, "input": {"h": 1.50}}]);
    let workflow = workflow(&json!({"steps": steps, "description": "Takes in one application"}));
    let places: Vec<_> = workflow.nodes.iter().map(|node| (node.id.as_str(), node.position)).collect();
    let at = |x: f64| Some((x, 0.0));
    assert_eq!(
        places,
        [("start", at(0.0)), ("step-1", at(200.0)), ("step-2", at(400.0)), ("end", at(600.0))]
    );
    let labels: Vec<_> = workflow.nodes.iter().map(Node::label).collect();
    assert_eq!(labels, ["Start", "score", "bmi", "End"]);
    let ways: Vec<_> = workflow.edges.iter().map(Edge::name).collect();
    assert_eq!(ways, ["start-step-1", "step-1-step-2", "step-2-end"]);
    assert_eq!(serde_json::to_value(workflow.steps()).expect("JSON"), steps);
    let procedure = workflow.procedure().expect("one line");
    assert_eq!(
        (procedure.name.as_str(), procedure.description.as_str()),
        ("intake", "Takes in one application")
    );
}

#[test]
fn the_graph_of_the_specification_is_the_same_as_its_steps() {
    let graph = json!({
        "nodes":[{"id":"s","type":"start","position":{"x":0,"y":0},"data":{"label":"Start"}},
         {"id":"a","type":"activity","position":{"x":200,"y":0},"data":{"label":"Score","step":{"activity":"score"}}},
         {"id":"b","type":"activity","position":{"x":400,"y":0},"data":{"label":"BMI","step":{"activity":"bmi","optional":true}}},
         {"id":"e","type":"end","position":{"x":600,"y":0},"data":{"label":"End"}}],
        "edges":[{"source":"s","target":"a"},{"source":"a","target":"b"},{"source":"b","target":"e"}],
    });
    let steps = json!({"steps":[{"activity":"score"},{"activity":"bmi","optional":true}]});
    assert_eq!(workflow(&graph).procedure(), workflow(&steps).procedure());
    let mut both = graph.clone();
    both["steps"] = steps["steps"].clone();
    assert_eq!(workflow(&both).procedure(), workflow(&graph).procedure(), "what is shown can be sent back");
    both["steps"] = json!([{"activity": "other"}]);
    let rule = "steps are others than those of nodes; give one of the two";
    refused(&both, rule);
    let patch = WorkflowPatch::parse(&both.to_string(), &KINDS).map_err(|error| error.message);
    assert_eq!(patch.map(|_| ()), Err(rule.to_owned()));
    let patch = WorkflowPatch::parse(r#"{"timeOut": 5}"#, &KINDS).expect("a patch of a graph");
    let fits = |kind| patch.check_for(kind).map_err(|error| error.message);
    let rule = "timeOut is not a known field (did you mean 'timeout'?)";
    assert_eq!(fits(WorkflowType::Session), Err(rule.to_owned()));
    assert_eq!(fits(WorkflowType::ToolsCall), Ok(()), "others are passed over");
    both["nodes"] = json!([]);
    assert_eq!(workflow(&both).steps().expect("steps")[0].activity, "other");
}

#[test]
fn a_draft_that_breaks_a_rule_is_refused() {
    let steps = json!([{"activity": "a"}]);
    refused(&json!({}), "Workflow must have at least one step");
    refused(&json!({"steps": [], "nodes": []}), "Workflow must have at least one step");
    refused(&json!({"steps": {}}), "steps must be a list of steps");
    refused(&json!({"steps": [{}]}), "steps[0] must have either 'activity' or 'parallel'");
    refused(
        &json!({"name": "a b", "steps": steps}),
        "name contains invalid characters (use a-z, A-Z, 0-9, - and _)",
    );
    refused(&json!({"name": "n".repeat(92), "steps": steps}), "name exceeds maximum length (91 characters)");
    refused(&json!({"steps": steps, "timout": 1}), "timout is not a known field (did you mean 'timeout'?)");
    refused(
        &json!({"steps": steps, "onSucess": "}{", "x": 1}),
        "onSucess is not a known field (did you mean 'onSuccess'?)",
    );
    let known = "name, description, workflowType, enabled, steps, nodes, edges, viewport, timeout, timeoutScope, tools, \
        onSuccess, onFailure, onComplete";
    for unknown in ["retry", "zzz"] {
        let rule = format!("{unknown} is not a known field; known are {known}");
        refused(&json!({"steps": steps, unknown: {}}), &rule);
        let patch =
            WorkflowPatch::parse(&json!({unknown: {}}).to_string(), &KINDS).expect("of a graph, maybe");
        let refusal = patch.check_for(WorkflowType::Session).map_err(|error| error.message);
        assert_eq!(refusal, Err(rule));
    }
    refused(&json!({"steps": steps, "timeout": 0}), "timeout must be an integer between 1 and 31536000000");
    refused(&json!({"steps": steps, "timeoutScope": "all"}), "timeoutScope must be one of wall, active");
    refused(
        &json!({"steps": steps, "tools": {"expose": ["stop"]}}),
        "tools.expose[0] must be one of start, continue, status, pause, cancel",
    );
    refused(&json!({"nodes": nodes(&["a activity a"]), "edges": []}), "Workflow must have a start node");
    let broken = json!([{"id": "s", "type": "start"}, {"id": "e", "type": "end"},
        {"id": "a", "type": "activity", "data": {"step": {"activity": "a b"}}}]);
    refused(
        &json!({"nodes": broken, "edges": []}),
        "nodes[2].data.step.activity contains invalid characters (use a-z, A-Z, 0-9, - and _)",
    );
}

#[test]
fn what_is_still_being_drawn_can_be_looked_at() {
    let body = json!({
        "name": "a b", "workflowType": "session", "edges": [],
        "nodes": [{"id": "s", "type": "start"}, {"id": "e", "type": "end"},
            {"id": "a", "type": "activity", "data": {"step": {"activity": ""}}}],
    });
    let sketch = WorkflowDraft::sketch(&body.to_string()).expect("a sketch").draft;
    assert_eq!((sketch.name.as_str(), sketch.nodes.len()), ("a b", 3));
    assert!(WorkflowDraft::parse(&body.to_string(), &KINDS).is_err());
}

#[test]
fn only_one_line_from_start_to_end_has_steps() {
    let check = |of: &[&str], ways: &[&str], expected: &str| {
        let workflow = workflow(&json!({"nodes": nodes(of), "edges": edges(ways)}));
        let found =
            workflow.procedure().map_or_else(|error| error.message, |found| format!("{}", found.steps.len()));
        assert_eq!(found, expected);
        assert_eq!(workflow.steps().is_some(), workflow.procedure().is_ok());
    };
    let line = ["s start", "a activity x", "b activity y", "e end"];
    let rule = "a session workflow is one line from start through its steps to end, in which only a condition has two \
                ways";
    check(&line, &["s a", "a b", "b e"], "2");
    check(&line, &["b e", "s a", "a b"], "2");
    check(&line, &["s a", "a e"], &format!("nodes[2] is not on the line from start to end; {rule}"));
    check(&line, &["s a", "a b"], &format!("nodes[2] leads nowhere; {rule}"));
    check(&line, &["s a", "s b", "a e", "b e"], &format!("nodes[0] has more than one output; {rule}"));
    check(&line, &["s a", "a b", "b a"], "Workflow contains a cycle");
    check(&line, &["s a", "a b", "b e", "e s"], &format!("nodes[3] is the end and leads on; {rule}"));
    check(&line, &["s a", "a b", "b z"], "edges[2].target names the node 'z', which does not exist");
    check(&["s start", "e end"], &["s e"], "Workflow must have at least one step");
    check(
        &["s start", "a activity", "e end"],
        &["s a", "a e"],
        "nodes[1].data.step is required: it names the activity, as in {\"activity\": \"score\"}",
    );
    for kind in ["hook", "mcp-call"] {
        check(
            &["s start", &format!("h {kind}"), "e end"],
            &["s h", "h e"],
            &format!(
                "nodes[1].type '{kind}' does not belong to a session workflow; use activity and condition nodes"
            ),
        );
    }
    check(&["s start", "t start", "e end"], &["s e"], &format!("nodes[1] is a second start node; {rule}"));
    check(&["s start", "s activity x", "e end"], &["s e"], "nodes[1].id is that of another node");
}

#[test]
fn conditions_part_the_line() {
    let of = [
        "e end",
        "m activity m",
        "b activity b",
        "a activity a",
        "d condition x",
        "c condition y",
        "s start",
    ];
    let ways = ["s c", "c a true", "c d false", "d b true", "d m false", "a m", "b m", "m e"];
    let read = |ways: &[&str]| workflow(&json!({"nodes": nodes(&of), "edges": edges(ways)})).procedure();
    let found = read(&ways).expect("sound");
    let names: Vec<_> = found.steps.iter().map(Step::name).collect();
    assert_eq!(names, ["a", "b", "m"], "the way for true comes first, and what both lead to last");
    let road = found.road.clone().expect("a road");
    assert_eq!(
        (road.start, &road.after[..]),
        (Onward::Fork(0), &[Onward::Step(2), Onward::Step(2), Onward::End][..])
    );
    let forks: Vec<_> = road.forks.iter().map(|fork| (fork.node.as_str(), fork.yes, fork.no)).collect();
    assert_eq!(forks, [("c", Onward::Step(0), Onward::Fork(1)), ("d", Onward::Step(1), Onward::Step(2))]);
    let mut turned = ways;
    turned.reverse();
    assert_eq!(read(&turned).expect("sound"), found, "the order of edges means nothing");
    let refused = |ways: &[&str]| read(ways).expect_err("refused").message;
    let without = |gone: &str| ways.iter().copied().filter(|way| *way != gone).collect::<Vec<_>>();
    assert!(refused(&without("c a true")).starts_with("nodes[5] needs a way for true; "));
    assert!(
        refused(&[&ways[..], &["c e"]].concat())
            .starts_with("nodes[5] has an output that is neither true nor false")
    );
    assert_eq!(refused(&[&without("m e")[..], &["m c"]].concat()), "Workflow contains a cycle");
    let blank = workflow(&json!({"nodes": nodes(&["s start", "c condition", "a activity a", "e end"]),
        "edges": edges(&["s c", "c a true", "c e false", "a e"])}));
    assert_eq!(blank.procedure().expect_err("refused").message, "nodes[1] has no expression");
    assert!(blank.is_unfinished());
}

#[test]
fn a_graph_is_unfinished_when_only_its_line_is_missing() {
    let unfinished = |of: &[&str], ways: &[&str]| {
        workflow(&json!({"nodes": nodes(of), "edges": edges(ways)})).is_unfinished()
    };
    let line = ["s start", "a activity x", "e end"];
    assert!(unfinished(&line, &[]) && unfinished(&line, &["s a"]) && unfinished(&line, &["s a", "a a"]));
    assert!(unfinished(&["s start", "a activity", "e end"], &["s a", "a e"]), "it has no step");
    assert!(!unfinished(&line, &["s a", "a e"]), "it is done");
    assert!(!unfinished(&["s start", "e end"], &["s e"]), "it has none");
    assert!(!unfinished(&["s start", "a activity x", "h hook", "e end"], &[]), "a hook is never a step");
}

#[test]
fn a_patch_changes_steps_and_terms_and_keeps_the_rest() {
    let first = workflow(&json!({
        "steps": [{"activity": "a"}], "timeout": 5000, "onSuccess": "log(1)", "tools": {"expose": ["status"]},
    }));
    let patch = |text: Value| {
        let patch = WorkflowPatch::parse(&text.to_string(), &KINDS).map_err(|error| error.message)?;
        first.patched(patch, 2000).map_err(|error| error.message)
    };
    let changed = patch(
        json!({"steps": [{"activity": "b"}, {"activity": "c"}], "timeout": null, "onFailure": "log(2)"}),
    );
    let changed = changed.expect("sound").procedure().expect("one line");
    let names: Vec<_> = changed.steps.iter().map(Step::name).collect();
    assert_eq!((names, changed.timeout), (vec!["b", "c"], None));
    assert_eq!(
        (changed.on_success.as_deref(), changed.on_failure.as_deref()),
        (Some("log(1)"), Some("log(2)"))
    );
    assert_eq!(changed.tools, first.terms.tools);
    assert_eq!(patch(json!({"description": "d"})).expect("sound").steps(), first.steps());
    let graph = patch(json!({"workflowType": "tools/call", "name": "any name"})).expect("sound");
    assert_eq!((graph.terms, graph.name.as_str()), (Default::default(), "any name"));
    for (text, expected) in [
        (json!({"name": "any name"}), "name contains invalid characters (use a-z, A-Z, 0-9, - and _)"),
        (json!({"steps": []}), "Workflow must have at least one step"),
        (
            json!({"steps": [{"activity": "a"}], "workflowType": "tools/call"}),
            "steps are for the workflowType session; give nodes and edges instead",
        ),
        (json!({"onSuccess": " "}), "onSuccess must not be empty; leave it out instead"),
    ] {
        assert_eq!(patch(text).map(|_| ()), Err(expected.to_owned()));
    }
}

#[test]
fn what_is_kept_and_exported_has_everything() {
    let workflow = workflow(&json!({
        "steps": [{"activity": "a", "waitFor": {"event": "e"}}], "timeout": 5000, "timeoutScope": "active",
        "tools": {"expose": ["status"], "titles": {"start": "Begin"}},
        "onSuccess": "1", "onFailure": "2", "onComplete": "3",
    }));
    let kept = serde_json::to_string(&workflow).expect("plain data");
    let read: Workflow = serde_json::from_str(&kept).expect("reads back");
    assert_eq!(read, workflow);
    assert_eq!(read.nodes.text(), workflow.nodes.text());
    let exported = workflow.export();
    let again = WorkflowDraft::import(&exported, &KINDS).expect("sound");
    assert_eq!(Workflow::new("1".into(), again, 1000), workflow);
    assert!(exported.contains("\"timeoutScope\":\"active\""), "{exported}");
}

#[test]
fn what_was_kept_before_there_were_sessions_is_still_read() {
    let kept = r#"{"id":"1","name":"Old graph","workflowType":"tools/call","enabled":true,
        "nodes":[{"id":"s","type":"start","position":{"x":0.30000000000000004,"y":1e2}},{"id":"e","type":"end"}],
        "edges":[],"createdAt":1,"updatedAt":2,"revision":3}"#;
    let read: Workflow = serde_json::from_str(kept).expect("reads");
    assert_eq!((read.terms.clone(), read.steps()), (Default::default(), None));
    assert_eq!(
        read.procedure().expect_err("a graph").message,
        "workflowType is tools/call, which has no steps"
    );
    assert_eq!(
        serde_json::from_str::<Value>(&serde_json::to_string(&read).expect("JSON")).expect("JSON"),
        serde_json::from_str::<Value>(kept).expect("JSON")
    );
}
