//! Requests that are HTTP, but not always what the gateway hopes for.

use crate::bodies::{body, noisy};
use testkit::{Random, Request};

pub(crate) fn request(random: &mut Random) -> Request {
    let body = body(random);
    let mut request = match random.below(8) {
        0 => Request::new(method(random), &path(random)),
        1 => Request::new("POST", "/mcp/call?raw=true"),
        _ => Request::new("POST", "/mcp/call"),
    };
    for _ in 0..random.below(3) {
        request = header(random, request);
    }
    let types =
        ["text/plain", "", "application/jsonx", "multipart/form-data", "application/json; ;=é", "/", "*/*"];
    let content_type = if random.one_in(6) { random.pick(&types) } else { "application/json" };
    if random.one_in(20) { request } else { request.body(content_type, body) }
}

fn method(random: &mut Random) -> &'static str {
    random.pick(&["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "POST", "BREW", "get"])
}

fn path(random: &mut Random) -> String {
    const KNOWN: [&str; 8] = [
        "/mcp/call",
        "/mcp/tools",
        "/health",
        "/metrics",
        "/api/openapi.json",
        "/api/servers",
        "/api/servers/test-server/logs",
        "/api/servers/no-such-server/restart",
    ];
    const PIECES: [&str; 14] =
        ["/", "..", "%00", "%2e", "%2F", "%zz", "%", "a", "?", "raw=", "&", "~", ";", "%ff%fe"];
    match random.below(3) {
        0 => random.pick(&KNOWN).to_owned(),
        1 => format!("{}{}", random.pick(&KNOWN), noisy(random, &PIECES)),
        _ => format!("/{}", noisy(random, &PIECES)),
    }
}

fn header(random: &mut Random, request: Request) -> Request {
    let long = "x".repeat(1 + random.below(6000));
    match random.below(7) {
        0 => request.header("Content-Type", "text/html"),
        1 => request.header("X-Client-Id", "\u{202e}é\u{1F600}"),
        2 => request.header("X-Noise", &long),
        3 => request.header("Accept", "*/*;q=é,,,;"),
        4 => request.header("Content-Encoding", "gzip"),
        5 => request.header("Range", "bytes=5-1"),
        _ => (0..40).fold(request, |request, n| request.header(&format!("X-{n}"), "")),
    }
}
