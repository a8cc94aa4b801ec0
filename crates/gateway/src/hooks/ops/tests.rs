//! Names of imported hooks, the rules of an order, and the types that editors get.

use super::*;
use serde_json::{Value, json};

#[test]
fn a_taken_name_gets_the_first_free_number() {
    let taken = |names: &'static [&'static str]| move |name: &str| names.contains(&name);
    let check = |name: &str, names: &'static [&'static str], expected: &str| {
        assert_eq!(free_name(name.to_owned(), taken(names)), expected);
    };
    check("a", &[], "a");
    check("a", &["a"], "a_1");
    check("a", &["a", "a_1", "a_3"], "a_2");
    check("a_1", &["a_1"], "a_1_1");
    check("鍵", &["鍵"], "鍵_1");
}

#[test]
fn a_long_name_is_cut_to_make_room_for_its_number() {
    let long = "鍵".repeat(HOOK_NAME_MAX);
    let first = free_name(long.clone(), |name| name == long);
    assert_eq!((first.chars().count(), first.ends_with("鍵_1")), (HOOK_NAME_MAX, true));
    let eleventh = free_name(long.clone(), |name| name == long || !name.ends_with("_11"));
    assert_eq!((eleventh.chars().count(), eleventh.ends_with("鍵_11")), (HOOK_NAME_MAX, true));
}

#[test]
fn ids_are_random() {
    let ids: HashSet<String> = (0..1000).map(|_| fresh_id()).collect();
    assert_eq!(ids.len(), 1000);
    assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())));
}

#[test]
fn a_view_shows_the_fields_of_the_hook_itself() {
    let draft = HookDraft::parse(&json!({"name": "h", "hookType": "pre", "script": "return"}));
    let hook = Hook::new("1".into(), draft.expect("valid"), 0.into(), 5);
    let stats = Tally::default().stats();
    let view = HookView { hook, stats, tripped: false, last_error: None };
    let expected = json!({
        "id": "1", "name": "h", "enabled": true, "executionOrder": 0, "hookType": "pre", "onError": "continue",
        "script": "return", "version": 1, "createdAt": 5, "updatedAt": 5, "tripped": false,
        "stats": {"executions": 0, "errors": 0, "timeouts": 0, "blocks": 0, "p50Us": 0, "p99Us": 0, "peakMemory": 0},
    });
    assert_eq!(serde_json::to_value(view).expect("plain data"), expected);
}

/// The names of sections 2.1, 2.4, 2.5 and 2.6 of the specification.
#[test]
fn the_types_name_everything_that_a_script_has() {
    let members = [
        "request",
        "method",
        "params",
        "response",
        "metadata",
        "clientId",
        "serverName",
        "serverId",
        "workflowId",
        "nodeId",
        "startTime",
        "duration",
        "error",
        "shared",
        "workflowName",
        "nodeName",
        "previousResults",
        "requestType",
        "toolName",
        "origin",
        "sessionId",
        "continue",
        "context",
        "code",
        "message",
        "status",
        "enabled",
    ];
    for member in members {
        let declared = [format!(" {member}: "), format!(" {member}?: ")];
        assert!(declared.iter().any(|text| TYPES.contains(text)), "{member} is not declared");
    }
    for helper in ["sleep(", "validateToken(", "getServerInfo(", "redact<T>("] {
        assert!(TYPES.contains(&format!("declare function {helper}")), "{helper}");
    }
    for method in ["log", "debug", "info", "warn", "error", "trace", "table", "group", "timeEnd"] {
        assert!(TYPES.contains(&format!("  {method}(...values: any[]): void;")), "console.{method}");
    }
    let words = [
        "tools/call",
        "tools/list",
        "resources/read",
        "resources/list",
        "resources/templates/list",
        "prompts/get",
        "prompts/list",
        "CallTool",
        "ListTools",
        "ReadResource",
        "ListResources",
        "ListResourceTemplates",
        "GetPrompt",
        "ListPrompts",
        "email",
        "creditCard",
        "jwt",
        "apiKey",
        "ipAddress",
        "[redacted]",
    ];
    for word in words {
        assert!(TYPES.contains(&Value::from(word).to_string()), "{word}");
    }
    assert!(TYPES.contains("declare const context: HookContext;"));
    assert_eq!(TYPES.matches('{').count(), TYPES.matches('}').count());
}
