//! What each route takes. What is not named takes more rather than less.

use axum::http::Method;
use model::access::Role;

/// What a route takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Anybody may come.
    Nothing,
    /// Any key.
    Key,
    /// A key with this role.
    Role(Role),
}

/// Whether a path is one of the MCP endpoint.
pub(crate) fn is_endpoint(path: &str) -> bool {
    matches!(path, "/mcp" | "/sse" | "/messages")
}

/// What it takes to go there.
pub(super) fn need(method: &Method, path: &str) -> Need {
    let reads = matches!(*method, Method::GET | Method::HEAD);
    // Whatever is no probe is refused for its method, not for want of a key.
    if path == "/health" {
        return Need::Nothing;
    }
    if path == "/metrics" {
        return Need::Role(Role::Viewer);
    }
    if is_endpoint(path) || path.starts_with("/mcp/") {
        return Need::Key;
    }
    if path == "/api" || path.starts_with("/api/") {
        return admin(method, path, reads);
    }
    // The web page itself, which has nothing to tell without a key.
    if reads { Need::Nothing } else { Need::Key }
}

fn admin(method: &Method, path: &str, reads: bool) -> Need {
    let area = path.trim_start_matches("/api/").split('/').next().unwrap_or_default();
    match area {
        "session" if *method == Method::POST => Need::Nothing,
        "session" | "openapi.json" => Need::Key,
        "keys" | "audit" => Need::Role(Role::Operator),
        _ if reads => Need::Role(Role::Viewer),
        "servers" | "demo-server" | "config" | "sessions" => Need::Role(Role::Operator),
        "hooks" | "workflows" | "activities" | "templates" | "schedules" => Need::Role(Role::Editor),
        _ => Need::Role(Role::Operator),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_takes_what_it_should() {
        let role = |role| Need::Role(role);
        for (method, path, expected) in [
            ("GET", "/health", Need::Nothing),
            ("POST", "/health", Need::Nothing),
            ("GET", "/", Need::Nothing),
            ("GET", "/assets/x.js", Need::Nothing),
            ("HEAD", "/favicon.svg", Need::Nothing),
            ("POST", "/", Need::Key),
            ("GET", "/mcp", Need::Key),
            ("POST", "/mcp", Need::Key),
            ("GET", "/sse", Need::Key),
            ("POST", "/messages", Need::Key),
            ("POST", "/mcp/call", Need::Key),
            ("GET", "/mcp/tools", Need::Key),
            ("GET", "/mcp/other", Need::Key),
            ("GET", "/metrics", role(Role::Viewer)),
            ("GET", "/api", role(Role::Viewer)),
            ("GET", "/api/", role(Role::Viewer)),
            ("GET", "/api/hooks", role(Role::Viewer)),
            ("POST", "/api/hooks", role(Role::Editor)),
            ("PATCH", "/api/workflows/x", role(Role::Editor)),
            ("DELETE", "/api/servers/x", role(Role::Operator)),
            ("POST", "/api/demo-server", role(Role::Operator)),
            ("POST", "/api/config/reload", role(Role::Operator)),
            ("POST", "/api/sessions/x/cancel", role(Role::Operator)),
            ("GET", "/api/sessions/x", role(Role::Viewer)),
            ("GET", "/api/keys", role(Role::Operator)),
            ("GET", "/api/audit/export", role(Role::Operator)),
            ("POST", "/api/session", Need::Nothing),
            ("GET", "/api/session", Need::Key),
            ("DELETE", "/api/session", Need::Key),
            ("POST", "/api/something-new", role(Role::Operator)),
            ("GET", "/api/openapi.json", Need::Key),
        ] {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            assert_eq!(need(&method, path), expected, "{method} {path}");
        }
    }
}
