//! The helpers that scripts are given (spec 2.6).

use crate::support::{pre, value};
use std::time::{Duration, Instant};

crate::tests![
    sleep_waits,
    sleep_takes_whatever_counts_as_a_number,
    sleeps_run_side_by_side,
    tokens_are_validated,
    servers_are_described,
    text_is_redacted,
    json_is_redacted_as_a_copy,
    patterns_of_every_kind_are_taken,
    helpers_cannot_be_replaced,
];

fn sleep_waits() {
    let start = Instant::now();
    assert_eq!(value("const r = await sleep(60); return r === undefined"), "true");
    assert!(start.elapsed() >= Duration::from_millis(60));
}

fn sleep_takes_whatever_counts_as_a_number() {
    let start = Instant::now();
    value("await sleep('60')");
    assert!(start.elapsed() >= Duration::from_millis(60));
    // Which of two is over first, however slow the machine is.
    let race = |long: &str, short: &str| {
        let one = |ms: &str, word: &str| format!("sleep({ms}).then(() => '{word}')");
        value(&format!("return Promise.race([{}, {}])", one(long, "long"), one(short, "short")))
    };
    for long in ["Infinity", "' 1e10 '", "1e10"] {
        assert_eq!(race(long, "'20'"), "\"short\"", "{long}");
    }
    for nothing in ["NaN", "-Infinity", "-1", "'x'", "'-5'", "''", "undefined", "null", "{}", "1n"] {
        assert_eq!(race("20", nothing), "\"short\"", "{nothing}");
    }
}

fn sleeps_run_side_by_side() {
    let script = "const order = []; await Promise.all([30, 10, 20].map(ms => sleep(ms).then(() => order.push(ms)))); return order";
    assert_eq!(value(script), "[10,20,30]");
    let start = Instant::now();
    value("await Promise.all(Array.from({length: 200}, () => sleep(50)))");
    assert!(start.elapsed() < Duration::from_secs(10), "one after the other would take ten seconds");
}

fn tokens_are_validated() {
    assert_eq!(
        value(
            "return [validateToken('right key'), validateToken('other'), validateToken(), validateToken({}), validateToken('')]"
        ),
        "[true,false,false,false,false]"
    );
    assert_eq!(value("return [await validateToken('right key'), await validateToken('x')]"), "[true,false]");
    assert_eq!(value("return validateToken('x\\ud800')"), "false");
}

fn servers_are_described() {
    let info = r#"{"id":"files","name":"files","type":"stdio","status":"running","enabled":true}"#;
    assert_eq!(
        value("return [getServerInfo('files'), getServerInfo('none'), getServerInfo(1)]"),
        format!("[{info},null,null]")
    );
    assert_eq!(value("const s = await getServerInfo('files'); return s.status"), "\"running\"");
    let many = "let n = 0; for (let i = 0; i < 2000; i++) n += getServerInfo('files').enabled; return n";
    assert_eq!(value(many), "2000");
    let runaway = "try { for (;;) validateToken('x') } catch (e) { return e.message }";
    assert_eq!(value(runaway), "\"too many requests to the gateway\"");
}

fn text_is_redacted() {
    for (call, expected) in [
        ("redact('mail a.b@example.org now')", "mail [redacted] now"),
        ("redact('10.1.2.3 and x@y.io', 'ipAddress')", "[redacted] and x@y.io"),
        ("redact('a1b22', '[0-9]+', '#')", "a#b#"),
        ("redact('a1b22', ['[0-9]+', 'email'], '')", "ab"),
        ("redact('AbC', /b/i)", "A[redacted]C"),
        ("redact('x1', '(x)', '$1$0')", "$1$01"),
        ("redact('nothing here')", "nothing here"),
        ("redact('mail a.b@example.org now', [])", "mail a.b@example.org now"),
        ("redact('mail a.b@example.org now', null)", "mail [redacted] now"),
        ("redact('é1é', '[0-9]')", "é[redacted]é"),
    ] {
        assert_eq!(value(&format!("return {call}")), format!("\"{expected}\""), "{call}");
    }
}

fn json_is_redacted_as_a_copy() {
    let script = "const o = {mail: 'a@b.org', list: ['x', {deep: '1.2.3.4'}], n: 1, 'k@e.org': true, d: new Date(0)}; \
                  const r = redact(o); return [r, o.mail, r !== o]";
    let expected = r#"[{"mail":"[redacted]","list":["x",{"deep":"[redacted]"}],"n":1,"[redacted]":true,"d":"1970-01-01T00:00:00.000Z"},"a@b.org",true]"#;
    assert_eq!(value(script), expected);
    assert_eq!(
        value("return [redact(1), redact(null), redact(true), redact(undefined)]"),
        "[1,null,true,null]"
    );
    assert_eq!(
        value(r#"return redact(["\ud800 a@b.org", "\"a@b.org\""])"#),
        r#"["\ud800 [redacted]","\"[redacted]\""]"#
    );
    for (call, expected) in [
        (r#"redact("\ud800 a@b.org 4111111111111111")"#, r#""\ud800 [redacted] [redacted]""#),
        (r#"redact("x \udc00 alice", ["alice"], "X")"#, r#""x \udc00 X""#),
        ("redact(4111111111111111)", r#""[redacted]""#),
        ("redact([NaN, 7, 4111111111111111])", r#"[null,7,"[redacted]"]"#),
    ] {
        assert_eq!(value(&format!("return {call}")), expected, "{call}");
    }
    let redact = "context.request.params = redact(context.request.params)";
    let ran = pre(&[redact]).params(r#"{"a":"\ud800 a@b.org","n":1e400,"m":12345678901234567890}"#).run();
    assert_eq!(
        ran.params.as_deref(),
        Some(r#"{"a":"\ud800 [redacted]","n":1e400,"m":12345678901234567890}"#)
    );
    let ran = pre(&["context.request.params = redact(context.request.params, 'echo')"]).run();
    assert_eq!(ran.params.as_deref(), Some(r#"{"name":"[redacted]","arguments":{"q":1}}"#));
}

fn patterns_of_every_kind_are_taken() {
    let fails = |call: &str| {
        value(&format!("try {{ {call}; return '' }} catch (e) {{ return e.name + ': ' + e.message }}"))
    };
    assert!(fails("redact('a', /a(?=b)/)").contains("look-around"));
    assert!(fails(r"redact('a', '(a)\\1')").contains("back-references"));
    assert!(fails(r"redact('a\ufffd', '\ud800')").starts_with("\"TypeError"));
    assert!(fails("redact('a', '[')").starts_with("\"TypeError"));
    assert!(fails("redact('a', 1)").contains("a pattern of redact is text or a regular expression"));
    assert!(fails("redact('a', 'a', 1)").contains("replacement"));
    assert_eq!(fails("redact('a', [/a/g, 'email', 'b+'])"), "\"\"");
}

fn helpers_cannot_be_replaced() {
    for name in ["sleep", "validateToken", "getServerInfo", "redact", "console"] {
        let script = format!(
            "try {{ {name} = 1 }} catch {{}} try {{ {name}.x = 1 }} catch {{}} return [typeof {name} !== 'number', {name}.x === undefined]"
        );
        assert_eq!(value(&script), "[true,true]", "{name}");
    }
    assert_eq!(value("const redact = (x) => x + '!'; return redact('own')"), "\"own!\"");
}
