//! Peers that vanish, stall or cheat, and what everybody else notices of it: nothing.

use crate::{one, text};
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::{Client, Signal, TestGateway, eventually, send_signal};

/// Another client gets its answer without delay.
#[track_caller]
fn goes_on(gateway: &TestGateway) {
    let begin = Instant::now();
    let client = Client::legacy(gateway.http());
    assert_eq!(text(&client.call("echo", json!({"still": "here"}))), r#"{"still":"here"}"#);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn clients_that_vanish_in_the_middle_of_a_stream_are_forgotten() {
    let gateway = one(|s| s.env("FX_PROGRESS_MS", "5"));
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        for _ in 0..10 {
            let params = json!({"name": "sleep", "arguments": {"ms": 20_000}, "_meta": {"progressToken": 1}});
            let (_, mut stream) = client.stream("tools/call", params);
            stream.message();
        }
    }
    eventually("the server hears of all of them", || {
        (gateway.stats("one")["cancelled"].as_array().map(Vec::len) == Some(20)).then_some(())
    });
    goes_on(&gateway);
}

#[test]
fn a_server_that_is_killed_ends_the_stream_with_an_error() {
    let gateway = TestGateway::builder().server("one", |s| s.env("FX_PROGRESS_MS", "20")).start();
    for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
        let params = json!({"name": "sleep", "arguments": {"ms": 20_000}, "_meta": {"progressToken": 1}});
        let (id, mut stream) = client.stream("tools/call", params);
        stream.message();
        send_signal(gateway.server_pid("one"), Signal::KILL);
        let reply = stream.reply(id);
        assert_eq!(reply["error"]["data"]["code"], "SERVER_CRASHED", "{reply}");
        assert!(stream.event().is_none(), "the reply is the end");
        gateway.wait_status("one", "crashed");
        gateway.post("/api/servers/one/restart", json!({})).expect_status(200);
        gateway.wait_status("one", "running");
    }
    goes_on(&gateway);
}

#[test]
fn a_client_that_does_not_read_holds_up_nobody() {
    let gateway = one(|s| s.env("FX_PROGRESS_MS", "1").env("FX_PROGRESS_BYTES", "200000"));
    let slow = Client::legacy(gateway.http());
    let params = json!({"name": "sleep", "arguments": {"ms": 20_000}, "_meta": {"progressToken": 1}});
    let connection = gateway.http().begin(&slow.request("tools/call", params).1).expect("the gateway reads");
    eventually("the call arrives", || (gateway.stats("one")["last"] == json!({"ms": 20_000})).then_some(()));
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..3 {
        goes_on(&gateway);
    }
    drop(connection);
    goes_on(&gateway);
}

#[test]
fn clients_that_listen_and_do_not_read_hold_up_nobody() {
    let gateway = one(|s| s.env("FX_LIST_CHANGED", "1"));
    let client = Client::legacy(gateway.http());
    let mut streams: Vec<_> = (0..20).map(|_| Client::legacy(gateway.http()).listen()).collect();
    for n in 0..100 {
        client.call("grow", json!({"name": format!("later-{n}")}));
    }
    goes_on(&gateway);
    streams.iter_mut().for_each(|stream| drop(stream.until("notifications/tools/list_changed")));
}

#[test]
fn a_connection_that_says_nothing_holds_up_nobody() {
    let gateway = one(|s| s);
    let _open: Vec<_> = (0..100).map(|_| gateway.http().connect().expect("a connection")).collect();
    goes_on(&gateway);
}

#[test]
fn two_clients_of_one_server_never_get_each_others_answers() {
    let gateway = one(|s| s.env("FX_PROGRESS_MS", "1"));
    let clients = (0..4).map(|who| {
        let client = match who % 2 {
            0 => Client::legacy(gateway.http()),
            _ => Client::modern(gateway.http()),
        };
        std::thread::spawn(move || {
            for n in 0..50 {
                let mine = json!({"who": who, "n": n});
                assert_eq!(text(&client.call("echo", mine.clone())), mine.to_string());
            }
        })
    });
    let clients: Vec<_> = clients.collect();
    clients.into_iter().for_each(|client| client.join().expect("each answer is its own"));
}
