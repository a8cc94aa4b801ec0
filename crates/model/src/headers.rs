//! The headers that a user gives for a remote server, and the rules they keep.

use crate::server::FieldError;
use std::collections::{BTreeMap, BTreeSet};

const COUNT_MAX: usize = 50;
const VALUE_MAX: usize = 1000;

/// Headers that belong to the transport, besides every `mcp-*`.
const OURS: [&str; 12] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "keep-alive",
    "last-event-id",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Checks names, values and number; the path of an error begins with `headers`.
pub fn check_headers(headers: &BTreeMap<String, String>) -> Result<(), FieldError> {
    if headers.len() > COUNT_MAX {
        return Err(FieldError::new("headers", format!("exceeds maximum count ({COUNT_MAX})")));
    }
    let mut seen = BTreeSet::new();
    for (name, value) in headers {
        let path = || format!("headers.{}", name.escape_debug());
        check(name, value).map_err(|message| FieldError::new(path(), message))?;
        if !seen.insert(name.to_ascii_lowercase()) {
            return Err(FieldError::new("headers", format!("names '{name}' twice")));
        }
    }
    Ok(())
}

fn check(name: &str, value: &str) -> Result<(), String> {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let lower = name.to_ascii_lowercase();
    if name.is_empty() || !name.bytes().all(token) {
        return Err("contains invalid characters".into());
    }
    if OURS.contains(&lower.as_str()) || lower.starts_with("mcp-") {
        return Err("is set by the gateway itself".into());
    }
    if value.chars().count() > VALUE_MAX {
        return Err(format!("exceeds maximum length ({VALUE_MAX} characters)"));
    }
    match value.chars().any(|c| c != '\t' && c.is_control()) {
        true => Err("must not contain line breaks or control characters".into()),
        false => Ok(()),
    }
}
