//! The one table of error codes: what clients, logs and `docs/errors/` share.

use serde::Serialize;

/// A stable name for a kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The request breaks a rule of the API or of the tool.
    ValidationError,
    /// No server has that name.
    ServerNotFound,
    /// The server has no tool of that name.
    ToolNotFound,
    /// The server did not reply in time.
    TimeoutError,
    /// The server is stopped, starting or restarting.
    ServerNotRunning,
    /// The server ended abnormally.
    ServerCrashed,
    /// The tool failed, or its reply cannot be used.
    ToolExecutionError,
    /// The gateway or the protocol is at fault.
    InternalError,
    /// No such path or resource.
    NotFound,
    /// The path exists, the method does not.
    MethodNotAllowed,
    /// The request is well formed, but the present state forbids it.
    Conflict,
    /// No key was given, or one that is not, or no longer, good.
    Unauthorized,
    /// The key does not permit this.
    Forbidden,
    /// Too many requests of one key, or too many wrong keys from one address.
    RateLimited,
    /// More is under way than the gateway or the server takes.
    Overloaded,
    /// The server failed again and again and is left alone for a while.
    CircuitOpen,
    /// The database of the gateway does not answer now.
    StoreUnavailable,
}

/// Who can mend a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The caller, by sending something else.
    Caller,
    /// The server behind the gateway, or whoever runs it.
    Server,
    /// The gateway itself.
    Gateway,
}

struct Row {
    name: &'static str,
    http: u16,
    jsonrpc: i64,
    side: Side,
    retry: bool,
}

const fn row(name: &'static str, http: u16, jsonrpc: i64, side: Side, retry: bool) -> Row {
    Row { name, http, jsonrpc, side, retry }
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: [Code; 17] = [
        Code::ValidationError,
        Code::ServerNotFound,
        Code::ToolNotFound,
        Code::TimeoutError,
        Code::ServerNotRunning,
        Code::ServerCrashed,
        Code::ToolExecutionError,
        Code::InternalError,
        Code::NotFound,
        Code::MethodNotAllowed,
        Code::Conflict,
        Code::Unauthorized,
        Code::Forbidden,
        Code::RateLimited,
        Code::Overloaded,
        Code::CircuitOpen,
        Code::StoreUnavailable,
    ];

    const fn row(self) -> Row {
        use Side::{Caller, Gateway, Server};
        match self {
            Code::ValidationError => row("VALIDATION_ERROR", 400, -32602, Caller, false),
            Code::ServerNotFound => row("SERVER_NOT_FOUND", 404, -32602, Caller, false),
            Code::ToolNotFound => row("TOOL_NOT_FOUND", 404, -32602, Caller, false),
            Code::TimeoutError => row("TIMEOUT_ERROR", 408, -32603, Server, true),
            Code::ServerNotRunning => row("SERVER_NOT_RUNNING", 503, -32603, Server, true),
            Code::ServerCrashed => row("SERVER_CRASHED", 502, -32603, Server, true),
            Code::ToolExecutionError => row("TOOL_EXECUTION_ERROR", 500, -32603, Server, false),
            Code::InternalError => row("INTERNAL_ERROR", 500, -32603, Gateway, false),
            Code::NotFound => row("NOT_FOUND", 404, -32601, Caller, false),
            Code::MethodNotAllowed => row("METHOD_NOT_ALLOWED", 405, -32601, Caller, false),
            Code::Conflict => row("CONFLICT", 409, -32603, Caller, false),
            Code::Unauthorized => row("UNAUTHORIZED", 401, -32030, Caller, false),
            Code::Forbidden => row("FORBIDDEN", 403, -32031, Caller, false),
            Code::RateLimited => row("RATE_LIMITED", 429, -32029, Caller, true),
            Code::Overloaded => row("OVERLOADED", 503, -32028, Gateway, true),
            Code::CircuitOpen => row("CIRCUIT_OPEN", 503, -32027, Server, true),
            Code::StoreUnavailable => row("STORE_UNAVAILABLE", 503, -32026, Gateway, true),
        }
    }

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The HTTP status. `http.timeoutStatus` may replace that of `TIMEOUT_ERROR`.
    pub const fn http(self) -> u16 {
        self.row().http
    }

    /// The JSON-RPC error code towards MCP clients.
    pub const fn jsonrpc(self) -> i64 {
        self.row().jsonrpc
    }

    /// The code nearest to a JSON-RPC error of the gateway that stands for no other.
    pub const fn of_jsonrpc(number: i64) -> Self {
        match number {
            -32601 | -32001 | -32002 => Self::NotFound,
            -32700 | -32600 | -32602 | -32022..=-32020 => Self::ValidationError,
            _ => Self::InternalError,
        }
    }

    /// Who can mend it.
    pub const fn side(self) -> Side {
        self.row().side
    }

    /// Whether the same request may succeed later without a change.
    pub const fn retry(self) -> bool {
        self.row().retry
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serialised_name_is_the_name_in_the_table() {
        for code in Code::ALL {
            let json = serde_json::to_value(code).expect("a code is plain data");
            assert_eq!(json, code.name());
        }
    }
}
