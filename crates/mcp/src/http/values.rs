//! Texts as values of HTTP headers, encoded as the revision of 2026-07-28 demands.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::HeaderValue;

/// A text as a header value: as it is when every reader gets it back unchanged, else as base64.
pub(super) fn header_value(text: &str) -> HeaderValue {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim_matches(' ') == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    let value = match plain {
        true => HeaderValue::from_str(text),
        false => HeaderValue::from_str(&format!("=?base64?{}?=", STANDARD.encode(text))),
    };
    value.unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// `Authorization` for credentials that stand in an address.
pub(super) fn basic(credentials: &str) -> Option<HeaderValue> {
    let decoded = percent_decoded(credentials);
    let with_colon = if decoded.contains(&b':') { decoded } else { [decoded, b":".to_vec()].concat() };
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(with_colon))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if first == b'%' => {
                out.push(byte);
                rest = &after[2..];
            }
            _ => {
                out.push(first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_encoded_only_where_it_must_be() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("two words", "two words"),
            ("", ""),
            ("日本", "=?base64?5pel5pys?="),
            (" a", "=?base64?IGE=?="),
            ("a ", "=?base64?YSA=?="),
            ("a\tb", "=?base64?YQli?="),
            ("a\r\nb", "=?base64?YQ0KYg==?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
            ("=?base64?x", "=?base64?x"),
        ] {
            assert_eq!(header_value(text).to_str().ok(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn credentials_of_an_address_become_a_header_that_is_not_printed() {
        let value = basic("Aladdin:open%20sesame").expect("fine");
        assert_eq!(value.to_str().ok(), Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
        assert_eq!(format!("{value:?}"), "Sensitive");
        assert_eq!(
            basic("u").and_then(|v| v.to_str().ok().map(str::to_owned)).as_deref(),
            Some("Basic dTo=")
        );
    }
}
