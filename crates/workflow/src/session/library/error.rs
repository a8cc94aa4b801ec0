//! What can go wrong in the library.

use crate::session::engine::{Error, Unchanged};

/// Why the library did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LibraryError {
    /// The sessions could not be read or recorded.
    #[error(transparent)]
    Session(#[from] Error),
    /// What was asked for must not be; the message says what to do.
    #[error("{0}")]
    Refused(String),
}

impl LibraryError {
    /// A refusal in these words.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        LibraryError::Refused(message.into())
    }
}

impl From<Unchanged> for LibraryError {
    fn from(unchanged: Unchanged) -> Self {
        match unchanged {
            Unchanged::Engine(error) => LibraryError::Session(error),
            Unchanged::Refused(message) => LibraryError::Refused(message),
        }
    }
}

impl From<::store::Error> for LibraryError {
    fn from(error: ::store::Error) -> Self {
        LibraryError::Session(error.into())
    }
}
