//! One story, told to a gateway on Restate and to one without: every reply must be the same.

use super::*;

fn activities() -> Vec<Value> {
    let number = json!({"type": "number"});
    let mut add = script("add", "const {a, b} = context.input; return {data: {result: a + b}};");
    add["inputSchema"] =
        json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]});
    let mut never = script("never", "return {success: false, error: 'x'}");
    never["retry"] = json!({"maxAttempts": 3, "backoffMs": 20});
    let mut slow = script("slow", "await sleep(500); return {data: {}}");
    slow["timeout"] = json!(30);
    let nested = json!({"name": "nested", "run": {"workflow": {"name": "calc"}}});
    vec![
        add,
        script("double", "context.memory.twice = true; return {data: {result: 2 * context.input.result}}"),
        script("tag", "return {data: {from: 'tag', got: context.input}}"),
        script("undo", "return {data: {}}"),
        script("bad", "return {success: false, error: 'nope'}"),
        script("check", "return {data: {valid: context.input.valid}}"),
        tool("effect", "effect"),
        never,
        slow,
        nested,
    ]
}

fn workflows() -> Vec<Value> {
    let branches = json!({"valid:true": {"toolName": "calc_start", "parameters": {"a": 1, "b": 2}}});
    let optional = json!({"activity": "bad", "optional": true});
    let group = json!({"parallel": [{"activity": "add"}, {"activity": "tag"}]});
    vec![
        workflow("calc", &[json!("add"), json!("double"), json!("tag")]),
        workflow("fails", &[json!({"activity": "tag", "compensate": "undo"}), json!("bad")]),
        workflow("passes", &[optional, json!("tag")]),
        workflow("tries", &[json!("never")]),
        workflow("hurries", &[json!("slow")]),
        workflow("chooses", &[json!({"activity": "check", "branches": branches}), json!("tag")]),
        workflow("both", &[group, json!("tag")]),
        workflow("outer", &[json!("nested"), json!("tag")]),
        workflow(
            "works",
            &[json!({"activity": "effect", "inputMapper": "({id: 'a', ms: 1})"}), json!("tag")],
        ),
        workflow(
            "asks",
            &[json!("add"), json!({"activity": "double", "approve": {"message": "ok?"}}), json!("tag")],
        ),
    ]
}

/// What differs from one telling to the next.
fn settled(value: &mut Value, ids: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, one) in map.iter_mut() {
                if one.is_number() && TIMES.contains(&key.as_str()) {
                    *one = json!(0);
                }
                settled(one, ids);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| settled(one, ids)),
        Value::String(text) => {
            if let Ok(mut inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                settled(&mut inner, ids);
                *text = inner.to_string();
            }
            for (number, id) in ids.iter().enumerate() {
                *text = text.replace(id, &format!("<{number}>"));
            }
        }
        _ => {}
    }
}

const TIMES: [&str; 7] =
    ["startedAt", "completedAt", "executionTime", "timestamp", "since", "executionTimeMs", "expiresAt"];

/// Tells the story; gives every reply.
fn told(gateway: &TestGateway) -> Vec<Value> {
    let client = Client::modern(gateway.http());
    let (mut replies, mut ids): (Vec<Value>, Vec<String>) = (Vec::new(), Vec::new());
    let mut tell = |tool: &str, mut arguments: Value, of: Option<usize>| {
        if let Some(of) = of {
            arguments["sessionId"] = ids[of].clone().into();
        }
        let mut reply = client.call(tool, arguments);
        let id = reply["structuredContent"]["sessionId"].as_str().map(str::to_owned);
        ids.extend(id.filter(|id| !ids.contains(id)));
        if let Some(inner) = reply["structuredContent"]["metadata"]["sessionId"].as_str() {
            ids.push(inner.to_owned());
        }
        let mut seen = reply.clone();
        settled(&mut seen, &mut ids);
        replies.push(json!([tool, seen]));
        reply.take()
    };
    tell("calc_start", json!({"a": 5, "b": 3}), None);
    tell("calc_status", json!({}), Some(0));
    tell("calc_continue", json!({"expectedStep": 1}), Some(0));
    tell("calc_continue", json!({"expectedStep": 1}), Some(0));
    tell("calc_continue", json!({"expectedStep": 7}), Some(0));
    tell("calc_pause", json!({}), Some(0));
    tell("calc_pause", json!({}), Some(0));
    tell("calc_continue", json!({"result": {"result": 100}}), Some(0));
    tell("calc_continue", json!({}), Some(0));
    tell("calc_continue", json!({"expectedStep": 2}), Some(0));
    tell("calc_cancel", json!({}), Some(0));
    tell("calc_start", json!({"a": "five"}), None);
    tell("calc_start", json!({"a": 1, "b": 1, "idempotencyKey": "k"}), None);
    tell("calc_start", json!({"a": 1, "b": 1, "idempotencyKey": "k"}), None);
    tell("calc_cancel", json!({}), Some(1));
    tell("calc_continue", json!({}), Some(1));
    tell("calc_start", json!({"a": 1, "b": 2, "maxSteps": "all"}), None);
    tell("fails_start", json!({"q": 1}), None);
    tell("fails_continue", json!({}), Some(2));
    tell("fails_status", json!({}), Some(2));
    tell("passes_start", json!({}), None);
    tell("tries_start", json!({}), None);
    tell("hurries_start", json!({}), None);
    tell("chooses_start", json!({"valid": true}), None);
    tell("calc_start", json!({"a": 1, "b": 2}), Some(4));
    tell("chooses_status", json!({}), Some(4));
    tell("both_start", json!({"a": 2, "b": 2}), None);
    tell("both_continue", json!({}), Some(6));
    tell("works_start", json!({}), None);
    tell("works_continue", json!({}), Some(7));
    tell("outer_start", json!({"a": 2, "b": 2}), None);
    let held = tell("asks_start", json!({"a": 1, "b": 2}), None);
    let held = id(&held);
    let waiting = client.call("asks_continue", json!({"sessionId": held}));
    let digest = waiting["structuredContent"]["waiting"]["digest"].clone();
    assert!(digest.is_string(), "{waiting}");
    let approval = json!({"digest": digest, "allow": true});
    let mut allowed = client.call("asks_continue", json!({"sessionId": held, "approval": approval}));
    settled(&mut allowed, &mut vec![held]);
    replies.push(allowed);
    replies.push(client.call("calc_continue", json!({"sessionId": "nobody"})));
    let mut stats = gateway.get("/api/sessions/stats").body;
    settled(&mut stats, &mut Vec::new());
    replies.push(stats);
    replies
}

#[test]
fn every_reply_is_the_same_as_without_restate() {
    let yard = Yard::new(&activities(), &workflows());
    let folder = Folder::new();
    let local = builder(&folder, &activities(), &workflows()).start_in(folder);
    let (here, there) = (told(&yard.gateway), told(&local));
    assert_eq!(here.len(), there.len());
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(here, there);
    }
}
