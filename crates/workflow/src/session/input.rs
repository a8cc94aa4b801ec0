//! Which input a step gets (spec 4.3), and the digest that an approval is bound to.

use model::access::Digest;
use serde_json::{Map, Value};

/// Later wins, key by key; what is no object takes the place of what stands before it.
pub(crate) fn merge(before: Option<Value>, over: Option<Value>) -> Option<Value> {
    match (before, over) {
        (before, None) => before,
        (Some(Value::Object(mut all)), Some(Value::Object(over))) => {
            all.extend(over);
            Some(Value::Object(all))
        }
        (_, over) => over,
    }
}

/// The input of a step without a mapper: the constant, over it the previous output, over it the arguments.
pub(crate) fn base(
    constant: Option<&Value>,
    previous: Option<&Value>,
    arguments: &Map<String, Value>,
) -> Option<Value> {
    let arguments = (!arguments.is_empty()).then(|| Value::Object(arguments.clone()));
    merge(merge(constant.cloned(), previous.cloned()), arguments)
}

/// Names exactly one step of one session with one input.
pub(crate) fn digest(session: &str, step: usize, at: u64, inputs: &[Option<Value>]) -> String {
    let inputs = serde_json::to_vec(inputs).expect("plain data");
    let parts = [session.as_bytes(), &step.to_le_bytes(), &at.to_le_bytes(), &inputs];
    Digest::of_all(parts).hex()
}

/// The most levels of nesting in what is kept of a session; the value itself is the first. Records and replies wrap
/// it in some more, and no reader of JSON goes down for ever.
pub(crate) const LEVELS: usize = 100;

/// Whether a value has no more levels of nesting than these.
pub(crate) fn fits(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(all) => levels > 0 && all.iter().all(|one| fits(one, levels - 1)),
        Value::Object(all) => levels > 0 && all.values().all(|one| fits(one, levels - 1)),
        _ => true,
    }
}

/// Whether an object with these members has no more levels than can be kept.
pub(crate) fn object_fits(members: &Map<String, Value>) -> bool {
    members.values().all(|value| fits(value, LEVELS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(constant: Value, previous: Value, arguments: &Value, expected: &Value) {
        let some = |value: Value| Some(value).filter(|value| *value != json!("absent"));
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let input = base(some(constant).as_ref(), some(previous).as_ref(), &arguments);
        assert_eq!(input.unwrap_or(json!("absent")), *expected);
    }

    #[test]
    fn later_wins_key_by_key() {
        check(
            json!({"a": 1, "b": 1}),
            json!({"b": 2, "c": 2}),
            &json!({"c": 3}),
            &json!({"a": 1, "b": 2, "c": 3}),
        );
        check(json!({"a": 1}), json!(7), &json!({}), &json!(7));
        check(json!({"a": 1}), json!(7), &json!({"x": 1}), &json!({"x": 1}));
        check(json!([1]), json!("absent"), &json!({}), &json!([1]));
        check(json!("absent"), json!("absent"), &json!({}), &json!("absent"));
        check(json!({"a": 1}), json!(null), &json!({}), &json!(null));
    }

    #[test]
    fn a_digest_names_one_question() {
        let one = digest("s", 1, 5, &[Some(json!({"a": 1}))]);
        assert_ne!(one, digest("s", 1, 5, &[Some(json!({"a": 2}))]));
        assert_ne!(one, digest("s", 1, 6, &[Some(json!({"a": 1}))]));
        assert_eq!(one.len(), 64);
    }
}
