//! What goes, what stays, and what is refused.

use super::{Reading, read};

#[track_caller]
fn check(script: &str, expected: &str) {
    match read(script) {
        Reading::Erased(erased) => assert_eq!(erased, expected, "{script}"),
        Reading::Plain => assert_eq!(script, expected, "nothing goes"),
        Reading::Refused(wrong) | Reading::Unread(wrong) => panic!("{script}: {wrong:?}"),
    }
}

#[track_caller]
fn refused(script: &str, place: (u32, u32), words: &str) {
    let Reading::Refused(wrong) = read(script) else { panic!("{script} is not refused") };
    assert_eq!(wrong.place, place, "{script}");
    assert!(wrong.message.contains(words), "{wrong:?}");
}

#[test]
fn types_become_blanks_and_everything_else_stays_where_it_is() {
    for (script, expected) in [
        ("const a: number = 1", "const a         = 1"),
        ("let x!: string, y: Map<string, number>;", "let x         , y                     ;"),
        ("const f = (a: number, b?: string): void => {}", "const f = (a        , b         )       => {}"),
        (
            "function f<T>(this: Foo, a: T, ...r: T[]): T { return a }",
            "function f   (           a   , ...r     )    { return a }",
        ),
        ("function f(this: Foo) {}", "function f(         ) {}"),
        ("const a = b as unknown as T;", "const a = b                ;"),
        ("return x satisfies HookVerdict;", "return x                      ;"),
        ("a!.b![0]!()", "a .b [0] ()"),
        (
            "new Map<string, Set<number>>(); f<T>(1); g<T>`x`",
            "new Map                     (); f   (1); g   `x`",
        ),
        ("try {} catch (e: unknown) {}", "try {} catch (e         ) {}"),
        ("for (const x of y as string[]) {}", "for (const x of y            ) {}"),
        ("for (let i = 0 as number; i < 2; i++) {}", "for (let i = 0          ; i < 2; i++) {}"),
        ("const {a, b}: {a: number; b: 'é' } = c", "const {a, b}                       = c"),
        ("const g = async <T,>(x: T): Promise<T> => x", "const g = async     (x   )             => x"),
        ("const {a}: {\n  a: number\n} = b", "const {a}   \n           \n  = b"),
        (
            "const o = {m(x: A): B { return x }, get y(): C { return 1 }}",
            "const o = {m(x   )    { return x }, get y()    { return 1 }}",
        ),
        ("const t = <const>[1]", "const t =        [1]"),
    ] {
        check(script, expected);
    }
}

#[test]
fn members_of_classes_lose_what_is_there_for_the_compiler() {
    for (script, expected) in [
        (
            "class A<T> extends B<T> implements C, D<T> { x: T }",
            "class A    extends B                       { x;   }",
        ),
        (
            "abstract class A { abstract f(): void; abstract y: T; g() {} }",
            "         class A { ;                   ;              g() {} }",
        ),
        (
            "class A { private x = 1; public static y?: T; readonly z!: T }",
            "class A { ;       x = 1; ;      static y    ; ;        z ;   }",
        ),
        ("class A { static readonly x = 1 }", "class A { static          x = 1 }"),
        (
            "class A { declare x: T; [k: string]: T; f(): void; f(a?: T) {} }",
            "class A { ;             ;               ;          f(a    ) {} }",
        ),
        ("class A { a = 1\n private ['b']() {} }", "class A { a = 1\n ;       ['b']() {} }"),
        ("class A { a = b as T\n ['c'] = 1 }", "class A { a = b;    \n ['c'] = 1 }"),
        (
            "class A { f?() {} #p: T = 1; protected override get q() { return 1 } }",
            "class A { f () {} #p    = 1; ;                  get q() { return 1 } }",
        ),
        (
            "class A { constructor(a: T) { super() } private = 1 }",
            "class A { constructor(a   ) { super() } private = 1 }",
        ),
        ("abstract class A { abstract accessor x: T; y }", "         class A { ;                       y }"),
        // Without a type they would go on in the next line.
        ("class A { get: T\n f() {} }", "class A { get;  \n f() {} }"),
        ("class A { static?\n f() {} }", "class A { static;\n f() {} }"),
        ("class A { private set!: T\n f(a) {} }", "class A { ;       set ;  \n f(a) {} }"),
    ] {
        check(script, expected);
    }
}

#[test]
fn what_a_comment_says_is_no_mark() {
    for (script, expected) in [
        ("function f(a /* ? */?: T) {}", "function f(a /* ? */    ) {}"),
        ("let a /* ! */!: T", "let a /* ! */ ;  "),
        ("class A { f // ?\n?() {} }", "class A { f // ?\n () {} }"),
        ("class A implements /* implements */ B {}", "class A                               {}"),
    ] {
        check(script, expected);
    }
}

#[test]
fn whole_statements_go() {
    for (script, expected) in [
        ("type A = {x: number};\nreturn", ";                    \nreturn"),
        ("interface A {\n  x: B\n}\nreturn", ";            \n      \n \nreturn"),
        (
            "declare const a: A; declare function f(): void; declare enum E {A}\na",
            ";                   ;                           ;                 \na",
        ),
        (
            "function f(a: number): void;\nfunction f(a: string): void;\nfunction f(a) {}",
            ";                           \n;                           \nfunction f(a) {}",
        ),
        ("const a = b\ntype C = D\n(e)", "const a = b\n;         \n(e)"),
    ] {
        check(script, expected);
    }
}

#[test]
fn what_goes_at_the_end_of_a_line_joins_no_lines() {
    for (script, expected) in [
        ("const a = b as C\n(d)", "const a = b;    \n(d)"),
        ("a = b as C\n[1].map(f)", "a = b;    \n[1].map(f)"),
        ("return a as B\n`c`", "return a;    \n`c`"),
        ("throw a satisfies B\n[c]", "throw a;           \n[c]"),
        ("a = b as C;\n(d)", "a = b     ;\n(d)"),
        ("a = b as C\n+d", "a = b     \n+d"),
        ("if (a) b as C\nelse d", "if (a) b;    \nelse d"),
        // No line may end before the arrow, nor behind `async`.
        ("const f = (a): {\n  b: C\n} => a", "const f = (a    \n      \n) => a"),
        ("const f = (a)\n: B => a", "const f = (a \n  ) => a"),
        ("const f = async <\nA>(a: A) => a", "const f = async (\n   a   ) => a"),
        ("return <A extends {\n  b: C\n}>(a: A) => a", "return (           \n      \n   a   ) => a"),
    ] {
        check(script, expected);
    }
}

#[test]
fn javascript_stays_as_it_is() {
    for script in [
        "return a < b && c > (d)",
        "const type = 1, as = 2, declare = 3; type\nas\ndeclare",
        "const r = /:number/g, t = `${a}: string`, u = ': string' // as any",
        "label: for (const x in y) { break label }",
        "const o = {a: b, readonly: c, get: d}; return o?.a ?? (x ? y : z)",
        "class A { static #x = 1; static { this.#x } private() {} get get() { return 1 } }",
    ] {
        check(script, script);
    }
}

#[test]
fn what_would_have_to_become_other_code_is_refused() {
    refused("const a = 1;\nenum E { A }", (2, 1), "enum");
    refused("  const enum E { A }", (1, 3), "enum");
    refused("namespace N { export const a = 1 }", (1, 1), "namespace");
    refused("class A { constructor(private x: T) {} }", (1, 23), "constructor");
    refused("return <\nT>a", (1, 8), "as");
    // Without its type it would be a block, or a function with a name.
    refused("const f = () => <T>{a: 1}", (1, 17), "brackets");
    refused("a.map(b => <A><B>{}.c)", (1, 15), "brackets");
    refused("<any>{a}.b()", (1, 1), "brackets");
    refused("<any>function f() {}", (1, 1), "brackets");
}

#[test]
fn what_is_neither_says_where() {
    let Reading::Unread(wrong) = read("const é: number = ;") else { panic!("it cannot be read") };
    assert_eq!(wrong.place, (1, 19), "{wrong:?}");
    let deep = format!("const a: number = {}", "(".repeat(100_000));
    assert!(matches!(read(&deep), Reading::Plain));
}

proptest::proptest! {
    #[test]
    fn whatever_stands_there_what_is_left_has_its_lines_and_columns(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..14),
    ) {
        let script = parts.concat();
        let lines = script.split('\n').count();
        match read(&script) {
            Reading::Plain => {}
            Reading::Refused(wrong) | Reading::Unread(wrong) => {
                proptest::prop_assert!(wrong.place.0 as usize <= lines && wrong.place.1 > 0, "{wrong:?}");
            }
            Reading::Erased(erased) => {
                proptest::prop_assert_eq!(erased.chars().count(), script.chars().count());
                proptest::prop_assert_eq!(erased.split('\n').count(), lines);
                let added = |(is, was): (char, char)| is != was && !" ;()".contains(is);
                proptest::prop_assert!(!erased.chars().zip(script.chars()).any(added), "{}", erased);
            }
        }
    }
}

/// Of what many scripts are made.
const PARTS: &[&str] = &[
    "a",
    "é",
    " = ",
    "(",
    ")",
    "{",
    "}",
    "[1]",
    ": T",
    ": {\n b: é }",
    "?",
    "!",
    " as B",
    " satisfies C",
    "<T>",
    "<\nT>",
    ", ",
    "; ",
    "\n",
    "=> ",
    "async ",
    "function f",
    "class A ",
    "abstract ",
    "extends B",
    " implements C",
    "private ",
    "static ",
    "readonly ",
    "declare ",
    "const ",
    "interface I ",
    "type T = ",
    "enum E ",
    "namespace N ",
    "this: T",
    "'x'",
    "`${a}`",
    "return ",
    "throw ",
    "if (a) ",
    "for (const a of ",
    "new ",
    "...r",
    "// c\n",
    "/* é */",
    "constructor",
];
