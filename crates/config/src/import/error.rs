//! Why an import cannot be planned or applied. Nothing was changed when one of these is returned.

use crate::error::Position;
use std::path::PathBuf;

/// A problem of the imported text, or of the file it goes into.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is neither JSON nor TOML.
    #[error("cannot read the {format} to import: {}{message}", position.map(|p| format!("{p}: ")).unwrap_or_default())]
    Syntax {
        /// `JSON` or `TOML`.
        format: &'static str,
        /// Where, when it is known.
        position: Option<Position>,
        /// What is wrong.
        message: String,
    },
    /// The text holds no servers in a form that is known.
    #[error(
        "nothing to import: expected JSON with 'mcpServers' or 'servers', or TOML with [mcp_servers.<name>]"
    )]
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
    #[error("nothing was changed, cannot {doing} {}: {cause}", crate::text::shown(&path.to_string_lossy()))]
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
