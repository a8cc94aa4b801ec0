//! `console`: what is shown, and how much.

use crate::support::pre;
use lockgate_sandbox::{ConsoleLine, Level, Verdict};
use std::time::Duration;

crate::tests![
    every_method_writes_a_line,
    values_are_shown_as_people_read_them,
    the_console_is_bounded,
    lines_survive_failures,
    a_promise_that_fails_unheard_is_told,
    what_a_promise_failed_of_runs_nothing_after_the_verdict,
];

fn lines(script: &str) -> Vec<ConsoleLine> {
    let ran = pre(&[script]).run();
    assert!(matches!(ran.reports[0].verdict, Verdict::Continue { .. }), "{:?}", ran.reports);
    ran.reports[0].console.clone()
}

fn every_method_writes_a_line() {
    let written = lines("for (const m of ['log', 'debug', 'info', 'warn', 'error']) console[m](m, 1)");
    let levels = [Level::Log, Level::Debug, Level::Info, Level::Warn, Level::Error];
    let expected: Vec<ConsoleLine> =
        levels.iter().map(|&level| ConsoleLine { level, text: format!("{} 1", level.name()) }).collect();
    assert_eq!(written, expected);
    assert_eq!(lines("const {log} = console; log()")[0].text, "");
    let others =
        lines("console.trace('t'); console.table([1]); console.assert(true, 'no'); console.assert(0, 'yes')");
    let expected = [(Level::Debug, "t"), (Level::Log, "[1]"), (Level::Error, "Assertion failed yes")];
    let written: Vec<_> = others.iter().map(|line| (line.level, line.text.as_str())).collect();
    assert_eq!(written, expected);
    lines(
        "console.group('g'); console.dir({}); console.time(); console.timeEnd(); console.count(); console.groupEnd()",
    );
}

fn values_are_shown_as_people_read_them() {
    for (value, text) in [
        ("'text'", "text"),
        ("1.5, true, null, undefined", "1.5 true null undefined"),
        ("{a: [1, 'x'], b: {c: null}}", r#"{"a":[1,"x"],"b":{"c":null}}"#),
        ("[1, {a: 2}]", r#"[1,{"a":2}]"#),
        ("new Error('boom')", "Error: boom"),
        ("10n, Symbol('s')", "10 Symbol(s)"),
        ("new (class P { x = 1 })()", r#"{"x":1}"#),
        ("{toString() { return 'mine' }}", "mine"),
        ("{get a() { throw 1 }}", "[a value that cannot be shown]"),
        ("(() => { const o = {}; o.o = o; return o })()", "[it is circular or nested too deeply]"),
        ("Object.create(null)", "{}"),
        ("'\\ud800'", "\u{fffd}"),
        ("'\"hello\\n😀'.slice(0, 8)", "\"hello\n\u{fffd}"),
        ("context.request.params", r#"{"name":"echo","arguments":{"q":1}}"#),
    ] {
        assert_eq!(lines(&format!("console.log({value})"))[0].text, text, "{value}");
    }
}

fn the_console_is_bounded() {
    let many = lines("for (let i = 0; i < 1000; i++) console.log(i)");
    assert_eq!(many.len(), 201);
    assert_eq!((many[199].text.as_str(), many[200].text.contains("truncated")), ("199", true));
    let long = lines("for (let i = 0; i < 100; i++) console.log('x'.repeat(1e6))");
    let total: usize = long.iter().map(|line| line.text.len()).sum();
    assert!(total <= 84 << 10 && long.last().unwrap().text.contains("truncated"), "{total}");
}

fn lines_survive_failures() {
    for script in [
        "console.warn('before'); throw 1",
        "console.warn('before'); for (;;);",
        "console.warn('before'); [].reverse.call({length: 2**53-1})",
    ] {
        let ran = pre(&[script, "console.log('next')"]).limit(Duration::from_millis(1500)).run();
        assert!(matches!(ran.reports[0].verdict, Verdict::Failed(_)));
        assert_eq!(
            ran.reports[0].console,
            [ConsoleLine { level: Level::Warn, text: "before".to_owned() }],
            "{script}"
        );
        assert_eq!(ran.reports[1].console[0].text, "next");
    }
}

fn a_promise_that_fails_unheard_is_told() {
    let told = |script: &str| -> Vec<String> {
        let ran = pre(&[script, "console.log('next')"]).run();
        let next = ran.reports.last().unwrap();
        assert!(ran.reports.len() == 1 || next.console.iter().all(|line| line.text == "next"), "{ran:?}");
        let lines = ran.reports[0].console.iter();
        lines.map(|line| format!("{}: {}", line.level.name(), line.text)).collect()
    };
    let unheard = "warn: a promise was rejected and nothing waited for it: ";
    for (script, text) in [
        ("const f = async () => { throw new TypeError('no') };\nf()", "TypeError: no (line 1, column 35)"),
        ("[1].forEach(async (n) => { null.x })", "TypeError: cannot read property 'x' of null"),
        ("Promise.reject({code: 7})", "a value that is no error"),
        ("Promise.reject({message: 'of a library'})", "of a library"),
        (
            "Promise.reject(Object.assign(new Error('gone'), {name: 'NotThere'}))",
            "NotThere: gone (line 1, column 34)",
        ),
        ("Promise.reject(new (class Own extends RangeError {})('far'))", "far"),
        ("Promise.reject(7)", "7"),
        ("Promise.reject()", "undefined"),
        ("Promise.reject(Symbol('s'))", "Symbol(s)"),
        ("Promise.reject('just a text'); await sleep(1)", "just a text"),
        ("const p = Promise.reject(new Error('a')); p.then(() => {}); await sleep(1)", "a"),
        ("Promise.reject(new Error('own')); throw new Error('the verdict')", "own"),
        (
            "const check = async () => { throw new Error('the cause') };\n\
             const ok = await new Promise((resolve) => { check().then(resolve) }); return {continue: ok}",
            "the cause (line 1, column ",
        ),
    ] {
        let lines = told(script);
        assert!(lines.len() == 1 && lines[0].starts_with(&format!("{unheard}{text}")), "{script}: {lines:?}");
    }
    for script in [
        "throw new Error('the verdict')",
        "return Promise.reject(new Error('the verdict'))",
        "await Promise.reject(1)",
        "await Promise.reject(1).catch(() => {})",
        "const p = Promise.reject(1); await sleep(1); p.catch(() => {})",
        "const p = Promise.reject(1); await sleep(1); try { await p } catch {}",
        "await Promise.allSettled([Promise.reject(1)]); await Promise.race([Promise.resolve(), Promise.reject(1)])",
        "return {then(_, no) { no(new Error('the verdict')) }}",
    ] {
        assert_eq!(told(script), Vec::<String>::new(), "{script}");
    }
    let many = told("for (let i = 0; i < 1000; i++) Promise.reject(i)");
    assert_eq!(many.len(), 16, "{many:?}");
}

fn what_a_promise_failed_of_runs_nothing_after_the_verdict() {
    let script = |reason: &str| {
        format!(
            "const hang = () => {{ for (;;) {{ }} }}, still = () => [].reverse.call({{length: 2**53-1}});\
             Promise.reject({reason}); return {{continue: false, error: {{message: 'blocked'}}}}"
        )
    };
    for reason in [
        "{get message() { still() }}",
        "{get message() { hang() }}",
        "{toString: hang}",
        "{[Symbol.toPrimitive]: still}",
        "new Proxy({}, {get: hang, getOwnPropertyDescriptor: hang, getPrototypeOf: hang})",
        "Object.create(new Proxy({}, {get: hang, getOwnPropertyDescriptor: hang, getPrototypeOf: hang}))",
        "Object.setPrototypeOf(new Error(), new Proxy({}, {get: hang, getPrototypeOf: hang}))",
        "Object.defineProperty(new Error(), 'message', {get: hang})",
        "Object.defineProperty(new Error(), 'stack', {get: still})",
        "new (class extends Error { get name() { hang() } })()",
        "Object.assign(new Error(), {message: {toString: hang}})",
        "1n << 500000n",
    ] {
        let ran = pre(&[&script(reason)]).limit(Duration::from_secs(2)).run();
        let report = &ran.reports[0];
        assert!(matches!(report.verdict, Verdict::Blocked), "{reason}: {report:?}");
        assert_eq!(report.console.len(), 1, "{reason}: {report:?}");
    }
}
