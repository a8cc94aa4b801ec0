//! Tokens of issuers, their keys, and what servers say when they refuse one: no bytes make a reader panic, and no
//! token is good for keys that did not sign it.

#![no_main]

use http::{HeaderMap, HeaderValue, StatusCode, header::WWW_AUTHENTICATE};
use libfuzzer_sys::fuzz_target;
use mcp::oauth::Challenge;

/// What is private to the gateway.
#[allow(dead_code, reason = "the target needs a part of it")]
#[path = "."]
mod access {
    #[rustfmt::skip]
    #[path = "../../crates/gateway/src/access/token/jwt.rs"]
    mod jwt;
    #[rustfmt::skip]
    #[path = "../../crates/gateway/src/access/token/keys.rs"]
    mod keys;

    /// Reads keys and a token, and checks the one with the others.
    pub(crate) fn check(keys: &[u8], token: &str) {
        let Some(jwt) = jwt::Jwt::read(token) else { return };
        let _ = (jwt.claims.scopes().count(), jwt.claims.subject());
        if let Some(keys) = keys::Keys::read(keys) {
            assert_ne!(keys.check(&jwt), keys::Proof::Good, "{token}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let middle = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (first, rest) = bytes.split_at(middle);
    if let Ok(token) = std::str::from_utf8(first) {
        access::check(rest, token);
    }
    if let Ok(value) = HeaderValue::from_bytes(first) {
        let headers: HeaderMap = [(WWW_AUTHENTICATE, value)].into_iter().collect();
        for status in [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN] {
            let _ = Challenge::read(status, &headers);
        }
    }
});
