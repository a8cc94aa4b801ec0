//! Bytes that nobody changed stay; what is written anew follows `JSON.stringify`.

use crate::support::{error, pre, value};

crate::tests![
    what_was_not_changed_is_copied_byte_for_byte,
    an_equal_value_is_no_change,
    values_are_written_as_json_stringify_does,
    text_of_any_kind_survives,
    items_that_moved_are_found_again,
    numbers_that_fall_together_are_never_mistaken,
    deep_lists_of_such_numbers_take_no_longer,
    what_is_left_is_sent_or_nothing_is,
    members_stay_in_their_order,
    a_name_with_half_a_pair_is_found_again,
    a_value_is_told_its_name_when_it_is_written,
];

fn check(params: &str, script: &str, expected: Option<&str>) {
    let ran = pre(&[script]).params(params).run();
    assert_eq!(ran.params.as_deref(), expected, "{script}: {:?}", ran.reports);
}

fn what_was_not_changed_is_copied_byte_for_byte() {
    let odd = r#"{ "big":12345678901234567890,"float": 1.0 ,"exp":1e2,"neg":-0,"tiny":1e-400, "deep":{"n":[1.50,{"x":9007199254740993}]},"u":"\u00e9\/" }"#;
    check(odd, "context.request.params", None);
    check(odd, "JSON.stringify(context.request.params)", None);
    let added = r#"{ "big":12345678901234567890,"float": 1.0 ,"exp":1e2,"neg":-0,"tiny":1e-400, "deep":{"n":[1.50,{"x":9007199254740993}]},"u":"\u00e9\/","a":1}"#;
    check(odd, "context.request.params.a = 1", Some(added));
    let inner = odd_inner();
    check(odd, "context.request.params.deep.n[1].y = 'new'", Some(&inner));
    check(
        r#"{"a":{ "k" : 1.0 },"b":2}"#,
        "context.request.params.b = 3",
        Some(r#"{"a":{ "k" : 1.0 },"b":3}"#),
    );
}

fn odd_inner() -> String {
    let odd = r#"{ "big":12345678901234567890,"float": 1.0 ,"exp":1e2,"neg":-0,"tiny":1e-400,"deep":{"n":[1.50,{"x":9007199254740993,"y":"new"}]},"u":"\u00e9\/"}"#;
    odd.to_owned()
}

fn an_equal_value_is_no_change() {
    check(r#"{"a":1,"b":[1,2]}"#, "context.request.params = {b:[1,2], a:1}", None);
    check(r#"{"a":1,"a":2}"#, "context.request.params.a", None);
    check(r#"{"a":1,"a":2,"b":1.0}"#, "context.request.params.b = 5", Some(r#"{"a":2,"b":5}"#));
    check(r#"{"2":1.0,"1":2.0,"x":0}"#, "context.request.params.x", None);
    check(r#"{"2":1.0,"1":2.0,"x":0}"#, "context.request.params.x = 1", Some(r#"{"2":1.0,"1":2.0,"x":1}"#));
    check(r#"{"a":"\ud83d\ude00\n"}"#, "context.request.params = {a: '😀\\n'}", None);
    check(r#"{"a":null}"#, "context.request.params.a = NaN", None);
    check(r#"{ "a":1 , "b":[ ] }"#, "const p = context.request.params; p.c = undefined; p.f = () => 1", None);
    check(
        r#"{ "a":1 , "b":[ 1, 2 ] }"#,
        "const p = context.request.params; p.b.push(3); p.a = undefined",
        Some(r#"{"b":[ 1, 2,3]}"#),
    );
    check(
        r#"{"l":[ {"n":1.0} , 2.0 ],"k":1}"#,
        "const {l} = context.request.params; l[1] = [l[0]]",
        Some(r#"{"l":[ {"n":1.0},[{"n":1}]],"k":1}"#),
    );
    check(r#"{"a":null}"#, "context.request.params.a = undefined", Some("{}"));
}

fn values_are_written_as_json_stringify_does() {
    for (script, expected) in [
        ("return {a: undefined, f: () => 1, s: Symbol('x'), n: null}", r#"{"n":null}"#),
        ("return [undefined, () => 1, Symbol('x'), NaN, Infinity, -0]", "[null,null,null,null,null,0]"),
        (
            "return [1e21, 1e-7, 0.1, 123456789012345680000, 5e-324, 1.5, 1e15, 123456789012345]",
            "[1e+21,1e-7,0.1,123456789012345680000,5e-324,1.5,1000000000000000,123456789012345]",
        ),
        ("return new Date(0)", r#""1970-01-01T00:00:00.000Z""#),
        ("return {toJSON() { return {x: [1]} }}", r#"{"x":[1]}"#),
        ("return [new Map([[1,2]]), new Set([1]), /x/, new Error('e')]", "[{},{},{},{}]"),
        ("return [new String('s'), new Number(1), new Boolean(false)]", r#"["s",1,false]"#),
        ("class P { constructor() { this.x = 1 } get y() { return 2 } } return new P()", r#"{"x":1}"#),
        (
            "return Object.create({inherited: 1}, {own: {value: 1, enumerable: true}, hidden: {value: 1}})",
            r#"{"own":1}"#,
        ),
        ("return Object.assign(Object.create(null), {a: 1})", r#"{"a":1}"#),
        ("return new Proxy([1, 2], {})", "[1,2]"),
        ("const a = [1]; a.extra = 1; a[2] = 3; return a", "[1,null,3]"),
        ("return new Uint8Array([1, 2])", r#"{"0":1,"1":2}"#),
        ("const s = {a: 1}; return [s, s]", r#"[{"a":1},{"a":1}]"#),
    ] {
        assert_eq!(value(script), expected, "{script}");
    }
}

fn text_of_any_kind_survives() {
    for (script, expected) in [
        (r#"return "\"\\\b\f\n\r\t\u0001\u001f/é😀""#, r#""\"\\\u0008\u000c\n\r\t\u0001\u001f/é😀""#),
        (r#"return "\ud800a""#, r#""\ud800a""#),
        (r#"return {"\udc00": 1}"#, r#"{"\udc00":1}"#),
        (r#"return "a\0b""#, r#""a\u0000b""#),
        (r#"return "\u2028\u2029""#, "\"\u{2028}\u{2029}\""),
        ("let s = ''; for (let i = 0; i < 5; i++) s += 'é' + i; return s", r#""é0é1é2é3é4""#),
    ] {
        assert_eq!(value(script), expected, "{script}");
    }
    check(r#"{"a":"\ud800","b":1}"#, "context.request.params", None);
    check(r#"{"a":"\uD800","b":1}"#, "context.request.params.b = 2", Some(r#"{"a":"\uD800","b":2}"#));
    check(r#"{"\ud800":1,"b":1}"#, "context.request.params.b = 2", Some(r#"{"\ud800":1,"b":2}"#));
}

fn items_that_moved_are_found_again() {
    let list = r#"{"l":[{"a":1.0},{"a":2.0},{"a":3.0, "b":"\u0041"},{"a":4.0}]}"#;
    check(
        list,
        "context.request.params.l.shift()",
        Some(r#"{"l":[{"a":2.0},{"a":3.0, "b":"\u0041"},{"a":4.0}]}"#),
    );
    check(list, "context.request.params.l.splice(1, 2)", Some(r#"{"l":[{"a":1.0},{"a":4.0}]}"#));
    check(
        list,
        "const l = context.request.params.l; l.shift(); l[0].a = 9",
        Some(r#"{"l":[{"a":9},{"a":3.0, "b":"\u0041"},{"a":4.0}]}"#),
    );
    let numbers = r#"{"l":[1.0,12345678901234567890,3.00,98765432109876543210]}"#;
    for (script, expected) in [
        ("l.shift()", "[12345678901234567890,3.00,98765432109876543210]"),
        ("l.splice(1, 1)", "[1.0,3.00,98765432109876543210]"),
        ("l.unshift(0)", "[0,1.0,12345678901234567890,3.00,98765432109876543210]"),
        ("l.reverse()", "[98765432109876543210,3.00,12345678901234567890,1.0]"),
        ("l.splice(1, 1, 5)", "[1.0,5,3.00,98765432109876543210]"),
        ("l.push(7)", "[1.0,12345678901234567890,3.00,98765432109876543210,7]"),
    ] {
        check(
            numbers,
            &format!("const {{l}} = context.request.params; {script}"),
            Some(&format!("{{\"l\":{expected}}}")),
        );
    }
    let deep = r#"{"l":[{"o":{"id":12345678901234567890}},{"o":[1.50]}]}"#;
    check(
        deep,
        "context.request.params.l.unshift({n: 0})",
        Some(r#"{"l":[{"n":0},{"o":{"id":12345678901234567890}},{"o":[1.50]}]}"#),
    );
    check(
        deep,
        "context.request.params.l.reverse()",
        Some(r#"{"l":[{"o":[1.50]},{"o":{"id":12345678901234567890}}]}"#),
    );
}

/// What becomes of a list `l`; nothing where the script fails because its numbers cannot be told apart.
fn check_list(list: &str, script: &str, expected: Option<&str>) {
    let script = format!("const p = context.request.params, {{l}} = p; {script}");
    let ran = pre(&[&script]).params(&format!("{{\"l\":{list}}}")).run();
    match expected {
        Some(expected) if expected == list => {
            assert_eq!(ran.params, None, "{list} {script}: {:?}", ran.reports)
        }
        Some(expected) => {
            let expected = format!("{{\"l\":{expected}}}");
            assert_eq!(ran.params.as_deref(), Some(&*expected), "{list} {script}: {:?}", ran.reports);
        }
        None => {
            assert_eq!(ran.params, None, "{list} {script}");
            let message = &error(&ran).message;
            assert!(message.contains("cannot tell apart"), "{list} {script}: {message}");
        }
    }
}

/// What is done again at every level is not done twice at every level.
fn deep_lists_of_such_numbers_take_no_longer() {
    let (open, close) = ("[".repeat(40), "]".repeat(40));
    let list = |last: u8| format!(r#"{{"l":{open}1234567890123456781,1234567890123456782,{last}{close}}}"#);
    let script = "let l = context.request.params.l; while (Array.isArray(l[0])) l = l[0]; l[2] = 5";
    check(&list(1), script, Some(&list(5)));
}

fn numbers_that_fall_together_are_never_mistaken() {
    // Three numbers that are one to the engine.
    let alike = |text: &str| {
        text.replace('X', "1234567890123456781")
            .replace('Y', "1234567890123456782")
            .replace('Z', "1234567890123456783")
    };
    for (list, script, expected) in [
        // Which of them are left cannot be known.
        ("[X,Y,Z]", "p.l = l.slice(-2)", None),
        ("[X,Y,Z]", "l.shift()", None),
        ("[X,Y,Z]", "l.pop()", None),
        ("[X,Y,Z]", "l.splice(1, 1, 8, 9)", None),
        ("[3,X,Y]", "l.reverse()", None),
        ("[X,Y,3]", "l.unshift(l.pop())", None),
        (r#"[{"id":X},{"id":Y}]"#, "l.shift()", None),
        (r#"[{"id":X},{"id":Y},{"id":Z}]"#, "p.l = l.filter((_, at) => at > 0)", None),
        // Moved and changed: the digits could be those of another.
        (r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#, "l.shift(); l[0].seen = 1", None),
        (r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#, "l.reverse(); l[0].seen = 1", None),
        (r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#, "p.l = l.reverse().map(i => ({...i, seen: 1}))", None),
        (r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#, "l.reverse(); l.forEach(i => { i.seen = 1 })", None),
        (r#"[0,{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#, "l.push(...l.splice(1, 1)); l[1].s = l[2].s = 1", None),
        // Order says which they are.
        ("[3,X,Y]", "l.shift()", Some("[X,Y]")),
        ("[X,3,Y]", "l.shift()", Some("[3,Y]")),
        ("[X,Y,3]", "l.pop()", Some("[X,Y]")),
        ("[X,Y,Z]", "l.unshift(0)", Some("[0,X,Y,Z]")),
        ("[X,Y,Z]", "l.splice(1, 0, 7)", Some("[X,7,Y,Z]")),
        ("[X,Y,Z]", "l.push(7)", Some("[X,Y,Z,7]")),
        (r#"["a",X,"b",Y]"#, "p.l = l.slice(2)", Some(r#"["b",Y]"#)),
        // And so does the rest of an item.
        (r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#, "l.shift()", Some(r#"[{"id":Y,"n":"b"}]"#)),
        (
            r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#,
            "l.reverse()",
            Some(r#"[{"id":Y,"n":"b"},{"id":X,"n":"a"}]"#),
        ),
        (
            r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#,
            "l.unshift({n: 0})",
            Some(r#"[{"n":0},{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#),
        ),
        // What is changed in its place stays there.
        ("[X,Y,Z]", "l[0] = 5", Some("[5,Y,Z]")),
        (r#"[{"id":X},{"id":Y}]"#, "l[0].seen = 1", Some(r#"[{"id":X,"seen":1},{"id":Y}]"#)),
        (
            r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"},{"id":Z,"n":"c"}]"#,
            "l.pop(); l[0].seen = 1",
            Some(r#"[{"id":X,"n":"a","seen":1},{"id":Y,"n":"b"}]"#),
        ),
        (
            r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"},{"id":Z,"n":"c"}]"#,
            "l[1].seen = 1; l.push({n: 'd'})",
            Some(r#"[{"id":X,"n":"a"},{"id":Y,"n":"b","seen":1},{"id":Z,"n":"c"},{"n":"d"}]"#),
        ),
        ("[X,Y,Z]", "", Some("[X,Y,Z]")),
        // A copy is that of the item, where there is only one such; and a new item takes no digits from others.
        (
            r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#,
            "l.push(l[0])",
            Some(r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"},{"id":X,"n":"a"}]"#),
        ),
        (
            r#"[{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#,
            "l.unshift({id: l[1].id})",
            Some(r#"[{"id":1234567890123456800},{"id":X,"n":"a"},{"id":Y,"n":"b"}]"#),
        ),
        // One number in several writings is one number, and the same twice is no other.
        ("[1.0,1,X,X]", "l.shift()", Some("[1.0,X,X]")),
        ("[X,X,X]", "l.pop()", Some("[X,X]")),
    ] {
        check_list(&alike(list), script, expected.map(alike).as_deref());
    }
}

/// All lists of four, and all ways to take items out of them: what is sent is what is left, and a script fails only where
/// the engine sees the same in other items.
fn what_is_left_is_sent_or_nothing_is() {
    let signs = ["1234567890123456781", "1234567890123456782", "3"];
    let left = |list: &[&str], mask: u32| -> Vec<String> {
        let kept = list.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
        kept.map(|(_, text)| (*text).to_owned()).collect()
    };
    let seen = |items: &[String]| items.iter().map(|it| it.parse::<f64>().unwrap()).collect::<Vec<_>>();
    for number in 0..signs.len().pow(4) {
        let list: Vec<&str> = (0..4).map(|at| signs[number / signs.len().pow(at) % signs.len()]).collect();
        for mask in 0..15 {
            let truth = left(&list, mask);
            let is_twin = |other: &Vec<String>| seen(other) == seen(&truth) && *other != truth;
            let unclear = (0..15).map(|mask| left(&list, mask)).any(|other| is_twin(&other));
            let expected = (!unclear).then(|| format!("[{}]", truth.join(",")));
            let script = format!("p.l = l.filter((_, at) => {mask} >> at & 1)");
            check_list(&format!("[{}]", list.join(",")), &script, expected.as_deref());
        }
    }
}

fn members_stay_in_their_order() {
    let years = r#"{"name":"x","2024":{"deep":{"v":1}},"2023":2}"#;
    for (script, expected) in [
        ("p['2024'].deep.v = 5", r#"{"name":"x","2024":{"deep":{"v":5}},"2023":2}"#),
        ("p['7'] = p.z = 0", r#"{"name":"x","2024":{"deep":{"v":1}},"2023":2,"7":0,"z":0}"#),
        ("delete p['2024']", r#"{"name":"x","2023":2}"#),
        (
            "context.request.params = {...p, b: 1, 2023: 3}",
            r#"{"name":"x","2024":{"deep":{"v":1}},"2023":3,"b":1}"#,
        ),
        // This order is the script's own.
        ("context.request.params = {b: 1, name: 'x', 2023: 3}", r#"{"2023":3,"b":1,"name":"x"}"#),
        ("delete p.name; p.z = 0; p.name = 'x'", r#"{"2023":2,"2024":{"deep":{"v":1}},"z":0,"name":"x"}"#),
    ] {
        check(years, &format!("const p = context.request.params; {script}"), Some(expected));
    }
    check(
        r#"{"b":{"1":{"y":1,"x":2},"0":1},"\u0061":1.0}"#,
        "const p = context.request.params; p.b[1].x = 3",
        Some(r#"{"b":{"1":{"y":1,"x":3},"0":1},"\u0061":1.0}"#),
    );
}

fn a_name_with_half_a_pair_is_found_again() {
    let odd = r#"{"k\udc00":12345678901234567890,"o":{"\uD800":1e400,"\ud801":1.0},"b":1}"#;
    let changed = odd.replace("\"b\":1", "\"b\":2");
    check(odd, "context.request.params.b = 2", Some(&changed));
    check(odd, "context.request.params = {...context.request.params}", None);
    let without = odd.replace("\"k\\udc00\":12345678901234567890,", "");
    check(odd, r"delete context.request.params['k\udc00']", Some(&without));
    let inner = odd.replace("{\"\\uD800\":1e400,\"\\ud801\":1.0}", "{\"\\uD800\":1e400}");
    check(odd, r"delete context.request.params.o['\ud801']", Some(&inner));
    check(r#"{"o":{"\ud800":1}}"#, r"delete context.request.params.o['\ud800']", Some(r#"{"o":{}}"#));
    check(
        r#"{"o":{"\ud800":1}}"#,
        r"context.request.params.o = {'\udc00': 1}",
        Some(r#"{"o":{"\udc00":1}}"#),
    );
    check(
        r#"{"\ud800":1,"\uD800":2.0,"b":1}"#,
        "context.request.params.b = 2",
        Some(r#"{"\uD800":2.0,"b":2}"#),
    );
}

fn a_value_is_told_its_name_when_it_is_written() {
    let named = "const n = () => ({toJSON(key) { return typeof key + ':' + key }});";
    for (script, expected) in [
        ("return n()", r#""string:r""#),
        (
            r"return {q: n(), '1': n(), '\ud800': 0, '__proto__x': n()}",
            r#"{"1":"string:1","q":"string:q","\ud800":0,"__proto__x":"string:__proto__x"}"#,
        ),
        ("return [0, n(), [n()]]", r#"[0,"string:1",["string:0"]]"#),
        (
            "return {['__proto__']: n(), a: {b: n()}}",
            r#"{"__proto__":"string:__proto__","a":{"b":"string:b"}}"#,
        ),
        (
            "class C { toJSON(key) { return 'C' + key } } return {c: new C(), d: [new C()]}",
            r#"{"c":"Cc","d":["C0"]}"#,
        ),
        ("return {first: 1, o: {x: {y: 2}, toJSON(key) { return key }}}", r#"{"first":1,"o":"o"}"#),
        ("return {u: {toJSON() {}}, d: new Date(0)}", r#"{"d":"1970-01-01T00:00:00.000Z"}"#),
        ("return [{toJSON() {}}]", "[null]"),
    ] {
        assert_eq!(value(&format!("{named} {script}")), expected, "{script}");
    }
    check(
        r#"{"q":{"a":1}}"#,
        "context.request.params.q = {toJSON(k) { return 'K:' + k }}",
        Some(r#"{"q":"K:q"}"#),
    );
    check(r#"{"q":{"a":1}}"#, "context.request.params.q.toJSON = (k) => 'K:' + k", Some(r#"{"q":"K:q"}"#));
}
