//! The table of verdicts (spec 2.5), row by row.

use crate::support::{Call, error, is_through, post, pre};
use lockgate_sandbox::{End, ErrorCode, Verdict};
use std::time::Duration;

crate::tests![
    what_acts_like_a_promise_is_waited_for,
    a_script_that_does_not_name_its_context_is_judged_like_others,
    nothing_returned_goes_on,
    what_is_no_verdict_is_an_error_of_the_hook,
    what_was_taken_away_is_an_error_of_the_hook,
    what_a_returned_context_does_not_name_is_unchanged,
    a_list_without_one_is_an_error_of_the_hook,
    continue_false_blocks_with_code_and_message,
    a_block_brings_a_long_code_too,
    a_pre_response_is_given_and_the_rest_still_runs,
    a_pre_response_with_continue_false_passes_over_the_rest,
    a_pre_response_with_an_error_blocks,
    a_post_response_replaces_the_reply_for_the_hooks_after_it,
    a_post_hook_blocks_even_with_a_response,
    a_failing_hook_is_as_if_it_were_absent,
    a_failing_hook_stops_when_it_is_to,
    a_post_hook_runs_when_the_call_failed,
];

fn unchanged(script: &str) {
    let ran = pre(&[script]).run();
    assert!(is_through(&ran), "{script}: {:?}", ran.end);
    assert_eq!(ran.reports[0].verdict, Verdict::Continue { changed: false }, "{script}");
    assert_eq!((ran.params, ran.response, ran.shared), (None, None, None), "{script}");
}

fn nothing_returned_goes_on() {
    for script in [
        "",
        "return",
        "return undefined",
        "// a comment",
        "return {}",
        "return {continue:true}",
        "return {context:undefined, response:undefined, error:undefined}",
        "return {continue:true, context}",
        "return {continue:true, error:{code:'X'}, other: 1}",
        "return Promise.resolve({continue:true})",
        "await null; return {continue:true, context:{...context}}",
        "return {continue:true, context:{}}",
        "return Object.create({continue:true})",
    ] {
        unchanged(script);
    }
}

fn what_is_no_verdict_is_an_error_of_the_hook() {
    for (script, part) in [
        ("return null", "must return an object"),
        ("return 1", "must return an object"),
        ("return 'x'", "must return an object"),
        ("return true", "must return an object"),
        ("return []", "must return an object"),
        ("return () => 1", "must return an object"),
        ("return {continue:1}", "'continue' must be true or false"),
        ("return {continue:null}", "'continue' must be true or false"),
        ("return {continue:'true'}", "'continue' must be true or false"),
        ("return {continue:undefined}", "'continue' must be true or false"),
        (
            "const allowed = () => {}; return {continue:allowed(context), context}",
            "'continue' must be true or false",
        ),
        ("return {context:null}", "'context' must be an object"),
        ("return {context:'x'}", "'context' must be an object"),
        ("return {context:[]}", "'context' must be an object"),
        ("return {context:{request:{params:1}}}", "must be an object"),
        ("context.request.params = 'x'", "must be an object"),
        ("context.metadata.shared = 1", "must be an object"),
        ("return {response: () => 1}", "cannot be written as JSON"),
        ("return {response: 'text'}", "must be an object"),
        ("return {response: 1n}", "BigInt"),
        ("return {get continue() { throw Error('no') }}", "no"),
    ] {
        let ran = pre(&[script]).run();
        assert!(ran.end == End::Through, "{script}");
        assert_eq!(error(&ran).code, ErrorCode::ScriptError, "{script}");
        assert!(error(&ran).message.contains(part), "{script}: {}", error(&ran).message);
    }
}

fn what_was_taken_away_is_an_error_of_the_hook() {
    let params = [
        "context.request.params = null",
        "context.request.params = undefined",
        "delete context.request.params",
        "context.request.params.name; delete context.request.params",
        "delete context.request",
        "context.request = undefined",
        "context.request = null",
        "context.request = {method: 'tools/call'}",
        "delete context.request.params; return {context}",
        "return {context: {...context, request: {params: undefined}}}",
    ];
    let response = [
        "context.response = null",
        "context.response = undefined",
        "delete context.response",
        "context.response.content; delete context.response",
        "const clean = reply => { redact(reply) }; context.response = clean(context.response)",
        "delete context.response; return {context}",
        "return {context: {...context, response: undefined}}",
        "context.response = undefined; return {context: {request: context.request}}",
        "return {context: {response: null}}",
        "return {response: null}",
        "return {response: undefined}",
        "const clean = reply => { redact(reply) }; return {continue: true, response: clean(context.response)}",
        "return {context, response: undefined}",
    ];
    let calls = params.map(|script| (script, pre(&[script]), "'context.request.params' must be an object"));
    let calls = calls
        .into_iter()
        .chain(response.map(|script| (script, post(&[script]), "'response' must be an object")));
    for (script, call, expected) in calls {
        let ran = call.stopping().run();
        assert_eq!(ran.end, End::Failed { step: 0 }, "{script}");
        assert_eq!(
            (error(&ran).code, error(&ran).message.as_str()),
            (ErrorCode::ScriptError, expected),
            "{script}"
        );
        assert_eq!((ran.params, ran.response), (None, None), "{script}");
    }
}

fn what_a_returned_context_does_not_name_is_unchanged() {
    for script in [
        "return {context: {request: context.request}}",
        "return {context: {...context}}",
        "return {context: {}}",
        "return {context: {request: {}}}",
        "return {context: {metadata: context.metadata}}",
        "context.response?.content; return {context: {request: context.request}}",
    ] {
        for call in [pre(&[script]), post(&[script]), post(&[script]).response(None)] {
            let ran = call.stopping().run();
            assert_eq!(ran.reports[0].verdict, Verdict::Continue { changed: false }, "{script}");
        }
    }
    // What one phase cannot change, it may lose.
    for (script, call) in [
        ("delete context.request.params", post(&["delete context.request.params"])),
        ("delete context.response", pre(&["delete context.response"])),
    ] {
        let ran = call.stopping().run();
        assert_eq!(ran.reports[0].verdict, Verdict::Continue { changed: false }, "{script}");
    }
}

fn a_list_without_one_is_an_error_of_the_hook() {
    for (kind, member) in [
        ("ListTools", "tools"),
        ("ListResources", "resources"),
        ("ListResourceTemplates", "resourceTemplates"),
        ("ListPrompts", "prompts"),
    ] {
        let top = format!(r#"{{"requestType":"{kind}"}}"#);
        let list = format!(r#"{{"{member}":[{{"name":"a"}}]}}"#);
        let see = format!("if (context.response.{member}[0].name !== 'a') throw 1");
        for broken in [
            format!("return {{response: {{{member}: 'x'}}}}"),
            format!("return {{response: {{{member}: null}}}}"),
            "return {response: {}}".to_owned(),
            format!("context.response = {{{member}: {{length: 0}}}}; return {{response: context.response}}"),
            format!("context.requestType = 'CallTool'; return {{response: {{{member}: 1}}}}"),
        ] {
            for call in [pre(&[&broken]), post(&[&broken, &see]).response(Some(&list))] {
                let ran = Call { top: top.clone(), ..call }.run();
                assert!(ran.end == End::Through && ran.response.is_none(), "{kind}, {broken}: {ran:?}");
                let expected = format!("'response.{member}' must be an array");
                assert_eq!(
                    (error(&ran).code, &error(&ran).message),
                    (ErrorCode::ScriptError, &expected),
                    "{broken}"
                );
                let seen = ran.reports.get(1).map(|report| report.verdict.clone());
                assert!(seen.is_none_or(|seen| seen == Verdict::Continue { changed: false }), "{broken}");
            }
        }
        for script in [format!("context.response.{member} = 7"), format!("delete context.response.{member}")]
        {
            let ran = Call { top: top.clone(), ..post(&[&script]).response(Some(&list)) }.run();
            assert!(error(&ran).message.ends_with("must be an array") && ran.response.is_none(), "{script}");
        }
        for entries in ["[5]", "[{}, null]", "[[]]", "['x']"] {
            let call = post(&[&format!("context.response.{member} = {entries}")]).response(Some(&list));
            let ran = Call { top: top.clone(), ..call }.run();
            let expected = format!("'response.{member}' must be an array of objects");
            assert!(error(&ran).message == expected && ran.response.is_none(), "{entries}: {ran:?}");
        }
        let good = format!("return {{response: {{{member}: []}}}}");
        for call in [pre(&[&good]), post(&[&good]).response(Some(&list))] {
            let expected = format!(r#"{{"{member}":[]}}"#);
            let ran = Call { top: top.clone(), ..call }.run();
            assert_eq!(ran.response.as_deref(), Some(&*expected));
        }
    }
}

fn continue_false_blocks_with_code_and_message() {
    let blocked = |code: Option<&str>, message: Option<&str>| End::Blocked {
        step: 0,
        code: code.map(str::to_owned),
        message: message.map(str::to_owned),
    };
    for (script, end) in [
        ("return {continue:false}", blocked(None, None)),
        (
            "return {continue:false,error:{code:'NO',message:'by test'}}",
            blocked(Some("\"NO\""), Some("by test")),
        ),
        ("return {continue:false,error:{code:{a:[1.5]}}}", blocked(Some("{\"a\":[1.5]}"), None)),
        ("return {continue:false,error:'plain'}", blocked(None, Some("plain"))),
        ("return {continue:false,error:{message:7}}", blocked(None, Some("7"))),
        (
            "return {continue:false,error:{message:'\"no\" 😀'.slice(0, 6)}}",
            blocked(None, Some("\"no\" \u{fffd}")),
        ),
        ("return {continue:false,error:null}", blocked(None, None)),
        ("return {continue:false,response:null}", blocked(None, None)),
        ("return {continue:false,error:{code:()=>1,message:{}}}", blocked(None, None)),
    ] {
        for call in [pre(&[script, "throw 1"]), post(&[script, "throw 1"])] {
            let ran = call.run();
            assert_eq!(ran.end, end, "{script}");
            assert_eq!(ran.reports.len(), 1, "the rest does not run");
            assert_eq!(ran.reports[0].verdict, Verdict::Blocked);
        }
    }
}

fn a_block_brings_a_long_code_too() {
    let code = |script: &str| match pre(&[script]).run().end {
        End::Blocked { code: Some(code), .. } => code,
        other => panic!("{other:?}"),
    };
    let long = code("return {continue:false,error:{code:'x'.repeat(5000)}}");
    assert_eq!(long, format!("\"{}\"", "x".repeat(5000)));
    let endless = code("return {continue:false,error:{code:'x'.repeat(1 << 20)}}");
    assert!(endless.len() <= (64 << 10) + 2 && endless.ends_with("x…\""), "{}", endless.len());
}

fn a_pre_response_is_given_and_the_rest_still_runs() {
    let give = "return {response:{a:1}}";
    let look = "if ('response' in context) throw Error('seen'); return {continue:true}";
    let ran = pre(&[give, look]).run();
    assert!(is_through(&ran));
    assert_eq!(ran.response.as_deref(), Some("{\"a\":1}"));
    assert_eq!(ran.reports[0].verdict, Verdict::Answered);
    assert_eq!(ran.reports[1].verdict, Verdict::Continue { changed: false });

    let later = pre(&[give, "return {continue:true,response:{b:2}}"]).run();
    assert_eq!(later.response.as_deref(), Some("{\"b\":2}"), "the later one wins");
    let blocked = pre(&[give, "return {continue:false}"]).run();
    assert_eq!(blocked.end, End::Blocked { step: 1, code: None, message: None });
}

fn a_pre_response_with_continue_false_passes_over_the_rest() {
    let ran = pre(&["return {continue:false,response:{a:1}}", "return {continue:false}"]).run();
    assert_eq!(ran.end, End::Answered);
    assert_eq!(ran.response.as_deref(), Some("{\"a\":1}"));
    assert_eq!(ran.reports.len(), 1);
    assert_eq!(ran.reports[0].verdict, Verdict::Answered);
}

fn a_pre_response_with_an_error_blocks() {
    let ran = pre(&["return {continue:false,response:{a:1},error:{message:'m'}}"]).run();
    assert_eq!(ran.end, End::Blocked { step: 0, code: None, message: Some("m".to_owned()) });
    assert_eq!(ran.response, None);
}

fn a_post_response_replaces_the_reply_for_the_hooks_after_it() {
    let ran = post(&[
        "return {response:{n:1}}",
        "context.response.n += 1",
        "if (context.response.n !== 2) throw Error(JSON.stringify(context.response))",
    ])
    .run();
    assert!(is_through(&ran));
    assert_eq!(ran.response.as_deref(), Some("{\"n\":2}"));
    let verdicts: Vec<_> = ran.reports.iter().map(|report| &report.verdict).collect();
    let (yes, no) = (Verdict::Continue { changed: true }, Verdict::Continue { changed: false });
    assert_eq!(verdicts, [&Verdict::Replaced, &yes, &no]);
}

fn a_post_hook_blocks_even_with_a_response() {
    let ran = post(&["return {continue:false,response:{a:1}}"]).run();
    assert_eq!(ran.end, End::Blocked { step: 0, code: None, message: None });
    assert_eq!(ran.response, None);
}

fn a_failing_hook_is_as_if_it_were_absent() {
    let ran = pre(&[
        "context.request.params.arguments.a = 1; context.metadata.shared.s = 1",
        "context.request.params.arguments.b = 2; context.metadata.shared.t = 1; throw Error('boom')",
        "context.request.params.arguments.c = Object.keys(context.metadata.shared)",
    ])
    .run();
    assert!(ran.end == End::Through);
    assert_eq!(ran.params.as_deref(), Some(r#"{"name":"echo","arguments":{"q":1,"a":1,"c":["s"]}}"#));
    assert_eq!(ran.shared.as_deref(), Some("{\"s\":1}"));
    assert!(matches!(&ran.reports[1].verdict, Verdict::Failed(error) if error.message == "boom"));
}

fn a_failing_hook_stops_when_it_is_to() {
    let ran = pre(&["context.request.params.a = 1", "throw Error('boom')", "return {continue:false}"])
        .stopping()
        .run();
    assert_eq!(ran.end, End::Failed { step: 1 });
    assert_eq!(ran.reports.len(), 2);
    assert!(matches!(&ran.reports[1].verdict, Verdict::Failed(error) if error.message == "boom"));
}

fn a_post_hook_runs_when_the_call_failed() {
    let script = "if (context.response !== undefined || 'response' in context) throw 1; context.metadata.shared.seen = 1";
    let ran = post(&[script]).response(None).run();
    assert!(is_through(&ran));
    assert_eq!((ran.response, ran.shared.as_deref()), (None, Some("{\"seen\":1}")));
    let ran = post(&["return {continue: true, response: context.response}"]).response(None).run();
    assert!(is_through(&ran) && ran.response.is_none(), "there was no reply to take away: {:?}", ran.reports);
}

/// A script in which the word `await` does not stand is no async function, and nobody can tell.
fn what_acts_like_a_promise_is_waited_for() {
    for returned in [
        "{continue: false}",
        "Promise.resolve({continue: false})",
        "sleep(1).then(() => ({continue: false}))",
        "{then(done) { done({continue: false}) }}",
        "Object.defineProperty(Promise.resolve({}), 'then', {value: (done) => done({continue: false})})",
        "Object.assign(() => {}, {then(done) { done({continue: false}) }})",
    ] {
        for script in [format!("return {returned}"), format!("/* await */ return {returned}")] {
            let ran = pre(&[&script]).run();
            assert!(matches!(ran.end, End::Blocked { .. }), "{script}: {:?}", ran.reports);
        }
    }
    for returned in ["Promise.reject(new Error('x'))", "{get then() { throw new Error('x') }}"] {
        for script in [format!("return {returned}"), format!("/* await */ return {returned}")] {
            let ran = pre(&[&script]).run();
            assert_eq!(error(&ran).message, "x", "{script}");
        }
    }
    for script in ["return {then() {}}", "/* await */ return {then() {}}"] {
        let ran = pre(&[script]).limit(Duration::from_millis(500)).run();
        assert_eq!(error(&ran).code, ErrorCode::Timeout, "{script}");
    }
}

/// A script in which the word does not stand is given no context, and nobody can tell.
fn a_script_that_does_not_name_its_context_is_judged_like_others() {
    let changed = Some(r#"{"a":2}"#);
    for (script, expected) in [
        ("return {continue: true, ['con' + 'text']: {request: {params: {a: 2}}}}", changed),
        ("return {['con' + 'text']: {request: {}}}", None),
        ("return {['con' + 'text']: {}}", None),
        ("\\u0063ontext.request.params.a = 2", changed),
        ("arguments[0].request.params.a = 2", changed),
        ("argument\\u0073[0].request.params.a = 2", changed),
        ("const [it] = arguments; await it; it.request.params.a = 2", changed),
        ("return {continue: true}", None),
        ("", None),
    ] {
        let ran = pre(&[script]).params(r#"{"a":1}"#).run();
        assert!(is_through(&ran), "{script}: {:?}", ran.reports);
        assert_eq!(ran.params.as_deref(), expected, "{script}");
    }
    let shared = pre(&["return {['con' + 'text']: {metadata: {shared: {n: 1}}}}"]).run();
    assert_eq!(shared.shared.as_deref(), Some(r#"{"n":1}"#));
    let ran = pre(&["return {['con' + 'text']: 5}"]).run();
    assert_eq!(error(&ran).message, "'context' must be an object");
    for (script, expected) in [
        ("return {continue: true}", None),
        ("return {response: {content: []}}", Some(r#"{"content":[]}"#)),
        ("return {['con' + 'text']: {response: {content: []}}}", Some(r#"{"content":[]}"#)),
        ("return {['con' + 'text']: {}}", None),
    ] {
        let ran = post(&[script]).run();
        assert!(is_through(&ran), "{script}: {:?}", ran.reports);
        assert_eq!(ran.response.as_deref(), expected, "{script}");
    }
    let blocked = pre(&["return {continue: false, error: {code: 'NO', message: 'never'}}"]).run();
    assert!(matches!(blocked.end, End::Blocked { .. }), "{:?}", blocked.reports);
}
