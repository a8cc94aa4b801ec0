//! Reading a request body within its limit.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use hyper::body::Body as _;
use model::{Code, Fault, FieldError};
use serde_json::Value;
use std::time::Duration;

/// How much of a body that is refused is still read, so that its sender gets to see the answer.
const DRAIN_MAX: u64 = 32 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// Reads a JSON body: content type first, then size.
pub(crate) async fn read(headers: &HeaderMap, body: Body, max: u64) -> Result<Bytes, Fault> {
    if !is_json(headers) {
        drain_for(headers, body).await;
        return Err(Fault::new(Code::ValidationError, "Content-Type must be application/json")
            .with("field", "Content-Type"));
    }
    let too_large = || Fault::body_too_large(max);
    if body.size_hint().lower() > max {
        drain_for(headers, body).await;
        return Err(too_large());
    }
    match take(body, max).await {
        Ok(bytes) => Ok(bytes),
        Err(Broken::TooLarge(rest)) => {
            drain(rest).await;
            Err(too_large())
        }
        Err(Broken::Cut) => {
            Err(Fault::new(Code::ValidationError, "request body ended early or took too long")
                .with("field", "body"))
        }
    }
}

/// Refuses a JSON body that has a member twice, at any depth: nobody could tell which of the two is meant. What is no
/// JSON is for its reader to refuse.
pub(crate) fn unambiguous(json: &str) -> Result<(), Fault> {
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok();
    let Some(key) = is_json.then(|| gateway::repeated(json)).flatten() else { return Ok(()) };
    let message = format!("the body has the member '{key}' twice");
    Err(Fault::new(Code::ValidationError, message).with("field", "body").with("key", key))
}

/// Reads a JSON body into a value.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, Fault> {
    let value = serde_json::from_slice(bytes)
        .map_err(|error| Fault::new(Code::ValidationError, error.to_string()).with("field", "body"))?;
    unambiguous(&String::from_utf8_lossy(bytes))?;
    Ok(value)
}

/// The same value when it is an object. A list would be read as the members of a type, one after the other.
pub(crate) fn object(value: Value) -> Result<Value, Fault> {
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Fault::new(Code::ValidationError, "body must be a JSON object").with("field", "body")),
    }
}

/// Why a member of an object is no text.
pub(crate) fn no_text(body: &Value, field: &str) -> Fault {
    match body.get(field) {
        None | Some(Value::Null) => FieldError::new(field, "is required").into(),
        Some(_) => FieldError::new(field, "must be a string").into(),
    }
}

/// The text of a JSON body, for what is to come back as it was written.
pub(crate) fn text(bytes: Bytes) -> Result<String, Fault> {
    let text = String::from_utf8(bytes.into())
        .map_err(|_| Fault::new(Code::ValidationError, "body must be UTF-8").with("field", "body"))?;
    unambiguous(&text)?;
    Ok(text)
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    media_type.trim().eq_ignore_ascii_case("application/json")
}

enum Broken {
    TooLarge(Body),
    Cut,
}

async fn take(mut body: Body, max: u64) -> Result<Bytes, Broken> {
    let mut first = Bytes::new();
    let mut all: Vec<u8> = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Broken::Cut)?.into_data() else { continue };
        if (first.len().max(all.len()) + data.len()) as u64 > max {
            return Err(Broken::TooLarge(body));
        }
        // A body in one piece, the usual case, is not copied.
        if first.is_empty() && all.is_empty() {
            first = data;
            continue;
        }
        if all.is_empty() {
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&data);
    }
    Ok(if all.is_empty() { first } else { all.into() })
}

/// Reads a body that nobody wants, so that its sender, who writes it first, gets to see the answer.
pub(crate) async fn discard(request: Request) {
    let (head, body) = request.into_parts();
    drain_for(&head.headers, body).await;
}

/// Whoever asks before it sends has not sent anything.
async fn drain_for(headers: &HeaderMap, body: Body) {
    if !headers.contains_key(header::EXPECT) {
        drain(body).await;
    }
}

async fn drain(mut body: Body) {
    let reading = async {
        let mut read = 0;
        while let Some(Ok(frame)) = body.frame().await {
            read += frame.data_ref().map_or(0, |data| data.len() as u64);
            if read > DRAIN_MAX {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, reading).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    fn headers(content_type: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, content_type.parse().expect("a header"));
        headers
    }

    fn pieces(parts: &[&'static str]) -> Body {
        let parts: Vec<_> = parts.iter().map(|part| Ok::<_, std::io::Error>(*part)).collect();
        Body::from_stream(stream::iter(parts))
    }

    #[tokio::test]
    async fn a_body_in_pieces_is_put_together_within_its_limit() {
        let json = headers("application/json");
        assert_eq!(read(&json, pieces(&["ab", "", "cd"]), 4).await.expect("fits"), "abcd");
        let fault = read(&json, pieces(&["ab", "cd", "e"]), 4).await.expect_err("too large");
        assert_eq!(fault.message, "request body exceeds maximum size (4 bytes)");
        let fault = read(&json, Body::from("abcde"), 4).await.expect_err("too large");
        assert_eq!(serde_json::Value::Object(fault.details), serde_json::json!({"field": "body", "max": 4}));
    }

    #[test]
    fn a_member_that_is_there_twice_is_refused_at_any_depth() {
        for (body, key) in [
            (r#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, None),
            (r#"{"name":"a","name":"b"}"#, Some("name")),
            (r#"{"a":[{"x":1,"y":2,"\u0078":3}]}"#, Some("x")),
        ] {
            let faults = [value(body.as_bytes()).err(), text(Bytes::from_static(body.as_bytes())).err()];
            for fault in faults {
                let details = fault.map(|fault| serde_json::Value::Object(fault.details));
                let expected = key.map(|key| serde_json::json!({"field": "body", "key": key}));
                assert_eq!(details, expected, "{body}");
            }
        }
        let broken = r#"{"a":1,"a":"#;
        assert_eq!(text(Bytes::from_static(broken.as_bytes())).expect("its reader refuses it"), broken);
    }

    #[test]
    fn only_an_object_has_members() {
        assert!(object(serde_json::json!({})).is_ok());
        for wrong in [serde_json::json!([]), serde_json::json!(["x"]), serde_json::json!("x"), Value::Null] {
            let fault = object(wrong).expect_err("no object");
            assert_eq!(
                (fault.message.as_str(), &fault.details["field"]),
                ("body must be a JSON object", &"body".into())
            );
        }
        let body = serde_json::json!({"a": null, "b": 5});
        let told = ["a", "b", "c"].map(|field| no_text(&body, field).message);
        assert_eq!(told, ["a is required", "b must be a string", "c is required"]);
    }

    #[tokio::test]
    async fn only_json_is_read() {
        for good in ["application/json", "Application/JSON; charset=utf-8", "application/json;q=1"] {
            assert!(read(&headers(good), Body::empty(), 1).await.is_ok(), "{good}");
        }
        for bad in ["text/plain", "application/jsonp", "application/json-seq", ""] {
            let fault = read(&headers(bad), Body::empty(), 1).await.expect_err(bad);
            assert_eq!(fault.details["field"], "Content-Type", "{bad}");
        }
        assert!(read(&HeaderMap::new(), Body::empty(), 1).await.is_err());
    }
}
