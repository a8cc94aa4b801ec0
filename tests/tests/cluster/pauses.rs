//! Continues that wait for a step of another instance, what they find then, and which pauses they lift.

use super::*;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

/// What an instance asks of the database that waits for a step of another one, once it has looked at the session.
const CLAIM: &str = "query LIKE 'UPDATE lockgate.sessions SET holder = $2, held_until%'";

/// What one asks that has something to record, and whether that waits for somebody.
const RECORD: &str = "query LIKE '%WITH moved AS%'";
const WAITS: &str = "wait_event_type = 'Lock'";

/// Holds the row of a session, and who does.
const HOLD: &str = "SELECT FROM lockgate.sessions WHERE id =";
const HOLDS: &str = "state = 'idle in transaction' AND query LIKE '%FOR UPDATE%'";

/// Two instances whose workflow has a step that ends when the test says so.
struct Pair {
    nodes: [TestGateway; 2],
    /// Where the step asks.
    site: TcpListener,
    database: Database,
}

fn pair() -> Pair {
    let (site, database) = (TcpListener::bind("127.0.0.1:0").expect("a port"), Postgres::shared().database());
    let origin = format!("http://{}", site.local_addr().expect("an address"));
    let activities = json!([
        {"name": "note", "run": {"script": "return {data: {}}"}},
        {"name": "ask", "run": {"http": {"method": "GET", "url": origin}}},
    ]);
    let steps = ["note", "ask", "note"].map(|name| json!({"activity": name}));
    let workflows = json!([{"name": "w", "description": "w", "steps": steps}]);
    let settings = [
        format!("activities: {activities}\nworkflows: {workflows}"),
        format!("store: {{url: '{}'}}\noutbound: {{allow: ['{origin}']}}", database.url),
    ];
    let nodes = [0, 1].map(|_| {
        settings
            .iter()
            .fold(TestGateway::builder().server("test-server", |s| s), |builder, setting| {
                builder.setting(setting)
            })
            .start()
    });
    Pair { nodes, site, database }
}

impl Pair {
    /// The question of the step, once it runs.
    fn asked(&self) -> TcpStream {
        let (stream, _) = self.site.accept().expect("the step asks");
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        assert!(lines.take_while(|line| !line.is_empty()).count() > 0, "a request");
        stream
    }

    fn database(&self) -> &str {
        self.database.url.rsplit('/').next().expect("a name")
    }

    /// Waits until somebody does that, as the database sees it.
    #[track_caller]
    fn wait_seen(&self, doing: &[&str]) {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname =";
        let sql = format!("{sql} '{}' AND {}", self.database(), doing.join(" AND "));
        eventually(&sql, || (Postgres::shared().psql("postgres", &sql) != "0").then_some(()));
    }

    /// Keeps everybody from recording anything of a session, until what is given back has no input any more.
    fn hold(&self, session: &str) -> Child {
        let mut client = Postgres::shared().client(self.database());
        let mut client = client.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("psql runs");
        let input = client.stdin.as_mut().expect("a pipe");
        writeln!(input, "BEGIN; {HOLD} '{session}' FOR UPDATE;").expect("psql reads");
        self.wait_seen(&[HOLDS]);
        client
    }
}

fn answer(mut asked: TcpStream) {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nContent-Type: application/json";
    write!(asked, "{head}\r\n\r\n{{}}").expect("the step listens");
}

#[test]
fn a_continue_that_waits_for_another_instance_lifts_the_pauses_before_it_alone() {
    let pair = pair();
    let [one, two] = [0, 1].map(|node: usize| pair.nodes[node].http());
    for pause_first in [false, true] {
        let session = id(&call(one, "w_start", json!({})));
        let running = call_later(one, "w_continue", json!({"sessionId": session, "expectedStep": 1}));
        let asked = pair.asked();
        let pause = || {
            let reply = call(one, "w_pause", json!({"sessionId": session}));
            assert_ne!(reply["isError"], true, "{reply}");
        };
        if pause_first {
            pause();
        }
        let next = json!({"sessionId": session, "expectedStep": 2});
        let waits = call_later(two, "w_continue", next.clone());
        pair.wait_seen(&[CLAIM]);
        if !pause_first {
            pause();
        }
        answer(asked);
        let ran = running.join().expect("no panic").expect("a reply");
        assert_eq!(ran["structuredContent"]["nextActivity"], "note", "{ran}");
        let reply = waits.join().expect("no panic").expect("a reply");
        if !pause_first {
            let held = format!("Session {session} stands at step 2; it was paused after this call came.");
            assert_eq!((&reply["isError"], &reply["content"][0]["text"]), (&json!(true), &json!(held)));
            assert_eq!(super::session(one, &session)["status"], "paused");
            call(two, "w_continue", next);
        }
        assert_eq!(super::session(one, &session)["status"], "completed", "{reply}");
    }
}

#[test]
fn a_continue_that_is_given_a_session_as_its_step_ends_finds_that() {
    let pair = pair();
    let [one, two] = [0, 1].map(|node: usize| pair.nodes[node].http());
    let session = id(&call(one, "w_start", json!({})));
    let running = call_later(one, "w_continue", json!({"sessionId": session, "expectedStep": 1}));
    let asked = pair.asked();
    let mut held = pair.hold(&session);
    answer(asked);
    pair.wait_seen(&[RECORD, WAITS]);
    // It finds the step under way, and gets the session when that is over.
    let waits = call_later(two, "w_continue", json!({"sessionId": session, "expectedStep": 2}));
    pair.wait_seen(&[CLAIM, WAITS]);
    drop(held.stdin.take());
    held.wait().expect("psql ends");
    let ran = running.join().expect("no panic").expect("a reply");
    assert_eq!(ran["structuredContent"]["nextActivity"], "note", "{ran}");
    let reply = waits.join().expect("no panic").expect("a reply");
    assert_eq!(reply["structuredContent"]["status"], "completed", "{reply}");
}
