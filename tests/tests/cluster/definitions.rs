//! What is changed on one instance is in effect on all of them within two seconds.

use super::*;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

/// What a call of the fixture is answered with there.
fn echo(node: &TestGateway) -> Value {
    node.call("test-server", "echo", json!({"a": 1})).body
}

#[test]
fn a_hook_that_is_edited_on_one_instance_is_in_effect_on_all() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(3, &database);
    let [one, two, three] = &cluster.nodes[..] else { panic!("three") };
    let script = "return {continue: false, error: {message: 'closed'}}";
    let hook = json!({"name": "door", "hookType": "pre", "script": script});
    let made = one.post("/api/hooks", hook);
    made.expect_status(201);
    let path = format!("/api/hooks/{}", made.body["id"].as_str().expect("an id"));
    for node in [one, two, three] {
        eventually("the hook is in effect", || (echo(node)["success"] == false).then_some(()));
    }
    // A machine that is busy with other things may be late once, but not every time.
    let times: Vec<Duration> = [false, true, false]
        .into_iter()
        .map(|enabled| {
            let body = json!({"enabled": enabled}).to_string();
            let edit = Request::new("PATCH", &path).body("application/json", body);
            two.http().send(&edit).expect_status(200);
            let edited = Instant::now();
            for node in [one, two, three] {
                eventually("the edit is in effect", || (echo(node)["success"] == !enabled).then_some(()));
            }
            edited.elapsed()
        })
        .collect();
    assert!(times.iter().any(|time| *time <= SOON), "an edit took {times:?}");
    three.delete(&path).expect_status(204);
    for node in [one, two, three] {
        eventually("the hook is gone", || (node.get(&path).status == 404).then_some(()));
    }
}

#[test]
fn clients_of_every_instance_hear_that_a_list_passes_through_another_hook() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let client = Client::legacy(two.http());
    let mut events = client.listen();
    let script = "if (context.requestType === 'ListTools') context.response.tools.splice(2)";
    let hook = json!({"name": "cut", "hookType": "post", "script": script});
    one.post("/api/hooks", hook).expect_status(201);
    events.until("notifications/tools/list_changed");
    assert_eq!(client.tools().len(), 2);
}

#[test]
fn a_workflow_with_its_activity_is_offered_on_all() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let activity =
        json!({"name": "greet", "description": "g", "run": {"script": "return {data: {hello: 1}}"}});
    one.post("/api/activities", activity).expect_status(201);
    eventually("the activity is known", || (two.get("/api/activities/greet").status == 200).then_some(()));
    let workflow = json!({"name": "greeting", "workflowType": "session", "description": "g", "enabled": true,
        "steps": [{"activity": "greet"}, {"activity": "greet"}]});
    let made = two.post("/api/workflows", workflow);
    made.expect_status(201);
    let id = made.body["id"].as_str().expect("an id").to_owned();
    eventually("the workflow is offered", || {
        Client::modern(one.http()).tools().iter().any(|tool| tool == "greeting_start").then_some(())
    });
    let reply = call(one.http(), "greeting_start", json!({}));
    assert_ne!(reply["isError"], true, "{reply}");
    let session = reply["structuredContent"]["sessionId"].as_str().expect("a session");
    two.post(&format!("/api/sessions/{session}/cancel"), json!({})).expect_status(200);
    two.delete(&format!("/api/workflows/{id}")).expect_status(204);
    eventually("the workflow is gone", || {
        (!Client::modern(one.http()).tools().iter().any(|tool| tool == "greeting_start")).then_some(())
    });
}

#[test]
fn a_server_that_is_added_on_one_instance_runs_on_all() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    let fixture = testkit::fixture();
    let entry = json!({"name": "more", "command": fixture.to_str().expect("a path of UTF-8")});
    one.post("/api/servers", entry).expect_status(201);
    eventually("the server is known", || (!two.status("more").is_empty()).then_some(()));
    two.wait_status("more", "running");
    assert_eq!(two.call("more", "echo", json!({"a": 1})).result(), &json!({"a": 1}));
    let pid = one.server_pid("more");
    two.delete("/api/servers/more").expect_status(204);
    eventually("the server is gone", || one.status("more").is_empty().then_some(()));
    testkit::wait_gone(&[pid]);
}

#[test]
fn a_key_that_is_made_or_revoked_on_one_instance_is_so_on_all() {
    const OPERATOR: &str = "operator-0123456789-0123456789-0123456789";
    let database = Postgres::shared().database();
    let keys = json!([{"name": "otto", "key": OPERATOR, "role": "operator"}]);
    let setting = format!("keys: {keys}\nstore: {{url: '{}'}}", database.url);
    let [one, two] =
        [(); 2].map(|()| TestGateway::builder().server("test-server", |s| s).setting(&setting).start());
    let listed = |node: &TestGateway| {
        let reply = node.http().with_key(OPERATOR).send(&Request::new("GET", "/api/keys"));
        reply.body.as_array().expect("keys").iter().any(|key| key["name"] == "bot")
    };
    let body = json!({"name": "bot"}).to_string();
    let make = Request::new("POST", "/api/keys").body("application/json", body);
    let made = one.http().with_key(OPERATOR).send(&make);
    made.expect_status(201);
    eventually("the key is in force there", || listed(&two).then_some(()));
    let key = made.body["key"].as_str().expect("a key");
    let tools =
        |node: &TestGateway| node.http().with_key(key).send(&Request::new("GET", "/mcp/tools")).status;
    assert_eq!(tools(&two), 200);
    two.http().with_key(OPERATOR).send(&Request::new("DELETE", "/api/keys/bot")).expect_status(204);
    eventually("the key is revoked there", || (!listed(&one)).then_some(()));
    assert_eq!(tools(&one), 401);
}

#[test]
fn a_server_that_takes_its_time_to_stop_holds_up_no_other_change() {
    let database = Postgres::shared().database();
    let cluster = Cluster::of(2, &database);
    let [one, two] = &cluster.nodes[..] else { panic!("two") };
    // It does not heed the signal: when its input ends, it has something changed first, and says what came of that.
    let change = format!("-X DELETE http://127.0.0.1:{}/api/servers/nobody", two.http().port);
    let says = cluster.effects.join("said");
    let script = format!(
        "#!/bin/sh\ntrap '' TERM\n'{}'\nsaid=$(curl -s -o /dev/null -w '%{{http_code}}' {change})\n\
        echo $said > '{}'.$$\n",
        testkit::fixture().display(),
        says.display()
    );
    let file = cluster.effects.join("slow.sh");
    std::fs::write(&file, script).expect("written");
    std::fs::set_permissions(&file, Permissions::from_mode(0o755)).expect("made executable");
    let entry = json!({"name": "slow", "command": file});
    one.post("/api/servers", entry).expect_status(201);
    eventually("the server is known", || (!two.status("slow").is_empty()).then_some(()));
    two.wait_status("slow", "running");
    let servers = two.get("/api/servers").body;
    let shown = servers.as_array().expect("servers").iter().find(|one| one["name"] == "slow");
    let pid =
        shown.and_then(|one| one["pid"].as_u64()).and_then(|pid| u32::try_from(pid).ok()).expect("a pid");
    std::thread::scope(|scope| {
        let removing = scope.spawn(|| one.delete("/api/servers/slow").status);
        let said = eventually("the change is made before the server ends", || {
            std::fs::read_to_string(format!("{}.{pid}", says.display()))
                .ok()
                .filter(|said| said.ends_with('\n'))
        });
        assert_eq!(said, "404\n");
        assert_eq!(removing.join().expect("no panic"), 204);
    });
    testkit::wait_gone(&[pid]);
}

#[test]
fn only_the_instance_that_lacks_a_plug_in_fails_what_needs_it() {
    let database = Postgres::shared().database();
    let (effects, plugins) = (Folder::new(), Folder::new());
    let script = "context.request.params.arguments.stamp = 'ab'";
    let manifest = json!({"name": "stamp", "label": "Stamp", "outputs": "many", "script": script});
    plugins.write("stamp.json", &manifest.to_string());
    let setting = format!("plugins: {{folder: {}}}", json!(plugins.path()));
    let has = instance(&database.url, &effects).setting(&setting).start();
    let lacks = instance(&database.url, &effects).start();
    let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}});
    let edge = |from: &str, to: &str| json!({"source": from, "target": to});
    let workflow = json!({
        "name": "guard", "workflowType": "tools/call", "enabled": true,
        "nodes": [node("s", "start"), node("p", "stamp"), node("c", "mcp-call"), node("e", "end")],
        "edges": [edge("s", "p"), edge("p", "c"), edge("c", "e")],
    });
    let made = has.post("/api/workflows", workflow);
    made.expect_status(201);
    let path = format!("/api/workflows/{}", made.body["id"].as_str().expect("an id"));
    eventually("the workflow is in effect", || (echo(&lacks)["success"] == false).then_some(()));
    assert_eq!(echo(&has)["result"]["stamp"], "ab");
    let fault = lacks.call("test-server", "echo", json!({})).expect_code(500, "TOOL_EXECUTION_ERROR");
    assert!(fault.message.starts_with("Workflow 'guard' is active and cannot run: "), "{}", fault.message);
    let shown = |gateway: &TestGateway| gateway.get(&path).body;
    assert_eq!((&shown(&lacks)["enabled"], shown(&has).get("problem")), (&json!(true), None));
    // A change of something else leaves both as they are.
    has.post(
        "/api/workflows",
        json!({"name": "other", "workflowType": "tools/call", "enabled": false,
        "nodes": [node("s", "start"), node("e", "end")], "edges": []}),
    )
    .expect_status(201);
    eventually("the other is known", || {
        (lacks.get("/api/workflows").body.as_array()?.len()
            == has.get("/api/workflows").body.as_array()?.len())
        .then_some(())
    });
    assert_eq!(echo(&has)["result"]["stamp"], "ab");
    assert_eq!(echo(&lacks)["success"], false);
    lacks.post(&format!("{path}/disable"), json!({})).expect_status(200);
    assert_eq!(echo(&lacks)["success"], true);
    eventually("it is off everywhere", || echo(&has)["result"].get("stamp").is_none().then_some(()));
}
