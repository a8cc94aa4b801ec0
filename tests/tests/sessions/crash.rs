//! `kill -9` at random moments: clients repeat their calls, effects are counted outside, and in the end every
//! session is complete with every effect there once.

use super::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use testkit::{Folder, Http, Random};

const FILE: &str = "effects.jsonl";
const WORKERS: usize = 4;
const STEPS: usize = 5;

/// What the clients share.
struct Yard {
    /// Where the gateway is; 0 while it is down.
    port: AtomicU16,
    over: AtomicBool,
    lost: AtomicUsize,
    doubts: AtomicUsize,
    file: std::path::PathBuf,
}

/// A gateway whose workflow `w` leaves three effects: two that must not be repeated, one of them in a
/// group, and one that may.
fn yard() -> (TestGateway, Yard) {
    let folder = Folder::new();
    let file = folder.join(FILE);
    let tool = |name: &str, tool: &str| json!({"name": name, "description": name, "run": {"tool": {"server": "test-server", "name": tool}}});
    let activities = [
        script("note", "context.memory.noted = context.input.id; return {data: {id: context.input.id}}"),
        tool("charge", "effect"),
        tool("stamp", "effect-once"),
        tool("ship", "effect"),
        script("close", "return {data: {charge: context.memory.charge, ship: context.memory.ship}}"),
    ];
    let input = |ms: u64| format!("({{ id: memory.noted, ms: {ms} }})");
    let steps = [
        json!("note"),
        json!({"activity": "charge", "inputMapper": input(12)}),
        json!({"activity": "stamp", "inputMapper": input(12)}),
        json!({"parallel": [
            {"activity": "ship", "inputMapper": input(12)},
            {"activity": "note"},
        ]}),
        json!("close"),
    ];
    let path = file.to_str().expect("a path of UTF-8").to_owned();
    let builder = served(&activities, &[workflow("w", &steps)], |server| server.env("FX_EFFECTS", &path));
    let gateway = builder.setting("sessions: {maxSessions: 100000}").start_in(folder);
    let port = AtomicU16::new(gateway.http().port);
    let zero = AtomicUsize::default;
    (gateway, Yard { port, over: AtomicBool::default(), lost: zero(), doubts: zero(), file })
}

/// What the effect of a step leaves. The idempotent one is repeated by itself, until it was begun too often.
fn line(session: &str, step: usize, key: &str) -> Value {
    let tool = if step == 2 { "effect-once" } else { "effect" };
    json!({"tool": tool, "id": key, "key": format!("{session}/{step}")})
}

impl Yard {
    /// How many effects there are of one step of a session.
    fn effects(&self, session: &str, step: usize) -> usize {
        let key = format!("{session}/{step}");
        let lines = std::fs::read_to_string(&self.file).unwrap_or_default();
        lines
            .lines()
            .filter(|line| serde_json::from_str::<Value>(line).expect("a whole line")["key"] == key)
            .count()
    }

    /// Calls a tool until there is a reply, however often the gateway dies meanwhile.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        loop {
            let port = eventually("the gateway is up", || {
                Some(self.port.load(Ordering::SeqCst)).filter(|port| *port != 0)
            });
            let http = Http::at(port);
            let client = Client::modern(http);
            let (_, request) = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
            match http.try_send(&request) {
                Ok(reply) if reply.status == 200 && reply.body["result"].is_object() => {
                    return reply.body["result"].clone();
                }
                Ok(reply) => panic!("{tool} {arguments}: {}", reply.text()),
                Err(_) => _ = self.lost.fetch_add(1, Ordering::SeqCst),
            }
        }
    }

    /// One session from its start to its end.
    fn drive(&self, key: &str) -> String {
        let reply = self.call("w_start", &json!({"id": key, "idempotencyKey": key}));
        let session = id(&reply);
        for step in 1..STEPS {
            let arguments = json!({"sessionId": session, "expectedStep": step});
            let mut reply = self.call("w_continue", &arguments);
            while reply["structuredContent"]["status"] == "waiting" {
                assert_eq!(reply["structuredContent"]["waiting"]["for"], "uncertain", "{reply}");
                reply = self.resolve(&session, step, key, &reply);
            }
            assert_ne!(reply["isError"], true, "{key} step {step}: {reply}");
        }
        session
    }

    /// Says what became of a step, as the file of effects tells. The call may be repeated like any other: it names
    /// the doubt that it decides.
    fn resolve(&self, session: &str, step: usize, key: &str, reply: &Value) -> Value {
        self.doubts.fetch_add(1, Ordering::SeqCst);
        let choice = if self.effects(session, step) > 0 { "done" } else { "retry" };
        let options = reply["structuredContent"]["nextStepOptions"].as_array().expect("a list");
        let option = options.iter().find(|option| option["parameters"]["resolve"] == choice);
        let mut arguments = option.expect("the choice is offered")["parameters"].clone();
        if choice == "done" {
            arguments["result"] = line(session, step, key);
        }
        self.call("w_continue", &arguments)
    }

    /// Sessions one after the other, until it is over.
    fn work(&self, worker: usize) -> Vec<(String, String)> {
        let mut done = Vec::new();
        while !self.over.load(Ordering::SeqCst) {
            let key = format!("{worker}-{}", done.len());
            done.push((self.drive(&key), key));
        }
        done
    }
}

/// Kills the gateway so many times while clients work, and looks at what came of it.
fn rounds(count: usize, seed: u64) {
    let (gateway, yard) = yard();
    let mut random = Random::new(seed);
    let (gateway, done) = std::thread::scope(|scope| {
        let (mut gateway, yard) = (gateway, &yard);
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(move || yard.work(worker))).collect();
        for _ in 0..count {
            // Whatever moment it is, it must be as good as any other.
            std::thread::sleep(Duration::from_millis(random.below(120) as u64));
            yard.port.store(0, Ordering::SeqCst);
            gateway.kill9();
            gateway = gateway_again(gateway);
            yard.port.store(gateway.http().port, Ordering::SeqCst);
        }
        yard.over.store(true, Ordering::SeqCst);
        let done = workers.into_iter().flat_map(|worker| worker.join().expect("a client ends well"));
        (gateway, done.collect::<Vec<_>>())
    });
    assert!(yard.lost.load(Ordering::SeqCst) > 0, "no call was ever lost");
    assert!(yard.doubts.load(Ordering::SeqCst) > 0, "no step was ever uncertain");
    judge(&gateway, &yard, &done);
}

fn gateway_again(gateway: TestGateway) -> TestGateway {
    let gateway = gateway.revive();
    gateway.wait_status("test-server", "running");
    gateway
}

fn judge(gateway: &TestGateway, yard: &Yard, done: &[(String, String)]) {
    let stats = gateway.get("/api/sessions/stats").body;
    assert_eq!(stats["total"], done.len(), "a start was carried out twice: {stats}");
    assert_eq!(stats["byStatus"]["completed"], done.len(), "{stats}");
    let text = std::fs::read_to_string(&yard.file).expect("there were effects");
    let mut counted: HashMap<String, usize> = HashMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a whole line");
        *counted.entry(line["key"].as_str().expect("every call has a key").to_owned()).or_default() += 1;
    }
    assert_eq!(counted.len(), 3 * done.len(), "an effect is missing or strange");
    assert!(counted.values().all(|times| *times == 1), "an effect came twice: {counted:?}");
    for (id, key) in done {
        let session = session(gateway, id);
        let (memory, line) = (&session["memory"], |step: usize| line(id, step, key));
        assert_eq!(memory["charge"], line(1), "{session}");
        assert_eq!(memory["stamp"], line(2), "{session}");
        assert_eq!(memory["close"], json!({"charge": line(1), "ship": line(3)}), "{session}");
        let history = session["history"].as_array().expect("a list");
        let ran: Vec<_> = history.iter().map(|one| one["stepIndex"].as_u64().expect("a number")).collect();
        assert_eq!(ran, [0, 1, 2, 3, 3, 4], "{session}");
        assert!(history.iter().all(|one| one["success"] == true), "{session}");
    }
}

#[test]
fn nothing_is_lost_and_nothing_done_twice_in_rounds_1_to_50_of_kill_9() {
    rounds(50, 1);
}

#[test]
fn nothing_is_lost_and_nothing_done_twice_in_rounds_51_to_100_of_kill_9() {
    rounds(50, 2);
}

#[test]
fn nothing_is_lost_and_nothing_done_twice_in_rounds_101_to_150_of_kill_9() {
    rounds(50, 3);
}

#[test]
fn nothing_is_lost_and_nothing_done_twice_in_rounds_151_to_200_of_kill_9() {
    rounds(50, 4);
}
