//! The names of tools towards clients (spec 6.3).

use crate::{one, text};
use serde_json::json;
use testkit::{Client, TestGateway};

/// A gateway with a tool of that name besides the usual ones.
fn with_tool(settings: &str, name: &str) -> TestGateway {
    let gateway =
        TestGateway::builder().server("one", |s| s.env("FX_LIST_CHANGED", "1")).setting(settings).start();
    gateway.call("one", "grow", json!({"name": name})).expect_status(200);
    testkit::eventually("the new tool", || {
        gateway.tools().iter().any(|(_, tool)| tool == name).then_some(())
    });
    gateway
}

#[test]
fn a_tool_has_its_own_name_where_it_is_unique() {
    let gateway = TestGateway::builder()
        .server("one", |s| s.env("FX_LIST_CHANGED", "1"))
        .server("two", |s| s.env("FX_HOSTILE", "1"))
        .start();
    let client = Client::legacy(gateway.http());
    let tools = client.tools();
    for name in ["grow", "bad", "one__echo", "two__echo"] {
        assert!(tools.contains(&name.to_owned()), "{name} is not in {tools:?}");
    }
    assert!(!tools.contains(&"echo".to_owned()));
    assert_eq!(client.call_error("echo", json!({}))["code"], -32602, "nobody knows whose echo is meant");
    for (name, server) in [("one__stats", "one"), ("two__stats", "two")] {
        let pid = &client.call(name, json!({}))["structuredContent"]["pid"];
        assert_eq!(pid, gateway.server_pid(server), "{name}");
    }
}

#[test]
fn the_long_form_is_always_accepted() {
    let gateway = one(|s| s);
    let client = Client::legacy(gateway.http());
    assert!(client.tools().contains(&"plain".to_owned()));
    assert_eq!(text(&client.call("one__plain", json!({}))), "hello");
    assert_eq!(text(&client.call("plain", json!({}))), "hello");
    for wrong in ["two__plain", "one__", "__plain", "one_plain", "one__one__plain", "ONE__plain"] {
        assert_eq!(client.call_error(wrong, json!({}))["code"], -32602, "{wrong}");
    }
}

#[test]
fn prefixed_names_are_always_long() {
    let gateway = TestGateway::builder().server("one", |s| s).setting("mcp: {toolNames: prefixed}").start();
    let client = Client::legacy(gateway.http());
    let tools = client.tools();
    assert!(tools.iter().all(|name| name.starts_with("one__")), "{tools:?}");
    assert_eq!(text(&client.call("one__plain", json!({}))), "hello");
}

#[test]
fn a_long_name_is_cut_and_callable_under_both() {
    let long = format!("{}-tail", "n".repeat(80));
    let find = |gateway: &TestGateway| {
        let tools = Client::legacy(gateway.http()).tools();
        tools.into_iter().find(|name| name.starts_with("nnn")).expect("the long name")
    };
    let gateway = with_tool("", &long);
    let cut = find(&gateway);
    assert_eq!(cut.len(), 64, "{cut}");
    assert_eq!(cut, find(&with_tool("", &long)), "the same in every gateway");
    let client = Client::legacy(gateway.http());
    let modern = Client::modern(gateway.http());
    for name in [cut, format!("one__{long}")] {
        assert_eq!(client.call(&name, json!({}))["structuredContent"], json!({"ok": true}), "{name}");
        assert_eq!(modern.call(&name, json!({}))["structuredContent"], json!({"ok": true}), "{name}");
    }
    assert_eq!(find(&with_tool("mcp: {maxNameLength: 0}", &long)), long);
    assert_eq!(find(&with_tool("mcp: {maxNameLength: 20}", &long)).len(), 20);
}

#[test]
fn names_that_differ_only_at_their_end_stay_apart() {
    let gateway = with_tool("", &format!("{}a", "n".repeat(80)));
    gateway.call("one", "grow", json!({"name": format!("{}b", "n".repeat(80))}));
    let client = Client::legacy(gateway.http());
    let cut = testkit::eventually("both names", || {
        let tools = client.tools();
        let cut: Vec<String> = tools.into_iter().filter(|name| name.starts_with("nnn")).collect();
        (cut.len() == 2).then_some(cut)
    });
    assert_ne!(cut[0], cut[1]);
    cut.iter().for_each(|name| drop(client.call(name, json!({}))));
}

/// Adds a tool to a server and waits until it is known.
#[track_caller]
fn grow(gateway: &TestGateway, server: &str, name: &str) {
    gateway.call(server, "grow", json!({"name": name})).expect_status(200);
    testkit::eventually("the new tool", || {
        gateway.tools().iter().any(|known| *known == (server.to_owned(), name.to_owned())).then_some(())
    });
}

fn growing() -> TestGateway {
    let grows = |s: testkit::Server| s.env("FX_LIST_CHANGED", "1");
    TestGateway::builder().server("a", grows).server("a__b", grows).start()
}

#[test]
fn a_name_that_is_anothers_long_form_gets_its_own() {
    let gateway = growing();
    grow(&gateway, "a__b", "a__plain");
    let client = Client::legacy(gateway.http());
    let tools = client.tools();
    let count = |wanted: &str| tools.iter().filter(|name| *name == wanted).count();
    assert_eq!((count("a__plain"), count("a__b__a__plain")), (1, 1), "{tools:?}");
    assert_eq!(text(&client.call("a__plain", json!({}))), "hello");
    assert_eq!(client.call("a__b__a__plain", json!({}))["structuredContent"], json!({"ok": true}));
}

#[test]
fn a_long_form_that_reads_two_ways_means_the_server_that_has_the_tool() {
    let gateway = growing();
    grow(&gateway, "a__b", "c");
    grow(&gateway, "a", "b__d");
    let client = Client::legacy(gateway.http());
    for name in ["c", "a__b__c", "b__d", "a__b__d"] {
        assert_eq!(client.call(name, json!({}))["structuredContent"], json!({"ok": true}), "{name}");
    }
    let error = client.call_error("a__b__none", json!({}));
    assert_eq!(error["data"]["details"]["toolName"], "none", "{error}");
}

#[test]
fn a_tool_that_its_server_lists_twice_is_one_tool() {
    let gateway = growing();
    grow(&gateway, "a", "dup");
    grow(&gateway, "a", "dup");
    grow(&gateway, "a", "last");
    let client = Client::legacy(gateway.http());
    let tools = client.tools();
    assert_eq!(tools.iter().filter(|name| name.ends_with("dup")).collect::<Vec<_>>(), ["dup"]);
    assert_eq!(client.call("dup", json!({}))["structuredContent"], json!({"ok": true}));
}

#[test]
fn long_forms_that_read_the_same_are_told_apart() {
    let grows = |s: testkit::Server| s.env("FX_LIST_CHANGED", "1");
    let start = |first, second| {
        let both = TestGateway::builder().server(first, grows).server(second, grows);
        let gateway = both.setting("mcp: {toolNames: prefixed}").start();
        grow(&gateway, "a__b", "zz");
        grow(&gateway, "a", "b__zz");
        let client = Client::legacy(gateway.http());
        let mut names = testkit::eventually("both tools", || {
            let names = client.tools().into_iter().filter(|name| name.starts_with("a__b__zz"));
            Some(names.collect::<Vec<_>>()).filter(|names| names.len() == 2)
        });
        names.sort();
        (gateway, client, names)
    };
    let (gateway, client, names) = start("a", "a__b");
    assert_eq!(names[0], "a__b__zz");
    for (name, server) in [(&names[0], "a__b"), (&names[1], "a")] {
        client.call(name, json!({"asked": name}));
        assert_eq!(gateway.stats(server)["last"], json!({"asked": name}), "{name}");
    }
    assert_eq!(start("a__b", "a").2, names, "in whatever order");
    gateway.call("a__b", "crash", json!({"code": 1}));
    gateway.wait_status("a__b", "crashed");
    client.call(&names[1], json!({}));
    assert_eq!(client.call_error(&names[0], json!({}))["data"]["code"], "SERVER_CRASHED");
}
