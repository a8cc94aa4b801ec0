//! The faults of the road, each with its exact message and details (spec 1.6).

use crate::access;
use model::{Code, Fault, Status};
use std::time::Duration;

pub(crate) fn server_not_found(server: &str) -> Fault {
    Fault::new(Code::ServerNotFound, format!("MCP Server '{server}' not found")).with_server(server)
}

pub(crate) fn tool_not_found(server: &str, tool: &str) -> Fault {
    Fault::new(Code::ToolNotFound, format!("Tool '{tool}' not found"))
        .with("toolName", tool)
        .with_server(server)
}

pub(crate) fn timed_out(server: &str, tool: &str, ms: u64) -> Fault {
    Fault::new(Code::TimeoutError, format!("Tool execution timed out after {ms}ms"))
        .with("toolName", tool)
        .with_server(server)
        .with("timeout", ms)
}

pub(crate) fn not_running(server: &str, status: Status) -> Fault {
    Fault::new(Code::ServerNotRunning, format!("MCP Server '{server}' is not running"))
        .with_server(server)
        .with("status", status.as_str())
}

pub(crate) fn crashed(server: &str, exit_code: Option<i32>) -> Fault {
    let fault =
        Fault::new(Code::ServerCrashed, format!("MCP Server '{server}' has crashed")).with_server(server);
    match exit_code {
        Some(code) => fault.with("exitCode", code),
        None => fault,
    }
}

pub(crate) fn too_many_clients(server: &str, max: usize) -> Fault {
    let message = format!(
        "MCP Server '{server}' has a process for {max} clients already; try again when one of them has left"
    );
    Fault::new(Code::ServerNotRunning, message).with_server(server).with("maxClients", max)
}

pub(crate) fn execution(server: &str, tool: &str, message: impl Into<String>) -> Fault {
    Fault::new(Code::ToolExecutionError, message).with("toolName", tool).with_server(server)
}

pub(crate) fn unsent(server: &str, tool: &str) -> Fault {
    execution(server, tool, "Tool execution failed: the server does not take requests")
}

/// A hook took away the name of what is asked for.
pub(crate) fn missing_name(method: &str) -> Fault {
    let field = if method == "resources/read" { "uri" } else { "name" };
    Fault::new(Code::ValidationError, format!("Missing parameter: {field}")).with("field", field)
}

/// A hook asked for something that nobody has.
pub(crate) fn unknown(method: &str, name: &str) -> Fault {
    match method {
        "tools/call" => {
            Fault::new(Code::ToolNotFound, format!("Tool '{name}' not found")).with("toolName", name)
        }
        "prompts/get" => Fault::new(Code::ValidationError, format!("Prompt '{name}' not found")),
        _ => Fault::new(Code::ValidationError, "Resource not found").with("uri", name),
    }
}

/// A hook gave a call the name of a tool that is not reached on its road.
pub(crate) fn led_astray(tool: &str, whose: &str, other: &str) -> Fault {
    let message = format!(
        "A hook gave the call the name '{tool}', which is a tool of {whose}; a call of a tool of {other} cannot become \
         one of it. Have the hook return the reply itself, or block and have the client call '{tool}'"
    );
    Fault::new(Code::ToolNotFound, message).with("toolName", tool)
}

pub(crate) fn internal() -> Fault {
    Fault::new(Code::InternalError, "Internal error: the server's reply could not be used")
}

/// What a failure of the store means for whoever wanted to change something.
pub(crate) fn unstored(error: &store::Error) -> Fault {
    tracing::error!(reason = %error, "the store failed");
    if error.code() == Code::StoreUnavailable {
        let words = match error {
            store::Error::Lost => "The store lost its data, and nothing was changed; the log says what to do",
            error if error.may_be_done() => {
                "The store was lost before it answered, and whether the change was kept is not known: look first"
            }
            _ => "The store does not answer now, and nothing was changed",
        };
        let fault = Fault::new(Code::StoreUnavailable, words);
        return access::retry(fault, Duration::from_secs(1));
    }
    Fault::new(Code::InternalError, "The store could not keep the change; nothing was changed")
}

/// What a failure of the store means for whoever wanted to read something.
pub(crate) fn unread(error: &store::Error) -> Fault {
    tracing::error!(reason = %error, "the store failed");
    let words = match error {
        store::Error::Lost => "The store lost its data; the log says what to do",
        error if error.code() == Code::StoreUnavailable => "The store does not answer now",
        _ => return Fault::new(Code::InternalError, "The store could not be read; try again"),
    };
    access::retry(Fault::new(Code::StoreUnavailable, words), Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_a_change_was_kept_is_only_said_where_it_is_known() {
        for (lost, words) in [(false, "and nothing was changed"), (true, "was kept is not known")] {
            let (place, reason) = ("p".to_owned(), "r".to_owned());
            let fault = unstored(&store::Error::Unavailable { doing: "add a hook", place, reason, lost });
            assert_eq!(fault.code, Code::StoreUnavailable);
            assert!(fault.message.contains(words), "{}", fault.message);
        }
    }
}
