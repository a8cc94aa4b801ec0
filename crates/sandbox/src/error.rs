//! What went wrong with one execution of a script.

/// Which kind of trouble it was. The names are stable: clients and logs share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The script threw, or returned something that is no verdict.
    ScriptError,
    /// The script did not end in time.
    Timeout,
    /// The script would not compile or start, or its worker was lost.
    ExecutionError,
}

impl ErrorCode {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorCode::ScriptError => "SCRIPT_ERROR",
            ErrorCode::Timeout => "TIMEOUT",
            ErrorCode::ExecutionError => "EXECUTION_ERROR",
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The limit that stopped a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The wall clock of one execution.
    Time,
    /// The heap of the script.
    Memory,
    /// The depth of its calls.
    Stack,
    /// The size, depth or number of keys of what it hands back.
    Output,
    /// The number or size of its requests to the gateway.
    Requests,
    /// No worker was free in time.
    Workers,
}

impl Limit {
    /// A short name, as logs show it.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Stack => "stack",
            Limit::Output => "output",
            Limit::Requests => "requests",
            Limit::Workers => "workers",
        }
    }
}

/// Why one execution of a script failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// Which kind of trouble it was.
    pub code: ErrorCode,
    /// What happened, at most 2 KB.
    pub message: String,
    /// The line in the script's own source, from 1.
    pub line: Option<u32>,
    /// The column in the script's own source, from 1.
    pub column: Option<u32>,
    /// The limit that stopped it, where it was one.
    pub limit: Option<Limit>,
}

/// The message of every timeout.
pub(crate) const TIMED_OUT: &str = "Script execution timed out";

impl ScriptError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), line: None, column: None, limit: None }
    }

    /// The script did not end in time.
    pub(crate) fn timeout() -> Self {
        Self { limit: Some(Limit::Time), ..Self::new(ErrorCode::Timeout, TIMED_OUT) }
    }

    pub(crate) fn limited(code: ErrorCode, limit: Limit, message: impl Into<String>) -> Self {
        Self { limit: Some(limit), ..Self::new(code, message) }
    }
}
