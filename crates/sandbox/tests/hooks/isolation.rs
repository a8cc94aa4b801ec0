//! Nothing that a script leaves behind is seen by another execution.

use crate::support::{is_through, new_sandbox, pre, runtime};
use lockgate_sandbox::{ErrorCode, Verdict};
use std::time::Duration;

crate::tests![
    nothing_crosses_between_steps_of_one_job,
    nothing_crosses_between_jobs,
    what_all_executions_of_a_script_share_is_out_of_its_reach,
    a_context_of_an_earlier_job_is_dead,
    what_stands_outside_of_its_function_is_seen_by_nobody,
    what_cannot_be_read_costs_no_worker,
    nothing_that_a_script_reaches_keeps_a_mark,
    a_script_behind_one_that_ended_its_job_is_known_to_the_next,
    a_script_that_takes_long_to_compile_takes_back_no_decision_before_it,
];

const LEAVE: &str = "globalThis.a = 1; try { Object.prototype.b = 1 } catch {} try { console.c = 1 } catch {} \
                     try { context.request.__proto__ = {d: 1} } catch {} var e = 1; Symbol.for('f').description; \
                     try { Object.getPrototypeOf(globalThis).g = 1 } catch {}";
const LOOK: &str = "if ([globalThis.a, {}.b, console.c, ({}).d, globalThis.e, globalThis.g].some(x => x !== undefined) || typeof e !== 'undefined') throw Error('leak')";

fn nothing_crosses_between_steps_of_one_job() {
    let ran = pre(&[LEAVE, LOOK, LEAVE, LOOK]).run();
    assert!(
        ran.reports.iter().all(|report| matches!(report.verdict, Verdict::Continue { .. })),
        "{:?}",
        ran.reports
    );
}

fn nothing_crosses_between_jobs() {
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        for script in [LEAVE, LOOK, LEAVE, LOOK] {
            let ran = pre(&[script]).run_in(&sandbox).await;
            assert_eq!(ran.reports[0].verdict, Verdict::Continue { changed: false }, "{:?}", ran.reports);
        }
        assert_eq!(sandbox.workers().started, 1, "all of it ran in the same worker");
        sandbox.stop().await;
    });
}

fn what_all_executions_of_a_script_share_is_out_of_its_reach() {
    let found = [
        "arguments.callee",
        "arguments",
        "(() => arguments.callee)()",
        "(() => arguments)()",
        "new.target",
        "this",
        "(() => this)()",
        "(function f() { return f.caller })()",
        "(function () { return arguments.callee.caller })()",
        "(function () { return this })()",
        "((strings) => strings)`a${1}`",
        "(() => { try { null.x } catch (error) { return error } })()",
        "/a/g",
        "[1]",
        "(class { static held = [] }).held",
    ];
    let mark = |found: &str, wait: &str| {
        format!(
            "let n = 0; n++; let it; try {{ it = {found} }} catch {{ return }} \
             if (n > 1 || it?.mark) throw Error('leak'); {wait}try {{ it.mark = 1 }} catch {{}}"
        )
    };
    let mut scripts: Vec<String> =
        found.iter().flat_map(|found| ["", "await null; "].map(|wait| mark(found, wait))).collect();
    scripts.push("const a = /a/g; if (a.lastIndex !== 0) throw Error('leak'); a.test('aa')".to_owned());
    scripts.push("if (globalThi\\u0073.x) throw Error('leak'); globalThi\\u0073.x = 1".to_owned());
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        for script in &scripts {
            let call = pre(&[script]);
            for _ in 0..2 {
                let ran = call.run_in(&sandbox).await;
                assert!(is_through(&ran), "{script}: {:?}", ran.reports);
            }
        }
        assert_eq!(sandbox.workers().started, 1, "all of it ran in the same worker");
        sandbox.stop().await;
    });
}

fn a_context_of_an_earlier_job_is_dead() {
    // A late job still holds the context of its own run. It must not see the next one's.
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        let keep = "let n = 0; const look = () => { n++; try { context.request.params.stolen = 1 } catch {} if (n < 50) Promise.resolve().then(look) }; Promise.resolve().then(look)";
        let first = pre(&[keep]).run_in(&sandbox).await;
        assert!(first.params.is_none(), "{:?}", first.params);
        let second = pre(&["context.metadata.shared.seen = 'stolen' in context.request.params"]).run_in(&sandbox).await;
        assert_eq!(second.shared.as_deref(), Some("{\"seen\":false}"));
        sandbox.stop().await;
    });
}

/// What a script declares that closes the function around it would be there for all others of its worker.
fn what_stands_outside_of_its_function_is_seen_by_nobody() {
    let outside = [
        "let leak = 1",
        "const leak = 1; throw 1",
        "class leak {}; throw new SyntaxError('like any other')",
        // What is declared is there before the first word of the text is done; the second declaration fails.
        "let leak; function Math() {}",
        "function Math() {} let leak",
        "let leak = 1; <!-- }",
        "let leak = 1; throw (() => { try { new RegExp('(') } catch (e) { return e } })()",
    ];
    let alone = outside.map(|text| format!("}}}}; {text}; 0,function(){{return function(){{"));
    let among = outside.map(|text| format!("}}]}}; {text}; 0,function(){{return [function(){{"));
    let look = pre(&["if (typeof leak !== 'undefined') throw Error('leak')"]);
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        let deeper = outside.map(|text| format!("}}}}}};{text};{{{{{{"));
        for script in alone.iter().chain(&among).chain(&deeper) {
            for checked in [None, Some(vec![script.as_str()]), Some(vec!["return 1", script, "return 2"])] {
                let failed = match &checked {
                    None => {
                        matches!(pre(&[script]).run_in(&sandbox).await.reports[0].verdict, Verdict::Failed(_))
                    }
                    Some(scripts) => sandbox.check_all(scripts).await.iter().any(Result::is_err),
                };
                assert!(failed, "{script}");
                let ran = look.run_in(&sandbox).await;
                assert_eq!(
                    ran.reports[0].verdict,
                    Verdict::Continue { changed: false },
                    "{script} {checked:?}"
                );
            }
        }
        sandbox.stop().await;
    });
}

/// Most of what is refused while a script is written has a brace somewhere, and nothing of it runs.
fn what_cannot_be_read_costs_no_worker() {
    let scripts = [
        "if (context) { return ( }",
        "}",
        "} return {",
        "}}",
        "}}; let leak = 1; (",
        "const s = '}; return",
        "return `${1}",
        "/* }",
        "return /}/(",
        "'use strict'; with (context) { return }",
        "let a; let a; {}",
        "<!-- }\nreturn (",
    ];
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        assert!(sandbox.check("return").await.is_ok());
        for script in scripts {
            let error = sandbox.check(script).await.expect_err(script);
            assert!(error.message.contains("SyntaxError"), "{script}: {error:?}");
            assert!(sandbox.check_all(&["return 1", script, "return 2"]).await[1].is_err(), "{script}");
            let ran = pre(&[script]).run_in(&sandbox).await;
            assert!(matches!(ran.reports[0].verdict, Verdict::Failed(_)), "{script}");
            assert_eq!(sandbox.workers().started, 1, "{script}");
        }
        sandbox.stop().await;
    });
}

/// Goes to everything that can be reached from anywhere, says where a mark is found, and leaves one wherever it can.
const MARK: &str = r#"
    const seen = new Map(), rest = [];
    const add = (it, path) => {
        if (it === null || (typeof it !== 'object' && typeof it !== 'function') || seen.has(it)) return;
        seen.set(it, path);
        rest.push(it);
    };
    const roots = {
        globalThis, console, context, made: sleep(0), redacted: redact('a', []), error: (() => { try { null.x } catch (e) { return e } })(),
        async: async () => {}, generator: function* () {}, generated: (function* () {})(), both: async function* () {},
        array: [].values(), text: ''[Symbol.iterator](), map: new Map().entries(), set: new Set().values(), matches: 'a'.matchAll(/a/g),
        helper: [].values().map(x => x), big: Object(1n), symbol: Object(Symbol()), raw: (x => x)`a`,
        callee: (function () { return Object.getOwnPropertyDescriptor(arguments, 'callee') })(),
    };
    Object.keys(roots).forEach(name => add(roots[name], name));
    while (rest.length > 0) {
        const it = rest.pop(), path = seen.get(it);
        add(Object.getPrototypeOf(it), path + '.__proto__');
        for (const key of Reflect.ownKeys(it)) {
            const { value, get, set } = Reflect.getOwnPropertyDescriptor(it, key);
            [value, get, set].forEach(one => add(one, path + '.' + String(key)));
            try { add(it[key], path + '.' + String(key)) } catch {}
        }
    }
    const found = [];
    for (const [it, path] of seen) {
        try { if (Object.hasOwn(it, 'mark')) found.push(path) } catch {}
        try { Object.defineProperty(it, 'mark', { value: 1, configurable: true }) } catch {}
    }
    context.metadata.shared.found = found;
    context.metadata.shared.enough = seen.size > 500;
"#;

fn nothing_that_a_script_reaches_keeps_a_mark() {
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        for _ in 0..2 {
            let ran = pre(&[MARK]).run_in(&sandbox).await;
            let shared = ran.shared.unwrap_or_else(|| panic!("{:?}", ran.reports));
            assert_eq!(shared, r#"{"found":[],"enough":true}"#);
        }
        assert_eq!(sandbox.workers().started, 1, "both ran in the same worker");
        sandbox.stop().await;
    });
}

/// The gateway tells a worker every script once, and does not ask whether it came to run.
fn a_script_behind_one_that_ended_its_job_is_known_to_the_next() {
    runtime().block_on(async {
        let sandbox = new_sandbox(0);
        let ends = ["return {continue: false}", "return {continue: false, response: {}}", "throw 1"];
        for end in ends {
            let script = format!("if (!context.metadata.shared.go) {{ {end} }}");
            let mut steps = pre(&[&script, "context.metadata.shared.second = 1"]).stopping();
            let ended = steps.run_in(&sandbox).await;
            assert_eq!(ended.reports.len(), 1, "{end}: {:?}", ended.reports);
            steps.shared = Some(r#"{"go":1}"#.into());
            let ran = steps.run_in(&sandbox).await;
            assert_eq!(ran.shared.as_deref(), Some(r#"{"go":1,"second":1}"#), "{end}: {:?}", ran.reports);
        }
        assert_eq!(sandbox.workers().started, 1, "all ran in the same worker");
        sandbox.stop().await;
    });
}

fn a_script_that_takes_long_to_compile_takes_back_no_decision_before_it() {
    let long = "x = y + {a: [1, 2, 3]}; ".repeat(40_000);
    runtime().block_on(async {
        let mut decided = 0;
        while decided < 3 {
            let sandbox = new_sandbox(0);
            pre(&["return"]).run_in(&sandbox).await;
            let job = pre(&["return {continue: false}", &long]).limit(Duration::from_millis(1));
            let ran = job.run_in(&sandbox).await;
            sandbox.stop().await;
            // On a busy machine the guard itself may run out of time, and then there is no decision.
            if matches!(&ran.reports[0].verdict, Verdict::Failed(error) if error.code == ErrorCode::Timeout) {
                continue;
            }
            assert_eq!((ran.reports.len(), is_through(&ran)), (1, false), "{:?}", ran.reports);
            decided += 1;
        }
    });
}
