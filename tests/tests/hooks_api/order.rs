//! The order of hooks, imports, and many editors at once.

use super::*;
use std::collections::BTreeSet;

#[test]
fn hooks_can_be_put_into_any_order_and_keep_it() {
    let gateway = TestGateway::start();
    for name in ["a", "b", "c"] {
        create(&gateway, hook(name));
    }
    let before = list(&gateway);
    let [a, b, c] = &ids(&before)[..] else { panic!("three hooks") };
    let reply = gateway.post("/api/hooks/reorder", json!({"ids": [c, b, a]}));
    reply.expect_status(200);
    let turned = reply.body.as_array().expect("an array").clone();
    assert_eq!(names(&turned), "c b a");
    assert_eq!(turned.iter().map(|h| h["executionOrder"].clone()).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(turned[1], before[1], "one that stays where it is does not change");
    assert!(turned[0]["updatedAt"].as_i64() > before[2]["updatedAt"].as_i64());
    assert_eq!(list(&gateway), turned);

    let check = |body: Value, message: &str| {
        let fault = gateway.post("/api/hooks/reorder", body).expect_code(400, "VALIDATION_ERROR");
        assert_eq!(fault.details["field"], "ids");
        assert!(fault.message.starts_with(message), "{}", fault.message);
    };
    check(json!({"ids": [a, b]}), "ids leave a hook out: '");
    check(json!({"ids": [a, b, c, b]}), "ids name a hook twice: '");
    check(json!({"ids": [a, b, "nobody"]}), "ids name an unknown hook: 'nobody'");
    check(json!({"ids": "abc"}), "ids must be an array");
    check(json!({"ids": [1, 2, 3]}), "ids must be an array");
    check(json!({}), "ids must be an array");
    check(json!([a, b, c]), "ids must be an array");
    check(json!([[a, b, c]]), "ids must be an array");
    assert_eq!(list(&gateway), turned);
    assert_eq!(create(&gateway, hook("d"))["executionOrder"], 3);
    assert_eq!(names(&list(&gateway.reopen())), "c b a d");
}

#[test]
fn of_two_hooks_at_one_place_the_older_one_is_first() {
    let gateway = TestGateway::start();
    for name in ["z", "y", "x"] {
        create(&gateway, json!({"name": name, "hookType": "pre", "script": "return", "executionOrder": 5}));
    }
    let first = list(&gateway)[0].clone();
    patch(&gateway, &first["id"], &json!({"executionOrder": 6})).expect_status(200);
    assert_eq!(names(&list(&gateway)), "y x z");
    patch(&gateway, &first["id"], &json!({"executionOrder": 5})).expect_status(200);
    assert_eq!(names(&list(&gateway)), "z y x");
    assert_eq!(names(&list(&gateway.reopen())), "z y x");
}

#[test]
fn an_import_renames_what_is_taken_and_comes_whole_or_not_at_all() {
    let gateway = TestGateway::start();
    let import = |body: Value| {
        let reply = gateway.post("/api/hooks/import", body);
        reply.expect_status(201);
        names(reply.body.as_array().expect("an array"))
    };
    assert_eq!(import(hook("a")), "a");
    assert_eq!(import(hook("a")), "a_1");
    assert_eq!(import(json!([hook("a"), hook("a"), hook("b"), hook("a_1")])), "a_2 a_3 b a_1_1");
    assert_eq!(import(json!({"hooks": [hook("b")]})), "b_1");
    assert_eq!(import(json!([])), "");
    let long = "鍵".repeat(100);
    assert_eq!(import(json!([hook(&long), hook(&long)])).chars().count(), 201);
    let before = list(&gateway);
    assert_eq!(names(&before[..7]), "a a_1 a_2 a_3 b a_1_1 b_1");

    let fault = gateway
        .post("/api/hooks/import", json!([hook("x"), {"name": "y"}]))
        .expect_code(400, "VALIDATION_ERROR");
    assert_eq!(
        (fault.message.as_str(), &fault.details["field"]),
        ("hooks[1].hookType is required", &json!("hooks[1].hookType"))
    );
    let broken = json!({"hooks": [hook("x"), with("script", json!("return ("))]});
    let fault = gateway.post("/api/hooks/import", broken).expect_code(400, "VALIDATION_ERROR");
    assert!(fault.message.starts_with("Invalid hook script: h: "), "{}", fault.message);
    assert_eq!(fault.details["field"], "hooks[1].script");
    // One that stands alone has no place in a list.
    let fault = gateway.post("/api/hooks/import", json!({"name": "y"})).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.details["field"], "hookType");
    let broken = with("script", json!("return ("));
    let fault = gateway.post("/api/hooks/import", broken).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(fault.details["field"], "script");
    gateway.post("/api/hooks/import", json!("a")).expect_code(400, "VALIDATION_ERROR");
    assert_eq!(list(&gateway), before);

    let other = TestGateway::start();
    other.post("/api/hooks/import", json!(before)).expect_status(201);
    let there = list(&other);
    assert_eq!(names(&there), names(&before));
    assert!(ids(&there).iter().all(|id| !ids(&before).contains(id)), "new hooks have new ids");
    assert_eq!(names(&list(&gateway.reopen())), names(&before));
}

#[test]
fn many_editors_at_once_leave_a_list_that_is_whole() {
    let gateway = TestGateway::start();
    let kept: Vec<Value> = (0..8).map(|i| create(&gateway, hook(&format!("kept{i}")))).collect();
    std::thread::scope(|scope| {
        for editor in 0..64 {
            let (gateway, kept) = (&gateway, &kept);
            scope.spawn(move || {
                for round in 0..3 {
                    let made = create(gateway, hook(&format!("e{editor}-{round}")));
                    let mut order = ids(&list(gateway));
                    order.reverse();
                    // Somebody else may have changed the set since; then the order is refused whole.
                    let reply = gateway.post("/api/hooks/reorder", json!({"ids": order}));
                    assert!([200, 400].contains(&reply.status), "{}", reply.text());
                    let shared = &kept[(editor + round) % kept.len()]["id"];
                    patch(gateway, shared, &json!({"enabled": editor % 2 == 0})).expect_status(200);
                    check_whole(&list(gateway));
                    gateway.delete(&format!("/api/hooks/{}", text(&made["id"]))).expect_status(204);
                }
            });
        }
    });
    let after = list(&gateway);
    check_whole(&after);
    let sorted = |hooks: &[Value]| ids(hooks).iter().map(|id| text(id).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&after), sorted(&kept));
    let edits: u64 = after.iter().map(|hook| hook["version"].as_u64().expect("a version") - 1).sum();
    assert!(edits >= 64 * 3, "every edit counts: {edits}");
    let definitions = |hooks: &[Value]| hooks.iter().map(definition).collect::<Vec<_>>();
    let again = list(&gateway.reopen());
    assert_eq!(definitions(&again), definitions(&after));
}

/// Every hook once, every name once, in ascending order.
#[track_caller]
fn check_whole(hooks: &[Value]) {
    for field in ["id", "name", "createdAt"] {
        let distinct: BTreeSet<String> = hooks.iter().map(|hook| hook[field].to_string()).collect();
        assert_eq!(distinct.len(), hooks.len(), "{field}");
    }
    let order = |hook: &Value| (hook["executionOrder"].as_f64(), hook["createdAt"].as_i64());
    assert!(hooks.windows(2).all(|pair| order(&pair[0]) < order(&pair[1])), "{}", names(hooks));
}
