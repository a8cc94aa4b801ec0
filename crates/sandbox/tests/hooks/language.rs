//! What scripts may use of the language, and that frozen intrinsics do not break common idioms.

use crate::support::value;

crate::tests![common_idioms_work, a_script_has_its_own_global_object, code_cannot_be_made_from_text];

fn check(script: &str, expected: &str) {
    assert_eq!(value(script), expected, "{script}");
}

fn common_idioms_work() {
    for (script, expected) in [
        (
            "class E extends Error { constructor(m) { super(m); this.name = 'E' } } try { throw new E('m') } catch (e) { return [String(e), e instanceof E, e.name, e.stack.length > 0] }",
            r#"["E: m",true,"E",true]"#,
        ),
        (
            "class E extends TypeError { constructor() { super(); this.message = 'own'; this.name = 'E' } } return `${new E()}`",
            r#""E: own""#,
        ),
        (
            "function E(m) { this.message = m } E.prototype = Object.create(Error.prototype); E.prototype.constructor = E; E.prototype.name = 'E'; return [`${new E('x')}`, new E('x') instanceof Error, new E('x').constructor === E]",
            r#"["E: x",true,true]"#,
        ),
        (
            "const o = {}; o.toString = () => 'mine'; o.valueOf = () => 1; o.hasOwnProperty = 2; return [`${o}`, o + 1, o.hasOwnProperty]",
            r#"["mine",2,2]"#,
        ),
        ("const o = {}; o.constructor = 'c'; return Object.keys(o)", r#"["constructor"]"#),
        ("function f() {} f.toString = () => 'f!'; f.call = 1; return [`${f}`, f.call]", r#"["f!",1]"#),
        ("function A() {} A.prototype.toString = function () { return 'A' }; return `${new A()}`", r#""A""#),
        ("const a = []; a.toString = () => 'arr'; return `${a}`", r#""arr""#),
        (
            "class L extends Array { sum() { return this.reduce((a, b) => a + b, 0) } } return L.of(1, 2, 3).map(x => x * 2).sum()",
            "12",
        ),
        (
            "const e = new Error('a', {cause: 'c'}); e.name = 'N'; e.code = 7; return [e.name, e.cause, e.code]",
            r#"["N","c",7]"#,
        ),
        ("return [...new Set([1, 1, 2])].concat(Array.from({length: 2}, (_, i) => i))", "[1,2,0,1]"),
        ("return [1, 2, 3].values().filter(x => x > 1).map(x => x * 2).toArray()", "[4,6]"),
        ("const {a, ...rest} = {a: 1, b: 2, c: 3}; return rest", r#"{"b":2,"c":3}"#),
        ("return 'a-b'.replace(/(?<x>a)-(b)/u, '$<x>$2') + `${10n ** 20n}`", r#""ab100000000000000000000""#),
        (
            "return [typeof Date.now(), new Date(0).toISOString().length, Math.max(1, 2)]",
            r#"["number",24,2]"#,
        ),
        (
            "const o = {x: null}; return [o?.x?.y ?? 'none', structured(o)]; function structured(v) { return JSON.parse(JSON.stringify(v)) }",
            r#"["none",{"x":null}]"#,
        ),
        (
            "async function* g() { yield 1; yield 2 } const r = []; for await (const x of g()) r.push(x); return r",
            "[1,2]",
        ),
        (
            "const p = new Proxy({}, {get: (_, k) => k + '!'}); return [p.a, Reflect.has({b: 1}, 'b')]",
            r#"["a!",true]"#,
        ),
        (
            "return (await Promise.allSettled([1, Promise.reject(2)])).map(r => r.status)",
            r#"["fulfilled","rejected"]"#,
        ),
        ("label: for (;;) { for (;;) break label } return new Uint8Array([1, 300])[1]", "44"),
        (
            "return [(() => 1) instanceof Function, [] instanceof Array, Object.getPrototypeOf(class {}) === Function.prototype]",
            "[true,true,true]",
        ),
        ("const w = new WeakMap(), k = {}; w.set(k, 1); return w.get(k)", "1"),
        ("return encodeURIComponent('é') + parseInt('12px')", r#""%C3%A912""#),
    ] {
        check(script, expected);
    }
}

fn a_script_has_its_own_global_object() {
    check(
        "globalThis.x = 1; return [globalThis.x, typeof globalThis.JSON, Object.keys(globalThis)]",
        r#"[1,"object",["x"]]"#,
    );
    check("return [typeof globalThis.x, typeof this]", r#"["undefined","undefined"]"#);
    check("try { undeclared = 1 } catch (e) { return e.name }", r#""ReferenceError""#);
    check("try { Math.max = 1; return 'set' } catch (e) { return e.name }", r#""TypeError""#);
}

fn code_cannot_be_made_from_text() {
    check("return typeof eval", r#""undefined""#);
    let all = "const made = []; for (const f of [Function, (() => 1).constructor, (async () => 1).constructor, (function* () {}).constructor, (async function* () {}).constructor]) { try { made.push(f('return 1')) } catch (e) { made.push(e.message.includes('code from text')) } } return made";
    check(all, "[true,true,true,true,true]");
}
