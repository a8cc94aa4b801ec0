//! The examples of spec 3 that need no gateway.

use crate::support::{
    Echo, Shout, graph, hook, own_sandbox, record, reply, sandbox, side, test, until, workflow,
};
use libtest_mimic::Trial;
use lockgate_workflow::{Stop, check_scripts};
use sandbox::{ErrorCode, Phase};
use serde_json::json;
use std::time::{Duration, Instant};

macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        pub(crate) fn tests() -> Vec<Trial> {
            vec![$(test(stringify!($name), $name)),+]
        }
    };
}

tests! {
    a_pre_hook_changes_the_arguments,
    hooks_know_where_they_are_and_what_came_before,
    a_hook_that_takes_its_worker_along_is_seen_by_those_after_it,
    a_hook_that_answers_and_does_not_go_on_is_told_so,
    nodes_behind_the_call_agree_on_how_long_it_took,
    a_post_hook_that_throws_does_not_repeat_the_call,
    a_pre_hook_that_throws_can_be_bypassed,
    a_block_brings_its_code_and_message,
    a_side_hook_holds_up_nobody_and_sees_the_reply,
    side_hooks_that_sleep_leave_workers_to_hooks_that_are_awaited,
    a_node_runs_a_module,
    a_condition_reads_the_context,
    scripts_that_do_not_compile_are_found_before_they_run,
    the_console_of_a_node_is_in_the_record,
    requests_at_the_same_time_do_not_see_each_other,
}

async fn a_pre_hook_changes_the_arguments() {
    let echo = Echo::new(false);
    let pre = hook("h", "context.request.params.arguments.v = 'pre'");
    let passed = echo.call(&graph(&[pre], &[], &[]), &json!({})).await;
    assert_eq!(reply(&passed), json!({"echo": {"v": "pre"}}));
    assert_eq!(record(&passed)["results"]["h"]["result"], json!({"continue": true, "verdict": "changed"}));
}

async fn hooks_know_where_they_are_and_what_came_before() {
    let echo = Echo::new(false);
    let tell = "const {workflowId, nodeId, clientId} = context.metadata;
        const {workflowName, nodeName, toolName, previousResults} = context;
        context.metadata.shared[nodeId] = {workflowId, clientId, workflowName, nodeName, toolName, previousResults}";
    let change = format!("context.request.params.arguments.n = 1; {tell}");
    let passed =
        echo.call(&graph(&[hook("a", &change), hook("b", tell)], &[hook("d", tell)], &[]), &json!({})).await;
    let shared: serde_json::Value = serde_json::from_str(passed.shared.as_deref().unwrap()).unwrap();
    let here = |node: &str, before: serde_json::Value| {
        json!({
            "workflowId": "wf", "clientId": "me", "workflowName": "Example", "nodeName": node, "toolName": "echo",
            "previousResults": before,
        })
    };
    let changed = json!({"continue": true, "verdict": "changed"});
    assert_eq!(shared["a"], here("a", json!({})));
    assert_eq!(shared["b"], here("b", json!({"a": changed})));
    let call = json!({"echo": {"n": 1}});
    assert_eq!(shared["d"], here("d", json!({"a": changed, "b": changed, "c": call})));
}

async fn a_hook_that_takes_its_worker_along_is_seen_by_those_after_it() {
    let echo = Echo { limit: Duration::from_secs(2), ..Echo::new(false) };
    let mut endless = hook("b", "for (;;) {}");
    endless["data"]["hook"]["onError"] = json!("continue");
    let tell = "context.request.params.arguments.before = context.previousResults";
    let passed =
        echo.call(&graph(&[hook("a", "return"), endless, hook("d", tell)], &[], &[]), &json!({})).await;
    let before = json!({
        "a": {"continue": true, "verdict": "continue"},
        "b": {"continue": false, "verdict": "failed"},
    });
    assert_eq!(reply(&passed), json!({"echo": {"before": before}}));
    assert_eq!(record(&passed)["results"]["b"]["error"], "Script execution timed out");
}

async fn a_hook_that_answers_and_does_not_go_on_is_told_so() {
    let echo = Echo::new(false);
    let tell = || hook("p", "context.response.before = context.previousResults");
    for (answer, goes_on) in
        [("return {continue: false, response: {}}", false), ("return {response: {}}", true)]
    {
        let passed = echo.call(&graph(&[hook("a", answer)], &[tell()], &[]), &json!({})).await;
        let seen = json!({"continue": goes_on, "verdict": "answered"});
        assert_eq!(reply(&passed), json!({"before": {"a": seen}}), "{answer}");
        assert_eq!(record(&passed)["results"]["a"]["result"], seen, "{answer}");
    }
    assert_eq!(echo.calls(), 0);
}

async fn nodes_behind_the_call_agree_on_how_long_it_took() {
    let echo = Echo::new(false);
    let tell = |id: &str| {
        let script = "context.response[context.metadata.nodeId] = context.metadata.duration; await sleep(30)";
        hook(id, script)
    };
    let choose = json!([{"name": "x", "value": 1}]);
    let apart = json!({"id": "v", "type": "variable", "data": {"label": "v", "set": choose}});
    let passed = echo.call(&graph(&[], &[tell("p"), apart, tell("q")], &[]), &json!({})).await;
    let reply = reply(&passed);
    assert!(reply["p"].is_u64() && reply["p"] == reply["q"], "{reply}");
}

async fn a_post_hook_that_throws_does_not_repeat_the_call() {
    let echo = Echo::new(true);
    let passed = echo.call(&graph(&[], &[hook("h", "throw new Error('boom')")], &[]), &json!({})).await;
    let Err(Stop::Failed { phase: Phase::Post, node, error, hook: Some(hook) }) = &passed.outcome else {
        panic!("{passed:?}")
    };
    assert_eq!((&**node, &**hook, error.code), ("h", "h", ErrorCode::ScriptError));
    assert!(error.message.contains("boom"), "{error}");
    assert_eq!(echo.calls(), 1);
}

async fn a_pre_hook_that_throws_can_be_bypassed() {
    let echo = Echo::new(true);
    let passed = echo.call(&graph(&[hook("h", "throw 1")], &[], &[]), &json!({"q": 1})).await;
    assert_eq!(reply(&passed), json!({"echo": {"q": 1}}));
    assert_eq!(echo.calls(), 1);
    let passed = Echo::new(false).call(&graph(&[hook("h", "throw 1")], &[], &[]), &json!({"q": 1})).await;
    assert!(matches!(passed.outcome, Err(Stop::Failed { phase: Phase::Pre, .. })));
}

async fn a_block_brings_its_code_and_message() {
    let echo = Echo::new(true);
    let block = hook("h", "return {continue: false, error: {code: 'NO', message: 'not now'}}");
    let passed = echo.call(&graph(&[block], &[], &[]), &json!({})).await;
    let Err(Stop::Blocked { code, message, .. }) = &passed.outcome else { panic!("{passed:?}") };
    assert_eq!((code.as_deref(), message.as_deref()), (Some("\"NO\""), Some("not now")));
    assert_eq!(echo.calls(), 0);
}

async fn a_side_hook_holds_up_nobody_and_sees_the_reply() {
    let echo = Echo::new(false);
    let began = Instant::now();
    let sides = [
        ("s", side("f", "await sleep(3000)")),
        ("c", side("g", "console.log(JSON.stringify(context.response)); context.response.x = 1")),
        ("c", side("t", "throw new Error('late')")),
    ];
    let passed = echo.call(&graph(&[], &[], &sides), &json!({"q": "hello"})).await;
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(reply(&passed), json!({"echo": {"q": "hello"}}));
    let done = until(&passed, "g", "completed").await;
    assert_eq!(done["console"][0]["text"], r#"{"echo":{"q":"hello"}}"#);
    let failed = until(&passed, "t", "error").await;
    assert!(failed["error"].as_str().unwrap().contains("late"), "{failed}");
    until(&passed, "f", "completed").await;
    assert_eq!(record(&passed)["status"], "completed");
}

async fn side_hooks_that_sleep_leave_workers_to_hooks_that_are_awaited() {
    let asleep = "for (let n = 0; n < 4; n++) await sleep(5000)";
    let sides: Vec<_> = (0..128).map(|n| ("s", side(&format!("f{n}"), asleep))).collect();
    let scripts = own_sandbox();
    let echo = Echo { limit: Duration::from_secs(20), scripts: scripts.clone(), ..Echo::new(false) };
    assert_eq!(reply(&echo.call(&graph(&[], &[], &sides), &json!({})).await), json!({"echo": {}}));
    let guarded = Echo { limit: Duration::from_secs(4), scripts: scripts.clone(), ..Echo::new(false) };
    let guard = graph(&[hook("h", "context.request.params.arguments.v = 'seen'")], &[], &[]);
    for _ in 0..50 {
        let passed = guarded.call(&guard, &json!({})).await;
        assert_eq!(reply(&passed), json!({"echo": {"v": "seen"}}), "{passed:?}");
    }
    scripts.stop().await;
}

async fn a_node_runs_a_module() {
    let node = |id: &str| json!({"id": "h", "type": "hook", "data": {"hook": {"hookModuleId": id, "blocking": true}}});
    let good = graph(&[node("shout")], &[], &[]);
    assert_eq!(check_scripts(&good, sandbox(), &Shout).await, []);
    let passed = Echo::new(false).call(&good, &json!({})).await;
    assert_eq!(reply(&passed), json!({"echo": {"v": "SHOUT"}}));
    assert_eq!((&*passed.marks[0].node, &*passed.marks[0].name, passed.marks[0].version), ("h", "Shout!", 7));
    let bad = graph(&[node("gone")], &[], &[]);
    let problems = check_scripts(&bad, sandbox(), &Shout).await;
    assert_eq!(problems[0].message, "Node 'h' names the hook 'gone', which does not exist");
    let passed = Echo::new(false).call(&bad, &json!({})).await;
    assert!(reply(&passed).as_str().unwrap().contains("the hook 'gone' does not exist"), "{passed:?}");
}

async fn a_condition_reads_the_context() {
    let nodes = [
        json!({"id": "s", "type": "start"}),
        json!({"id": "d", "type": "condition", "data": {"expression": "context.request.params.arguments.n > 3 // more"}}),
        hook("big", "context.request.params.arguments.size = 'big'"),
        hook("small", "context.request.params.arguments.size = 'small'"),
        json!({"id": "c", "type": "mcp-call"}),
        json!({"id": "e", "type": "end"}),
    ];
    let edge = |source: &str, target: &str, way: Option<&str>| json!({"source": source, "target": target, "sourceHandle": way});
    let edges = [
        edge("d", "small", Some("false")),
        edge("big", "c", None),
        edge("small", "c", None),
        edge("d", "big", Some("true")),
        edge("s", "d", None),
        edge("c", "e", None),
    ];
    let graph = workflow(&nodes, &edges);
    assert_eq!(check_scripts(&graph, sandbox(), &()).await, []);
    for (n, size) in [(5, "big"), (1, "small")] {
        let passed = Echo::new(false).call(&graph, &json!({"n": n})).await;
        assert_eq!(reply(&passed), json!({"echo": {"n": n, "size": size}}));
    }
    let passed = Echo::new(false).call(&graph, &json!(null)).await;
    assert!(matches!(&passed.outcome, Err(Stop::Failed { node, .. }) if &**node == "d"), "{passed:?}");
}

async fn scripts_that_do_not_compile_are_found_before_they_run() {
    let graph = graph(&[hook("a", "return {"), hook("b", "await sleep(1); return")], &[], &[]);
    let problems = check_scripts(&graph, sandbox(), &()).await;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].node.as_deref(), Some("a"));
    assert!(problems[0].message.starts_with("Node 'a' has a script that does not compile: "), "{problems:?}");
}

async fn the_console_of_a_node_is_in_the_record() {
    let passed =
        Echo::new(false).call(&graph(&[hook("h", "console.warn('careful', 7)")], &[], &[]), &json!({})).await;
    assert_eq!(record(&passed)["results"]["h"]["console"], json!([{"level": "warn", "text": "careful 7"}]));
}

async fn requests_at_the_same_time_do_not_see_each_other() {
    let script = "const n = context.request.params.arguments.n; const before = context.metadata.shared.n;
        context.metadata.shared.n = n; await sleep(n % 7); context.request.params.arguments.before = before ?? null";
    let graph = std::sync::Arc::new(graph(&[hook("a", script)], &[], &[]));
    let calls: Vec<_> = (0..40)
        .map(|n| {
            let graph = graph.clone();
            tokio::spawn(async move { reply(&Echo::new(false).call(&graph, &json!({"n": n})).await) })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap(), json!({"echo": {"n": n, "before": null}}));
    }
}
