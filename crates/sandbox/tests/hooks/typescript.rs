//! Scripts in TypeScript: they run without their types, and errors stand where they were written.

use crate::support::{error, pre, runtime, sandbox, value};
use lockgate_sandbox::{ErrorCode, Script};

crate::tests![
    types_are_taken_away_before_a_script_runs,
    a_script_does_what_it_does_in_typescript,
    what_is_javascript_runs_as_such,
    an_error_has_its_place_in_what_was_written,
    what_is_neither_is_told_by_whoever_came_further,
    it_is_checked_in_the_form_in_which_it_runs,
    a_long_script_is_read_in_time,
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

/// Where what is left would read on, end early, or mean something else.
fn a_script_does_what_it_does_in_typescript() {
    for (script, expected) in [
        // Lines that must not join.
        ("const d = 1, b = (n: number) => n\nconst c = b as any\n(d)\nreturn typeof c", r#""function""#),
        ("let i = 1; const a = [4, 5] as number[]\n[i] = a\nreturn i", "4"),
        ("let a: number\n[a] = [2]\nreturn a", "2"),
        ("const g = 3, a = 6 as number\n/2/g\nreturn a", "1"),
        ("let a = 1, b = 2; a!\n++b; return [a, b] as number[]", "[1,3]"),
        ("type A = number\n(function () {})()\nreturn 1", "1"),
        ("const f = () => 7 as number\n`x`\nreturn f()", "7"),
        ("class A { x = 1 as number\n ['y'] = 2 }\nreturn new A()", r#"{"x":1,"y":2}"#),
        ("class A { x: any\n *y() { yield 1 } }\nreturn [...new A().y()]", "[1]"),
        ("class A { get: any\n a() { return 1 } }\nreturn ['get' in new A(), new A().a()]", "[true,1]"),
        ("class A { set?: any\n a(b) { return b } }\nreturn ['set' in new A(), new A().a(1)]", "[true,1]"),
        ("class A { static: any\n a() { return 1 } }\nreturn ['static' in new A(), new A().a()]", "[true,1]"),
        ("class A { get?\n a() { return 1 } }\nreturn ['get' in new A(), new A().a()]", "[true,1]"),
        ("class A { declare a: any; static b: any\n static c() { return 'b' in A } }\nreturn [A.c(), 'a' in new A()]", "[true,false]"),
        // Lines that must not part.
        ("const f = () => { return <\nT,\n>(a: T) => a }\nreturn f()?.(1)", "1"),
        ("function* f(): any { yield <T extends {\n a: 1 }>(a: T) => a }\nreturn typeof f().next().value", r#""function""#),
        ("const f = (a: number): {\n  b: number\n} => ({b: a}); return f(1)", r#"{"b":1}"#),
        ("const f = async <\nT>(a: T)\n: Promise<T> => a; return await f(1)", "1"),
        ("return context.request.params.name as {\n}, 1", "1"),
        // Brackets and signs that belong to types.
        ("const f = <T,>(a: T) => a, g = f<number>; return [f<number>(1), g?.<number>(2), f<string>\n(3)]", "[1,2,3]"),
        ("const a: any = {b: null, c: 8}; return [a?.b?.d!.e, (a?.c)! / 2, a.c! as number > 1]", "[null,4,true]"),
        ("const a: any = {}; a.b! = 1; (a.c as number) = 2; [a.d as any, a.e!] = [3, 4]; (<any>a.b)++; return a", r#"{"b":2,"c":2,"d":3,"e":4}"#),
        ("const a: any[] = []; for (a[0]! of [1, 2] as number[]); return a satisfies any[]", "[2]"),
        ("const [a, b, c, d] = [1, 2, 3, 4] as number[]; return [a < b, c > d]", "[true,false]"),
        ("const x = 1; return x ? (y: number): number => y : null as any, - <any>-x", "1"),
        ("const f = () => (<any>{a: 1}); return f()", r#"{"a":1}"#),
        // What stands there for the compiler alone.
        (
            "function f(this: any, a?: number, ...b: any[]): number\nfunction f(this: any, a?, ...b) { return f.length + b.length }\nreturn f(1, 2)",
            "2",
        ),
        (
            "abstract class A { abstract a(): void; protected constructor(b: any); constructor(public_?: any) {} [k: string]: any }
             class B extends A implements A { override a(): void {} private static readonly c? = 5; static d() { return B.c } }
             return [B.d(), Object.keys(new B())]",
            "[5,[]]",
        ),
        ("declare let a: any, b: any; declare function g(): void; interface C {} return [typeof a, typeof g]", r#"["undefined","undefined"]"#),
        ("const a: unique symbol | 'é' = 'é' as any, b: `x${string}` = `x${a as string}`; return b", r#""xé""#),
    ] {
        assert_eq!(value(script), expected, "{script}");
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

fn a_long_script_is_read_in_time() {
    let script = "context.a(1 as number);\n".repeat(30_000);
    assert_eq!(runtime().block_on(sandbox().check(&script)), Ok(()));
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
