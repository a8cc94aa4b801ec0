//! Tests of what is kept, and for how long.

use super::*;
use serde_json::json;

fn tool() -> Tool {
    Tool { server: "s".into(), name: "t".into(), read_only: true, idempotent: false }
}

fn key_of(params: &str) -> Option<String> {
    key(&tool(), params)
}

fn reply(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.into()).expect("JSON")
}

#[test]
fn the_order_of_members_makes_no_difference_and_all_else_does() {
    let one =
        key_of(r#"{"name":"t","arguments":{"a":1,"b":{"c":[1,2],"d":"x"}},"_meta":{"progressToken":1}}"#);
    let same =
        key_of(r#"{"arguments": { "b": {"d":"x", "c": [1, 2]}, "a": 1 }, "name": "other name, same tool"}"#);
    assert!(one.is_some());
    assert_eq!(one, same);
    for other in [
        r#"{"name":"t","arguments":{"a":1,"b":{"c":[2,1],"d":"x"}}}"#,
        r#"{"name":"t","arguments":{"a":1.0,"b":{"c":[1,2],"d":"x"}}}"#,
        r#"{"name":"t","arguments":{"a":"1","b":{"c":[1,2],"d":"x"}}}"#,
        r#"{"name":"t","arguments":{"a":1}}"#,
        r#"{"name":"t","arguments":{}}"#,
        r#"{"name":"t"}"#,
    ] {
        assert_ne!(key_of(other), one, "{other}");
        assert!(key_of(other).is_some(), "{other}");
    }
    let elsewhere = Tool { server: "other".into(), ..tool() };
    assert_ne!(key(&elsewhere, r#"{"name":"t"}"#), key_of(r#"{"name":"t"}"#));
    let numbers = |n: &str| key_of(&format!(r#"{{"arguments":{{"n":{n}}}}}"#));
    assert_ne!(numbers("18446744073709551617"), numbers("18446744073709551618"));
}

#[test]
fn what_is_ambiguous_or_more_than_a_call_has_no_key() {
    let deep = format!(r#"{{"arguments":{{"a":{}1{}}}}}"#, "[".repeat(100), "]".repeat(100));
    let long = json!({"arguments": {"a": "x".repeat(ARGUMENTS_MAX)}}).to_string();
    for params in [
        r#"{"arguments":{"a":1,"a":2}}"#,
        r#"{"arguments":{},"task":{"ttl":1}}"#,
        r#"{"arguments":{},"requestState":"x","inputResponses":{}}"#,
        &deep,
        &long,
        "[]",
    ] {
        assert_eq!(key_of(params), None, "{params:.60}");
    }
}

#[test]
fn only_whole_answers_of_tools_that_worked_are_kept() {
    for (text, expected) in [
        (r#"{"content":[]}"#, true),
        (r#"{"structuredContent":{"a":1},"resultType":"complete"}"#, true),
        (r#"{"content":[],"isError":false}"#, true),
        (r#"{"content":[],"isError":true}"#, false),
        (r#"{"resultType":"input_required","inputRequests":{}}"#, false),
        (r#"{"task":{"taskId":"1"}}"#, false),
        ("null", false),
    ] {
        assert_eq!(is_whole(&reply(text)), expected, "{text}");
        let cache = Cache::new(Duration::from_secs(1), 9);
        cache.keep("k".into(), &reply(text));
        assert_eq!(cache.get("k").is_some(), expected, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_kept_for_its_time_and_replaced_by_a_later_one() {
    let cache = Cache::new(Duration::from_millis(100), 9);
    cache.keep("k".into(), &reply(r#"{"content":[1]}"#));
    tokio::time::advance(Duration::from_millis(60)).await;
    assert!(cache.get("k").is_some());
    cache.keep("k".into(), &reply(r#"{"content":[2]}"#));
    tokio::time::advance(Duration::from_millis(60)).await;
    assert_eq!(cache.get("k").map(|text| text.get().to_owned()).as_deref(), Some(r#"{"content":[2]}"#));
    tokio::time::advance(Duration::from_millis(60)).await;
    assert!(cache.get("k").is_none());
    cache.keep("other".into(), &reply(r#"{"content":[]}"#));
    let kept = cache.kept();
    assert_eq!((kept.replies.len(), kept.order.len()), (1, 1), "what has ended is forgotten");
    assert_eq!(kept.bytes, "other".len() + r#"{"content":[]}"#.len());
}

#[test]
fn of_too_many_replies_the_oldest_go() {
    let cache = Cache::new(Duration::from_secs(60), 2);
    for key in ["a", "b", "a", "c"] {
        cache.keep(key.into(), &reply(r#"{"content":[]}"#));
    }
    let found: Vec<bool> = ["a", "b", "c"].iter().map(|key| cache.get(key).is_some()).collect();
    assert_eq!(found, [true, false, true]);
    let cache = Cache::new(Duration::from_secs(60), 10_000);
    let large = reply(&json!({"content": ["x".repeat(REPLY_MAX - 100)]}).to_string());
    for n in 0..40 {
        cache.keep(n.to_string(), &large);
    }
    assert!(cache.kept().bytes <= BYTES_MAX && cache.get("39").is_some() && cache.get("0").is_none());
    cache.keep("huge".into(), &reply(&json!({"content": ["x".repeat(REPLY_MAX)]}).to_string()));
    assert!(cache.get("huge").is_none());
}
