//! Scripts in TypeScript: they run without their types, and errors stand where they were written.

use crate::support::{error, pre, runtime, sandbox, value};
use lockgate_sandbox::{ErrorCode, Script};

crate::tests![
    types_are_taken_away_before_a_script_runs,
    what_is_javascript_runs_as_such,
    an_error_has_its_place_in_what_was_written,
    what_is_neither_is_told_by_whoever_came_further,
    it_is_checked_in_the_form_in_which_it_runs,
    no_script_leaves_its_function_with_types,
];

fn types_are_taken_away_before_a_script_runs() {
    for (script, expected) in [
        (
            "interface Order { id: number; tags?: string[] }
             type Sum = (orders: Order[]) => number
             const sum: Sum = (orders): number => orders.reduce((all, {id}: Order) => all + id, 0)
             return sum([{id: 1}, {id: 2}] as Order[])",
            "3",
        ),
        (
            "abstract class Shape<T extends number = number> {
               constructor(protected readonly name?: never) {}
             }
             return 1",
            "",
        ),
        (
            "class Box<T> { private items: T[] = []; add(item: T): this { this.items.push(item); return this }
               get all(): readonly T[] { return this.items } }
             return new Box<string>().add('a').add(context.request.params.name! as string).all",
            r#"["a","echo"]"#,
        ),
        ("const x = context.request.params as any\n;[1].map((n: number): void => { x.n = n }); return x.n", "1"),
    ] {
        if expected.is_empty() {
            let ran = runtime().block_on(pre(&[script]).run_in(sandbox()));
            assert!(error(&ran).message.contains("constructor"), "{:?}", ran.reports);
        } else {
            assert_eq!(value(script), expected, "{script}");
        }
    }
}

fn what_is_javascript_runs_as_such() {
    assert_eq!(value("const a = 1, b = 2, c = 3; return a < b > (c)"), "false");
    assert_eq!(value("const f = 1, T = 2; return [f<T>(3)]"), "[false]");
}

fn an_error_has_its_place_in_what_was_written() {
    let script = "type A = {\n  é: string\n}\nconst a: A | 'é' = null as any; throw new Error('e')";
    let ran = runtime().block_on(pre(&[script]).run_in(sandbox()));
    let error = error(&ran);
    assert_eq!((&*error.message, error.line, error.column), ("e", Some(4), Some(43)), "{error:?}");
}

fn what_is_neither_is_told_by_whoever_came_further() {
    for (script, place, words) in [
        ("const a: number = 1\nreturn a +* 2", (2, 11), ""),
        ("const a: number = 1;\nenum E { A }", (2, 1), "enum"),
        ("return (", (1, 9), "unexpected end of script"),
        ("const a = 1 b", (1, 13), "expecting ';'"),
    ] {
        let error = runtime().block_on(sandbox().check(script)).unwrap_err();
        assert_eq!(error.code, ErrorCode::ExecutionError);
        assert_eq!(error.line.zip(error.column), Some(place), "{error:?}");
        assert!(error.message.starts_with("SyntaxError: ") && error.message.contains(words), "{error:?}");
    }
}

fn it_is_checked_in_the_form_in_which_it_runs() {
    let good = "const wait = (ms: number): Promise<void> => sleep(ms); await wait(0); return {continue: true} as const";
    let scripts = ["return 1", good, "return (", good];
    let results = runtime().block_on(sandbox().check_all(&scripts));
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
    let named = Script::new("named", good);
    assert_eq!(named.source.as_ref(), good, "what is kept is what was written");
}

fn no_script_leaves_its_function_with_types() {
    for script in [
        "const a: number = 1 }; globalThis.leak = 1; async function more() {",
        "}\ninterface A {}\n{",
        "const a: {} = 1 }}; (function () { return async function (context) {",
    ] {
        let error = runtime().block_on(sandbox().check(script)).unwrap_err();
        assert_eq!(error.code, ErrorCode::ExecutionError, "{script}");
    }
    assert_eq!(value("return typeof leak"), r#""undefined""#);
}
