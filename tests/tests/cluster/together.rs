//! Changes that two instances make at once, or one right after the other: each is decided upon what the store keeps.

use super::*;
use testkit::Reply;

/// How often each race is run. Whoever wins it, the outcome is one of those allowed.
const ROUNDS: usize = 6;

/// Runs every promise with two instances on each kind of store.
macro_rules! on_every_store {
    ($($promise:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test]
            fn $promise() {
                let folder = testkit::Folder::new();
                super::$promise(&super::two(&format!("sqlite:{}", folder.join("shared.db").display())));
            })+
        }
        mod postgres {
            $(#[test]
            fn $promise() {
                super::$promise(&super::two(&databases::Postgres::shared().database().url));
            })+
        }
        mod redis {
            $(#[test]
            fn $promise() {
                let server = databases::Redis::own();
                super::$promise(&super::two(&server.url()));
            })+
        }
    };
}

fn two(url: &str) -> Cluster {
    let effects = Folder::new();
    let nodes = (0..2).map(|_| instance(url, &effects).start()).collect();
    Cluster::with(nodes, effects)
}

/// Sends both requests at once, each to its instance.
fn race(cluster: &Cluster, requests: &[Request; 2]) -> [Reply; 2] {
    std::thread::scope(|scope| {
        let [one, two] = [0, 1].map(|n| {
            let (http, request) = (cluster.nodes[n].http(), &requests[n]);
            scope.spawn(move || http.send(request))
        });
        [one.join().expect("no panic"), two.join().expect("no panic")]
    })
}

fn request(method: &str, path: &str, body: &Value) -> Request {
    Request::new(method, path).body("application/json", body.to_string())
}

/// What both answered, the lower number first.
fn statuses(replies: &[Reply; 2]) -> (u16, u16) {
    let [one, two] = [replies[0].status, replies[1].status];
    (one.min(two), one.max(two))
}

fn hook(name: &str) -> Value {
    json!({"name": name, "hookType": "pre", "script": "return"})
}

fn activity(name: &str) -> Value {
    json!({"name": name, "description": "d", "run": {"script": "return {data: {}}"}})
}

fn session_workflow(name: &str, activity: &str) -> Value {
    json!({"name": name, "workflowType": "session", "description": "d", "enabled": true,
        "steps": [{"activity": activity}]})
}

/// Makes something on the first instance; gives its path.
#[track_caller]
fn made(cluster: &Cluster, list: &str, body: Value) -> String {
    let reply = cluster.nodes[0].post(list, body);
    reply.expect_status(201);
    let id = reply.body["id"].as_str().or(reply.body["name"].as_str());
    format!("{list}/{}", id.expect("an id"))
}

fn of_two_changes_of_one_version_one_holds(cluster: &Cluster) {
    for round in 0..ROUNDS {
        let things = [
            made(cluster, "/api/hooks", hook(&format!("h{round}"))),
            made(cluster, "/api/workflows", session_workflow(&format!("w{round}"), "end")),
            made(cluster, "/api/activities", activity(&format!("a{round}"))),
        ];
        for path in things {
            let tag = cluster.nodes[0].get(&path).header("etag").to_owned();
            let change = |words: &str| {
                request("PATCH", &path, &json!({"description": words})).header("If-Match", &tag)
            };
            let replies = race(cluster, &[change("one"), change("two")]);
            assert_eq!(statuses(&replies), (200, 409), "{path}: {replies:?}");
            // One right after the other, before anybody can have followed.
            let late = cluster.nodes[1].http().send(&change("late"));
            late.expect_code(409, "CONFLICT");
        }
    }
}

fn changes_of_different_fields_both_hold(cluster: &Cluster) {
    for round in 0..ROUNDS {
        let hook = made(cluster, "/api/hooks", hook(&format!("h{round}")));
        let activity = made(cluster, "/api/activities", activity(&format!("a{round}")));
        let workflow = made(cluster, "/api/workflows", session_workflow(&format!("w{round}"), "end"));
        for (path, field, value) in [
            (hook, "script", json!("return {}")),
            (activity, "timeout", json!(1234)),
            (workflow, "steps", json!([{"activity": "end"}, {"activity": "end"}])),
        ] {
            let words = json!({"description": "other"});
            let replies = race(
                cluster,
                &[request("PATCH", &path, &words), request("PATCH", &path, &json!({field: value}))],
            );
            assert_eq!(statuses(&replies), (200, 200), "{path}: {replies:?}");
            let last = json!({"description": "last"});
            cluster.nodes[1].http().send(&request("PATCH", &path, &last)).expect_status(200);
            let shown = cluster.nodes[1].get(&path).body;
            assert_eq!(shown["description"], "last", "{shown}");
            let shown = if field == "steps" {
                json!(shown["steps"].as_array().map(Vec::len))
            } else {
                shown[field].clone()
            };
            let expected = if field == "steps" { json!(2) } else { value };
            assert_eq!(shown, expected, "{path}: a change is lost");
        }
    }
}

fn the_name_of_a_session_workflow_is_taken_once(cluster: &Cluster) {
    for round in 0..ROUNDS {
        let name = format!("w{round}");
        let make = || request("POST", "/api/workflows", &session_workflow(&name, "end"));
        let replies = race(cluster, &[make(), make()]);
        assert_eq!(statuses(&replies), (201, 409), "{replies:?}");
        let late = cluster.nodes[1].http().send(&make()).expect_code(409, "CONFLICT");
        assert_eq!(late.message, format!("Workflow \"{name}\" is already registered with a server"));
        let late = cluster.nodes[0].http().send(&make()).expect_code(409, "CONFLICT");
        assert_eq!(late.message, format!("Workflow \"{name}\" is already registered with a server"));
    }
}

fn what_a_workflow_uses_does_not_go_under_it(cluster: &Cluster) {
    for round in 0..ROUNDS {
        let name = format!("a{round}");
        let path = made(cluster, "/api/activities", activity(&name));
        let use_it = request("POST", "/api/workflows", &session_workflow(&format!("w{round}"), &name));
        let [gone, used] = race(cluster, &[Request::new("DELETE", &path), use_it]);
        let outcome = (gone.status, used.status);
        assert!([(204, 400), (409, 201)].contains(&outcome), "{gone:?} {used:?}");

        let path = made(cluster, "/api/hooks", hook(&format!("h{round}")));
        let id = path.rsplit('/').next().expect("an id");
        let node = |id: &str, kind: &str| json!({"id": id, "type": kind, "data": {}});
        let hooked = json!({"id": "h", "type": "hook", "data": {"hook": {"id": "h", "hookModuleId": id, "blocking": true}}});
        let edge = |from: &str, to: &str| json!({"source": from, "target": to});
        let graph = json!({"name": format!("g{round}"), "workflowType": "tools/call", "enabled": true,
            "nodes": [node("s", "start"), hooked, node("c", "mcp-call"), node("e", "end")],
            "edges": [edge("s", "h"), edge("h", "c"), edge("c", "e")]});
        let use_it = request("POST", "/api/workflows", &graph);
        let [gone, used] = race(cluster, &[Request::new("DELETE", &path), use_it]);
        let outcome = (gone.status, used.status);
        assert!([(204, 409), (409, 201)].contains(&outcome), "{gone:?} {used:?}");
    }
}

fn a_schedule_and_the_end_of_its_workflow_exclude_each_other(cluster: &Cluster) {
    for round in 0..ROUNDS {
        let name = format!("w{round}");
        let path = made(cluster, "/api/workflows", session_workflow(&name, "end"));
        let schedule = json!({"workflowName": name, "everyMs": 3_600_000});
        let plan = request("POST", "/api/schedules", &schedule);
        let [gone, planned] = race(cluster, &[Request::new("DELETE", &path), plan]);
        let outcome = (gone.status, planned.status);
        assert!([(204, 400), (409, 201)].contains(&outcome), "{gone:?} {planned:?}");
    }
}

fn a_start_and_the_end_of_the_name_exclude_each_other(cluster: &Cluster) {
    for round in 0..ROUNDS * 2 {
        let name = format!("w{round}");
        // After the first step the session is open.
        let steps = json!([{"activity": "note"}, {"activity": "end"}]);
        let body = json!({"name": name, "workflowType": "session", "enabled": true, "steps": steps});
        let path = made(cluster, "/api/workflows", body);
        let execute = request("POST", &format!("{path}/execute"), &json!({}));
        eventually("the other instance offers it", || {
            cluster.nodes[1].get(&path).body["valid"].as_bool().filter(|valid| *valid)
        });
        let end = match round % 2 {
            0 => Request::new("DELETE", &path),
            _ => request("PATCH", &path, &json!({"name": format!("{name}-later")})),
        };
        let [ended, started] = race(cluster, &[end, execute]);
        // A start that comes after its end may be one under the new name.
        let is_started = started.body["_meta"]["suggestedNextTool"] == format!("{name}_continue");
        let is_ended = [200, 204].contains(&ended.status);
        assert!(is_ended || ended.status == 409, "{ended:?}");
        assert_ne!(is_ended, is_started, "{ended:?} {started:?}");
    }
}

fn nothing_is_started_under_a_name_that_ended_elsewhere(cluster: &Cluster) {
    for round in 0..ROUNDS {
        let name = format!("w{round}");
        let path = made(cluster, "/api/workflows", session_workflow(&name, "end"));
        eventually("the other instance offers it", || {
            cluster.nodes[1].get(&path).body["valid"].as_bool().filter(|valid| *valid)
        });
        cluster.nodes[0].http().send(&Request::new("DELETE", &path)).expect_status(204);
        // Right after that, before the other one can have followed.
        let late = cluster.nodes[1].post(&format!("{path}/execute"), json!({}));
        assert!(late.status == 404 || late.body["isError"] == true, "{late:?}");
    }
    assert_eq!(cluster.nodes[1].get("/api/sessions").body, json!([]));
}

on_every_store!(
    of_two_changes_of_one_version_one_holds,
    changes_of_different_fields_both_hold,
    the_name_of_a_session_workflow_is_taken_once,
    what_a_workflow_uses_does_not_go_under_it,
    a_schedule_and_the_end_of_its_workflow_exclude_each_other,
    a_start_and_the_end_of_the_name_exclude_each_other,
    nothing_is_started_under_a_name_that_ended_elsewhere,
);
