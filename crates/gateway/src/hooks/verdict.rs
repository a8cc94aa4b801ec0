//! From what a script decided to what a caller is told (spec 2.5 and 2.7), and to the log.

use super::mask::read;
use crate::carried::Failure;
use mcp::RpcError;
use model::{Code, Fault, Hook};
use sandbox::{ConsoleLine, Level, Phase, Report, ScriptError, Verdict};
use serde_json::{Value, json};

/// JSON-RPC's "invalid request", which a client gets for a request that a hook blocks.
const INVALID_REQUEST: i64 = -32600;

/// A request or a reply that a hook blocks.
pub(crate) fn blocked(phase: Phase, hook: &str, code: Option<String>, message: Option<String>) -> Fault {
    let (kind, default) = match phase {
        Phase::Pre => (Code::ValidationError, "Request blocked by hook"),
        Phase::Post => (Code::ToolExecutionError, "Response blocked by hook"),
    };
    let message = message.filter(|text| !text.is_empty()).unwrap_or_else(|| default.to_owned());
    let code = code.and_then(|text| read(&text));
    let fault = Fault::new(kind, message).with("hook", hook);
    let fault = match code {
        Some(code) => fault.with("code", code),
        None => fault,
    };
    if phase == Phase::Pre { fault.as_jsonrpc(INVALID_REQUEST) } else { fault }
}

/// A hook that must not fail, and did.
pub(crate) fn failed(hook: &str, error: Option<&ScriptError>) -> Fault {
    let text = error.map_or("it could not be run", |error| error.message.as_str());
    let fault =
        Fault::new(Code::ToolExecutionError, format!("Hook '{hook}' failed: {text}")).with("hook", hook);
    match error {
        Some(error) => place(error, fault),
        None => fault,
    }
}

/// A node of a graph that is no hook, and failed.
pub(crate) fn failed_node(node: &str, error: &ScriptError) -> Fault {
    let message = format!("Node '{node}' failed: {}", error.message);
    place(error, Fault::new(Code::ToolExecutionError, message).with("node", node))
}

fn place(error: &ScriptError, fault: Fault) -> Fault {
    let fault = fault.with("code", error.code.name());
    let fault = match error.line {
        Some(line) => fault.with("line", line),
        None => fault,
    };
    match error.column {
        Some(column) => fault.with("column", column),
        None => fault,
    }
}

/// `metadata.error` of a call that failed.
pub(crate) fn error_of(failure: &Failure) -> Value {
    match failure {
        Failure::Fault(fault) => json!({"code": fault.code.name(), "message": fault.message}),
        Failure::Rpc(error) => {
            let RpcError { code, message, data } = RpcError::read(error);
            let mut all = json!({"code": code, "message": message});
            if let Some(data) = data {
                all["data"] = data;
            }
            all
        }
    }
}

pub(super) fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Pre => "pre",
        Phase::Post => "post",
    }
}

/// What a script wrote.
pub(super) fn console(hook: &Hook, lines: &[ConsoleLine]) {
    let (id, name) = (hook.id.as_str(), hook.name.as_str());
    for line in lines {
        let text = line.text.as_str();
        match line.level {
            Level::Error => tracing::error!(hookId = id, hook = name, text, "console"),
            Level::Warn => tracing::warn!(hookId = id, hook = name, text, "console"),
            Level::Debug => tracing::debug!(hookId = id, hook = name, text, "console"),
            Level::Log | Level::Info => tracing::info!(hookId = id, hook = name, text, "console"),
        }
    }
}

/// What a script wrote, and why it failed.
pub(super) fn log(hook: &Hook, report: &Report) {
    console(hook, &report.console);
    if let Verdict::Failed(error) = &report.verdict {
        tracing::warn!(
            hookId = hook.id.as_str(),
            hook = hook.name.as_str(),
            code = error.code.name(),
            limit = error.limit.map(sandbox::Limit::name),
            line = error.line,
            column = error.column,
            reason = error.message,
            "a hook failed"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_says_what_the_hook_says_and_names_it() {
        let fault = blocked(Phase::Pre, "guard", Some("\"NO\"".into()), Some("not now".into()));
        assert_eq!(
            (fault.code, fault.jsonrpc(), &*fault.message),
            (Code::ValidationError, -32600, "not now")
        );
        assert_eq!(Value::Object(fault.details), json!({"hook": "guard", "code": "NO"}));
        let fault = blocked(Phase::Pre, "guard", Some(r#""NO\ud800""#.into()), None);
        assert_eq!(fault.details["code"], "NO\u{fffd}", "half a pair of surrogates is no text");
        let fault = blocked(Phase::Post, "guard", None, None);
        assert_eq!((fault.code, fault.jsonrpc()), (Code::ToolExecutionError, -32603));
        assert_eq!(fault.message, "Response blocked by hook");
        assert_eq!(Value::Object(fault.details), json!({"hook": "guard"}));
    }
}
