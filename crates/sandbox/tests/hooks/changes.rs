//! What counts as a change, in place and returned.

use crate::support::{Call, error, is_through, post, pre};
use lockgate_sandbox::Verdict;

crate::tests![
    changes_in_place_count,
    assignments_count,
    a_returned_context_wins_over_changes_in_place,
    a_returned_context_without_a_part_leaves_that_part,
    what_may_not_be_changed_is_left_alone,
    reading_everything_changes_nothing,
    reading_what_is_deep_is_no_failure,
    what_is_deep_can_be_redacted,
    each_hook_sees_what_the_earlier_ones_left,
    the_reply_can_be_changed_in_place,
    shared_reaches_the_hooks_after,
    variables_can_be_changed_where_there_are_any,
    a_hook_never_sees_live_objects_of_another,
    each_report_shows_what_its_own_step_changed,
];

fn params(call: &Call, expected: Option<&str>) {
    let ran = call.run();
    assert!(is_through(&ran), "{:?}", ran.end);
    let failed = ran.reports.iter().any(|report| matches!(report.verdict, Verdict::Failed(_)));
    assert!(!failed, "{:?}", ran.reports);
    assert_eq!(ran.params.as_deref(), expected);
}

fn changes_in_place_count() {
    let changed = r#"{"name":"echo","arguments":{"q":1,"lang":"ja"}}"#;
    params(&pre(&["context.request.params.arguments.lang = 'ja'"]), Some(changed));
    params(
        &pre(&["context.request.params.arguments.lang = 'ja'; return {continue:true, context}"]),
        Some(changed),
    );
    params(&pre(&["delete context.request.params.arguments"]), Some(r#"{"name":"echo"}"#));
    let nested = "const p = context.request.params; await null; p.arguments = {...p.arguments, lang: 'ja'}";
    params(&pre(&[nested]), Some(changed));
}

fn assignments_count() {
    params(&pre(&["context.request.params = {a:1}"]), Some(r#"{"a":1}"#));
    params(&pre(&["context.request = {method:'x', params:{a:1}}"]), Some(r#"{"a":1}"#));
    params(
        &pre(&["const {request} = context; request.params = {a:1}; request.params.b = 2"]),
        Some(r#"{"a":1,"b":2}"#),
    );
    let ran = post(&["context.response = {a:1}"]).run();
    assert_eq!(ran.response.as_deref(), Some(r#"{"a":1}"#));
}

fn a_returned_context_wins_over_changes_in_place() {
    let script = "context.request.params.a = 1; return {context:{request:{params:{b:2}}}}";
    params(&pre(&[script]), Some(r#"{"b":2}"#));
    let copy = "return {context:{...context, request:{...context.request, params:{c:3}}}}";
    params(&pre(&[copy]), Some(r#"{"c":3}"#));
    let ran = post(&["context.response.a = 1; return {context:{response:{b:2}}}"]).run();
    assert_eq!(ran.response.as_deref(), Some(r#"{"b":2}"#));
    let back = "context.request.params.a = 1; const c = JSON.parse(JSON.stringify(context)); delete c.request.params.a; return {context: c}";
    params(&pre(&[back]), None);
}

fn a_returned_context_without_a_part_leaves_that_part() {
    let script = "context.request.params.a = 1; return {context:{other:1}}";
    params(&pre(&[script]).params("{}"), Some(r#"{"a":1}"#));
    params(&pre(&["return {context:{request:1, metadata:2}}"]), None);
}

fn what_may_not_be_changed_is_left_alone() {
    let script = "context.request.method = 'x'; context.foo = 1; context.metadata.clientId = 'other'; \
                  context.toolName = 'y'; context.response = {a:1}; delete context.serverName";
    let look = "if (context.request.method !== 'tools/call' || 'foo' in context || context.metadata.clientId !== 'c1' \
                || context.toolName !== 'echo' || 'response' in context || context.serverName !== 's') throw Error('kept')";
    params(&pre(&[script, look]), None);
    let ran = post(&["context.request.params.a = 1; return {context:{request:{params:{b:1}}}}"]).run();
    assert!(is_through(&ran) && ran.params.is_none());
    assert_eq!(ran.reports[0].verdict, Verdict::Continue { changed: false });
}

fn reading_everything_changes_nothing() {
    for script in [
        "JSON.stringify(context)",
        "const c = {...context}; return {continue:true, context: c}",
        "Object.freeze(context); Object.freeze(context.request); Object.freeze(context.request.params)",
        "structure(context); function structure(x) { if (x && typeof x === 'object') Object.values(x).forEach(structure) }",
        "const c = Object.assign({}, context); c.request = {...c.request}; return {context: c}",
        "context.request.params = context.request.params",
        "context.request.params.arguments.q = 1.0",
        "const p = context.request.params; delete p.name; p.name = 'echo'",
    ] {
        for call in [pre(&[script]), post(&[script])] {
            let ran = call.run();
            assert_eq!(ran.reports[0].verdict, Verdict::Continue { changed: false }, "{script}");
            assert_eq!((ran.params, ran.response, ran.shared), (None, None, None), "{script}");
        }
    }
}

fn reading_what_is_deep_is_no_failure() {
    let deep = format!(r#"{{"n":1.0,"a":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    for script in ["JSON.stringify(context)", "const p = context.request.params; p.n = 2; p.n = 1"] {
        params(&pre(&[script]).params(&deep), None);
    }
    let ran =
        post(&["JSON.stringify(context); return {continue: true, context}"]).response(Some(&deep)).run();
    assert_eq!((ran.reports[0].verdict.clone(), ran.response), (Verdict::Continue { changed: false }, None));
    let ran = pre(&["context.request.params.n = 2"]).params(&deep).run();
    assert_eq!(error(&ran).limit, Some(lockgate_sandbox::Limit::Output));
}

fn what_is_deep_can_be_redacted() {
    let deep = |n: &str, text: &str| {
        format!(r#"{{"n":{n},"t":"{text}","a":{}"{text}"{}}}"#, "[".repeat(200), "]".repeat(200))
    };
    let redact = "context.response = redact(context.response)";
    let ran = post(&[redact]).response(Some(&deep("1.5", "a@b.org"))).run();
    assert_eq!(ran.response.as_deref(), Some(&*deep("1.5", "[redacted]")));
    // A number that the engine would write otherwise is not changed along with it.
    let ran = post(&[redact]).response(Some(&deep("12345678901234567890", "a@b.org"))).run();
    assert_eq!(error(&ran).limit, Some(lockgate_sandbox::Limit::Output));
}

fn each_hook_sees_what_the_earlier_ones_left() {
    let scripts = [
        "context.request.params.v += 'a'",
        "context.request.params.v += 'b'",
        "",
        "context.request.params.v += 'c'",
    ];
    params(&pre(&scripts).params(r#"{"v":""}"#), Some(r#"{"v":"abc"}"#));
}

fn the_reply_can_be_changed_in_place() {
    let script =
        "context.response.tools = context.response.tools.filter(t => !t.name.startsWith('internal_'))";
    let reply = r#"{"tools":[{"name":"internal_x","n":1.0},{"name":"public_y", "n":1.0},{"name":"z","n":12345678901234567890}]}"#;
    let ran = post(&[script]).response(Some(reply)).run();
    let kept = r#"{"tools":[{"name":"public_y", "n":1.0},{"name":"z","n":12345678901234567890}]}"#;
    assert_eq!(ran.response.as_deref(), Some(kept));
}

fn shared_reaches_the_hooks_after() {
    let mut call = pre(&[
        "context.metadata.shared.list = [1]",
        "context.metadata.shared.list.push(2)",
        "context.request.params = {seen: context.metadata.shared}",
    ]);
    let ran = call.run();
    assert_eq!(ran.shared.as_deref(), Some(r#"{"list":[1,2]}"#));
    assert_eq!(ran.params.as_deref(), Some(r#"{"seen":{"list":[1,2]}}"#));
    call.shared = Some(r#"{"from":"before"}"#.to_owned());
    call.steps.truncate(1);
    assert_eq!(call.run().shared.as_deref(), Some(r#"{"from":"before","list":[1]}"#));
    let returned = pre(&["return {context:{metadata:{shared:{r:1}}}}"]).run();
    assert_eq!(returned.shared.as_deref(), Some(r#"{"r":1}"#));
}

fn variables_can_be_changed_where_there_are_any() {
    let mut call = pre(&["context.variables.n += 1", "context.request.params = {n: context.variables.n}"]);
    call.variables = Some(r#"{"n":1,"big":12345678901234567890}"#.to_owned());
    let ran = call.run();
    assert_eq!(ran.variables.as_deref(), Some(r#"{"n":2,"big":12345678901234567890}"#));
    assert_eq!(ran.params.as_deref(), Some(r#"{"n":2}"#));
    let with = |script: &str| {
        let mut call = pre(&[script]);
        call.variables = Some("{\"n\":1}".to_owned());
        call.run()
    };
    assert_eq!(with("return {context: {variables: {m: 3}}}").variables.as_deref(), Some(r#"{"m":3}"#));
    assert_eq!(with("context.variables = {m: 4}").variables.as_deref(), Some(r#"{"m":4}"#));
    assert_eq!(with("const seen = context.variables.n").variables, None, "what was only read is not changed");
    assert_eq!(with("context.variables.n = 2; throw 1").variables, None);
    assert_eq!(with("context.variables.n = 2; return {continue: false}").variables, None);
    let wrong = with("context.variables = [1]");
    assert_eq!(error(&wrong).message, "'context.variables' must be an object");
    let without =
        pre(&["context.request.params = {has: 'variables' in context}; context.variables = {a: 1}"]).run();
    assert_eq!((without.params.as_deref(), without.variables), (Some(r#"{"has":false}"#), None));
}

fn a_hook_never_sees_live_objects_of_another() {
    let first = "let n = 0; context.request.params = {get a() { return ++n }, p: new Proxy({x:1}, {}), d: new Date(0)}; \
                 context.metadata.shared.f = {toJSON() { return 'frozen' }}";
    let second = "const p = context.request.params; const d = Object.getOwnPropertyDescriptor(p, 'a'); \
                  context.request.params = {plain: 'value' in d && p.a === p.a, p: p.p, d: p.d, f: context.metadata.shared.f}";
    let expected = r#"{"plain":true,"p":{"x":1},"d":"1970-01-01T00:00:00.000Z","f":"frozen"}"#;
    params(&pre(&[first, second]), Some(expected));
}

fn each_report_shows_what_its_own_step_changed() {
    let scripts = [
        "context.request.params.arguments.q = 2",
        "return {continue: true}",
        "context.metadata.shared.n = 1",
        "context.request.params.arguments.q = 'x'.repeat(70000)",
        "context.request.params.arguments.q = 3; throw new Error('no')",
        "return {response: {content: []}}",
    ];
    let mut call = pre(&scripts);
    let shown = |call: &Call| call.run().reports.into_iter().map(|report| report.changes).collect::<Vec<_>>();
    assert_eq!(shown(&call), vec![None; 6], "nobody asked");
    call.show = true;
    let omitted = 70_000 + r#"{"name":"echo","arguments":{"q":""}}"#.len();
    let expected = [
        Some(r#"{"params":{"name":"echo","arguments":{"q":2}}}"#.to_owned()),
        None,
        Some(r#"{"shared":{"n":1}}"#.to_owned()),
        Some(format!(r#"{{"params":{{"omittedBytes":{omitted}}}}}"#)),
        None,
        Some(r#"{"response":{"content":[]}}"#.to_owned()),
    ];
    assert_eq!(shown(&call), expected);
}
