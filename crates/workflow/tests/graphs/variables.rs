//! Nodes that set variables (spec 5.1), with real workers and a real store.

use crate::support::{Echo, Shout, graph, hook, record, reply, sandbox, side, test, until, workflow};
use libtest_mimic::Trial;
use lockgate_workflow::{Stop, check_scripts};
use model::Workflow;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use store::{Location, Store};

macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        pub(crate) fn tests() -> Vec<Trial> {
            vec![$(test(concat!("variables::", stringify!($name)), $name)),+]
        }
    };
}

tests! {
    later_nodes_read_and_change_what_was_set,
    expressions_see_the_context_and_those_before_them,
    what_every_object_has_is_no_value_of_before,
    the_record_shows_the_values_after_each_node,
    later_nodes_see_the_result_of_a_node_that_sets,
    a_condition_and_a_side_hook_read_variables,
    variables_of_a_run_end_with_it,
    an_expression_that_throws_stops_the_run_before_the_call,
    an_error_is_told_in_the_lines_of_its_expression,
    a_constant_keeps_its_digits_beside_an_expression,
    with_continue_a_node_that_fails_sets_nothing,
    an_expression_that_does_not_compile_is_found_before_it_runs,
    kept_variables_are_seen_by_later_runs,
    of_parallel_updates_none_is_lost,
    of_two_gateways_with_one_store_no_update_is_lost,
    constants_need_no_worker_and_can_reset_what_is_kept,
    what_is_too_long_is_not_kept,
    without_a_store_nothing_can_be_kept,
}

/// A node that sets variables of the run.
fn set(id: &str, set: &Value) -> Value {
    json!({"id": id, "type": "variable", "data": {"label": id, "set": set}})
}

/// A node that sets variables that are kept.
fn keep(id: &str, values: &Value) -> Value {
    let mut node = set(id, values);
    node["data"]["scope"] = "workflow".into();
    node
}

fn count() -> Value {
    keep("v", &json!([{"name": "n", "expression": "current + 1"}]))
}

const SHOW: &str = "context.request.params.arguments.seen = context.variables";

/// A server behind a store that knows this workflow.
async fn with_store(workflow: &Workflow) -> Echo {
    let store = store::open(&Location::Memory).await.unwrap();
    store.workflows().add(workflow.clone()).await.unwrap();
    Echo { store: Some(store), ..Echo::new(false) }
}

async fn seen(echo: &Echo, workflow: &Workflow) -> Value {
    reply(&echo.call(workflow, &json!({})).await)["echo"]["seen"].clone()
}

async fn kept(store: &Store) -> Value {
    let all = store.variables().all("wf").await.unwrap();
    all.into_iter().map(|(name, text)| (name, serde_json::from_str::<Value>(&text).unwrap())).collect()
}

async fn later_nodes_read_and_change_what_was_set() {
    let start = set("v", &json!([{"name": "a", "value": 1}, {"name": "b", "expression": "[2]"}]));
    let change = hook("h", "context.variables.a += 10; context.variables.c = 'new'");
    let give = hook("g", "return {context: {variables: {...context.variables, d: true}}}");
    let tell = hook("p", "context.response.seen = context.variables");
    let passed = Echo::new(false)
        .call(&graph(&[start, change, give, hook("t", SHOW)], &[tell], &[]), &json!({}))
        .await;
    let expected = json!({"a": 11, "b": [2], "c": "new", "d": true});
    assert_eq!(reply(&passed), json!({"echo": {"seen": expected}, "seen": expected}));
    let results = &record(&passed)["results"];
    assert_eq!(results["h"]["changes"], json!({"variables": {"a": 11, "b": [2], "c": "new"}}));
    assert_eq!(results["g"]["changes"], json!({"variables": expected}));
    assert_eq!(results["t"]["changes"], json!({"params": {"name": "echo", "arguments": {"seen": expected}}}));
}

async fn expressions_see_the_context_and_those_before_them() {
    let values = json!([
        {"name": "q", "expression": "context.request.params.arguments.q"},
        {"name": "twice", "expression": "context.variables.q * 2 // a comment"},
        {"name": "tool", "expression": "context.toolName"},
        {"name": "later", "expression": "await sleep(1), 'waited'"},
        {"name": "nothing", "expression": "undefined"},
        {"name": "made", "expression": "() => 1"},
        {"name": "sign", "expression": "Symbol('x')"},
        {"name": "plain", "value": {"__proto__": {"x": 1}, "y": "\"'\u{2028}"}},
    ]);
    let graph = graph(&[set("v", &values), hook("t", SHOW)], &[], &[]);
    let passed = Echo::new(false).call(&graph, &json!({"q": 21})).await;
    let expected = json!({
        "q": 21, "twice": 42, "tool": "echo", "later": "waited", "nothing": null, "made": null, "sign": null,
        "plain": {"__proto__": {"x": 1}, "y": "\"'\u{2028}"},
    });
    assert_eq!(reply(&passed)["echo"]["seen"], expected, "{}", record(&passed));
}

async fn what_every_object_has_is_no_value_of_before() {
    let names = ["toString", "constructor", "valueOf", "hasOwnProperty", "isPrototypeOf"];
    let values = names.map(|name| json!({"name": name, "expression": "current === null"}));
    let graph = graph(&[set("v", &json!(values)), set("w", &json!(values)), hook("t", SHOW)], &[], &[]);
    let expected: Value = names.map(|name| (name.to_owned(), json!(false))).into_iter().collect();
    let passed = Echo::new(false).call(&graph, &json!({})).await;
    assert_eq!(reply(&passed)["echo"]["seen"], expected, "what was set before is seen: {}", record(&passed));
    let first: Value = names.map(|name| (name.to_owned(), json!(true))).into_iter().collect();
    assert_eq!(record(&passed)["results"]["v"]["result"]["variables"], first);
}

async fn the_record_shows_the_values_after_each_node() {
    let first = set("v1", &json!([{"name": "a", "value": 1.50}]));
    let second = set("v2", &json!([{"name": "b", "expression": "context.variables.a + 1"}]));
    let third = set("v3", &json!([{"name": "size", "expression": "context.response.echo.q.length"}]));
    let passed = Echo::new(false).call(&graph(&[first, second], &[third], &[]), &json!({"q": "abc"})).await;
    let record = record(&passed);
    let of = |node: &str| record["results"][node]["result"]["variables"].clone();
    assert_eq!(of("v1"), json!({"a": 1.5}));
    assert_eq!(of("v2"), json!({"a": 1.5, "b": 2.5}));
    assert_eq!(of("v3"), json!({"a": 1.5, "b": 2.5, "size": 3}));
    assert_eq!(record["results"]["v2"]["state"], "completed");
    let marks: Vec<_> = passed.marks.iter().map(|mark| (&*mark.node, mark.phase, mark.verdict)).collect();
    assert_eq!(marks, [("v1", "pre", "set"), ("v2", "pre", "set"), ("v3", "post", "set")]);
}

async fn later_nodes_see_the_result_of_a_node_that_sets() {
    let nodes = [set("v", &json!([{"name": "a", "value": 1.50}])), hook("t", "context.variables.a = 2")];
    let tell = hook("p", "context.response = {before: context.previousResults.v}");
    let passed = Echo::new(false).call(&graph(&nodes, &[tell], &[]), &json!({})).await;
    assert_eq!(reply(&passed), json!({"before": {"variables": {"a": 1.5}}}));
}

async fn a_condition_and_a_side_hook_read_variables() {
    let plain = |id: &str, kind: &str| json!({"id": id, "type": kind});
    let nodes = [
        plain("s", "start"),
        set("v", &json!([{"name": "go", "value": true}])),
        json!({"id": "d", "type": "condition", "data": {"expression": "context.variables.go"}}),
        hook("y", "context.request.params.arguments.way = 'yes'"),
        plain("c", "mcp-call"),
        plain("e", "end"),
        side("f", "console.log(context.variables.go); context.variables.go = false"),
    ];
    let edge = |source: &str, target: &str| json!({"source": source, "target": target});
    let way = |target: &str, way: &str| json!({"source": "d", "target": target, "sourceHandle": way});
    let edges = [
        edge("s", "v"),
        edge("v", "d"),
        edge("v", "f"),
        way("y", "true"),
        way("c", "false"),
        edge("y", "c"),
        edge("c", "e"),
    ];
    let passed = Echo::new(false).call(&workflow(&nodes, &edges), &json!({})).await;
    assert_eq!(reply(&passed)["echo"]["way"], "yes");
    assert_eq!(until(&passed, "f", "completed").await["console"][0]["text"], "true");
}

async fn variables_of_a_run_end_with_it() {
    let graph = graph(&[hook("t", SHOW), set("v", &json!([{"name": "a", "value": 1}]))], &[], &[]);
    let echo = with_store(&graph).await;
    for _ in 0..2 {
        assert_eq!(seen(&echo, &graph).await, json!({}));
    }
    assert_eq!(kept(echo.store.as_ref().unwrap()).await, json!({}));
}

async fn an_expression_that_throws_stops_the_run_before_the_call() {
    let bad = set("v", &json!([{"name": "a", "value": 1}, {"name": "b", "expression": "nobody.x"}]));
    let echo = Echo::new(false);
    let passed = echo.call(&graph(std::slice::from_ref(&bad), &[], &[]), &json!({})).await;
    assert_eq!(reply(&passed), "Node 'v' failed: ReferenceError: nobody is not defined");
    assert_eq!(echo.calls(), 0);
    let node = &record(&passed)["results"]["v"];
    assert_eq!(
        (&node["state"], &node["error"]),
        (&json!("error"), &json!("ReferenceError: nobody is not defined"))
    );
    let bypass = Echo::new(true);
    let passed = bypass.call(&graph(&[bad], &[], &[]), &json!({"q": 1})).await;
    assert_eq!(reply(&passed), json!({"echo": {"q": 1}}));
}

async fn an_error_is_told_in_the_lines_of_its_expression() {
    let condition = |expression: &str| {
        let way = |target: &str, way: &str| json!({"source": "v", "target": target, "sourceHandle": way});
        let nodes = [
            json!({"id": "s", "type": "start"}),
            json!({"id": "v", "type": "condition", "data": {"expression": expression}}),
            json!({"id": "c", "type": "mcp-call"}),
            json!({"id": "e", "type": "end"}),
        ];
        let edges = [
            json!({"source": "s", "target": "v"}),
            way("c", "true"),
            way("c", "false"),
            json!({"source": "c", "target": "e"}),
        ];
        workflow(&nodes, &edges)
    };
    let variable = |values: Value| graph(&[set("v", &values)], &[], &[]);
    for (graph, place) in [
        (condition("nobody"), (1, 1)),
        (condition("1 +\n  nobody"), (2, 3)),
        (variable(json!([{"name": "a", "expression": "nobody"}])), (1, 1)),
        (variable(json!([{"name": "a", "expression": "'é' +\n nobody"}])), (2, 2)),
        (
            variable(json!([
                {"name": "a", "expression": "1 +\n 1"}, {"name": "k", "value": "é😀\n"}, {"name": "b", "expression": "2 + nobody"},
            ])),
            (1, 5),
        ),
    ] {
        let passed = Echo::new(false).call(&graph, &json!({})).await;
        let Err(Stop::Failed { error, hook: None, .. }) = &passed.outcome else { panic!("{passed:?}") };
        assert_eq!((error.line, error.column), (Some(place.0), Some(place.1)), "{graph:?}: {error}");
    }
}

async fn a_constant_keeps_its_digits_beside_an_expression() {
    let long = 12_345_678_901_234_567_890_u64;
    let values = json!([
        {"name": "before", "expression": "typeof context.variables.long"},
        {"name": "long", "value": long},
        {"name": "deep", "value": {"a": [long]}},
        {"name": "after", "expression": "typeof context.variables.long"},
    ]);
    let expected = json!({"before": "undefined", "long": long, "deep": {"a": [long]}, "after": "number"});
    let passed = Echo::new(false).call(&graph(&[set("v", &values)], &[], &[]), &json!({})).await;
    assert_eq!(record(&passed)["results"]["v"]["result"]["variables"], expected);
    let graph = graph(&[keep("v", &values)], &[], &[]);
    let echo = with_store(&graph).await;
    for before in ["undefined", "number"] {
        let passed = echo.call(&graph, &json!({})).await;
        assert!(passed.outcome.is_ok(), "{passed:?}");
        let mut expected = expected.clone();
        expected["before"] = before.into();
        assert_eq!(kept(echo.store.as_ref().unwrap()).await, expected);
    }
}

async fn with_continue_a_node_that_fails_sets_nothing() {
    let first = set("v1", &json!([{"name": "a", "value": 1}]));
    let mut bad = set("v2", &json!([{"name": "a", "value": 2}, {"name": "b", "expression": "nobody.x"}]));
    bad["data"]["onError"] = "continue".into();
    let passed = Echo::new(false).call(&graph(&[first, bad, hook("t", SHOW)], &[], &[]), &json!({})).await;
    assert_eq!(reply(&passed)["echo"]["seen"], json!({"a": 1}));
    assert_eq!(record(&passed)["results"]["v2"]["state"], "error");
}

async fn an_expression_that_does_not_compile_is_found_before_it_runs() {
    let graph = graph(&[set("v", &json!([{"name": "a", "expression": "1 +"}]))], &[], &[]);
    let problems = check_scripts(&graph, sandbox(), &Shout).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    let message =
        "Node 'v' has a script that does not compile: SyntaxError: unexpected end of the expression (line 1)";
    assert_eq!(problems[0].message, message, "no token is named that nobody wrote");
}

async fn kept_variables_are_seen_by_later_runs() {
    let other = set("r", &json!([{"name": "r", "value": 1}]));
    let graph = graph(&[hook("t", SHOW), count(), other, hook("h", "context.variables.n = 99")], &[], &[]);
    let echo = with_store(&graph).await;
    for expected in [json!({}), json!({"n": 1}), json!({"n": 2})] {
        assert_eq!(seen(&echo, &graph).await, expected);
    }
    assert_eq!(
        kept(echo.store.as_ref().unwrap()).await,
        json!({"n": 3}),
        "only variable nodes keep anything"
    );
}

async fn of_parallel_updates_none_is_lost() {
    // A value in the run of the same name does not get into what is kept.
    let own = set("r", &json!([{"name": "n", "value": 1000}]));
    let slow = keep("v", &json!([{"name": "n", "expression": "await sleep(1), current + 1"}]));
    let graph = Arc::new(graph(&[own, slow], &[], &[]));
    let echo = Arc::new(with_store(&graph).await);
    calls(&[Arc::clone(&echo)], &graph, 24).await;
    assert_eq!(kept(echo.store.as_ref().unwrap()).await, json!({"n": 24}));
}

async fn of_two_gateways_with_one_store_no_update_is_lost() {
    // Every call compiles its graph anew here, so that no two share what would let them take turns.
    let graph = Arc::new(graph(&[count()], &[], &[]));
    let one = with_store(&graph).await;
    let two = Echo { store: one.store.clone(), ..Echo::new(false) };
    let both = [Arc::new(one), Arc::new(two)];
    calls(&both, &graph, 20).await;
    assert_eq!(kept(both[0].store.as_ref().unwrap()).await, json!({"n": 20}));
}

/// Makes this many calls at once.
async fn calls(servers: &[Arc<Echo>], graph: &Arc<Workflow>, many: usize) {
    let one = |i: usize| {
        let (echo, graph) = (Arc::clone(&servers[i % servers.len()]), Arc::clone(graph));
        tokio::spawn(async move {
            let passed = echo.call(&graph, &json!({})).await;
            assert!(passed.outcome.is_ok(), "{}", record(&passed));
        })
    };
    let tasks: Vec<_> = (0..many).map(one).collect();
    for task in tasks {
        tokio::time::timeout(Duration::from_secs(60), task).await.expect("in time").unwrap();
    }
}

async fn constants_need_no_worker_and_can_reset_what_is_kept() {
    let graph1 = graph(&[count(), count_again()], &[], &[]);
    let echo = with_store(&graph1).await;
    seen(&echo, &graph1).await;
    assert_eq!(kept(echo.store.as_ref().unwrap()).await, json!({"n": 2}));
    let reset =
        graph(&[keep("v", &json!([{"name": "n", "value": 0}, {"name": "m", "value": "x"}]))], &[], &[]);
    assert!(!lockgate_workflow::Graph::compile(&reset).unwrap().is_scripted());
    let passed = echo.call(&reset, &json!({})).await;
    assert_eq!(record(&passed)["results"]["v"]["result"], json!({"variables": {"n": 0, "m": "x"}}));
    assert_eq!(kept(echo.store.as_ref().unwrap()).await, json!({"n": 0, "m": "x"}));
}

fn count_again() -> Value {
    let mut node = count();
    node["id"] = "again".into();
    node
}

async fn what_is_too_long_is_not_kept() {
    let long = keep("v", &json!([{"name": "n", "expression": "'x'.repeat(70000)"}]));
    let graph = graph(&[long], &[], &[]);
    let echo = with_store(&graph).await;
    let passed = echo.call(&graph, &json!({})).await;
    assert_eq!(reply(&passed), "Node 'v' failed: 'n' has 70002 bytes; at most 65536 are kept");
    assert_eq!(kept(echo.store.as_ref().unwrap()).await, json!({}));
}

async fn without_a_store_nothing_can_be_kept() {
    let passed = Echo::new(false).call(&graph(&[count()], &[], &[]), &json!({})).await;
    assert_eq!(reply(&passed), "Node 'v' failed: there is no store to keep variables in");
    // One whose workflow was deleted meanwhile.
    let echo = with_store(&graph(&[count()], &[], &[])).await;
    echo.store.as_ref().unwrap().workflows().remove("wf").await.unwrap();
    let passed = echo.call(&graph(&[count()], &[], &[]), &json!({})).await;
    assert_eq!(reply(&passed), "Node 'v' failed: the workflow is gone, and its variables with it");
}
