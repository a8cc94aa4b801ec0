//! Why a config cannot be used. `Display` is exactly the one line that is printed (spec 1.11).

use model::text::shown;
use model::{Code, FieldError};
use std::path::PathBuf;

const PREFIX: &str = "Error: Invalid config.yaml: ";

/// A place in a text; both numbers begin at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The character in the line.
    pub column: u64,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A problem of the config file or of a variable of the gateway.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No file at the given path, or at any of the usual ones.
    #[error("Config file not found: {}", paths.iter().map(|p| shown(&p.to_string_lossy())).collect::<Vec<_>>().join(", "))]
    NotFound {
        /// Where it was looked for.
        paths: Vec<PathBuf>,
    },
    /// The file is there and cannot be used as text.
    #[error("{PREFIX}{message}")]
    File {
        /// What is wrong.
        message: String,
    },
    /// The text is not YAML, or more than the reader takes.
    #[error("{PREFIX}{}{message}", position.map(|p| format!("{p}: ")).unwrap_or_default())]
    Syntax {
        /// Where, when it is known.
        position: Option<Position>,
        /// What is wrong.
        message: String,
    },
    /// A field breaks a rule.
    #[error("{PREFIX}{}", sentence(.0))]
    Field(FieldError),
    /// Two servers have one name.
    #[error("{PREFIX}Server name '{}' is duplicated", shown(name))]
    Duplicate {
        /// Index of the second one.
        index: usize,
        /// Their name.
        name: String,
    },
    /// `healthCheckInterval` of the file is out of range.
    #[error("invalid healthCheckInterval in YAML: {} (must be between 5000 and 300000)", shown(value))]
    HealthCheckInterval {
        /// As written in the file.
        value: String,
    },
    /// `restartPolicy`, or `MCP_SERVER_RESTART_POLICY`, is not a policy.
    #[error("invalid restart policy: {} (must be 'never' or 'on-failure')", shown(value))]
    RestartPolicy {
        /// `restartPolicy` or `MCP_SERVER_RESTART_POLICY`.
        field: &'static str,
        /// As written.
        value: String,
    },
    /// A variable of the gateway breaks its rule.
    #[error("invalid {name}: {} ({rule})", shown(value))]
    Variable {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        rule: &'static str,
    },
    /// `HEALTH_CHECK_INTERVAL` is not a number.
    #[error("invalid HEALTH_CHECK_INTERVAL format: {}", shown(value))]
    HealthCheckFormat {
        /// Its value.
        value: String,
    },
}

fn sentence(error: &FieldError) -> String {
    FieldError::new(error.path.as_str(), error.message.as_str()).under("")
}

impl Error {
    /// A field that breaks a rule.
    pub(crate) fn field_at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Field(FieldError::new(path, message))
    }

    /// The path of the field at fault, or the name of the variable.
    pub fn field(&self) -> Option<String> {
        match self {
            Self::Field(error) if !error.path.is_empty() => Some(error.path.clone()),
            Self::Duplicate { index, .. } => Some(format!("servers[{index}].name")),
            Self::HealthCheckInterval { .. } => Some("healthCheckInterval".into()),
            Self::RestartPolicy { field, .. } => Some((*field).into()),
            Self::Variable { name, .. } => Some((*name).into()),
            Self::HealthCheckFormat { .. } => Some("HEALTH_CHECK_INTERVAL".into()),
            _ => None,
        }
    }

    /// The line without the prefix, for replies and logs.
    pub fn message(&self) -> String {
        let line = self.to_string();
        line.strip_prefix(PREFIX).map(str::to_owned).unwrap_or(line)
    }

    /// Where in the file, when the trouble is the text itself.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Syntax { position, .. } => *position,
            _ => None,
        }
    }

    /// The stable name of the failure.
    pub fn code(&self) -> Code {
        Code::ValidationError
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_message_and_line_are_told_apart() {
        let error = Error::field_at("servers[0].timeout", "must be a positive integer");
        assert_eq!(error.field().as_deref(), Some("servers[0].timeout"));
        assert_eq!(error.message(), "servers[0].timeout must be a positive integer");
        assert_eq!(
            error.to_string(),
            "Error: Invalid config.yaml: servers[0].timeout must be a positive integer"
        );
        let error = Error::Duplicate { index: 2, name: "a".into() };
        assert_eq!(error.field().as_deref(), Some("servers[2].name"));
        assert_eq!(error.to_string(), "Error: Invalid config.yaml: Server name 'a' is duplicated");
    }

    #[test]
    fn a_syntax_error_knows_its_place() {
        let position = Some(Position { line: 3, column: 5 });
        let error = Error::Syntax { position, message: "m".into() };
        assert_eq!(error.to_string(), "Error: Invalid config.yaml: line 3, column 5: m");
        assert_eq!(error.position(), position);
    }

    #[test]
    fn a_missing_file_is_told_without_the_prefix() {
        let error = Error::NotFound { paths: vec!["a.yaml".into(), "b.yaml".into()] };
        assert_eq!(error.to_string(), "Config file not found: a.yaml, b.yaml");
    }
}
