//! The body of `POST /mcp/call`: parsed once, checked in the order of spec 1.5.

use model::settings::Limits;
use model::{Code, Fault, NameError, SERVER_NAME_MAX, Settings, TOOL_NAME_MAX, check_name};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

use crate::scan::scan;

/// One call, borrowed from the bytes it came in.
#[derive(Debug)]
pub struct ToolCall<'a> {
    /// The server; `None` only where `routing.allowToolOnly` lets it be left out.
    pub server: Option<Cow<'a, str>>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// The arguments, as they were written.
    pub input: &'a RawValue,
    /// Milliseconds for this call alone.
    pub timeout: Option<u64>,
    /// Names the call, the same at every repetition; goes along as `lockgate/idempotencyKey`.
    pub key: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(borrow, default)]
    server: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_name: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    input: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    timeout: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

fn refusal(message: impl Into<String>, field: &str) -> Fault {
    Fault::new(Code::ValidationError, message).with("field", field)
}

impl<'a> ToolCall<'a> {
    /// Parses and checks a request body.
    pub fn parse(body: &'a [u8], settings: &Settings) -> Result<Self, Fault> {
        let Body { server, tool_name, input, timeout } = parse_body(body)?;
        let named = server.is_some();
        let server = server.map(|Text(name)| name).unwrap_or_default();
        let tool = tool_name.map(|Text(name)| name).unwrap_or_default();
        if settings.validation_disabled {
            let input = input.unwrap_or(RawValue::NULL);
            let timeout = timeout.and_then(|raw| raw.get().parse::<u64>().ok());
            let timeout = timeout.map(|ms| ms.min(settings.max_timeout).max(1));
            return Ok(Self { server: Some(server), tool, input, timeout, key: None });
        }
        let tool_only = settings.routing.allow_tool_only && !named;
        if !tool_only {
            check_field("server", &server, SERVER_NAME_MAX)?;
        }
        check_field("toolName", &tool, TOOL_NAME_MAX)?;
        let input = check_input(input, &settings.limits)?;
        let timeout = timeout.map(|raw| check_timeout(raw, settings.max_timeout)).transpose()?;
        Ok(Self { server: (!tool_only).then_some(server), tool, input, timeout, key: None })
    }
}

fn parse_body(body: &[u8]) -> Result<Body<'_>, Fault> {
    // Serde does not look closely at members that it skips.
    let body = std::str::from_utf8(body).map_err(|e| refusal(e.to_string(), "body"))?;
    // Serde would read a struct from an array too.
    let first = body.bytes().find(|byte| !byte.is_ascii_whitespace());
    if matches!(first, Some(byte) if byte != b'{') && serde_json::from_str::<&RawValue>(body).is_ok() {
        return Err(refusal("request body must be a JSON object", "body"));
    }
    serde_json::from_str(body).map_err(|e| refusal(e.to_string(), "body"))
}

fn check_field(field: &str, name: &str, max: usize) -> Result<(), Fault> {
    match check_name(name, max) {
        Ok(()) => Ok(()),
        Err(NameError::Missing) => Err(refusal(format!("{field} is required"), field)),
        Err(NameError::TooLong(max)) => {
            Err(refusal(format!("{field} exceeds maximum length ({max} characters)"), field).with("max", max))
        }
        Err(NameError::Characters) => Err(refusal(format!("{field} contains invalid characters"), field)
            .with("value", name)
            .with("pattern", "/^[a-zA-Z0-9-_]+$/")),
    }
}

fn check_input<'a>(input: Option<&'a RawValue>, limits: &Limits) -> Result<&'a RawValue, Fault> {
    let Some(input) = input.filter(|raw| raw.get().starts_with('{')) else {
        return Err(refusal("input must be a JSON object", "input"));
    };
    let found = scan(input.get());
    if let Some(key) = found.forbidden {
        return Err(refusal(format!("input contains forbidden key: {key}"), "input").with("key", key));
    }
    let max = limits.input;
    if found.size as u64 > max {
        return Err(refusal(format!("input exceeds maximum size ({max} bytes)"), "input")
            .with("size", found.size)
            .with("max", max));
    }
    let max = limits.depth;
    if found.depth as u64 > max {
        return Err(refusal(format!("input nesting exceeds maximum depth ({max})"), "input").with("max", max));
    }
    Ok(input)
}

fn check_timeout(raw: &RawValue, max: u64) -> Result<u64, Fault> {
    let is_number = raw.get().starts_with(|first: char| first == '-' || first.is_ascii_digit());
    // What no float can hold, such as 1e400, reads as infinite and is more than any maximum.
    let number = is_number.then(|| raw.get().parse::<f64>().ok()).flatten();
    let integer = number.filter(|n| n.is_infinite() || n.fract() == 0.0);
    match integer {
        Some(n) if n > max as f64 => {
            Err(refusal(format!("timeout exceeds maximum value ({max})"), "timeout").with("max", max))
        }
        Some(n) if n >= 1.0 => Ok(n as u64),
        _ => Err(refusal("timeout must be a positive integer", "timeout").with("max", max)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(body: &str, settings: &Settings) -> String {
        match ToolCall::parse(body.as_bytes(), settings) {
            Ok(call) => format!("{:?} {} {} {:?}", call.server, call.tool, call.input.get(), call.timeout),
            Err(fault) => format!("{} {}", fault.message, serde_json::Value::Object(fault.details)),
        }
    }

    #[test]
    fn the_first_fault_in_the_order_of_the_rules_is_reported() {
        let long = "a".repeat(51);
        for (body, expected) in [
            (
                r#"{"server":"s","toolName":"t","input":{ "a": 1.0 },"timeout":5,"x":1}"#.to_owned(),
                r#"Some("s") t { "a": 1.0 } Some(5)"#,
            ),
            (r#"{"toolName":"t"}"#.into(), r#"server is required {"field":"server"}"#),
            (r#"{"server":null}"#.into(), r#"server is required {"field":"server"}"#),
            (r#"{"server":"s"}"#.into(), r#"toolName is required {"field":"toolName"}"#),
            (
                format!(r#"{{"server":"{long}","toolName":"!"}}"#),
                r#"server exceeds maximum length (50 characters) {"field":"server","max":50}"#,
            ),
            (
                r#"{"server":"s","toolName":"a.b"}"#.into(),
                r#"toolName contains invalid characters {"field":"toolName","value":"a.b","pattern":"/^[a-zA-Z0-9-_]+$/"}"#,
            ),
            (r#"{"server":"s","toolName":"t"}"#.into(), r#"input must be a JSON object {"field":"input"}"#),
            (
                r#"{"server":"s","toolName":"t","input":null}"#.into(),
                r#"input must be a JSON object {"field":"input"}"#,
            ),
            (
                r#"{"server":"s","toolName":"t","input":{"__proto__":[[[[[[[[[[[[]]]]]]]]]]]]}}"#.into(),
                r#"input contains forbidden key: __proto__ {"field":"input","key":"__proto__"}"#,
            ),
            (
                r#"{"server":"s","toolName":"t","input":{"a":[[[[[[[[[[]]]]]]]]]]}}"#.into(),
                r#"input nesting exceeds maximum depth (10) {"field":"input","max":10}"#,
            ),
            ("[]".into(), r#"request body must be a JSON object {"field":"body"}"#),
            (
                r#"{"server":1}"#.into(),
                r#"invalid type: integer `1`, expected a string at line 1 column 11 {"field":"body"}"#,
            ),
            (
                r#"{"server":"a","server":"b"}"#.into(),
                r#"duplicate field `server` at line 1 column 22 {"field":"body"}"#,
            ),
            ("{".into(), r#"EOF while parsing an object at line 1 column 1 {"field":"body"}"#),
            ("".into(), r#"EOF while parsing a value at line 1 column 0 {"field":"body"}"#),
        ] {
            assert_eq!(verdict(&body, &Settings::default()), expected, "{body}");
        }
    }

    #[test]
    fn a_timeout_is_a_positive_integer_up_to_the_maximum() {
        let with = |timeout: &str| {
            let body = format!(r#"{{"server":"s","toolName":"t","input":{{}},"timeout":{timeout}}}"#);
            verdict(&body, &Settings::default())
        };
        for good in ["1", "300000", "5.0", "3e5"] {
            assert!(with(good).starts_with("Some"), "{good}");
        }
        for bad in ["0", "-1", "1.5", "\"5\"", "null", "true", "[]", "0.5", "-1e400", "1e-400"] {
            let expected = r#"timeout must be a positive integer {"field":"timeout","max":300000}"#;
            assert_eq!(with(bad), expected, "{bad}");
        }
        for high in ["300001", "1e300", "1e400", "1E400", "18446744073709551615", "99999999999999999999999"] {
            let expected = r#"timeout exceeds maximum value (300000) {"field":"timeout","max":300000}"#;
            assert_eq!(with(high), expected, "{high}");
        }
    }

    #[test]
    fn an_input_at_the_limit_passes_and_one_byte_more_does_not() {
        let with = |n: usize| {
            let body = format!(
                r#"{{"server":"s","toolName":"t","input":{{ "a" : "{}" }}}}"#,
                "x".repeat(n - r#"{"a":""}"#.len())
            );
            verdict(&body, &Settings::default())
        };
        assert!(with(102_400).starts_with("Some"));
        assert_eq!(
            with(102_401),
            r#"input exceeds maximum size (102400 bytes) {"field":"input","size":102401,"max":102400}"#
        );
    }

    #[test]
    fn validation_can_be_switched_off_for_tests() {
        let settings = Settings { validation_disabled: true, ..Settings::default() };
        assert_eq!(verdict(r#"{"toolName":"a.b","input":5}"#, &settings), r#"Some("") a.b 5 None"#);
        for (timeout, taken) in
            [("0", "Some(1)"), ("7", "Some(7)"), ("300001", "Some(300000)"), ("-1", "None")]
        {
            let body = format!(r#"{{"toolName":"t","input":5,"timeout":{timeout}}}"#);
            assert_eq!(verdict(&body, &settings), format!(r#"Some("") t 5 {taken}"#), "{timeout}");
        }
    }

    #[test]
    fn the_server_may_be_left_out_where_the_setting_allows_it() {
        let mut settings = Settings::default();
        settings.routing.allow_tool_only = true;
        assert_eq!(verdict(r#"{"toolName":"t","input":{}}"#, &settings), "None t {} None");
    }

    proptest::proptest! {
        #[test]
        fn no_body_makes_it_panic(body in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = ToolCall::parse(&body, &Settings::default());
        }

        #[test]
        fn no_json_like_body_makes_it_panic(
            body in r#"(\{|\}|\[|\]|"|:|,|server|toolName|input|timeout|\\u[0-9a-f]{0,4}|[0-9eE.+-]{1,3}|null| ){0,40}"#
        ) {
            if let Err(fault) = ToolCall::parse(body.as_bytes(), &Settings::default()) {
                proptest::prop_assert_eq!(fault.code, Code::ValidationError);
            }
        }
    }
}
