//! Tests of the way of a request, with scripts that need no engine.

use crate::testing::{Fake, PARAMS, REPLY, Setup, line, outcome, workflow};
use crate::{Sides, Stop};
use proptest::prelude::*;
use sandbox::Phase;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn record(passed: &crate::Passed<crate::testing::Down>) -> Value {
    serde_json::from_str(&passed.run.to_json(None)).expect("a record is JSON")
}

/// The state of each node, in the order of the record.
fn states(passed: &crate::Passed<crate::testing::Down>) -> String {
    let record = record(passed);
    let results = record["results"].as_object().expect("an object").iter();
    results
        .map(|(id, did)| format!("{id}:{}", did["state"].as_str().unwrap_or("?")))
        .collect::<Vec<_>>()
        .join(" ")
}

#[tokio::test]
async fn what_nobody_changes_passes_byte_for_byte() {
    let setup = Setup::default();
    for workflow in [line(&[], &[]), line(&["a hook ok"], &["b hook ok"])] {
        let passed = setup.pass(&workflow).await;
        assert_eq!(outcome(&passed), REPLY);
    }
    assert_eq!(setup.calls(), 2);
    assert_eq!(setup.fake.ran(), "ok ok");
}

#[tokio::test]
async fn hooks_see_their_place_and_what_came_before() {
    let setup = Setup::default();
    let passed = setup.pass(&line(&["a hook set", "b hook ok 1"], &["d hook replace", "f hook ok 2"])).await;
    assert_eq!(outcome(&passed), r#"{"from":"post"}"#);
    assert_eq!(setup.fake.ran(), "set ok 1 replace ok 2");
    let changed = json!({"name": "t", "arguments": {"v": "pre"}});
    let first = setup.fake.saw("set");
    assert_eq!(first["request"]["params"], serde_json::from_str::<Value>(PARAMS).expect("JSON"));
    assert_eq!(first["metadata"], json!({"clientId": "c", "workflowId": "w", "nodeId": "a"}));
    assert_eq!(
        (&first["workflowName"], &first["nodeName"], &first["requestType"]),
        (&json!("W"), &json!("The a"), &json!("CallTool"))
    );
    assert_eq!((&first["previousResults"], &first["response"]), (&json!({}), &Value::Null));
    let second = setup.fake.saw("ok 1");
    assert_eq!(second["request"]["params"], changed);
    assert_eq!(second["previousResults"], json!({"a": {"continue": true, "verdict": "changed"}}));
    let last = setup.fake.saw("ok 2");
    assert_eq!(last["response"], json!({"from": "post"}));
    assert_eq!(last["previousResults"]["c"], changed, "the call got the changed parameters");
    assert_eq!(last["previousResults"]["d"], json!({"continue": true, "verdict": "replaced"}));
    assert!(last["metadata"]["duration"].is_u64());
    let words: Vec<_> =
        passed.marks.iter().map(|m| format!("{} {} {} {}", m.node, m.version, m.phase, m.verdict)).collect();
    assert_eq!(words, ["a 3 pre changed", "b 3 pre continue", "d 3 post replaced", "f 3 post continue"]);
}

#[tokio::test]
async fn a_record_has_every_node_with_its_state() {
    let setup = Setup::default().recorded().await;
    let passed = setup.pass(&line(&["a hook set"], &["b hook throw", "d hook ok"])).await;
    let record = record(&passed);
    assert_eq!(record["status"], "error");
    assert_eq!(record["error"], "Node 'The b' failed: boom");
    assert_eq!(
        (&record["workflowId"], &record["workflowName"], &record["version"]),
        (&json!("w"), &json!("W"), &json!(3))
    );
    assert_eq!(record["context"]["request"]["params"], serde_json::from_str::<Value>(PARAMS).expect("JSON"));
    assert_eq!(record["context"]["metadata"]["clientId"], "c");
    assert_eq!(record["mcpResult"], json!({"name": "t", "arguments": {"v": "pre"}}));
    assert_eq!(states(&passed), "s:completed a:completed c:completed b:error d:skipped e:skipped");
    assert_eq!(record["results"]["b"]["error"], "boom");
    assert_eq!(
        record["results"]["a"]["changes"],
        json!({"params": {"name": "t", "arguments": {"v": "pre"}}})
    );
    assert_eq!(record["results"]["d"]["startedAt"], Value::Null);
    let (began, ended) = (&record["results"]["c"]["startedAt"], &record["results"]["c"]["completedAt"]);
    assert!(began.as_i64() >= record["executedAt"].as_i64() && ended.as_i64() >= began.as_i64());
}

#[tokio::test]
async fn a_record_has_what_each_hook_of_a_row_changed() {
    let passed = Setup::default()
        .recorded()
        .await
        .pass(&line(&["a hook set", "b hook ok", "d hook answer"], &["f hook replace"]))
        .await;
    let record = record(&passed);
    let changes = ["a", "b", "d", "f"].map(|node| &record["results"][node]["changes"]);
    assert_eq!(changes[0], &json!({"params": {"name": "t", "arguments": {"v": "pre"}}}));
    assert_eq!(changes[1], &Value::Null);
    assert_eq!(changes[2], &json!({"response": {"from": "hook"}}));
    assert_eq!(changes[3], &json!({"response": {"from": "post"}}));
}

#[tokio::test]
async fn an_error_stops_the_flow_or_is_passed_over() {
    let setup = Setup::default();
    let before = setup.pass(&line(&["a hook throw"], &["b hook ok"])).await;
    assert!(
        matches!(&before.outcome, Err(Stop::Failed { phase: Phase::Pre, node, .. }) if &**node == "The a")
    );
    assert_eq!(setup.calls(), 0);
    let after = setup.pass(&line(&[], &["b hook throw"])).await;
    assert!(matches!(&after.outcome, Err(Stop::Failed { phase: Phase::Post, .. })));
    assert_eq!(setup.calls(), 1);
    let passed = setup.pass(&line(&["a continue throw"], &["b continue throw"])).await;
    assert_eq!((outcome(&passed).as_str(), setup.calls()), (REPLY, 2));
    assert_eq!(states(&passed), "s:completed a:error c:completed b:error e:completed");
    assert_eq!(record(&passed)["status"], "completed");
}

#[tokio::test]
async fn a_block_stops_the_flow_with_its_message() {
    let setup = Setup { bypass: true, ..Setup::default() };
    let passed = setup.pass(&line(&["a hook ok", "b hook block", "d hook ok"], &[])).await;
    let Err(Stop::Blocked { phase: Phase::Pre, hook, code, message }) = &passed.outcome else {
        panic!("{:?}", passed.outcome)
    };
    assert_eq!((&**hook, code.as_deref(), message.as_deref()), ("The b", Some("\"NO\""), Some("not now")));
    assert_eq!(setup.calls(), 0, "a block is no error, so nothing is bypassed");
    assert_eq!(states(&passed), "s:completed a:completed b:completed d:skipped c:skipped e:skipped");
    assert_eq!(
        record(&passed)["results"]["b"]["result"]["error"],
        json!({"code": "NO", "message": "not now"})
    );
    let passed = setup.pass(&line(&[], &["b hook block"])).await;
    assert!(matches!(&passed.outcome, Err(Stop::Blocked { phase: Phase::Post, .. })));
    assert_eq!(setup.calls(), 1);
}

#[tokio::test]
async fn a_reply_given_by_a_hook_takes_the_place_of_the_call() {
    let setup = Setup::default();
    let passed = setup.pass(&line(&["a hook answer", "b hook ok 1"], &["d hook ok 2"])).await;
    assert_eq!(outcome(&passed), r#"{"from":"hook"}"#);
    assert_eq!(setup.fake.ran(), "answer ok 1 ok 2");
    assert_eq!(setup.fake.saw("ok 1")["response"], Value::Null);
    assert_eq!(setup.fake.saw("ok 2")["response"], json!({"from": "hook"}));
    assert_eq!(states(&passed), "s:completed a:completed b:completed c:skipped d:completed e:completed");
    let setup = Setup::default();
    let passed = setup.pass(&line(&["a hook answer-skip", "b hook block"], &["d hook ok"])).await;
    assert_eq!(outcome(&passed), r#"{"from":"hook"}"#);
    assert_eq!(setup.fake.ran(), "answer-skip ok");
    assert_eq!(setup.calls(), 0);
    let setup = Setup::default();
    let passed = setup.pass(&line(&["a hook answer", "b hook block"], &[])).await;
    assert_eq!(outcome(&passed), "! not now");
}

#[tokio::test]
async fn a_reply_given_before_the_graph_takes_the_place_of_the_call() {
    let given = |skip| Some(crate::Answer { reply: raw(r#"{"from":"list"}"#), skip, late: false });
    let setup = Setup { answer: given(false), ..Setup::default() };
    let passed = setup.pass(&line(&["a hook ok 1"], &["b hook ok 2"])).await;
    assert_eq!((outcome(&passed).as_str(), setup.fake.ran().as_str()), (r#"{"from":"list"}"#, "ok 1 ok 2"));
    assert_eq!(setup.fake.saw("ok 1")["response"], Value::Null);
    assert_eq!(setup.fake.saw("ok 2")["response"], json!({"from": "list"}));
    let setup = Setup { answer: given(true), ..Setup::default() };
    let passed = setup.pass(&line(&["a hook block"], &["b hook ok 2"])).await;
    assert_eq!((outcome(&passed).as_str(), setup.fake.ran().as_str()), (r#"{"from":"list"}"#, "ok 2"));
    let setup = Setup { answer: given(false), bypass: true, ..Setup::default() };
    let passed = setup.pass(&line(&["a hook throw"], &[])).await;
    assert_eq!((outcome(&passed).as_str(), setup.calls()), (r#"{"from":"list"}"#, 0));
}

#[tokio::test]
async fn a_result_that_comes_late_passes_what_follows_the_call_and_nothing_before_it() {
    let reply = r#"{"from":"task"}"#;
    let answer = Some(crate::Answer { reply: raw(reply), skip: true, late: true });
    let setup = Setup { answer, ..Setup::default() };
    let graph = workflow(
        &["s start", "a hook block", "c mcp-call", "b hook ok 1", "e end", "f side ok 2", "g side ok 3"],
        &["s a", "a c", "c b", "b e", "s f", "c g"],
    );
    let passed = setup.pass(&graph).await;
    assert_eq!((outcome(&passed).as_str(), setup.calls()), (reply, 0));
    let all = states(&passed);
    assert!(all.starts_with("s:completed a:skipped c:skipped b:completed e:completed f:skipped g:"), "{all}");
    assert!(!all.ends_with("skipped"), "what hangs off the call sees the result: {all}");
    assert_eq!(setup.fake.saw("ok 1")["response"], json!({"from": "task"}));
}

#[tokio::test]
async fn a_failed_call_stays_failed_and_hooks_see_the_error() {
    for post in ["b hook ok", "b hook throw", "b hook block", "b hook replace"] {
        let setup = Setup { down: true, bypass: true, ..Setup::default() };
        let passed = setup.pass(&line(&[], &[post])).await;
        assert!(matches!(passed.outcome, Err(Stop::Call(_))), "{post}");
        assert_eq!(setup.calls(), 1);
        let script = post.trim_start_matches("b hook ");
        assert_eq!(setup.fake.saw(script)["metadata"]["error"]["code"], "SERVER_CRASHED");
        let record = record(&passed);
        assert_eq!((&record["error"], &record["status"]), (&json!("the server is down"), &json!("error")));
        assert_eq!(record["results"]["c"]["error"], "the server is down");
    }
}

#[tokio::test]
async fn a_graph_that_fails_before_the_call_can_be_bypassed() {
    let setup = Setup { bypass: true, ..Setup::default() };
    let passed = setup.pass(&line(&["a hook set", "b hook throw"], &["d hook ok"])).await;
    assert_eq!((outcome(&passed).as_str(), setup.calls()), (REPLY, 1));
    let record = record(&passed);
    assert_eq!((&record["status"], &record["bypassed"]), (&json!("error"), &json!(true)));
    let passed = setup.pass(&line(&[], &["d hook throw"])).await;
    assert!(passed.outcome.is_err(), "once the call was made, there is no way round");
    assert_eq!(setup.calls(), 2);
}

#[tokio::test]
async fn a_condition_takes_one_way() {
    let nodes = |word: &str| {
        let choice = format!("d {word}");
        workflow(
            &["s start", &choice, "a hook ok a", "b hook ok b", "c mcp-call", "e end"],
            &["s d", "d a true", "d b false", "a c", "b c", "c e"],
        )
    };
    let choice = |word: &str| nodes(&format!("if {word}"));
    for (word, ran) in [("true", "true ok a"), ("false", "false ok b")] {
        let setup = Setup::default();
        let passed = setup.pass(&choice(word)).await;
        assert_eq!((setup.fake.ran().as_str(), outcome(&passed).as_str()), (ran, REPLY));
        assert_eq!(setup.calls(), 1);
        let record = record(&passed);
        assert_eq!(record["results"]["d"]["result"], json!({"value": word == "true"}));
        let other = if word == "true" { "b" } else { "a" };
        assert_eq!(record["results"][other]["state"], "skipped");
    }
    let setup = Setup::default();
    let passed = setup.pass(&choice("throw")).await;
    assert!(matches!(passed.outcome, Err(Stop::Failed { .. })));
    assert_eq!(setup.calls(), 0);
}

#[tokio::test]
async fn side_hooks_are_not_awaited_and_fill_in_their_node_when_they_end() {
    let setup = Setup::default();
    let graph = workflow(
        &["s start", "c mcp-call", "e end", "f side wait 1", "g side wait 2", "h side throw"],
        &["s f", "s c", "c e", "c g", "c h"],
    );
    let passed = setup.pass(&graph).await;
    assert_eq!(outcome(&passed), REPLY);
    assert_eq!(states(&passed).split(' ').filter(|s| s.ends_with("running")).count(), 3);
    setup.fake.gate.add_permits(2);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
    while states(&passed).contains("running") {
        assert!(tokio::time::Instant::now() < deadline, "{}", states(&passed));
        tokio::task::yield_now().await;
    }
    assert_eq!(states(&passed), "s:completed c:completed e:completed f:completed g:completed h:error");
    assert_eq!(record(&passed)["status"], "completed", "a side hook's failure is its own");
    assert_eq!(setup.fake.saw("wait 1")["response"], Value::Null);
    assert_eq!(setup.fake.saw("wait 2")["response"], json!({"content": []}));
}

#[tokio::test]
async fn side_hooks_beyond_the_limit_do_not_run() {
    let setup = Setup { sides: Sides::new(1), ..Setup::default() };
    let graph = workflow(
        &["s start", "c mcp-call", "e end", "f side wait 1", "g side wait 2"],
        &["s f", "s c", "c e", "s g"],
    );
    let passed = setup.pass(&graph).await;
    assert_eq!(outcome(&passed), REPLY);
    assert_eq!(states(&passed), "s:completed c:completed e:completed f:running g:skipped");
    assert!(record(&passed)["results"]["g"]["error"].as_str().expect("a message").contains("Too many"));
}

#[tokio::test]
async fn at_the_end_side_hooks_are_waited_for_and_then_broken_off() {
    let setup = Setup::default();
    let graph = workflow(
        &["s start", "c mcp-call", "e end", "f side wait 1", "g side wait 2"],
        &["s f", "s c", "c e", "s g"],
    );
    let passed = setup.pass(&graph).await;
    let (finish, one) = (setup.sides.finish(Duration::from_secs(3600)), async {
        setup.fake.gate.add_permits(2);
    });
    tokio::join!(finish, one);
    assert_eq!(states(&passed), "s:completed c:completed e:completed f:completed g:completed");

    let setup = Setup::default();
    let passed = setup.pass(&graph).await;
    setup.sides.finish(Duration::ZERO).await;
    assert_eq!(states(&passed), "s:completed c:completed e:completed f:error g:error");
    let message = "The gateway stopped before the hook ended";
    assert_eq!(record(&passed)["results"]["f"]["error"], message);
    assert_eq!(record(&passed)["status"], "completed");
    let late = setup.pass(&graph).await;
    setup.sides.finish(Duration::from_secs(3600)).await;
    assert_eq!(record(&late)["results"]["g"]["error"], message, "none begins afterwards");
}

/// A valid graph: hooks in line, perhaps a condition before or after the call, and side hooks.
fn valid() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let script =
        || prop::sample::select(vec!["ok", "throw", "block", "set", "answer", "answer-skip", "replace"]);
    let hook = move || (prop::sample::select(vec!["hook", "continue"]), script());
    let part = move || {
        let choice = prop::sample::select(vec!["true", "false", "throw"]);
        (
            prop::collection::vec(hook(), 0..4),
            prop::option::of((choice, hook())),
            prop::collection::vec(script(), 0..2),
        )
    };
    (part(), part()).prop_map(|(pre, post)| {
        let mut nodes = vec!["s start".to_owned()];
        let mut edges = Vec::new();
        let mut last = vec![("s".to_owned(), "")];
        let mut add = |id: String, words: &str, last: &mut Vec<(String, &'static str)>| {
            nodes.push(format!("{id} {words}"));
            edges.extend(last.drain(..).map(|(from, way)| format!("{from} {id}{way}")));
            last.push((id, ""));
        };
        let mut sides = Vec::new();
        for (name, (hooks, choice, beside), end) in [("p", pre, "c mcp-call"), ("q", post, "e end")] {
            for (i, (kind, script)) in hooks.iter().enumerate() {
                add(format!("{name}{i}"), &format!("{kind} {script}"), &mut last);
            }
            for (i, script) in beside.iter().enumerate() {
                let words = format!("{name}f{i} side {script}");
                sides.push((words, format!("{} {name}f{i}", last[0].0)));
            }
            if let Some((word, (kind, script))) = choice {
                add(format!("{name}d"), &format!("if {word}"), &mut last);
                let mut one = vec![(format!("{name}d"), " true")];
                add(format!("{name}x"), &format!("{kind} {script}"), &mut one);
                last = vec![one.remove(0), (format!("{name}d"), " false")];
            }
            let (id, words) = end.split_once(' ').unwrap_or_default();
            add(id.to_owned(), words, &mut last);
        }
        for (words, edge) in sides {
            nodes.push(words);
            edges.push(edge);
        }
        (nodes, edges)
    })
}

async fn observe(nodes: &[String], edges: &[String], down: bool, bypass: bool) -> (String, String, usize) {
    let setup = Setup { down, bypass, fake: Fake::default(), ..Setup::default() };
    let graph = workflow(nodes, edges);
    let one = setup.pass(&graph);
    let passed = tokio::time::timeout(Duration::from_secs(20), one).await.expect("a valid graph ends");
    let marks: Vec<_> = passed.marks.iter().map(|mark| format!("{}:{}", mark.node, mark.verdict)).collect();
    (outcome(&passed), marks.join(" "), setup.calls())
}

proptest! {
    #[test]
    fn a_valid_graph_ends_calls_at_most_once_and_knows_no_order_but_its_own(
        (nodes, edges, turned_nodes, turned_edges) in valid().prop_flat_map(|(nodes, edges)| {
            (Just(nodes.clone()), Just(edges.clone()), Just(nodes).prop_shuffle(), Just(edges).prop_shuffle())
        }),
        down in any::<bool>(),
        bypass in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (first, second) = runtime.block_on(async {
            let first = observe(&nodes, &edges, down, bypass).await;
            (first, observe(&turned_nodes, &turned_edges, down, bypass).await)
        });
        prop_assert!(first.2 <= 1);
        prop_assert_eq!(first, second);
    }
}
