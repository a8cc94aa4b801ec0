//! What nobody changes leaves byte for byte as it came (spec 6.3): random JSON, both ways, in both eras.
//!
//! The cases are the same in every run. A failure names the seed of the case that failed.

use crate::{in_modern, one, text};
use serde_json::{Value, json};
use testkit::{Client, Folder, Random, Server, TestGateway, modern_meta};

const CASES: u64 = 150;
const DEPTH: usize = 5;
const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "1.0",
    "1.50",
    "1e2",
    "1E+2",
    "-2.5e-7",
    "9007199254740993",
    "18446744073709551616",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "1e-400",
];
const CHARACTERS: [&str; 16] = [
    "a",
    "Z",
    "0",
    " ",
    "/",
    "\\/",
    "\\\"",
    "\\\\",
    "\\n",
    "\\t",
    "\\u0041",
    "\\u00e9",
    "é",
    "日本",
    "🚪",
    "\\ud83d\\udeaa",
];
const SPACES: [&str; 6] = ["", "", "", " ", "\t", "  "];

/// Text that is JSON, with all the freedom that JSON leaves.
fn value(random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 4 } else { 6 }) {
        0 => random.pick(&["true", "false", "null"]).to_owned(),
        1 => random.pick(&NUMBERS).to_owned(),
        2 | 3 => string(random),
        4 => {
            let items: Vec<String> = (0..random.below(4)).map(|_| value(random, depth - 1)).collect();
            spaced(random, "[", &items, "]")
        }
        _ => {
            let members = (0..random.below(4)).map(|n| (format!("\"k{n}\""), value(random, depth - 1)));
            let members: Vec<(String, String)> = members.collect();
            object(random, members)
        }
    }
}

fn string(random: &mut Random) -> String {
    let length = random.below(12);
    format!("\"{}\"", random.text(&CHARACTERS, length))
}

/// An object of these members in any order, with any space between them.
fn object(random: &mut Random, mut members: Vec<(String, String)>) -> String {
    for at in (1..members.len()).rev() {
        members.swap(at, random.below(at + 1));
    }
    let written: Vec<String> = members
        .into_iter()
        .map(|(name, value)| format!("{name}{}:{}{value}", random.pick(&SPACES), random.pick(&SPACES)))
        .collect();
    spaced(random, "{", &written, "}")
}

fn spaced(random: &mut Random, open: &str, items: &[String], close: &str) -> String {
    let mut out = open.to_owned();
    for (n, item) in items.iter().enumerate() {
        let comma = if n > 0 { "," } else { "" };
        out += &format!("{comma}{}{item}{}", random.pick(&SPACES), random.pick(&SPACES));
    }
    out + close
}

/// An object with a few unknown members and these.
fn with_unknown(random: &mut Random, known: Vec<(&str, String)>) -> String {
    let mut members: Vec<(String, String)> =
        known.into_iter().map(|(name, value)| (format!("\"{name}\""), value)).collect();
    for n in 0..random.below(4) {
        members.push((format!("\"x.example/{n}\""), value(random, DEPTH)));
    }
    object(random, members)
}

fn faithful(edit: impl FnOnce(Server) -> Server) -> TestGateway {
    one(|s| edit(s.env("FX_FIDELITY", "1")))
}

/// `_meta` with what the era demands and a stand-in for the progress token, for one case in three.
fn meta(random: &mut Random, modern: bool) -> String {
    let demanded = modern_meta(&json!({"roots": {}, "x": {"y": 1}}));
    let demanded = demanded.as_object().filter(|_| modern).into_iter().flatten();
    let mut known: Vec<(&str, String)> =
        demanded.map(|(name, value)| (name.as_str(), value.to_string())).collect();
    known.push(("traceparent", string(random)));
    if random.one_in(3) {
        known.push(("progressToken", "TOKEN".to_owned()));
    }
    with_unknown(random, known)
}

/// Sends random parameters and gives what differs at the server.
fn there(client: &Client, modern: bool, seed: u64) -> Result<(), String> {
    let random = &mut Random::new(seed);
    let meta = meta(random, modern);
    let members = (0..random.below(4)).map(|n| (format!("\"name{n}\""), value(random, DEPTH)));
    let members: Vec<(String, String)> = members.collect();
    let arguments = object(random, members);
    let known = vec![("name", "\"NAME\"".to_owned()), ("arguments", arguments), ("_meta", meta)];
    let params = with_unknown(random, known);
    let name = random.pick(&["raw-params", "one__raw-params"]);
    let sent = params.replace("NAME", name).replace("TOKEN", "\"mine\"");
    let reply = client.request_raw("tools/call", &sent);
    let reply = client.exchange(&reply.1);
    let arrived = text(&reply.body["result"]).to_owned();
    let expected = params.replace("NAME", "raw-params");
    let same = match expected.split_once("TOKEN") {
        None => arrived == expected,
        Some((before, after)) => {
            let token = arrived.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            token.is_some_and(|token| token.parse::<u64>().is_ok())
        }
    };
    if same { Ok(()) } else { Err(format!("sent    {sent}\narrived {arrived}")) }
}

/// Has the server answer with random text and gives what differs at the client.
fn back(client: &Client, modern: bool, seed: u64) -> Result<(), String> {
    let random = &mut Random::new(seed);
    let audience = value(random, 2);
    let annotations = with_unknown(random, vec![("audience", audience)]);
    let part = with_unknown(random, vec![("type", "\"x-unknown\"".into()), ("annotations", annotations)]);
    let structured = value(random, DEPTH);
    // What the modern era wants of every result.
    let info = vec![("io.modelcontextprotocol/serverInfo", value(random, 2))];
    let mut known = vec![
        ("content", format!("[{part}]")),
        ("structuredContent", structured),
        ("_meta", with_unknown(random, if modern { info } else { vec![] })),
    ];
    if modern {
        known.push(("resultType", "\"complete\"".into()));
    }
    let result = with_unknown(random, known);
    let params = json!({"name": "raw-result", "arguments": {"text": result}});
    let (id, request) = client.request("tools/call", params);
    let arrived = client.exchange(&request).text();
    let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    if arrived == expected { Ok(()) } else { Err(format!("sent    {expected}\narrived {arrived}")) }
}

#[track_caller]
fn check(modern: bool, way: fn(&Client, bool, u64) -> Result<(), String>) {
    let gateway = faithful(if modern { in_modern } else { |s| s });
    let client = match modern {
        true => Client::modern(gateway.http()),
        false => Client::legacy(gateway.http()),
    };
    for seed in 1..=CASES {
        if let Err(why) = way(&client, modern, seed) {
            panic!("seed {seed}:\n{why}");
        }
    }
}

#[test]
fn parameters_reach_a_legacy_server_as_they_were_sent() {
    check(false, there);
}

#[test]
fn parameters_reach_a_modern_server_as_they_were_sent() {
    check(true, there);
}

#[test]
fn results_reach_a_legacy_client_as_they_were_sent() {
    check(false, back);
}

#[test]
fn results_reach_a_modern_client_as_they_were_sent() {
    check(true, back);
}

#[test]
fn entries_of_a_list_are_shown_as_they_were_sent() {
    for (modern, seed) in [(false, 1), (true, 2)] {
        let random = &mut Random::new(seed);
        let entries: Vec<String> = (0..60)
            .map(|n| {
                let schema =
                    with_unknown(random, vec![("type", "\"object\"".into()), ("$defs", "{}".into())]);
                let known = vec![
                    ("name", format!("\"tool-{n}\"")),
                    ("inputSchema", schema),
                    ("annotations", with_unknown(random, vec![])),
                    ("icons", format!("[{}]", with_unknown(random, vec![]))),
                    ("_meta", with_unknown(random, vec![])),
                ];
                with_unknown(random, known)
            })
            .collect();
        let folder = Folder::new();
        let path = folder.write("tools.json", &entries.join(","));
        let path = path.to_str().expect("a temporary path is UTF-8");
        let edit = if modern { in_modern } else { |s| s };
        let gateway = one(|s| edit(s.env("FX_TOOLS", path)));
        for client in [Client::legacy(gateway.http()), Client::modern(gateway.http())] {
            let reply = client.exchange(&client.request("tools/list", json!({})).1);
            for entry in &entries {
                assert!(reply.text().contains(entry), "{entry}\nis not in\n{}", reply.text());
            }
        }
        let prefixed = TestGateway::builder()
            .server("one", |s| edit(s.env("FX_TOOLS", path)))
            .setting("mcp: {toolNames: prefixed}")
            .start();
        let client = Client::legacy(prefixed.http());
        let text = client.exchange(&client.request("tools/list", json!({})).1).text();
        for (n, entry) in entries.iter().enumerate() {
            let renamed = entry.replacen(&format!("\"tool-{n}\""), &format!("\"one__tool-{n}\""), 1);
            assert!(text.contains(&renamed), "{renamed}\nis not in\n{text}");
        }
    }
}

#[test]
fn a_member_that_cannot_be_read_passes_beside_those_that_can() {
    let act =
        r#"*'"params":{"\ud800":1,"name":"act",'*'"\udfffx" : 1e400}}') reply "$id" '{"content":"same"}' ;;"#;
    let gateway = crate::said::gateway_with(act, |builder| builder);
    let meta = modern_meta(&json!({}));
    for (client, meta) in
        [(Client::legacy(gateway.http()), json!({})), (Client::modern(gateway.http()), meta)]
    {
        let params =
            format!(r#"{{"\ud800":1,"name":"act","_meta":{meta},"arguments":{{}}, "\udfffx" : 1e400}}"#);
        let (_, request) = client.request_raw("tools/call", &params);
        let reply = client.exchange(&request.header("Mcp-Name", "act"));
        assert_eq!(reply.body["result"]["content"], "same", "{}", reply.text());
    }
}

#[test]
fn a_modern_server_learns_who_a_legacy_client_said_it_is() {
    let gateway = faithful(in_modern);
    let result = Client::legacy(gateway.http()).call("raw-params", json!({}));
    let arrived: Value = serde_json::from_str(text(&result)).expect("JSON");
    let info = &arrived["_meta"]["io.modelcontextprotocol/clientInfo"];
    assert_eq!(*info, json!({"name": "testkit", "version": "1"}), "{arrived}");
}

#[test]
fn a_body_on_many_lines_is_one_message() {
    let gateway = faithful(|s| s);
    let client = Client::legacy(gateway.http());
    let params = json!({"name": "raw-params", "arguments": {"a": [1, {"b": "c\nd"}]}});
    let pretty = serde_json::to_string_pretty(&params).expect("JSON").replace('\n', "\r\n");
    let reply = client.exchange(&client.request_raw("tools/call", &pretty).1);
    let arrived: Value = serde_json::from_str(text(&reply.body["result"])).expect("JSON");
    assert_eq!(arrived, params);
}
