//! What users are told when sessions and activities cannot be used or changed as they asked.

use crate::gateway::{unread, unstored};
use model::{Code, Fault};
use workflow::session::Error;

pub(super) fn unknown_activity(name: &str) -> Fault {
    Fault::new(Code::NotFound, format!("Activity '{name}' not found")).with("name", name)
}

pub(super) fn wrong(field: &str, message: impl Into<String>) -> Fault {
    Fault::new(Code::ValidationError, message).with("field", field)
}

pub(super) fn conflict(message: impl Into<String>) -> Fault {
    Fault::new(Code::Conflict, message)
}

/// Something of the config file cannot be changed over the API.
pub(super) fn in_the_file(what: &str, name: &str) -> Fault {
    conflict(format!("{what} '{name}' stands in the config file; change it there and reload"))
        .with("name", name)
}

/// What the engine says, as the admin API says it.
pub(super) fn of(error: Error) -> Fault {
    match error {
        Error::NotFound(id) => {
            Fault::new(Code::NotFound, Error::NotFound(id.clone()).to_string()).with("sessionId", id)
        }
        Error::NoWorkflow(name) => {
            Fault::new(Code::NotFound, Error::NoWorkflow(name.clone()).to_string()).with("workflowName", name)
        }
        Error::TooDeep => wrong("input", error.to_string()),
        Error::Full(_) | Error::Overtaken | Error::Stopping => conflict(error.to_string()),
        Error::Definition(_) => Fault::new(Code::InternalError, error.to_string()),
        Error::Unread(error) => unread(&error),
        Error::Store(error) | Error::Unrecorded(error) => unstored(&error),
        Error::Away(_) => Fault::new(Code::InternalError, error.to_string()),
    }
}

/// The same for whoever only looks.
pub(super) fn looking(error: Error) -> Fault {
    of(match error {
        Error::Store(error) => Error::Unread(error),
        other => other,
    })
}
