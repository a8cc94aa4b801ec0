//! Values that look like secrets by their key, masked.

use serde_json::Value;

/// What stands in the place of a secret.
const MASK: &str = "[masked]";

/// Words that make a key look like that of a secret; case, `-` and `_` do not matter.
const WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "credential",
    "cookie",
    "bearer",
];

/// Keys that hold such a word and are no secret.
const HARMLESS: [&str; 3] = ["progresstoken", "tokencount", "nexttoken"];

/// A JSON text as a value, the values of secret-looking keys masked; null without a text.
pub(super) fn masked(text: Option<&str>) -> Value {
    let mut value = text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    mask(&mut value);
    value
}

/// A JSON text with such values masked; `None` when there is none, or when it is no JSON.
pub(crate) fn hidden(text: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    let before = value.clone();
    mask(&mut value);
    (value != before).then(|| value.to_string())
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if is_secret(key) && !is_harmless(key, value) {
                    *value = MASK.into();
                } else {
                    mask(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        // Tools often answer with JSON in a text.
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            if let Ok(mut inner) = serde_json::from_str::<Value>(text) {
                let before = inner.clone();
                mask(&mut inner);
                if inner != before {
                    *text = inner.to_string();
                }
            }
        }
        _ => {}
    }
}

/// A count of tokens is no token, and a flag is no secret.
fn is_harmless(key: &str, value: &Value) -> bool {
    value.is_null() || value.is_boolean() || (value.is_number() && key.to_lowercase().ends_with("tokens"))
}

fn is_secret(key: &str) -> bool {
    let plain: String =
        key.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    !HARMLESS.contains(&plain.as_str()) && WORDS.iter().any(|word| plain.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_masked_at_any_depth_and_nothing_else_is() {
        let text = r#"{"a":[{"API_Key":"k","n":1}],"headers":{"Authorization":"Bearer x"},"user":"u",
            "_meta":{"progressToken":7},"content":[{"type":"text","text":"{\"client_secret\":\"s\",\"ok\":1}"}],
            "token":null,"hasPassword":true,"refresh-token":{"value":"v"},"outputTokens":5,"pin_password":7}"#;
        let expected = json!({
            "a": [{"API_Key": "[masked]", "n": 1}], "headers": {"Authorization": "[masked]"}, "user": "u",
            "_meta": {"progressToken": 7},
            "content": [{"type": "text", "text": "{\"client_secret\":\"[masked]\",\"ok\":1}"}],
            "token": null, "hasPassword": true, "refresh-token": "[masked]",
            "outputTokens": 5, "pin_password": "[masked]",
        });
        assert_eq!(masked(Some(text)), expected);
        assert_eq!(masked(None), Value::Null);
    }
}
