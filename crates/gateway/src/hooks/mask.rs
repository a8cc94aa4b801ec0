//! Values that look like secrets by their key, masked.

mod text;

pub(crate) use text::changed_below;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem::Finder;
use serde_json::Value;
use std::sync::LazyLock;

/// What stands in the place of a secret.
const MASK: &str = "[masked]";

/// Words that make a key look like that of a secret; case, `-` and `_` do not matter.
const WORDS: [&str; 15] = [
    // `password` and `passwd`.
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "jwt",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "credential",
    "cookie",
    "bearer",
    "connectionstring",
];

/// Keys that are those of a secret where they are nothing but the word: inside of others it is part of harmless ones,
/// such as `author` or `passed`. Each is written as it begins in JSON.
const WHOLE: [&str; 8] = ["\"auth", "\"pass", "\"pin", "\"otp", "\"creds", "\"pw", "\"psk", "\"cvv"];

/// Keys that hold such a word and are no secret.
const HARMLESS: [&str; 3] = ["progresstoken", "tokencount", "nexttoken"];

/// A JSON text as a value, the values of secret-looking keys masked; `None` for one that is nested too deeply.
pub(super) fn masked(text: &str) -> Option<Value> {
    let mut value = read(text)?;
    mask(&mut value);
    Some(value)
}

/// The value of a JSON text, also of one that holds halves of surrogate pairs or numbers out of range.
pub(super) fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&text::readable(text))).ok()
}

/// A text with such values masked, however little of it is JSON; `None` when there is none.
pub(crate) fn hidden(text: &str) -> Option<String> {
    if !may_hide(text) {
        return None;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(mut value) => mask(&mut value).then(|| value.to_string()),
        Err(_) => text::masked(text),
    }
}

/// Whether a JSON text may hold a key like that of a secret. Most hold no such word anywhere, and need not be read.
fn may_hide(text: &str) -> bool {
    /// Letters in other clothes: escapes, and the two signs whose small letters are plain ones.
    static DISGUISED: LazyLock<[Finder<'static>; 3]> =
        LazyLock::new(|| ["\\u", "\u{212a}", "\u{130}"].map(Finder::new));
    static PLAIN: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let words = WORDS.into_iter().chain(WHOLE);
        AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok()
    });
    if DISGUISED.iter().any(|letter| letter.find(text.as_bytes()).is_some()) {
        return true;
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut done = 0;
    for at in memchr::memchr2_iter(b'-', b'_', text.as_bytes()) {
        plain.extend_from_slice(&text.as_bytes()[done..at]);
        done = at + 1;
    }
    plain.extend_from_slice(&text.as_bytes()[done..]);
    plain.make_ascii_lowercase();
    // Without the means to search it is read.
    PLAIN.as_ref().is_none_or(|words| words.is_match(&plain))
}

/// Masks what looks like a secret, and tells whether there was any.
fn mask(value: &mut Value) -> bool {
    match value {
        Value::Object(members) => {
            let mut found = false;
            for (key, value) in members {
                if is_secret(key) && !is_harmless(key, value) {
                    *value = MASK.into();
                    found = true;
                } else {
                    found |= mask(value);
                }
            }
            found
        }
        Value::Array(items) => items.iter_mut().map(mask).fold(false, |found, one| found | one),
        // Tools often answer with JSON in a text, and scripts write it behind words; no key stands without quotes.
        Value::String(text) if text.contains('"') => match hidden(text) {
            Some(inner) => {
                *text = inner;
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// A count of tokens is no token, and a flag is no secret.
fn is_harmless(key: &str, value: &Value) -> bool {
    value.is_null() || value.is_boolean() || (value.is_number() && key.to_lowercase().ends_with("tokens"))
}

fn is_secret(key: &str) -> bool {
    let plain: String =
        key.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    let whole = || WHOLE.iter().any(|word| word[1..] == plain);
    !HARMLESS.contains(&plain.as_str()) && (WORDS.iter().any(|word| plain.contains(word)) || whole())
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
        assert_eq!(masked(text).as_ref(), Some(&expected));
        assert_eq!(masked(&"[".repeat(200)), None);
        let hidden = hidden(text).map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
        assert_eq!(hidden, Some(expected));
    }

    #[test]
    fn what_cannot_be_read_is_masked_in_the_text() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(200), "]".repeat(200));
        for (text, expected) in [
            (r#"{"password":"hunter2\ud800","n":1}"#, r#"{"password":"[masked]","n":1}"#),
            (r#"{"n":1e400,"token" : ["a",{"b":"]"}] ,"m":2}"#, r#"{"n":1e400,"token" : "[masked]" ,"m":2}"#),
            (
                r#"{"a":1}\n{"api\u005fkey":12,"outputTokens":5}"#,
                r#"{"a":1}\n{"api\u005fkey":"[masked]","outputTokens":5}"#,
            ),
            (r#"{"x":"\ud800","t":"{\"pwd\":\"p\"}"}"#, r#"{"x":"\ud800","t":"{\"pwd\":\"[masked]\"}"}"#),
            (
                r#"{"x":"\ud800","t":"{\"pwd\":\"p\\ud800\"}"}"#,
                r#"{"x":"\ud800","t":"{\"pwd\":\"[masked]\"}"}"#,
            ),
            (r#"{"secret":"cut of"#, r#"{"secret":"[masked]""#),
            (r#"{"secret":{"a":["#, r#"{"secret":"[masked]""#),
            (
                r#"{"tok\ud800en":"x","secret":true,"creds":null,"pw":"y"#,
                r#"{"tok\ud800en":"x","secret":true,"creds":null,"pw":"[masked]""#,
            ),
            (&deep(r#"{"secret":"s"}"#), &deep(r#"{"secret":"[masked]"}"#)),
        ] {
            assert_eq!(hidden(text).as_deref(), Some(expected), "{text}");
        }
        for text in [r#"{"a":"\ud800","b":"no token"}"#, "{\"a\":\"\\", "[1e400,\"x", "{\"a\\é\":1e400}"] {
            assert_eq!(hidden(text), None, "{text}");
        }
        let text = r#"{"password":"hunter2\ud800","n":[1e400,-1E999,1.5],"t":"a\udc00\ud83d\ude00"}"#;
        let expected = json!({"password": "[masked]", "n": ["1e400", "-1E999", 1.5], "t": "a\u{fffd}😀"});
        assert_eq!(masked(text), Some(expected));
        let text = r#"{"text":"{\"password\":\"hunter2\\ud800\"}"}"#;
        assert_eq!(masked(text), Some(json!({"text": r#"{"password":"[masked]"}"#})));
    }

    #[test]
    fn json_among_words_is_masked_too() {
        for (text, expected) in [
            (r#"p {"password":"x","n":1}"#, r#"p {"password":"[masked]","n":1}"#),
            (r#"two: {"a":1} [{"pin" : 12}] end"#, r#"two: {"a":1} [{"pin" : "[masked]"}] end"#),
            (r#"in a text "{\"pwd\":\"x\"}"."#, r#"in a text "{\"pwd\":\"[masked]\"}"."#),
            (r#"5" of "it"s {"a":"b","token":"x"}"#, r#"5" of "it"s {"a":"b","token":"[masked]"}"#),
            (r#"cut {"a":{"secret":"x"#, r#"cut {"a":{"secret":"[masked]""#),
        ] {
            let (text, expected) = (Value::from(text), Value::from(expected));
            assert_eq!(hidden(&text.to_string()), Some(expected.to_string()), "{text}");
            let inside = |text: &Value| json!({"text": [text]}).to_string();
            assert_eq!(hidden(&inside(&text)), Some(inside(&expected)), "{text}");
        }
        for text in [r#"the "token" was {"a":1}"#, r#"{"a":"secret"} and "password""#, r#"said "no {"a":1}"#]
        {
            assert_eq!(hidden(&Value::from(text).to_string()), None, "{text}");
        }
    }

    #[test]
    fn a_text_is_read_where_a_key_may_be_one_of_a_secret_however_it_is_written() {
        for (text, hides) in [
            (r#"{"a":"b"}"#, false),
            (r#"{"pass-WORD":1}"#, true),
            (r#"{"api__key":"x"}"#, true),
            (r#"{"\u0074oken":"x"}"#, true),
            (r#"{"text":"{\"\\u0074oken\":\"x\"}"}"#, true),
            ("{\"to\u{212a}en\":1}", true),
            ("{\"\u{130}\":1}", false),
            (r#"{"value":"my token"}"#, false),
            (r#"{"pwd":"x"}"#, true),
            (r#"{"userPwd":"x"}"#, true),
            (r#"{"id_JWT":"x"}"#, true),
            (r#"{"auth":{"user":"u"}}"#, true),
            (r#"{"text":"[{\"auth\":\"x\"}]"}"#, true),
            (r#"{"_Auth":"x"}"#, true),
            (r#"{"pass":"x"}"#, true),
            (r#"{"PIN":1234}"#, true),
            (r#"{"otp":"x"}"#, true),
            (r#"{"creds":"x"}"#, true),
            (r#"{"passcode":"x"}"#, true),
            (r#"{"cvv":123,"connectionString":"x"}"#, true),
            (r#"{"pwm":1,"pskip":1}"#, false),
            (r#"{"author":"a","passed":1,"pins":[1],"opt":1,"auth":true}"#, false),
            (r#"{"value":"auth"}"#, false),
            ("token", false),
        ] {
            assert_eq!(hidden(text).is_some(), hides, "{text}");
        }
    }
}
