//! Headers of the modern era: they repeat what the body says, and must not contradict it.

use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway::{Claim, Gateway, Pass};
use mcp::{Body, MODERN, Message};
use serde_json::value::RawValue;
use std::borrow::Cow;

const VERSION: &str = "mcp-protocol-version";

/// Whether the headers announce a modern request.
pub(super) fn claims_modern(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_some_and(|value| value == MODERN)
}

/// Why headers and body do not belong together.
pub(super) fn match_body(
    headers: &HeaderMap,
    message: &Message<'_>,
    claim: &Claim<'_>,
    version: &str,
    gateway: &Gateway,
    pass: Option<&Pass>,
) -> Result<(), String> {
    let Body::Method(method, params) = &message.body else { return Ok(()) };
    expect(headers, VERSION, "MCP-Protocol-Version", version)?;
    expect(headers, "mcp-method", "Mcp-Method", method)?;
    let Some(name) = claim.key() else { return Ok(()) };
    expect(headers, "mcp-name", "Mcp-Name", &name)?;
    match &**method {
        "tools/call" => {
            let params = params.map_or("{}", RawValue::get);
            match_arguments(headers, gateway.mirrored(pass, &name, params))
        }
        _ => Ok(()),
    }
}

/// Arguments that are repeated as `Mcp-Param-*`.
fn match_arguments(headers: &HeaderMap, mirrored: Vec<(String, Option<String>)>) -> Result<(), String> {
    for (header, argument) in mirrored {
        match argument {
            Some(text) => expect(headers, &header, &header, &text)?,
            None if headers.contains_key(&header) => {
                return Err(format!("Header mismatch: {header} repeats an argument that is not there"));
            }
            None => {}
        }
    }
    Ok(())
}

fn expect(headers: &HeaderMap, name: &str, shown: &str, expected: &str) -> Result<(), String> {
    if !headers.contains_key(name) {
        return Err(format!("Missing header {shown}"));
    }
    // Of several, whoever is in between could have taken another.
    let equal =
        |value: &HeaderValue| decoded(value.to_str().unwrap_or_default().trim()).as_deref() == Some(expected);
    match headers.get_all(name).iter().all(equal) {
        true => Ok(()),
        false => Err(format!("Header mismatch: {shown} differs from the body")),
    }
}

/// A value outside of ASCII is written as `=?base64?…?=`.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(value.into()),
        Some(text) => String::from_utf8(STANDARD.decode(text).ok()?).ok().map(Cow::Owned),
    }
}
