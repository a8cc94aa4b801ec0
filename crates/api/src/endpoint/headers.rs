//! Headers of the modern era: they repeat what the body says, and must not contradict it.

use axum::http::header::AsHeaderName;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway::{Claim, Gateway, Pass};
use mcp::{Body, MODERN, Message, Repeated};
use serde_json::value::RawValue;
use std::borrow::Cow;

// The names are known beforehand, so that looking for one does not read it first.
static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Whether the headers announce a modern request.
pub(super) fn claims_modern(headers: &HeaderMap) -> bool {
    headers.get(&VERSION).is_some_and(|value| value == MODERN)
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
    expect(headers, &VERSION, "MCP-Protocol-Version", |value| value == version)?;
    expect(headers, &METHOD, "Mcp-Method", |value| value == *method)?;
    let Some(name) = claim.key() else { return Ok(()) };
    expect(headers, &NAME, "Mcp-Name", |value| value == name)?;
    match &**method {
        "tools/call" => {
            let params = params.map_or("{}", RawValue::get);
            match_arguments(headers, gateway.mirrored(pass, &name, params))
        }
        _ => Ok(()),
    }
}

/// Arguments that are repeated as `Mcp-Param-*`.
fn match_arguments(headers: &HeaderMap, mirrored: Vec<(String, Option<Repeated>)>) -> Result<(), String> {
    for (header, argument) in mirrored {
        match argument {
            Some(repeated) => expect(headers, header.as_str(), &header, |value| repeated.is(value))?,
            None if headers.contains_key(&header) => {
                return Err(format!("Header mismatch: {header} repeats an argument that is not there"));
            }
            None => {}
        }
    }
    Ok(())
}

/// All headers of a name must say the same as the body.
fn expect(
    headers: &HeaderMap,
    name: impl AsHeaderName,
    shown: &str,
    same: impl Fn(&str) -> bool,
) -> Result<(), String> {
    // Of several, whoever is in between could have taken another.
    let equal = |value: &HeaderValue| {
        decoded(value.to_str().unwrap_or_default().trim()).is_some_and(|text| same(&text))
    };
    let mut values = headers.get_all(name).iter().peekable();
    match (values.peek().is_some(), values.all(equal)) {
        (true, true) => Ok(()),
        (true, false) => Err(format!("Header mismatch: {shown} differs from the body")),
        (false, _) => Err(format!("Missing header {shown}")),
    }
}

/// A value outside of ASCII is written as `=?base64?…?=`.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Some(value.into()),
        Some(text) => String::from_utf8(STANDARD.decode(text).ok()?).ok().map(Cow::Owned),
    }
}
