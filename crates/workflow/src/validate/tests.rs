//! Tests of the rules of activation.

use crate::problem::{Severity, reason};
use crate::testing::{edge, line, node, stored, workflow};
use crate::validate;
use model::{Workflow, WorkflowType};
use proptest::prelude::*;
use serde_json::{Value, json};

fn check(workflow: &Workflow, expected: &[&str]) {
    let problems = validate(workflow);
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, expected);
}

const G0: [&str; 3] = ["s start", "c mcp-call", "e end"];

fn g0(nodes: &[&str], edges: &[&str]) -> Workflow {
    workflow(&[&G0, nodes].concat(), &[&["s c", "c e"], edges].concat())
}

#[test]
fn a_line_with_hooks_and_side_hooks_is_valid() {
    check(&g0(&[], &[]), &[]);
    check(&line(&["a hook ok", "b continue ok"], &["d module m"]), &[]);
    check(&g0(&["f side ok", "g side ok", "h side ok"], &["s f", "c g", "s h"]), &[]);
}

#[test]
fn what_is_missing_comes_first_and_in_the_words_of_the_contract() {
    check(
        &workflow::<&str, &str>(&[], &[]),
        &["Start node is missing", "MCP Call node is missing", "End node is missing"],
    );
    let first = |nodes: &[&str], edges: &[&str]| {
        reason(&validate(&workflow(nodes, edges))).map(str::to_owned).unwrap_or_default()
    };
    assert_eq!(first(&["s start", "e end"], &["s e"]), "MCP Call node is missing");
    assert_eq!(first(&["c mcp-call", "e end"], &["c e"]), "Start node is missing");
    assert_eq!(first(&["s start", "c mcp-call"], &["s c"]), "End node is missing");
    assert_eq!(first(&G0, &["c e"]), "No path from Start to MCP Call");
    assert_eq!(first(&G0, &["s c"]), "No path from MCP Call to End");
    assert_eq!(first(&G0, &["s e"]), "No path from Start to MCP Call");
    assert_eq!(
        first(&["s start", "c mcp-call", "a hook ok", "e end"], &["s c", "c e", "a a"]),
        "Workflow contains a cycle"
    );
    assert_eq!(
        first(
            &["s start", "c mcp-call", "a hook ok", "b hook ok", "e end"],
            &["s c", "c a", "a b", "b a", "a e"]
        ),
        "Workflow contains a cycle"
    );
}

#[test]
fn other_reasons_name_the_node() {
    let check = |nodes: &[&str], edges: &[&str], expected: &[&str]| check(&g0(nodes, edges), expected);
    check(&["f side ok"], &["s f", "c f"], &["Node 'f' (The f) takes one input and has 2"]);
    check(&["h hook ok"], &["c h"], &["Node 'h' (The h) is not on the path from Start to End"]);
    check(
        &["h hook ok"],
        &[],
        &["Node 'h' (The h) needs an input", "Node 'h' (The h) is not on the path from Start to End"],
    );
    check(
        &["f side ok", "h hook ok"],
        &["s f", "f h"],
        &[
            "Node 'f' (The f) has an output, and a fire-and-forget hook has none",
            "Node 'h' (The h) is not on the path from Start to End",
        ],
    );
    check(&["f side ok"], &["e f"], &["Node 'e' has an output, and End has none"]);
    check(
        &["f side ok"],
        &["s f", "f s"],
        &[
            "Workflow contains a cycle",
            "Node 's' takes no input",
            "Node 'f' (The f) has an output, and a fire-and-forget hook has none",
        ],
    );
    check(
        &[],
        &["s x", "y e"],
        &[
            "Edge 's -> x' names the node 'x', which does not exist",
            "Edge 'y -> e' names the node 'y', which does not exist",
        ],
    );
    check(&["c2 mcp-call"], &["s c2"], &["Node 'c2' is one MCP Call node too many; there is exactly one"]);
    check(&["c hook ok"], &[], &["Node 'c' (The c) has an id that another node has too"]);
    check(&["e hook ok"], &[], &["Node 'e' (The e) has an id that another node has too"]);
    check(&["v loop"], &["s v"], &["Node 'v' has the type 'loop', which this version does not know"]);
    check(
        &["m module "],
        &["c m"],
        &["Node 'm' (The m) is not on the path from Start to End", "Node 'm' (The m) has no script"],
    );
}

#[test]
fn the_data_of_a_hook_is_checked() {
    let with = |data: Value| {
        let mut nodes: Vec<Value> = G0.iter().map(|words| node(words)).collect();
        nodes.push(json!({"id": "h", "type": "hook", "data": data}));
        let edges: Vec<Value> = ["s c", "c h", "h e"].iter().map(|words| edge(words)).collect();
        let problems = validate(&stored(&json!(nodes), &json!(edges)));
        problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(with(json!({"hook": {"script": "return", "blocking": true}})), "");
    assert_eq!(with(json!({})), "Node 'h' needs data.hook with a script or a hookModuleId");
    assert_eq!(
        with(json!({"hook": {"script": "x"}})),
        "Node 'h' needs data.hook.blocking, which is true or false"
    );
    assert_eq!(
        with(json!({"hook": {"script": "x", "hookModuleId": "m", "blocking": true}})),
        "Node 'h' has both a script and a hookModuleId; remove one"
    );
    assert_eq!(
        with(json!({"hook": {"script": "x", "blocking": true, "onError": "retry"}})),
        "Node 'h' has an onError that is neither stop nor continue"
    );
    let long = "x".repeat(model::SCRIPT_MAX + 1);
    assert_eq!(
        with(json!({"hook": {"script": long, "blocking": true}})),
        "Node 'h' script exceeds maximum size (1048576 bytes)"
    );
}

#[test]
fn a_condition_has_two_ways_that_meet_again() {
    let nodes = ["s start", "d if true", "a hook ok", "c mcp-call", "e end"];
    let check = |edges: &[&str], expected: &[&str]| check(&workflow(&nodes, edges), expected);
    check(&["s d", "d a true", "d c false", "a c", "c e"], &[]);
    check(&["s c", "c d", "d a true", "d e false", "a e"], &[]);
    check(&["s d", "d a true", "a c", "c e"], &["Node 'd' needs a way for false"]);
    check(&["s d", "d a true", "d c", "a c", "c e"], &["Node 'd' needs a way for false"]);
    check(
        &["s d", "d a true", "d c maybe", "a c", "c e"],
        &[
            "Edge 'd -> c' leaves a condition by an output that is neither true nor false",
            "Node 'd' needs a way for false",
        ],
    );
    check(
        &["s d", "d a", "a c", "c e"],
        &["Node 'd' needs a way for false", "Node 'd' needs a way for true"],
    );
    check(
        &["s d", "d c true", "d a false", "c e"],
        &[
            "Node 'd' has a way for false that does not lead to End",
            "Node 'a' (The a) is not on the path from Start to End",
        ],
    );
    check(
        &["s d", "d c true", "d a false", "a e", "c e"],
        &["Node 'd' lets a way lead to End that does not pass MCP Call"],
    );
    check(
        &["s d", "s a", "d c true", "d c false", "a c", "c e"],
        &["Node 's' has more than one way to End; only a condition may have two"],
    );
}

#[test]
fn a_warning_does_not_stand_in_the_way() {
    let nodes = json!([
        node("s start"), node("c mcp-call"), node("e end"),
        {"id": "f", "type": "hook", "data": {"hook": {"script": "x", "blocking": false, "onError": "stop"}}},
    ]);
    let edges = json!([edge("s c"), edge("c e"), edge("s f")]);
    let problems = validate(&stored(&nodes, &edges));
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].severity, problems[0].node.as_deref()), (Severity::Warning, Some("f")));
    assert_eq!(reason(&problems), None);
}

/// Any graph over a few ids, mostly wrong.
fn any_graph() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let id = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]);
    let kind = prop::sample::select(vec![
        "start",
        "end",
        "mcp-call",
        "hook ok",
        "side ok",
        "if true",
        "other",
        "continue throw",
    ]);
    let nodes = prop::collection::vec((id(), kind).prop_map(|(id, kind)| format!("{id} {kind}")), 0..8);
    let way = prop::sample::select(vec!["", " true", " false", " x"]);
    let edge = (id(), id(), way).prop_map(|(from, to, way)| format!("{from} {to}{way}"));
    (nodes, prop::collection::vec(edge, 0..12))
}

/// A session over a few ids: a start, an end, and some of what may stand between them.
fn any_session() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let between = prop::collection::vec(prop::sample::select(vec!["do a", "do b", "if x"]), 1..5);
    between.prop_flat_map(|between| {
        let last = between.len() + 1;
        let mut nodes = vec!["0 start".to_owned(), format!("{last} end")];
        nodes.extend(between.iter().enumerate().map(|(at, kind)| format!("{} {kind}", at + 1)));
        // Every node has the outputs of its kind; mostly they lead onward.
        let edges = (0..last).map(move |at| {
            let parts = at > 0 && between[at - 1].starts_with("if");
            let to = move || prop_oneof![9 => at + 1..=last, 1 => 0..=last];
            (to(), to(), 0..20_u32).prop_map(move |(yes, no, odd)| match (parts, odd) {
                (_, 0) => Vec::new(),
                (true, 1) => vec![format!("{at} {yes} true"), format!("{at} {no} true")],
                (true, _) => vec![format!("{at} {yes} true"), format!("{at} {no} false")],
                (false, 1) => vec![format!("{at} {yes}"), format!("{at} {no}")],
                (false, _) => vec![format!("{at} {yes}")],
            })
        });
        let edges = edges.collect::<Vec<_>>().prop_map(|edges| edges.concat());
        (Just(nodes), edges)
    })
}

proptest! {
    #[test]
    fn no_graph_makes_the_validator_panic_and_order_never_matters(
        (nodes, edges, turned_nodes, turned_edges) in any_graph().prop_flat_map(|(nodes, edges)| {
            (Just(nodes.clone()), Just(edges.clone()), Just(nodes).prop_shuffle(), Just(edges).prop_shuffle())
        })
    ) {
        let one = workflow(&nodes, &edges);
        let problems = validate(&one);
        let compiled = crate::Graph::compile(&one);
        prop_assert_eq!(reason(&problems).is_none(), compiled.is_ok());
        let turned = validate(&workflow(&turned_nodes, &turned_edges));
        // Twins cannot be told apart, so only whether there is a reason is compared.
        prop_assert_eq!(reason(&problems).is_none(), reason(&turned).is_none());
    }

    #[test]
    fn what_is_valid_as_a_session_can_be_run_as_one_and_order_never_matters(
        (nodes, edges, turned_nodes, turned_edges) in any_session().prop_flat_map(|(nodes, edges)| {
            (Just(nodes.clone()), Just(edges.clone()), Just(nodes).prop_shuffle(), Just(edges).prop_shuffle())
        })
    ) {
        let session = |nodes: &[String], edges: &[String]| {
            Workflow { workflow_type: WorkflowType::Session, ..workflow(nodes, edges) }
        };
        let one = session(&nodes, &edges);
        let (problems, procedure) = (validate(&one), one.procedure());
        prop_assert_eq!(reason(&problems).is_none(), procedure.is_ok(), "{:?} {:?}", problems, procedure);
        let turned = session(&turned_nodes, &turned_edges).procedure();
        prop_assert_eq!(turned.is_ok(), procedure.is_ok());
        if let (Ok(one), Ok(turned)) = (procedure, turned) {
            prop_assert!(one == turned);
        }
    }
}
