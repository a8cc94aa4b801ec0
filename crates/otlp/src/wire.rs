//! Spans as OTLP over HTTP wants them: one JSON document per batch.

use crate::span::{Record, Value};
use serde_json::{Value as Json, json};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A batch as the body of a request to `/v1/traces`.
pub fn encode(batch: &[Record], service: &str, version: &str) -> Vec<u8> {
    let clock = Clock { instant: Instant::now(), time: SystemTime::now() };
    let spans: Vec<Json> = batch.iter().map(|record| span(record, &clock)).collect();
    let resource = json!({"attributes": [
        attribute("service.name", &service.into()),
        attribute("service.version", &version.into()),
        attribute("process.pid", &Value::Number(std::process::id().into())),
    ]});
    let scope = json!({"name": service, "version": version});
    let body =
        json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]});
    body.to_string().into_bytes()
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

fn span(record: &Record, clock: &Clock) -> Json {
    let began = clock.nanos(record.began);
    let attributes: Vec<Json> =
        record.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut span = json!({
        "traceId": format!("{:032x}", record.trace),
        "spanId": format!("{:016x}", record.id),
        "name": record.name,
        "kind": record.kind as u8,
        "startTimeUnixNano": began.to_string(),
        "endTimeUnixNano": (began + record.took.as_nanos()).to_string(),
        "attributes": attributes,
    });
    if record.parent != 0 {
        span["parentSpanId"] = format!("{:016x}", record.parent).into();
    }
    if let Some(state) = &record.state {
        span["traceState"] = (**state).into();
    }
    if let Some(error) = &record.error {
        span["status"] = json!({"code": 2, "message": error});
    }
    span
}

fn attribute(name: &str, value: &Value) -> Json {
    // Whole numbers are texts in the JSON form of the protocol.
    let value = match value {
        Value::Text(text) => json!({"stringValue": text}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
    };
    json!({"key": name, "value": value})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
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
