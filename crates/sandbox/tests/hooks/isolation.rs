//! Nothing that a script leaves behind is seen by another execution.

use crate::support::{new_sandbox, pre, runtime};
use lockgate_sandbox::Verdict;

crate::tests![
    nothing_crosses_between_steps_of_one_job,
    nothing_crosses_between_jobs,
    a_context_of_an_earlier_job_is_dead,
    what_stands_outside_of_its_function_is_seen_by_nobody,
    what_cannot_be_read_costs_no_worker,
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
