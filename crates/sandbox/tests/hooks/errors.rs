//! What people are told when a script fails.

use crate::support::{error, is_through, new_sandbox, pre, runtime, sandbox};
use lockgate_sandbox::{End, ErrorCode, Limit};
use std::time::Duration;

crate::tests![
    a_thrown_error_tells_its_place_in_the_source,
    whatever_is_thrown_tells_its_place_in_the_source,
    what_cannot_be_taken_apart_tells_its_place_in_the_source,
    a_syntax_error_tells_its_place_in_the_source,
    a_column_counts_characters,
    a_brace_that_ends_the_function_around_a_script_has_its_place,
    what_is_noticed_behind_the_end_lies_at_the_end,
    a_script_that_is_not_finished_is_told_so,
    a_check_compiles_in_the_form_in_which_it_runs,
    many_scripts_are_checked_in_their_order,
    a_script_compiles_among_others_if_it_does_alone,
    whatever_is_thrown_has_a_message,
    a_long_message_is_cut,
    an_array_without_end_is_too_large,
    a_timeout_says_so,
    a_promise_that_cannot_resolve_is_a_timeout_at_once,
    the_peak_of_memory_is_told,
];

fn thrown(script: &str, message: &str, line: u32, column: u32) {
    let ran = pre(&[script]).run();
    let error = error(&ran);
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::ScriptError, message), "{script}");
    assert_eq!((error.line, error.column), (Some(line), Some(column)), "{script}");
}

fn a_thrown_error_tells_its_place_in_the_source() {
    thrown("throw new Error('boom')", "boom", 1, 11);
    thrown("\n  throw new TypeError('boom')", "TypeError: boom", 2, 13);
    thrown(
        "await null;\nconst f = () => {\n  context.nothing.more;\n};\nf()",
        "TypeError: cannot read property 'more' of undefined",
        3,
        3,
    );
    thrown("missing()", "ReferenceError: missing is not defined", 1, 1);
    thrown("1; null.x", "TypeError: cannot read property 'x' of null", 1, 4);
    thrown("\n1; null.x", "TypeError: cannot read property 'x' of null", 2, 4);
    thrown("'é😀'; throw new Error('boom')", "boom", 1, 17);
    thrown("// é\n'é'; throw new Error('boom')", "boom", 2, 16);
}

fn whatever_is_thrown_tells_its_place_in_the_source() {
    for _ in 0..3 {
        thrown("throw 'text'", "text", 1, 7);
        thrown("const e = 'é'; throw e", "é", 1, 22);
        thrown("1;\n\n  throw {code: 1}", "[object Object]", 3, 9);
        thrown("throw {message: 'om'}", "om", 1, 7);
        thrown("throw null", "null", 1, 7);
        thrown("const f = async () => {\n  throw 'inner'\n};\nawait f()", "inner", 2, 9);
        thrown("await Promise.reject('no')", "no", 1, 15);
        thrown("try { throw 'a' } catch {}\nawait null;\nthrow 'b'", "b", 3, 7);
        thrown("try {\n  throw 'a'\n} catch (e) {\n  throw e\n}", "a", 2, 9);
        thrown("throw new Error('boom')", "boom", 1, 11);
        thrown("throw Error('boom')", "boom", 1, 7);
        let deep = "RangeError: Maximum call stack size exceeded";
        thrown("const f = () => f();\nif (!f) throw new Error();\nf()", deep, 1, 17);
    }
}

fn what_cannot_be_taken_apart_tells_its_place_in_the_source() {
    let no_object = |script, line, column| {
        thrown(script, "TypeError: Cannot convert undefined or null to object", line, column);
    };
    no_object("const {a} = undefined", 1, 7);
    no_object("const { path } = context.request.params.arguments.nope;\nreturn path", 1, 7);
    no_object("/* {é} */ const {a: {b}} = context", 1, 17);
    no_object("context.x;\nconst f = () => 3, s = 'const {';\n\n  let {a} = context.nope", 4, 7);
    no_object("f({});\nfunction f(a) { const {b} = a; return b }\nif (true) {\n  var {...c} = null\n}", 4, 7);
    no_object("const re = /[/{]const {/;\nconst t = `const { ${'{'} {`;\nconst {a} = null", 3, 7);
    thrown(
        "const [a] = context.nope",
        "TypeError: cannot read property 'Symbol.iterator' of undefined",
        1,
        7,
    );
    thrown("context.y;\n\nconst [a] = 5", "TypeError: value is not iterable", 3, 7);
    no_object("const f = (a) => {\n  const {b} = a;\n};\nf()", 2, 9);
    no_object("async function f(a) {\n  const {b} = a;\n}\nawait f()", 2, 9);
    // The engine knows these itself.
    no_object("const f = ({a}) => a;\nconst {b} = {};\nf()", 1, 11);
    no_object("let a;\n({a} = context.nope)", 2, 1);
    no_object("const {a} = {};\nObject.keys(undefined);\nconst {b} = {}", 2, 13);
    no_object("1;\nfor (const {x} of [1, undefined]) {\n  const {y} = x;\n}", 2, 23);
}

fn checked(script: &str) -> Option<(String, Option<u32>)> {
    let found = runtime().block_on(sandbox().check(script)).err()?;
    assert_eq!(found.code, ErrorCode::ExecutionError, "{script}");
    let ran = pre(&[script]).run();
    assert_eq!(error(&ran), &found, "{script}: run says the same");
    Some((found.message, found.line))
}

fn a_syntax_error_tells_its_place_in_the_source() {
    for (script, line) in [
        ("return {", 1),
        ("let a = 1;\nlet a = 2;", 2),
        ("const x = 1;\n\nif (x {\n}\n", 3),
        ("a\n}\n", 3),
        ("return 'open", 1),
        ("import fs from 'fs'", 1),
        ("yield 1", 1),
        ("with (a) {}", 1),
    ] {
        let (message, at) = checked(script).unwrap_or_else(|| panic!("{script} compiles"));
        assert!(message.contains("SyntaxError"), "{script}: {message}");
        assert!(at.is_none_or(|at| at == line), "{script}: {at:?}");
    }
}

fn a_column_counts_characters() {
    let found = runtime().block_on(sandbox().check("\"😀😀\" x")).expect_err("no script");
    assert_eq!((found.line, found.column), (Some(1), Some(6)));
}

fn a_brace_that_ends_the_function_around_a_script_has_its_place() {
    for (script, line, column) in
        [("return 1}\n{", 1, 9), ("const a = 'é'\n'é' }\n{", 2, 5), ("await sleep(1)\n}; {", 2, 1)]
    {
        let found = runtime().block_on(sandbox().check(script)).expect_err("no script");
        assert_eq!(found.message, "SyntaxError: the script closes a brace that it did not open");
        assert_eq!((found.line, found.column), (Some(line), Some(column)), "{script}");
    }
}

fn what_is_noticed_behind_the_end_lies_at_the_end() {
    for (script, line, column) in
        [("return {", 1, 9), ("const é = 1;\nreturn 'é' +", 2, 13), ("delete x", 1, 9)]
    {
        let found = runtime().block_on(sandbox().check(script)).expect_err("no script");
        assert_eq!((found.line, found.column), (Some(line), Some(column)), "{script}");
    }
}

fn a_script_that_is_not_finished_is_told_so() {
    let message = |script: &str| checked(script).unwrap_or_else(|| panic!("{script} compiles")).0;
    for script in [
        "if(",
        "foo(\n1,\n2",
        "return 1 +",
        "const a = [1,",
        "let x =",
        "f(a, b",
        "a ?",
        "return {",
        "if (x) {",
        "if (x) { f(",
    ] {
        assert_eq!(message(script), "SyntaxError: unexpected end of script", "{script}");
    }
    for script in
        ["}", "a }", "if (a) {} }\n", "items.map(x => {", "f({", "return [{", "if (a) {\n b.each(c => {\n"]
    {
        assert_eq!(message(script), "SyntaxError: the brackets of the script do not match", "{script}");
    }
    // What the script itself closes too early is named, and so is what has nothing to do with its end.
    for script in ["if (a) { f( }", "return (1 + }", "{ const a = }\n"] {
        assert!(message(script).contains("'}'"), "{script}: {}", message(script));
    }
    for script in ["delete x", "return `open", "/* open"] {
        let message = message(script);
        assert!(!message.contains("end of script") && !message.contains("'}'"), "{script}: {message}");
    }
}

fn a_check_compiles_in_the_form_in_which_it_runs() {
    for script in [
        "",
        "return 1",
        "await sleep(1); return",
        "throw 1",
        "for (;;);",
        "// end",
        "const context_ = context",
    ] {
        assert_eq!(runtime().block_on(sandbox().check(script)), Ok(()), "{script}");
    }
    for script in ["}", "}}; 1; 0,function(){return function(){", "}, async function(){", "} [a] = {"] {
        assert!(checked(script).is_some(), "{script}");
    }
    assert!(runtime().block_on(sandbox().check(&"a;".repeat(600_000))).is_err(), "too large");
    assert!(runtime().block_on(sandbox().check("a\0b")).is_err());
    assert_eq!(runtime().block_on(sandbox().check(&"a;".repeat(300_000))), Ok(()));
}

fn many_scripts_are_checked_in_their_order() {
    // More than one worker gets in one go, by number and by size.
    let script = |at: usize| match at % 7 {
        3 => format!("return {at} ("),
        5 => format!("/* {} */ return {at}", "long ".repeat(2000)),
        _ => format!("return {at}"),
    };
    let scripts: Vec<String> = (0..1400).map(script).collect();
    let mut sources: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let check = |sources: &[&str]| {
        let results = runtime().block_on(sandbox().check_all(sources));
        assert_eq!(results.len(), sources.len());
        for (source, result) in sources.iter().zip(results) {
            assert_eq!(result.is_err(), source.ends_with('('), "{source}: {result:?}");
        }
    };
    check(&sources[..20]);
    // What is known by now stands among what is not.
    sources.reverse();
    check(&sources);
    sources.extend_from_within(..30);
    check(&sources);
    assert_eq!(runtime().block_on(sandbox().check_all(&[])), []);
}

fn a_script_compiles_among_others_if_it_does_alone() {
    let lists: [&[&str]; 9] = [
        &["return 1 /*", "*/ return 2"],
        &["return `", "`"],
        &["return 1 /*", "*/", "1}, async function(context){\n2"],
        &["}, async function(context){\n", "return 3"],
        &["}]}; 0, function(globalThis){'use strict';return[async function(context){", "return 4"],
        &[
            "}];return[async function(context){\nreturn 5\n},async function(context){\nreturn 6\n}]}; function x() {[{",
            "return 6",
        ],
        &["}]};0,function(){return Array(4294967295);[async function(){", "return 8"],
        &["}]};0,function(){return {0:1,1:2};[async function(){", "return 9"],
        &["for (;;) { await sleep(1) }", "}}; 1; function x(){return function(){", "return 7"],
    ];
    // Each in a sandbox of its own: what has compiled is known.
    let (apart, close) = (new_sandbox(0), new_sandbox(0));
    for list in lists {
        let together = runtime().block_on(close.check_all(list));
        for (script, result) in list.iter().zip(together) {
            assert_eq!(result, runtime().block_on(apart.check(script)), "{script}");
        }
    }
    runtime().block_on(async { tokio::join!(apart.stop(), close.stop()) });
}

fn whatever_is_thrown_has_a_message() {
    for (script, message) in [
        ("throw 'text'", "text"),
        ("throw 42", "42"),
        ("throw null", "null"),
        ("throw undefined", "undefined"),
        ("throw {toString() { return 'shown' }}", "shown"),
        ("throw {message: 'om'}", "om"),
        ("throw {name: 'Mine', message: 'om', toString() { return 'shown' }}", "Mine: om"),
        ("throw {message: {}}", "[object Object]"),
        ("throw {get message() { throw 1 }}", "[object Object]"),
        ("throw Symbol('s')", "Symbol(s)"),
        ("throw new Error()", "Script threw an error without a message"),
        ("throw {toString() { throw 1 }}", "a value that cannot be shown"),
        ("const e = new Error('m'); e.name = 'Mine'; throw e", "Mine: m"),
        ("await Promise.reject(new Error('later'))", "later"),
        ("throw new Error('\\ud800')", "\u{fffd}"),
        ("throw 'say \"hello\"\\n\\tC:\\\\temp 😀'.slice(0, -1)", "say \"hello\"\n\tC:\\temp \u{fffd}"),
        ("throw '\"\\ude00 😀\"'", "\"\u{fffd} 😀\""),
    ] {
        let ran = pre(&[script]).run();
        assert_eq!(
            (error(&ran).code, error(&ran).message.as_str()),
            (ErrorCode::ScriptError, message),
            "{script}"
        );
    }
}

fn a_long_message_is_cut() {
    let ran = pre(&["throw new Error('é'.repeat(100000))"]).run();
    assert!(error(&ran).message.len() <= 2048 && error(&ran).message.ends_with('…'));
}

fn an_array_without_end_is_too_large() {
    for script in [
        "const a = []; a[4294967294] = 1; context.request.params.arguments.p = a",
        "context.request.params.arguments = [new Array(4294967295)]",
        "context.metadata.shared.a = new Array(2 ** 31)",
        "return {response: {a: new Array(4294967295)}}",
    ] {
        let ran = pre(&[&format!("console.log('here'); {script}")]).run();
        let error = error(&ran);
        assert_eq!((error.code, error.limit), (ErrorCode::ScriptError, Some(Limit::Output)), "{script}");
        assert_eq!(ran.reports[0].console.len(), 1, "{script}");
    }
    for script in ["console.log(new Array(4294967295))", "try { redact([new Array(4294967295)]) } catch {}"] {
        assert!(is_through(&pre(&[script]).run()), "{script}");
    }
    let ran = pre(&["return {continue: false, error: {code: new Array(4294967295), message: 'no'}}"]).run();
    assert_eq!(ran.end, End::Blocked { step: 0, code: None, message: Some("no".into()) });
    let ran = pre(&["redact('a', new Array(4294967295))"]).run();
    assert_eq!(error(&ran).code, ErrorCode::ScriptError);
}

fn a_timeout_says_so() {
    for script in [
        "for (;;);",
        "await sleep(5000)",
        "await sleep(Infinity)",
        "[].reverse.call({length: 2**53-1})",
        "try { for (;;); } catch { return {} }",
    ] {
        let ran = pre(&[script]).limit(Duration::from_secs(1)).run();
        let error = error(&ran);
        assert_eq!(
            (error.code, error.message.as_str()),
            (ErrorCode::Timeout, "Script execution timed out"),
            "{script}"
        );
        assert_eq!((error.limit, error.line), (Some(Limit::Time), None), "{script}");
        assert!(ran.reports[0].micros >= 900_000, "{script}: {} us", ran.reports[0].micros);
    }
}

fn a_promise_that_cannot_resolve_is_a_timeout_at_once() {
    let ran = pre(&["await new Promise(() => {})"]).limit(Duration::from_secs(60)).run();
    assert_eq!(error(&ran).code, ErrorCode::Timeout);
}

fn the_peak_of_memory_is_told() {
    let ran = pre(&["{ const a = new ArrayBuffer(4 << 20) } await null"]).run();
    assert!((4 << 20..5 << 20).contains(&ran.reports[0].memory), "{}", ran.reports[0].memory);
    let ran = pre(&["const a = []; for (;;) a.push(new ArrayBuffer(1 << 20))"]).run();
    let error = error(&ran);
    assert_eq!((error.limit, error.message.as_str()), (Some(Limit::Memory), "Script ran out of memory"));
}
