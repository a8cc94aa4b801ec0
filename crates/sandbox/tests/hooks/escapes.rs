//! Hostile scripts, as data: `tests/escapes/*.txt` tells their form.

use crate::support::{new_sandbox, pre, runtime};
use libtest_mimic::{Failed, Trial};
use lockgate_sandbox::{Limit, Ran, Sandbox, Verdict};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_millis(800);

/// For scripts that meet another limit first, on a machine however busy.
const LATE: Duration = Duration::from_secs(20);

/// No script takes longer, on a machine however busy. The goal is 100 ms; that is measured elsewhere.
const SLACK: Duration = Duration::from_secs(8);

/// A script may hold 32 MiB, and a little for what reads its error.
const MOST_MEMORY: u64 = 34 << 20;

struct Case {
    name: &'static str,
    accepted: Vec<&'static str>,
    hook: &'static str,
    probe: Option<&'static str>,
    again: bool,
}

pub(crate) fn tests() -> Vec<Trial> {
    let texts = [include_str!("../escapes/given.txt"), include_str!("../escapes/own.txt")];
    let cases = texts.into_iter().flat_map(parse);
    cases.map(|case| Trial::test(format!("hooks::escapes::{}", case.name), move || check(&case))).collect()
}

fn parse(text: &'static str) -> impl Iterator<Item = Case> {
    text.split("\n### ").skip(1).map(|block| {
        let (head, body) = block.split_once('\n').unwrap();
        let fields: Vec<&str> = head.split(" | ").collect();
        let again = body.contains("\n=== again");
        let body = body.split("\n=== again").next().unwrap();
        let (hook, probe) = match body.split_once("\n=== probe\n") {
            Some((hook, probe)) => (hook, Some(probe)),
            None => (body, None),
        };
        Case { name: fields[0], accepted: fields[2].split('/').collect(), hook, probe, again }
    })
}

/// One worker and its spare, so that what follows runs where the hostile script ran.
fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| new_sandbox(1))
}

fn check(case: &Case) -> Result<(), Failed> {
    let hook = format!(
        "{}\nconst r = await hook(context); return {{context:{{request:{{params:{{r}}}}}}}};",
        case.hook
    );
    let deadline = if case.accepted.contains(&"timeout") { DEADLINE } else { LATE };
    let call = pre(&[&hook]).limit(deadline);
    // The first worker is there before the clock runs, however busy the machine is.
    healthy()?;
    let start = Instant::now();
    let ran = runtime().block_on(call.run_in(sandbox()));
    let took = start.elapsed();
    let outcome = outcome(&ran);
    if !case.accepted.contains(&outcome) {
        return Err(format!("{outcome}: {:?} {:?}", ran.reports, ran.params).into());
    }
    if took > deadline + SLACK {
        return Err(format!("took {took:?}").into());
    }
    let memory = ran.reports[0].memory;
    if memory > MOST_MEMORY {
        return Err(format!("held {memory} bytes").into());
    }
    if case.again {
        let second = runtime().block_on(call.run_in(sandbox()));
        if second.params != ran.params || second.params.is_none() {
            return Err(format!("{:?} and then {:?}", ran.params, second.params).into());
        }
    }
    if let Some(probe) = case.probe {
        let probe =
            format!("{probe}\nreturn {{context:{{request:{{params:{{r: await probe(context)}}}}}}}};");
        let found = runtime().block_on(pre(&[&probe]).run_in(sandbox()));
        if found.params.as_deref() != Some("{\"r\":true}") {
            return Err(format!("leaked: {:?} {:?}", found.params, found.reports).into());
        }
    }
    healthy()?;
    special(case.name, &ran)
}

/// An ordinary hook is served right after.
fn healthy() -> Result<(), Failed> {
    let script = "context.request.params.arguments.ok = [1].map(x => x + 1)[0]";
    let ran = runtime().block_on(pre(&[script]).run_in(sandbox()));
    match ran.params.as_deref() {
        Some(r#"{"name":"echo","arguments":{"q":1,"ok":2}}"#) => Ok(()),
        _ => Err(format!("a healthy hook failed: {:?}", ran.reports).into()),
    }
}

fn outcome(ran: &Ran) -> &'static str {
    match &ran.reports[0].verdict {
        Verdict::Failed(error) => match error.limit {
            Some(Limit::Time) => "timeout",
            Some(Limit::Memory) => "memory",
            Some(Limit::Stack) => "stack",
            _ => "error",
        },
        _ => "ok",
    }
}

/// What some cases promise besides.
fn special(name: &str, ran: &Ran) -> Result<(), Failed> {
    let expected = match name {
        "esc_require_process" => r#"{"r":{"r":["BigInt","Proxy"]}}"#,
        "esc_global_names" => r#"{"r":{"bad":[]}}"#,
        "esc_frozen_global" => r#"{"r":{"r":["refused","refused"]}}"#,
        "esc_import_promise" => r#"{"r":{"r":"refused"}}"#,
        "esc_proto_accessor" => r#"{"r":{"r":true,"own":["__proto__"]}}"#,
        "esc_params_proto_key" => r#"{"r":{"r":true,"own":["__proto__","toString"]}}"#,
        "esc_accessor_on_output" => r#"{"r":{"request":{"method":"first","params":{}}}}"#,
        "esc_tojson_swap" => r#"{"r":{"request":{"method":"tools/call","params":{"swapped":true}}}}"#,
        "esc_bigint_nan_out" => {
            r#"{"r":{"a":null,"b":null,"c":0,"g":"1970-01-01T00:00:00.000Z","h":[null,null]}}"#
        }
        "esc_nul_in_strings" => r#"{"r":{"a\u0000b":"c\u0000d"}}"#,
        "esc_then_on_result" => r#"{"r":{"viaThen":1}}"#,
        "iso_thisval" => r#"{"r":{"t":"undefinedundefined"}}"#,
        "iso_template_object" => r#"{"r":{"r":"frozen","had":true}}"#,
        "redact_catastrophe" => return ran.params.as_ref().map(drop).ok_or_else(|| "no result".into()),
        _ => return Ok(()),
    };
    match ran.params.as_deref() {
        Some(params) if params == expected => Ok(()),
        other => Err(format!("{other:?} instead of {expected}").into()),
    }
}
