//! What a call of a tool says that is not a server's.

use model::{Code, Fault};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Formatter;
use workflow::session::arguments::PREFIX;

/// The parameters of a call.
#[derive(Deserialize)]
pub(super) struct Call {
    pub(super) name: String,
    #[serde(default)]
    pub(super) arguments: Option<Map<String, Value>>,
    #[serde(default, rename = "_meta", deserialize_with = "of_ours")]
    pub(super) meta: Map<String, Value>,
}

impl Call {
    /// The parameters of a call, which are JSON, or what is wrong with them.
    pub(super) fn read(params: &str) -> Result<Self, Fault> {
        serde_json::from_str(params).map_err(|error: serde_json::Error| {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            let message = match reason {
                _ if error.is_data() => "arguments must be a JSON object".to_owned(),
                // Sessions keep what scripts can read.
                "number out of range" => {
                    format!("arguments have a number that is out of range; {:e} is the largest", f64::MAX)
                }
                reason => format!("arguments cannot be read: {reason}"),
            };
            Fault::new(Code::ValidationError, message).with("field", "arguments")
        })
    }
}

/// The members of an object that concern the gateway itself; a modern client sends others with every call.
fn of_ours<'de, D: Deserializer<'de>>(object: D) -> Result<Map<String, Value>, D::Error> {
    struct Ours;
    impl<'de> Visitor<'de> for Ours {
        type Value = Map<String, Value>;

        fn expecting(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
            let mut ours = Map::new();
            while let Some(Name(name)) = members.next_key()? {
                match name.starts_with(PREFIX) {
                    true => _ = ours.insert(name.into_owned(), members.next_value()?),
                    false => _ = members.next_value::<IgnoredAny>()?,
                }
            }
            Ok(ours)
        }
    }
    object.deserialize_map(Ours)
}

/// A name that is copied only where it is written with escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_wrong_with_arguments_is_said() {
        for (arguments, expected) in [
            ("7", "arguments must be a JSON object"),
            (
                r#"{"n": 1e400}"#,
                "arguments have a number that is out of range; 1.7976931348623157e308 is the largest",
            ),
            (r#"{"n": "\ud83d"}"#, "arguments cannot be read: unexpected end of hex escape"),
        ] {
            let params = format!(r#"{{"name":"w_start","arguments":{arguments}}}"#);
            let fault = Call::read(&params).err().expect("it is refused");
            assert_eq!(fault.message, expected, "{arguments}");
        }
        assert!(Call::read(r#"{"name":"w_start","arguments":{"n":1e308}}"#).is_ok());
    }

    #[test]
    fn of_the_metadata_only_what_is_ours_is_kept() {
        let read =
            |meta: &str| serde_json::from_str::<Call>(&format!(r#"{{"name":"w_start","_meta":{meta}}}"#));
        let call = read(r#"{"a":{"b":[1]},"lockgate/maxSteps":2,"lockgat\u0065/idempotencyKey":"k"}"#)
            .expect("a call");
        assert_eq!(Value::from(call.meta), json!({"lockgate/maxSteps": 2, "lockgate/idempotencyKey": "k"}));
        assert!(read("5").is_err());
        assert!(serde_json::from_str::<Call>(r#"{"name":"w_start"}"#).expect("a call").meta.is_empty());
    }
}
