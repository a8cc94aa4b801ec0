//! Spans as OTLP over HTTP wants them: one JSON document per batch.

use crate::span::{Record, Value};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::fmt::Display;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A batch as the body of a request to `/v1/traces`.
pub fn encode(batch: &[Record], service: &str, version: &str) -> Vec<u8> {
    let clock = Clock { instant: Instant::now(), time: SystemTime::now() };
    let (name, process) = (service.into(), i64::from(std::process::id()).into());
    let facts = [("service.name", name), ("service.version", version.into()), ("process.pid", process)];
    let body = Body {
        resource_spans: [ResourceSpans {
            resource: Resource { attributes: attributes(&facts) },
            scope_spans: [ScopeSpans {
                scope: Scope { name: service, version },
                spans: batch.iter().map(|record| span(record, &clock)).collect(),
            }],
        }],
    };
    // Nothing can go wrong with texts and numbers in memory.
    serde_json::to_vec(&body).unwrap_or_default()
}

/// One moment on both clocks: spans are measured on the one that never jumps.
struct Clock {
    instant: Instant,
    time: SystemTime,
}

impl Clock {
    fn nanos(&self, at: Instant) -> u128 {
        let ago = self.instant.saturating_duration_since(at);
        let since = self.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        since.saturating_sub(ago).as_nanos()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource<'a>,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource<'a> {
    attributes: Vec<Attribute<'a>>,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope<'a>,
    spans: Vec<Span<'a>>,
}

#[derive(Serialize)]
struct Scope<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Span<'a> {
    trace_id: Text<Hex<16>>,
    span_id: Text<Hex<8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<Text<Hex<8>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_state: Option<&'a str>,
    name: &'a str,
    kind: u8,
    start_time_unix_nano: Text<u128>,
    end_time_unix_nano: Text<u128>,
    attributes: Vec<Attribute<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status<'a>>,
}

#[derive(Serialize)]
struct Status<'a> {
    code: u8,
    message: &'a str,
}

#[derive(Serialize)]
struct Attribute<'a> {
    key: &'a str,
    value: &'a Value,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = serializer.serialize_struct("Value", 1)?;
        match self {
            Self::Text(text) => value.serialize_field("stringValue", text)?,
            // Whole numbers are texts in the JSON form of the protocol.
            Self::Number(number) => value.serialize_field("intValue", &Text(number))?,
        }
        value.end()
    }
}

/// Something that is a text on the wire.
struct Text<T>(T);

impl<T: Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// An id of so many bytes.
struct Hex<const BYTES: usize>(u128);

impl<const BYTES: usize> Display for Hex<BYTES> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:0width$x}", self.0, width = 2 * BYTES)
    }
}

fn span<'a>(record: &'a Record, clock: &Clock) -> Span<'a> {
    let began = clock.nanos(record.began);
    Span {
        trace_id: Text(Hex(record.trace)),
        span_id: Text(Hex(record.id.into())),
        parent_span_id: (record.parent != 0).then(|| Text(Hex(record.parent.into()))),
        trace_state: record.state.as_deref(),
        name: &record.name,
        kind: record.kind as u8,
        start_time_unix_nano: Text(began),
        end_time_unix_nano: Text(began + record.took.as_nanos()),
        attributes: attributes(&record.attributes),
        status: record.error.as_deref().map(|message| Status { code: 2, message }),
    }
}

fn attributes<'a>(all: &'a [(&str, Value)]) -> Vec<Attribute<'a>> {
    all.iter().map(|(key, value)| Attribute { key, value }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use serde_json::{Value as Json, json};
    use std::time::Duration;

    #[test]
    fn a_span_is_written_as_the_protocol_wants_it() {
        let record = Record {
            trace: 0x4bf9,
            id: 0xf067,
            parent: 5,
            name: "tools/call echo".into(),
            kind: Kind::Client,
            began: Instant::now(),
            took: Duration::from_nanos(1500),
            attributes: vec![("a", "x".into()), ("n", 7.into())],
            error: Some("TIMEOUT_ERROR".into()),
            state: Some("k=v".into()),
        };
        let body: Json = serde_json::from_slice(&encode(&[record], "lockgate", "1")).expect("JSON");
        let resource = &body["resourceSpans"][0];
        assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "lockgate");
        let span = &resource["scopeSpans"][0]["spans"][0];
        assert_eq!(span["traceId"], "00000000000000000000000000004bf9");
        assert_eq!(
            (&span["spanId"], &span["parentSpanId"]),
            (&json!("000000000000f067"), &json!("0000000000000005"))
        );
        assert_eq!((&span["kind"], &span["traceState"]), (&json!(3), &json!("k=v")));
        assert_eq!(span["attributes"][1], json!({"key": "n", "value": {"intValue": "7"}}));
        assert_eq!(span["status"], json!({"code": 2, "message": "TIMEOUT_ERROR"}));
        let nanos =
            |name: &str| span[name].as_str().and_then(|text| text.parse::<u128>().ok()).expect("a number");
        assert_eq!(nanos("endTimeUnixNano") - nanos("startTimeUnixNano"), 1500);
    }
}
