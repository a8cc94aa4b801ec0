//! `scope: client`: a process for each client session, for servers that keep state between calls (spec 6.2).

use crate::sse::Old;
use crate::stdio::Desktop;
use crate::subscriptions::{ERAS, UPDATED, with_resources};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{
    Client, Config, Request, Server, Signal, TestGateway, conformance_fixture, eventually, is_alive,
    wait_gone, within,
};

/// The fixture with a process per client.
fn per_client(server: Server) -> Server {
    server.raw("scope", "client")
}

#[track_caller]
fn started(edit: impl FnOnce(Server) -> Server) -> TestGateway {
    TestGateway::builder().server("one", |s| edit(per_client(s))).start()
}

/// What the client's process tells of itself: its id, and how many calls it has had.
#[track_caller]
fn seen(client: &Client) -> (u32, u64) {
    counted(&client.call("stats", json!({})))
}

#[track_caller]
fn counted(result: &Value) -> (u32, u64) {
    let stats = &result["structuredContent"];
    let pid = stats["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    (pid.unwrap_or_else(|| panic!("{result}")), stats["calls"].as_u64().expect("a count"))
}

fn goodbye(gateway: &TestGateway, client: &Client) {
    let request = Request::new("DELETE", "/mcp").header("Mcp-Session-Id", client.session());
    assert_eq!(gateway.http().send(&request).status, 204);
}

/// The server as the admin API shows it.
#[track_caller]
fn view(gateway: &TestGateway) -> Value {
    let all = gateway.get("/api/servers").body;
    let found = all.as_array().and_then(|all| all.iter().find(|server| server["name"] == "one").cloned());
    found.unwrap_or_else(|| panic!("{all}"))
}

/// How many clients have a process.
#[track_caller]
fn clients(gateway: &TestGateway) -> Value {
    view(gateway)["clients"].clone()
}

#[test]
fn each_session_has_a_process_and_those_without_a_session_share_one() {
    for edit in ERAS {
        let gateway = started(edit);
        let (first, second) = (Client::legacy(gateway.http()), Client::legacy(gateway.http()));
        let shared = gateway.server_pid("one");
        assert_eq!(clients(&gateway), 0, "a handshake needs no process");
        first.tools();
        assert_eq!(clients(&gateway), 0, "nor does a list");
        let (pid, calls) = seen(&first);
        assert_eq!(calls, 1);
        assert_eq!(seen(&first), (pid, 2));
        let (other, calls) = seen(&second);
        assert_eq!(calls, 1, "nobody else calls this process");
        assert!(pid != other && pid != shared && other != shared, "{pid} {other} {shared}");
        let before = gateway.stats("one")["calls"].as_u64().expect("a count");
        let modern = Client::modern(gateway.http());
        assert_eq!(seen(&modern), (shared, before + 1), "REST and modern clients have no session");
        let view = view(&gateway);
        assert_eq!(
            (&view["scope"], &view["clients"], &view["pid"]),
            (&json!("client"), &json!(2), &json!(shared))
        );
    }
}

#[test]
fn a_shared_server_has_no_processes_of_clients() {
    let gateway = TestGateway::builder().server("one", |s| s).start();
    let client = Client::legacy(gateway.http());
    assert_eq!(seen(&client).0, gateway.server_pid("one"));
    let view = view(&gateway);
    assert_eq!((&view["scope"], &view["clients"]), (&json!("shared"), &Value::Null));
}

#[test]
fn first_requests_that_come_together_start_one_process() {
    let gateway = started(|s| s.env("FX_START_DELAY", "300"));
    let client = Client::legacy(gateway.http());
    let calls: Vec<_> = (0..8)
        .map(|_| client.request("tools/call", json!({"name": "stats", "arguments": {}})).1)
        .map(|request| gateway.http().send_later(request))
        .collect();
    let mut pids: Vec<u32> = calls
        .into_iter()
        .map(|call| counted(&call.join().expect("no panic").expect("an answer").body["result"]).0)
        .collect();
    pids.dedup();
    assert_eq!(pids.len(), 1, "{pids:?}");
    assert_eq!(clients(&gateway), 1);
}

#[test]
fn a_client_that_leaves_takes_its_process_with_it() {
    let gateway = started(|s| s.env("FX_GRANDCHILD", "1"));
    let (leaving, staying) = (Client::legacy(gateway.http()), Client::legacy(gateway.http()));
    let (staying_pid, _) = seen(&staying);
    let stats = leaving.call("stats", json!({}));
    let mut pids: Vec<u32> =
        serde_json::from_value(stats["structuredContent"]["grandchildren"].clone()).expect("process ids");
    pids.push(counted(&stats).0);
    goodbye(&gateway, &leaving);
    wait_gone(&pids);
    assert_eq!(clients(&gateway), 1);
    assert_eq!(seen(&staying), (staying_pid, 2));
    assert!(is_alive(gateway.server_pid("one")));
}

#[test]
fn the_end_of_an_sse_stream_ends_the_process() {
    let gateway = started(|s| s);
    let mut old = Old::greet(gateway.http());
    let reply = old.ask(1, "tools/call", json!({"name": "stats", "arguments": {}}));
    let (pid, _) = counted(&reply["result"]);
    assert_ne!(pid, gateway.server_pid("one"));
    drop(old);
    wait_gone(&[pid]);
}

#[test]
fn a_desktop_client_has_its_own_process_until_it_closes_its_end() {
    let mut desktop = Desktop::start(per_client);
    desktop.greet();
    let (pid, calls) = counted(&desktop.call("stats", json!({})));
    assert_eq!(calls, 1);
    assert_eq!(counted(&desktop.call("stats", json!({}))), (pid, 2));
    desktop.stdio.close_input();
    wait_gone(&[pid]);
    assert_eq!(desktop.stdio.wait_exit(), Some(0));
}

#[test]
fn a_process_that_nobody_uses_is_ended_and_the_next_request_starts_another() {
    let gateway = started(|s| s.raw("idleTimeout", "1500"));
    let client = Client::legacy(gateway.http());
    let (pid, _) = seen(&client);
    // Longer than the idle time: what is in flight counts as use.
    client.call("sleep", json!({"ms": 2500}));
    let done = Instant::now();
    assert_eq!(seen(&client), (pid, 3), "the process was in use");
    wait_gone(&[pid]);
    assert!(done.elapsed() >= Duration::from_millis(1400), "ended after {:?}", done.elapsed());
    assert_eq!(clients(&gateway), 0);
    let (next, calls) = seen(&client);
    assert_eq!(calls, 1);
    assert_ne!(next, pid);
    assert!(is_alive(gateway.server_pid("one")), "the shared one stays");
}

#[test]
fn a_crash_touches_no_other_client_and_the_next_request_starts_anew() {
    for policy in ["never", "on-failure"] {
        let gateway = TestGateway::builder()
            .server("one", per_client)
            .setting(&format!("restartPolicy: {policy}"))
            .start();
        let (bad, good) = (Client::legacy(gateway.http()), Client::legacy(gateway.http()));
        let ((bad_pid, _), (good_pid, _)) = (seen(&bad), seen(&good));
        let (_, sleep) = good.request("tools/call", json!({"name": "sleep", "arguments": {"ms": 700}}));
        let sleep = gateway.http().send_later(sleep);
        let error = bad.call_error("crash", json!({"code": 3}));
        assert_eq!(error["data"]["code"], "SERVER_CRASHED", "{error}");
        assert_eq!(error["data"]["details"]["exitCode"], 3, "{error}");
        wait_gone(&[bad_pid]);
        let (next, calls) = seen(&bad);
        assert_eq!(calls, 1, "{policy}: a fresh process");
        assert_ne!(next, bad_pid);
        let slept = sleep.join().expect("no panic").expect("an answer").body;
        assert!(slept.get("error").is_none(), "{policy}: {slept}");
        assert_eq!(seen(&good), (good_pid, 3), "{policy}");
        assert_eq!(gateway.status("one"), "running", "{policy}: the shared one did not crash");
        eventually("the crash is in the log", || {
            let crash = |line: &Value| line["message"] == "server crashed" && line["process"] == "client";
            gateway.log().iter().any(crash).then_some(())
        });
    }
}

#[test]
fn a_process_that_cannot_start_fails_the_request_and_nothing_else() {
    // The first start leaves a mark, and every later one fails.
    let folder = testkit::Folder::new();
    let mark = folder.path().join("mark");
    let mark = mark.to_str().expect("UTF-8");
    let script = format!("[ -e {mark} ] && exit 3; touch {mark}; exec FIXTURE");
    let gateway = started(|s| s.shell(&script));
    let client = Client::legacy(gateway.http());
    for _ in 0..2 {
        let error = client.call_error("plain", json!({}));
        assert_eq!(error["data"]["code"], "SERVER_NOT_RUNNING", "{error}");
        assert_eq!(error["message"], "MCP Server 'one' is not running");
    }
    eventually("the reasons are in the log", || {
        let failed = |line: &&Value| line["message"] == "server could not be started";
        (gateway.log().iter().filter(failed).count() >= 2).then_some(())
    });
    assert_eq!(clients(&gateway), 0);
    gateway.call("one", "plain", json!({})).expect_status(200);
    std::fs::remove_file(mark).expect("the mark is there");
    assert_eq!(seen(&client).1, 1, "the next request tries again");
}

#[test]
fn the_processes_of_one_server_are_bounded() {
    let gateway = started(|s| s);
    let greet = || Client::legacy(gateway.http());
    let all: Vec<Client> = (0..100).map(|_| greet()).collect();
    let calls = all.iter().map(|client| client.request("tools/call", json!({"name": "plain"})).1);
    let calls: Vec<_> = calls.map(|request| gateway.http().send_later(request)).collect();
    for call in calls {
        let reply = call.join().expect("no panic").expect("an answer").body;
        assert!(reply.get("error").is_none(), "{reply}");
    }
    assert_eq!(clients(&gateway), 100);
    let late = greet();
    let error = late.call_error("plain", json!({}));
    let text = "MCP Server 'one' has a process for 100 clients already; try again when one of them has left";
    assert_eq!((&error["data"]["code"], &error["message"]), (&json!("SERVER_NOT_RUNNING"), &json!(text)));
    seen(&all[0]);
    goodbye(&gateway, &all[1]);
    seen(&late);
}

#[test]
fn a_question_goes_to_the_client_whose_process_asks() {
    let program = conformance_fixture();
    let program = program.to_str().expect("UTF-8");
    let server = |s: Server| per_client(s.command(program).args(&["--stdio", "--era", "legacy"]));
    let gateway = TestGateway::builder().server("one", server).start();
    let capabilities = json!({"elicitation": {}});
    let client = || Client::legacy_with(gateway.http(), "2025-11-25", capabilities.clone());
    let two = [("red?", client()), ("blue?", client())];
    // Both are in flight before any is answered: on a shared process nobody could be asked.
    let mut open: Vec<_> = two
        .iter()
        .map(|(message, client)| {
            let params = json!({"name": "test_elicitation", "arguments": {"message": message}});
            client.stream("tools/call", params)
        })
        .collect();
    let questions: Vec<Value> =
        open.iter_mut().map(|(_, stream)| stream.until("elicitation/create")).collect();
    for ((message, client), question) in two.iter().zip(&questions) {
        assert_eq!(question["params"]["message"], *message);
        let content = json!({"username": message, "email": "e@example.com"});
        client.answer(question, json!({"action": "accept", "content": content}));
    }
    for ((message, _), (id, stream)) in two.iter().zip(&mut open) {
        let reply = stream.reply(*id).to_string();
        assert!(reply.contains(message) && reply.contains("action=accept"), "{reply}");
    }
}

/// What the client's process tells of itself, in full.
#[track_caller]
fn stats(client: &Client) -> Value {
    client.call("stats", json!({}))["structuredContent"].clone()
}

#[test]
fn each_process_is_told_what_its_own_client_wants_and_tells_nobody_else() {
    for edit in ERAS {
        let gateway = started(|s| with_resources(edit(s)).env("FX_LOGS", "1"));
        let legacy_server = view(&gateway)["era"] == "legacy";
        let (first, second) = (Client::legacy(gateway.http()), Client::legacy(gateway.http()));
        let (mut hears_first, mut hears_second) = (first.listen(), second.listen());
        if legacy_server {
            first.result("logging/setLevel", json!({"level": "error"}));
            assert_eq!(clients(&gateway), 0, "a level waits for the process");
        }
        first.result("resources/subscribe", json!({"uri": "r://a"}));
        second.result("resources/subscribe", json!({"uri": "r://b"}));
        for crashed in [false, true] {
            if crashed {
                first.call_error("crash", json!({"code": 1}));
            }
            eventually("the first process knows", || {
                (stats(&first)["watched"] == json!(["r://a"])).then_some(())
            });
            assert_eq!(stats(&first)["level"], if legacy_server { json!("error") } else { Value::Null });
            assert_eq!(stats(&second)["watched"], json!(["r://b"]));
            assert_eq!(gateway.stats("one")["watched"], json!([]), "the shared one is not asked");
            // Each process tells of what it was asked for; of the rest it says nothing.
            for client in [&first, &second] {
                client.call("touch", json!({"uri": "r://a"}));
                client.call("touch", json!({"uri": "r://b"}));
            }
            assert_eq!(hears_first.until(UPDATED)["params"]["uri"], "r://a");
            assert_eq!(hears_second.until(UPDATED)["params"]["uri"], "r://b");
        }
        if legacy_server {
            second.call("log", json!({"level": "error", "text": "of the second"}));
            first.call("log", json!({"level": "error", "text": "of the first"}));
            let said = hears_first.until("notifications/message");
            assert_eq!(said["params"]["data"], "of the first", "and not what the other process said before");
        }
    }
}

#[test]
fn a_client_that_waits_for_news_of_a_resource_keeps_its_process() {
    let gateway = started(|s| with_resources(s).raw("idleTimeout", "1000"));
    let client = Client::legacy(gateway.http());
    let listening = client.listen();
    client.result("resources/subscribe", json!({"uri": "r://a"}));
    let (pid, _) = seen(&client);
    let ended = within(Duration::from_millis(2500), || (!is_alive(pid)).then_some(()));
    assert!(ended.is_none(), "it was ended under a client that listens");
    drop(listening);
    wait_gone(&[pid]);
}

#[test]
fn no_process_of_a_client_outlives_the_gateway() {
    let signals: [fn(&TestGateway); 2] = [TestGateway::kill9, |gateway| {
        gateway.signal(Signal::TERM);
        assert_eq!(gateway.wait_exit(), Some(0));
    }];
    for end in signals {
        let gateway = started(|s| s.env("FX_GRANDCHILD", "1"));
        let (first, second) = (Client::legacy(gateway.http()), Client::legacy(gateway.http()));
        let mut pids = vec![gateway.server_pid("one")];
        for client in [&first, &second] {
            let stats = client.call("stats", json!({}));
            pids.push(counted(&stats).0);
            let more = stats["structuredContent"]["grandchildren"].clone();
            pids.extend(serde_json::from_value::<Vec<u32>>(more).expect("process ids"));
        }
        assert!(pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
        end(&gateway);
        wait_gone(&pids);
    }
}

#[test]
fn a_server_that_goes_or_starts_again_ends_the_processes_of_its_clients() {
    let config = Config::new().server("one", per_client).server("two", |s| s);
    let gateway = TestGateway::builder().config_text(&config.yaml()).start();
    let client = Client::legacy(gateway.http());
    let stats = |tool: &str| counted(&client.call(tool, json!({}))).0;
    let by_hand = stats("one__stats");
    gateway.post("/api/servers/one/restart", json!({})).expect_status(200);
    wait_gone(&[by_hand]);

    let by_change = stats("one__stats");
    assert_ne!(by_change, by_hand);
    let changed = Config::new().server("one", |s| per_client(s).env("EXTRA", "1")).server("two", |s| s);
    gateway.rewrite(&changed);
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    assert!(!is_alive(by_change), "a reload waits for the end of what it ends");

    let by_removal = stats("one__stats");
    gateway.rewrite(&Config::new().server("two", |s| s));
    gateway.post("/api/config/reload", json!({})).expect_status(200);
    assert!(!is_alive(by_removal));
    eventually("the tools of the other server alone", || {
        (!client.tools().iter().any(|tool| tool.starts_with("one__"))).then_some(())
    });
}

#[test]
fn a_server_that_was_added_over_the_api_can_have_a_process_per_client() {
    let gateway = TestGateway::builder().server("two", |s| s).start();
    let fixture = testkit::fixture();
    let entry = json!({"name": "one", "command": fixture.to_str().expect("UTF-8"), "scope": "client"});
    let added = gateway.post("/api/servers", entry);
    added.expect_status(201);
    assert_eq!((&added.body["scope"], &added.body["clients"]), (&json!("client"), &json!(0)));
    let client = Client::legacy(gateway.http());
    let (pid, _) = counted(&client.call("one__stats", json!({})));
    assert_ne!(Some(u64::from(pid)), added.body["pid"].as_u64());
    gateway.delete("/api/servers/one").expect_status(204);
    assert!(!is_alive(pid), "the answer waits for the end");
    let wrong = json!({"name": "one", "command": "x", "idleTimeout": 5000});
    let fault = gateway.post("/api/servers", wrong).expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.ends_with("idleTimeout is for a server with 'scope: client'"), "{}", fault.message);
}

#[test]
fn a_remote_server_gets_a_session_for_each_client() {
    // The far gateway shows each session of the near one as another process.
    let far = TestGateway::builder().server("far", |s| per_client(s).env("FX_FIDELITY", "1")).start();
    let url = json!(format!("http://127.0.0.1:{}/sse", far.http().port)).to_string();
    let near =
        TestGateway::builder().server("one", |s| per_client(s.raw("command", "").raw("url", &url))).start();
    let (first, second) = (Client::legacy(near.http()), Client::legacy(near.http()));
    let ((one, _), (two, _)) = (seen(&first), seen(&second));
    assert_ne!(one, two);
    assert_eq!(seen(&first), (one, 2));
    goodbye(&near, &first);
    wait_gone(&[one]);
    assert_eq!(seen(&second), (two, 2));
}
