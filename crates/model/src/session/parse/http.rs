//! Reading of an HTTP request with placeholders (spec 4.9).

use super::{Members, Read, join, wrong};
use crate::session::HttpRun;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const URL_MAX: usize = 2000;
const HEADERS_MAX: usize = 50;
const HEADER_MAX: usize = 1000;

/// Headers that the connection itself sets.
const OURS: [&str; 7] =
    ["connection", "content-length", "host", "keep-alive", "te", "transfer-encoding", "upgrade"];

pub(super) fn request(value: &Value, path: &str) -> Read<HttpRun> {
    let given = Members::of(value, path, &["method", "url", "headers", "body"])?;
    let method = given.text("method")?.unwrap_or("GET").to_ascii_uppercase();
    if !METHODS.contains(&method.as_str()) {
        return Err(given.wrong("method", &format!("must be one of {}", METHODS.join(", "))));
    }
    let url = given.required("url", given.text("url")?)?;
    check_url(url).map_err(|rule| given.wrong("url", &rule))?;
    let headers = given.object("headers")?;
    check_headers(&headers, &join(path, "headers"))?;
    Ok(HttpRun { method, url: url.to_owned(), headers, body: given.bounded("body")? })
}

fn check_url(url: &str) -> Result<(), String> {
    let lower = url.to_ascii_lowercase();
    // What a placeholder stands for is percent-encoded, so it can be no scheme.
    if !["http://", "https://"].iter().any(|begin| lower.starts_with(begin)) {
        return Err("must begin with https:// or http://".into());
    }
    if url.chars().count() > URL_MAX {
        return Err(format!("exceeds maximum length ({URL_MAX} characters)"));
    }
    match url.chars().any(char::is_control) {
        true => Err("must not contain line breaks or control characters".into()),
        false => Ok(()),
    }
}

fn check_headers(headers: &Map<String, Value>, path: &str) -> Read<()> {
    if headers.len() > HEADERS_MAX {
        return Err(wrong(path, &format!("exceeds maximum count ({HEADERS_MAX})")));
    }
    let mut seen = BTreeSet::new();
    for (name, value) in headers {
        check_header(name, value).map_err(|rule| wrong(&join(path, name), &rule))?;
        if !seen.insert(name.to_ascii_lowercase()) {
            return Err(wrong(&join(path, name), "is named twice"));
        }
    }
    Ok(())
}

fn check_header(name: &str, value: &Value) -> Result<(), String> {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    if name.is_empty() || !name.bytes().all(token) {
        return Err("contains invalid characters".into());
    }
    if OURS.contains(&name.to_ascii_lowercase().as_str()) {
        return Err("is set by the gateway itself".into());
    }
    match value {
        Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) if text.chars().count() > HEADER_MAX => {
            Err(format!("exceeds maximum length ({HEADER_MAX} characters)"))
        }
        Value::String(text) if text.chars().any(|c| c != '\t' && c.is_control()) => {
            Err("must not contain line breaks or control characters".into())
        }
        Value::String(_) => Ok(()),
        _ => Err("must be a string".into()),
    }
}
