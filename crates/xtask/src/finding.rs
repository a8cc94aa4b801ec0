//! What a check has to say about one place in the repository.

use std::fmt;

/// Whether a finding must be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Failure,
    Note,
}

/// One remark about one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: Option<usize>,
    message: String,
    weight: Weight,
}

impl Finding {
    /// Something about a whole file that must be mended.
    pub(crate) fn file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into(), weight: Weight::Failure }
    }

    /// Something about one line that must be mended.
    pub(crate) fn line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::file(path, message) }
    }

    /// Something worth knowing that fails nothing.
    pub(crate) fn note(path: &str, message: impl Into<String>) -> Self {
        Self { weight: Weight::Note, ..Self::file(path, message) }
    }

    /// Whether the check fails because of it.
    pub(crate) fn fails(&self) -> bool {
        self.weight == Weight::Failure
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = if self.fails() { "" } else { "note: " };
        match self.line {
            Some(line) => write!(f, "{}:{line} {note}{}", self.path, self.message),
            None => write!(f, "{} {note}{}", self.path, self.message),
        }
    }
}

/// The findings as lines, for tests that are data.
#[cfg(test)]
pub(crate) fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}
