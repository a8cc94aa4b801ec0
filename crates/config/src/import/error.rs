//! Why an import cannot be planned or applied. Nothing was changed when one of these is returned.

use crate::error::Position;
use std::path::PathBuf;

/// What can be imported, for those whose text was not understood.
const KNOWN: &str = "known are the JSON of Claude Desktop, Claude Code and Cursor ('mcpServers') and of VS Code \
                     ('servers'), and the TOML of Codex ([mcp_servers.<name>])";

/// A problem of the imported text, or of the file it goes into.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is neither JSON nor TOML.
    #[error("cannot read this as {format}: {position}: {message}; {KNOWN}")]
    Syntax {
        /// What it looks most like: `JSON` or `TOML`.
        format: &'static str,
        /// Where the reader gave up.
        position: Position,
        /// What is wrong.
        message: String,
    },
    /// The text holds no servers in a form that is known.
    #[error("nothing to import, no servers were found; {KNOWN}")]
    Unknown,
    /// The text is larger than any client writes.
    #[error("cannot import: the text exceeds maximum size ({max} bytes)")]
    TooLarge {
        /// The limit.
        max: u64,
    },
    /// The config file cannot be read as it is.
    #[error(transparent)]
    Config(#[from] crate::Error),
    /// The config file with the new servers would break a rule.
    #[error("nothing was changed, the result would not be valid: {}", .0.message())]
    Invalid(crate::Error),
    /// The text of the config file cannot be edited without a risk for what stands there.
    #[error("nothing was changed, the file cannot be edited safely: {reason}")]
    Unsafe {
        /// Why, and what to do.
        reason: &'static str,
    },
    /// A file operation failed.
    #[error("nothing was changed, cannot {doing} {}: {cause}", model::text::shown(&path.to_string_lossy()))]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// Why it failed.
        cause: std::io::Error,
    },
}

impl Error {
    /// The stable name of the failure.
    pub fn code(&self) -> model::Code {
        match self {
            Self::Unsafe { .. } => model::Code::Conflict,
            Self::Io { .. } => model::Code::InternalError,
            _ => model::Code::ValidationError,
        }
    }
}
