//! Edits take effect at once, and what is stored stays.

use super::*;
use testkit::{Folder, Signal};

#[test]
fn an_edit_holds_for_the_next_request() {
    let gateway = TestGateway::start();
    let id = pre(&gateway, "h", "");
    let client = Client::legacy(gateway.http());
    for n in 0..50 {
        patch(&gateway, &id, json!({"script": format!("context.request.params.arguments.v = {n}")}));
        assert_eq!(echoed(&client, json!({})), json!({"v": n}));
    }
    patch(&gateway, &id, json!({"enabled": false}));
    assert_eq!(echoed(&client, json!({})), json!({}));
    patch(&gateway, &id, json!({"enabled": true}));
    assert_eq!(echoed(&client, json!({})), json!({"v": 49}));
    delete(&gateway, &id);
    assert_eq!(echoed(&client, json!({})), json!({}));
}

#[test]
fn hooks_and_their_order_survive_a_restart() {
    let gateway = TestGateway::start();
    let ids: Vec<String> = ["a", "b", "c"]
        .iter()
        .map(|name| pre(&gateway, name, &format!("context.request.params.arguments.v += '{name}'")))
        .collect();
    gateway.post("/api/hooks/reorder", json!({"ids": [ids[2], ids[0], ids[1]]})).expect_status(200);
    assert_eq!(rest(&gateway, json!({"v": ""})).result(), &json!({"v": "cab"}));
    let gateway = gateway.reopen();
    assert_eq!(rest(&gateway, json!({"v": ""})).result(), &json!({"v": "cab"}));
    delete(&gateway, &ids[0]);
    patch(&gateway, &ids[1], json!({"executionOrder": -1}));
    assert_eq!(rest(&gateway.reopen(), json!({"v": ""})).result(), &json!({"v": "bc"}));
}

#[test]
fn what_was_acknowledged_survives_the_worst_end() {
    let mut gateway = TestGateway::start();
    let id = pre(&gateway, "h", "context.request.params.arguments.v = 0");
    for n in 1..=5 {
        patch(&gateway, &id, json!({"script": format!("context.request.params.arguments.v = {n}")}));
        pre(&gateway, &format!("h{n}"), &format!("context.request.params.arguments.n{n} = {n}"));
        gateway.kill9();
        gateway = gateway.revive();
        let seen = rest(&gateway, json!({})).result().clone();
        assert_eq!((&seen["v"], &seen[format!("n{n}")]), (&json!(n), &json!(n)), "{seen}");
    }
    assert_eq!(gateway.get("/api/hooks").body.as_array().map(Vec::len), Some(6));
}

#[test]
fn a_worker_that_is_killed_is_replaced() {
    let gateway = TestGateway::start();
    pre(&gateway, "h", "context.request.params.arguments.v = 1");
    assert_eq!(rest(&gateway, json!({})).result(), &json!({"v": 1}));
    for _ in 0..3 {
        let server = gateway.server_pid("test-server");
        let workers = workers(&gateway, server);
        assert!(!workers.is_empty(), "scripts run in processes of their own");
        workers.iter().for_each(|pid| testkit::send_signal(*pid, Signal::KILL));
        testkit::wait_gone(&workers);
        testkit::eventually("hooks run again", || {
            (rest(&gateway, json!({})).result() == &json!({"v": 1})).then_some(())
        });
    }
}

/// The gateway's children that are neither the server nor its guard.
fn workers(gateway: &TestGateway, server: u32) -> Vec<u32> {
    let name = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let below = testkit::descendants(gateway.pid()).into_iter().filter(|pid| *pid != server);
    below.filter(|pid| !String::from_utf8_lossy(&name(*pid)).contains("lockgate-fixture")).collect()
}

#[test]
fn no_worker_outlives_the_gateway() {
    let ends: [fn(&TestGateway); 2] = [TestGateway::kill9, |gateway| {
        gateway.signal(Signal::TERM);
        assert_eq!(gateway.wait_exit(), Some(0));
    }];
    for end in ends {
        let gateway = plan().start_in(Folder::new());
        pre(&gateway, "h", "if (context.request.params.arguments.loop) while (true) {}");
        rest(&gateway, json!({})).expect_status(200);
        let _busy = gateway.http().begin(
            &Request::new("POST", "/mcp/call").body("application/json", testkit::body(r#"{"loop":1}"#)),
        );
        let below = testkit::descendants(gateway.pid());
        assert!(below.len() > 2, "{below:?}");
        end(&gateway);
        testkit::wait_gone(&below);
    }
}
