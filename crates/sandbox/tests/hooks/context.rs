//! What a script sees (spec 2.4).

use crate::support::{post, pre, value};
use lockgate_sandbox::Place;
use std::sync::Arc;

crate::tests![
    the_context_looks_like_plain_data,
    further_members_stand_at_the_top,
    many_further_members_are_each_executions_own,
    a_node_sees_its_place_and_what_was_before,
    keys_that_name_prototypes_are_ordinary_keys,
    a_part_that_is_not_touched_is_not_parsed,
    a_large_reply_can_be_read,
];

fn the_context_looks_like_plain_data() {
    assert_eq!(
        value("return Object.keys(context)"),
        r#"["request","requestType","toolName","serverName","metadata"]"#
    );
    assert_eq!(
        value("return [context.request.method, Object.keys(context.request)]"),
        r#"["tools/call",["method","params"]]"#
    );
    assert_eq!(
        value("return context.metadata"),
        r#"{"clientId":"c1","startTime":1763164800000,"shared":{}}"#
    );
    let whole = r#"{"request":{"method":"tools/call","params":{"name":"echo","arguments":{"q":1}}},"requestType":"CallTool","toolName":"echo","serverName":"s","metadata":{"clientId":"c1","startTime":1763164800000,"shared":{}}}"#;
    for script in
        ["return JSON.parse(JSON.stringify({...context}))", "return JSON.parse(JSON.stringify(context))"]
    {
        assert_eq!(value(script), whole, "{script}");
    }
    let ran = post(&["context.response = {all: Object.keys(context), was: context.response}"]).run();
    let expected = r#"{"all":["request","requestType","toolName","serverName","metadata","response"],"was":{"content":[{"type":"text","text":"hi"}]}}"#;
    assert_eq!(ran.response.as_deref(), Some(expected));
}

fn further_members_stand_at_the_top() {
    let mut call = pre(&[
        "const p = context.previousResults; p.a.x += 1; context.request.params = {p, n: context.nodeName, again: context.previousResults === p}",
    ]);
    call.top = r#"{"nodeName":"n","previousResults":{"a":{"x":1}},"list":[1],"none":null}"#.to_owned();
    let expected = r#"{"p":{"a":{"x":2}},"n":"n","again":true}"#;
    assert_eq!(call.run().params.as_deref(), Some(expected));
    assert_eq!(call.run().params.as_deref(), Some(expected), "each execution has its own");
}

fn many_further_members_are_each_executions_own() {
    let members: Vec<String> = (0..30).map(|at| format!("\"m{at}\":{{\"x\":{at}}}")).collect();
    let look = "let all = 0; for (let at = 0; at < 30; at++) { const m = context['m' + at]; all += m.x; m.x = 1000; } \
                context.request.params = {all}";
    let mut call = pre(&[look]);
    let top = |extra: &str| format!("{{\"\\u0061\":[1],{}{extra}}}", members.join(","));
    for extra in ["", ",\"name\":\"n\"", ""] {
        call.top = top(extra);
        assert_eq!(call.run().params.as_deref(), Some(r#"{"all":435}"#), "each execution has its own");
    }
    let mut call = pre(&["context.request.params = {a: context.a}"]);
    call.top = top("");
    assert_eq!(call.run().params.as_deref(), Some(r#"{"a":[1]}"#));
}

fn a_node_sees_its_place_and_what_was_before() {
    let look = "const {config, previousResults: before} = context; \
                context.request.params = {config, before, node: [context.nodeName, context.metadata.nodeId], \
                keys: Object.keys(context)}; config.n = 2; config.more.push(1); before.z = 3";
    let mut call = pre(&[look, look]);
    for (name, step) in ["a", "b"].into_iter().zip(&mut call.steps) {
        step.place = Some(Arc::new(Place {
            key: format!("\"{name}\"").into(),
            metadata: format!("\"nodeId\":\"{name}\"").into(),
            top: format!("\"nodeName\":\"The {name}\",\"config\":{{\"n\":1,\"more\":[]}}").into(),
        }));
    }
    let keys = r#""keys":["request","requestType","toolName","serverName","nodeName","metadata","config","previousResults"]"#;
    for results in ["", "\"s\":{\"v\":1}", ""] {
        call.results = results.to_owned();
        let comma = if results.is_empty() { "" } else { "," };
        let before = format!(r#"{{{results}{comma}"a":{{"continue":true,"verdict":"changed"}},"z":3}}"#);
        // What it hands over is what it had in the end.
        let expected =
            format!(r#"{{"config":{{"n":2,"more":[1]}},"before":{before},"node":["The b","b"],{keys}}}"#);
        assert_eq!(
            call.run().params.as_deref(),
            Some(expected.as_str()),
            "nothing of the call before is left"
        );
    }
    call.phase = lockgate_sandbox::Phase::Post;
    call.response = Some("{}".to_owned());
    call.steps.iter_mut().for_each(|step| {
        step.script =
            lockgate_sandbox::Script::new("keys", "context.response = {keys: Object.keys(context)}");
    });
    let expected = format!("{{{}}}", keys.replace("\"previousResults\"", "\"previousResults\",\"response\""));
    assert_eq!(call.run().response.as_deref(), Some(expected.as_str()));
}

fn keys_that_name_prototypes_are_ordinary_keys() {
    let odd = r#"{"__proto__":{"admin":true},"constructor":1,"toString":"x","hasOwnProperty":2}"#;
    let look = "const p = context.request.params; context.metadata.shared = {admin: p.admin === undefined, keys: Object.keys(p), own: {...p}}";
    let ran = pre(&[look]).params(odd).run();
    assert_eq!(ran.params, None, "reading left it as it was");
    let expected = format!(
        r#"{{"admin":true,"keys":["__proto__","constructor","toString","hasOwnProperty"],"own":{odd}}}"#
    );
    assert_eq!(ran.shared.as_deref(), Some(expected.as_str()));
    let ran = pre(&["context.request.params.x = 1"]).params(odd).run();
    let expected = odd.replace("}}", "}").replace(":2}", r#":2,"x":1}"#);
    assert_eq!(ran.params.as_deref(), Some(expected.as_str()));
}

fn a_part_that_is_not_touched_is_not_parsed() {
    let ran = pre(&["return {continue: context.toolName === 'echo'}"]).params("not JSON at all").run();
    assert!(crate::support::is_through(&ran) && ran.params.is_none(), "{:?}", ran.reports);
    let ran = pre(&["context.request.params"]).params("not JSON at all").run();
    assert!(crate::support::error(&ran).message.contains("unexpected token"), "{:?}", ran.reports);
}

fn a_large_reply_can_be_read() {
    let item = r#"{"type":"text","text":"some words that repeat again and again","n":[1,2,3]}"#;
    let reply = format!("{{\"content\":[{}]}}", vec![item; 60_000].join(","));
    let ran = post(&["if (context.response.content.length !== 60000) throw 1"]).response(Some(&reply)).run();
    assert!(
        matches!(ran.reports[0].verdict, lockgate_sandbox::Verdict::Continue { changed: false }),
        "{:?}",
        ran.reports
    );
    let ran = post(&["context.response.content.pop()"]).response(Some(&reply)).run();
    let changed = ran.response.unwrap_or_else(|| panic!("{:?}", ran.reports));
    assert_eq!(changed.len(), reply.len() - item.len() - 1);
}
