//! `application/x-www-form-urlencoded`, for bodies and queries.

/// Names and values in one text.
pub(super) fn encode<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let each = pairs.into_iter().map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    each.collect::<Vec<_>>().join("&")
}

/// A text with every byte escaped that is not plainly itself.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plain_is_escaped() {
        assert_eq!(
            encode([("a", "b c"), ("u", "https://h/?x=1&y"), ("j", "日")]),
            "a=b%20c&u=https%3A%2F%2Fh%2F%3Fx%3D1%26y&j=%E6%97%A5"
        );
    }
}
