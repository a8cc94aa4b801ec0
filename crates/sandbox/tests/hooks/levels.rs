//! Members that are parsed when they are first looked at: nobody can tell, whatever a script does.

use crate::support::{Call, is_through, pre};
use lockgate_sandbox::Verdict;

crate::tests![
    a_large_member_is_a_member_like_any_other,
    what_nobody_opens_stays_byte_for_byte,
    changes_inside_a_large_member_count,
    a_large_member_can_be_removed_and_replaced,
    a_moved_member_keeps_its_value,
    a_frozen_object_keeps_its_members,
    of_two_members_with_one_name_the_last_counts,
    the_accessors_keep_nothing_for_the_next_execution,
    large_values_are_redacted_like_small_ones,
];

/// A list whose text is large, in a form that no engine writes.
const LIST: &str = r#"[ {"id": 1.0, "big": 12345678901234567890, "s": "\u0041"},  {"id":2, "mail":"ann@example.org",
    "rest":"more and more and more and more and more and more and more"} ]"#;

fn large(members: &str) -> String {
    format!(
        r#"{{"name":"echo","arguments":{{"q":1,"list":{LIST},"user":{{"role":"admin","tags":{LIST}}}{members}}}}}"#
    )
}

fn with(script: &str) -> Call {
    pre(&[script]).params(&large(""))
}

fn params(call: &Call) -> Option<String> {
    let ran = call.run();
    assert!(is_through(&ran), "{:?}", ran.end);
    let failed = ran.reports.iter().any(|report| matches!(report.verdict, Verdict::Failed(_)));
    assert!(!failed, "{:?}", ran.reports);
    ran.params.as_deref().map(str::to_owned)
}

/// What a script says of the arguments.
fn told(script: &str) -> String {
    let script = format!(
        "const args = context.request.params.arguments; context.request.params = {{r: (() => {{ {script} }})()}}"
    );
    params(&with(&script)).unwrap()
}

fn a_large_member_is_a_member_like_any_other() {
    let check = |script: &str, expected: &str| {
        assert_eq!(told(script), format!("{{\"r\":{expected}}}"), "{script}");
    };
    check("return Object.keys(args)", r#"["q","list","user"]"#);
    check("return [Array.isArray(args.list), args.list.length, args.list[1].id]", "[true,2,2]");
    check("return args.list === args.list && args.user.tags === args.user.tags", "true");
    check(
        "return Object.entries(args).map(([name, value]) => name + typeof value)",
        r#"["qnumber","listobject","userobject"]"#,
    );
    check(
        "args.list; const d = Object.getOwnPropertyDescriptor(args, 'list'); return [d.writable, d.enumerable, d.configurable, 'get' in d]",
        "[true,true,true,false]",
    );
    check(
        "return {...args}.list[0].s + JSON.parse(JSON.stringify(args)).user.tags[1].mail",
        r#""Aann@example.org""#,
    );
    check("return 'list' in args && args.hasOwnProperty('user')", "true");
    check("const {user: {role}} = args; return role", r#""admin""#);
    check(
        "const child = Object.create(args); child.list; return [Object.keys(child).length, child.list === args.list]",
        "[0,true]",
    );
    check(
        "const child = Object.create(args); child.list = 1; return [child.list, args.list.length]",
        "[1,2]",
    );
    check("const p = new Proxy(args, {}); p.list = [3]; return args.list", "[3]");
}

fn what_nobody_opens_stays_byte_for_byte() {
    assert_eq!(params(&with("context.request.params.arguments.q === 2")), None);
    assert_eq!(params(&with("context.request.params.arguments.user.role")), None);
    assert_eq!(params(&with("JSON.stringify(context)")), None, "read, but not changed");
    let changed = params(&with("context.request.params.arguments.lang = 'ja'"));
    assert_eq!(changed, Some(large(r#","lang":"ja""#)));
    let moved = params(&with("const a = context.request.params.arguments; delete a.q; a.z = 1;"));
    assert_eq!(moved, Some(large(r#","z":1"#).replace("\"q\":1,", "")));
}

fn changes_inside_a_large_member_count() {
    let changed = params(&with("context.request.params.arguments.user.role = 'guest'"));
    assert_eq!(changed, Some(large("").replace("admin", "guest")));
    let added = params(&with("context.request.params.arguments.list.push(3)")).unwrap();
    assert!(added.contains(r#"more"},3]"#) && added.contains("12345678901234567890"), "{added}");
    let nested = params(&with("delete context.request.params.arguments.user.tags[1].mail")).unwrap();
    assert_eq!(nested.matches("ann@example.org").count(), 1, "{nested}");
}

fn a_large_member_can_be_removed_and_replaced() {
    let tail = format!(r#","user":{{"role":"admin","tags":{LIST}}}}}}}"#);
    let without = format!(r#"{{"name":"echo","arguments":{{"q":1{tail}"#);
    assert_eq!(params(&with("delete context.request.params.arguments.list")), Some(without.clone()));
    let hidden = "Object.defineProperty(context.request.params.arguments, 'list', {value: undefined, enumerable: true})";
    assert_eq!(params(&with(hidden)), Some(without));
    let replaced = format!(r#"{{"name":"echo","arguments":{{"q":1,"list":[]{tail}"#);
    assert_eq!(params(&with("context.request.params.arguments.list = []")), Some(replaced.clone()));
    let defined =
        "Object.defineProperty(context.request.params.arguments, 'list', {get: () => [], enumerable: true})";
    assert_eq!(params(&with(defined)), Some(replaced));
}

fn a_moved_member_keeps_its_value() {
    let swapped = told(
        "const d = Object.getOwnPropertyDescriptors(args); const other = Object.defineProperties({}, {list: d.user, user: d.list}); \
         return [other.list.role, other.user.length]",
    );
    assert_eq!(swapped, r#"{"r":["admin",2]}"#);
    let copied = "const p = context.request.params; \
         p.arguments = Object.defineProperties({}, Object.getOwnPropertyDescriptors(p.arguments));";
    assert_eq!(params(&with(copied)), None);
    let removed = "const a = context.request.params.arguments; \
         const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(a)); delete a.list; copy.list;";
    assert!(!params(&with(removed)).unwrap().contains("\"list\""));
}

fn a_frozen_object_keeps_its_members() {
    let told = told(
        "Object.freeze(args); let refused = false; try { args.list = 1 } catch (e) { refused = e instanceof TypeError } \
         return [refused, args.list.length, args.list === args.list, Object.isFrozen(args)]",
    );
    assert_eq!(told, r#"{"r":[true,2,true,true]}"#);
    assert_eq!(params(&with("Object.freeze(context.request.params.arguments)")), None);
}

fn of_two_members_with_one_name_the_last_counts() {
    let twice = format!(r#"{{"a":{LIST},"b":{LIST},"a":5,"\u0062":6}}"#);
    let script = "const {a, b} = context.request.params; context.request.params = {r: [a, b]}";
    assert_eq!(params(&pre(&[script]).params(&twice)).as_deref(), Some(r#"{"r":[5,6]}"#));
}

fn the_accessors_keep_nothing_for_the_next_execution() {
    let mark = "const d = Object.getOwnPropertyDescriptor(context.request.params.arguments, 'list'); \
         const marked = []; for (const f of [d.get, d.set]) { try { f.mark = 1 } catch {} marked.push('mark' in f, 'prototype' in f) } \
         context.request.params = {marked, code: (() => { try { return d.get.constructor('return 1')() } catch (e) { return e.name } })()}";
    let told = params(&with(mark)).unwrap();
    assert_eq!(told, r#"{"marked":[false,false,false,false],"code":"TypeError"}"#);
}

fn large_values_are_redacted_like_small_ones() {
    let script = "const p = context.request.params; p.arguments = redact(p.arguments, ['email'], '*')";
    let redacted = params(&with(script)).unwrap();
    assert!(!redacted.contains("ann@") && redacted.matches("\"mail\":\"*\"").count() == 2, "{redacted}");
    let changed = "const p = context.request.params; p.arguments.q = 'bob@example.org'; \
         p.arguments = redact(p.arguments, ['email'], '*')";
    let redacted = params(&with(changed)).unwrap();
    assert!(redacted.starts_with(r#"{"name":"echo","arguments":{"q":"*","list":[ {"id": 1.0"#), "{redacted}");
}
