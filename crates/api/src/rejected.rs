//! What the framework refuses by itself, a path or a query that cannot be read, in the error envelope like
//! every other error.

use crate::answer::Refusal;
use axum::body::to_bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Code, Fault};

/// The framework's own texts are far shorter.
const TEXT_MAX: usize = 4096;
const QUERY: &str = "Failed to deserialize query string: ";

/// Puts a refusal of the framework into the envelope; any other response passes as it is.
pub(crate) async fn enveloped(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let plain = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if response.status() != StatusCode::BAD_REQUEST || !plain {
        return response;
    }
    let bytes = to_bytes(response.into_body(), TEXT_MAX).await.unwrap_or_default();
    Refusal::from(fault(&String::from_utf8_lossy(&bytes))).into_response()
}

fn fault(text: &str) -> Fault {
    let named = text.strip_prefix(QUERY).and_then(|what| what.split_once(": "));
    if let Some((field, rule)) = named.and_then(|(field, what)| Some((field, rule(what)?))) {
        return Fault::new(Code::ValidationError, format!("{field} {rule}")).with("field", field);
    }
    let (what, field) = match text.strip_prefix(QUERY) {
        Some(what) => (format!("The query cannot be read: {what}"), "query"),
        None => (format!("The address cannot be read: {text}"), "path"),
    };
    Fault::new(Code::ValidationError, what).with("field", field)
}

/// What a value must be, where the framework says only why it is not.
fn rule(what: &str) -> Option<&'static str> {
    match what {
        "invalid digit found in string"
        | "cannot parse integer from empty string"
        | "number too large to fit in target type" => Some("must be an integer from 0"),
        "provided string was not `true` or `false`" => Some("must be true or false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn told(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), TEXT_MAX).await.expect("a body");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn what_a_value_must_be_is_said_with_its_name() {
        #[derive(Debug, serde::Deserialize)]
        #[expect(dead_code, reason = "only refused")]
        struct Asked {
            limit: Option<usize>,
            brief: Option<bool>,
        }
        let check = |query: &str, field: &str, message: &str| {
            let uri = format!("/x?{query}").parse().expect("an address");
            let refused = axum::extract::Query::<Asked>::try_from_uri(&uri).expect_err(query);
            let fault = fault(&refused.body_text());
            assert_eq!(
                (fault.message.as_str(), &fault.details["field"]),
                (message, &field.into()),
                "{query}"
            );
        };
        for limit in ["-1", "x", "1.5", "", "99999999999999999999999"] {
            check(&format!("limit={limit}"), "limit", "limit must be an integer from 0");
        }
        check("brief=perhaps", "brief", "brief must be true or false");
        check("limit=1&limit=2", "query", "The query cannot be read: duplicate field `limit`");
    }

    #[tokio::test]
    async fn a_refusal_of_the_framework_gets_the_envelope_and_nothing_else_does() {
        let plain = (StatusCode::BAD_REQUEST, "Failed to deserialize query string: limit: no digit");
        let response = enveloped(plain.into_response()).await;
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
        assert_eq!(
            told(response).await,
            r#"{"success":false,"error":{"code":"VALIDATION_ERROR","message":"The query cannot be read: limit: no digit","details":{"field":"query"}}}"#
        );
        let path = enveloped((StatusCode::BAD_REQUEST, "Invalid UTF-8 in `id`").into_response()).await;
        assert!(told(path).await.contains(r#""field":"path""#));
        assert_eq!(told(enveloped("hello".into_response()).await).await, "hello");
    }
}
