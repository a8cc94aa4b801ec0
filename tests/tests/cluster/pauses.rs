//! A pause and a continue that waits for a step, at different instances: which of the two came first is what counts.

use super::*;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// What an instance does that waits for a step of another one, once it has looked at the session.
const CLAIM: &str = "UPDATE lockgate.sessions SET holder = $2, held_until%";

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

    /// Whether an instance waits for a step of another one, as the database sees it.
    fn somebody_waits(&self) -> bool {
        let name = self.database.url.rsplit('/').next().expect("a name");
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname =";
        Postgres::shared().psql("postgres", &format!("{sql} '{name}' AND query LIKE '{CLAIM}'")) != "0"
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
        eventually("the other instance waits", || pair.somebody_waits().then_some(()));
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
