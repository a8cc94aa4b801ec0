//! Records of runs.

use super::*;

#[test]
fn a_run_names_every_node_with_its_state_and_times() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[hook("a", "return")], &[hook("b", "return")]));
    gateway.call("test-server", "sleep", json!({"ms": 500})).expect_status(200);
    let all = runs(&gateway, &id);
    assert_eq!(all.len(), 1);
    let run = &all[0];
    assert_eq!((&run["status"], &run["error"]), (&json!("completed"), &Value::Null));
    let results = run["results"].as_object().expect("a map");
    assert_eq!(results.len(), 5);
    for node in ["s", "a", "c", "b", "e"] {
        assert_eq!(results[node]["state"], "completed", "{node}");
        assert!(results[node]["startedAt"].is_i64() && results[node]["completedAt"].is_i64(), "{node}");
    }
    assert!(results["c"]["durationMs"].as_u64().is_some_and(|ms| ms >= 500), "{run}");
    let one = gateway.get(&format!("/api/runs/{}", run["id"].as_str().expect("an id")));
    assert_eq!((one.status, &one.body), (200, run));
}

#[test]
fn runs_are_listed_by_pages_and_outlive_a_restart() {
    let gateway = start();
    let id = active(&gateway, graph("w", &[], &[]));
    for n in 0..5 {
        gateway.call("test-server", "echo", json!({"n": n, "password": "s3cret"})).expect_status(200);
    }
    let gateway = gateway.reopen();
    let all = runs(&gateway, &id);
    let argument = |run: &Value| run["context"]["request"]["params"]["arguments"]["n"].as_i64();
    assert_eq!(all.iter().map(argument).collect::<Vec<_>>(), [4, 3, 2, 1, 0].map(Some));
    assert!(!json!(all).to_string().contains("s3cret"));
    let page = gateway.get(&format!("/api/runs?workflowId={id}&limit=2&offset=1"));
    assert_eq!(page.body, json!(&all[1..3]));
    assert_eq!(gateway.get("/api/runs?workflowId=other").body, json!([]));
    assert_eq!(gateway.get("/api/runs").body, json!(all));
    for wrong in ["limit=0", "limit=501", "limit=x", "offset=-1"] {
        gateway.get(&format!("/api/runs?{wrong}")).expect_code(400, "VALIDATION_ERROR");
    }
    gateway.get("/api/runs/nothing").expect_code(404, "NOT_FOUND");
    gateway.get("/api/workflows/nothing/runs").expect_code(404, "NOT_FOUND");
}

#[test]
fn nothing_is_recorded_when_recording_is_off() {
    let gateway = TestGateway::builder().server("test-server", |s| s).setting("runs: {keep: 0}").start();
    let id = active(&gateway, graph("w", &[], &[]));
    gateway.call("test-server", "plain", json!({})).expect_status(200);
    assert_eq!(runs(&gateway, &id), Vec::<Value>::new());
}
