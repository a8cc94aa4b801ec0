//! Why a child could not be started. No message holds an argument or an environment value.

use model::Code;
use std::io;

/// Why a child could not be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A bare name that no folder of `PATH` holds.
    #[error("command '{command}' not found on PATH; install it or give its full path")]
    NotFound {
        /// The command as the user wrote it.
        command: String,
    },
    /// A path that leads nowhere.
    #[error("command '{command}' does not exist")]
    Missing {
        /// The command as the user wrote it.
        command: String,
    },
    /// A path that leads to a folder or a device.
    #[error("command '{command}' is not a file")]
    NotAFile {
        /// The command as the user wrote it.
        command: String,
    },
    /// A file without permission to execute it.
    #[error("command '{command}' is not executable; give it permission with chmod +x")]
    NotExecutable {
        /// The command as the user wrote it.
        command: String,
    },
    /// A file that names a program to run it, and that program is missing.
    #[error("command '{command}' cannot be run: the interpreter or loader that it names does not exist")]
    NoInterpreter {
        /// The resolved program.
        command: String,
    },
    /// The system refuses to execute the file for another reason.
    #[error("command '{command}' cannot be run")]
    Refused {
        /// The resolved program.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// The system lacks a measure that the server must have.
    #[error(
        "harden.{field} cannot be had here: {why}; take it out, or let the server start without it with \
         harden.optional: true"
    )]
    Lacks {
        /// The measure.
        field: &'static str,
        /// What is missing.
        why: &'static str,
    },
    /// A setting that names a place which is not there.
    #[error("{field} names a place that does not exist, or that cannot be used for this")]
    NoPlace {
        /// The setting.
        field: String,
    },
    /// The system gives no pipe or no process.
    #[error("cannot start a process")]
    NoProcess(#[source] io::Error),
    /// The guard ended before it could say whether the command runs.
    #[error("the process guard ended before the command was started")]
    GuardLost,
}

impl Error {
    /// What went wrong, for those who may not see the command.
    pub fn without_command(&self) -> String {
        let text = self.to_string();
        match self {
            Error::NotFound { command }
            | Error::Missing { command }
            | Error::NotAFile { command }
            | Error::NotExecutable { command }
            | Error::NoInterpreter { command }
            | Error::Refused { command, .. } => text.replacen(&format!(" '{command}'"), "", 1),
            Error::Lacks { .. } | Error::NoPlace { .. } | Error::NoProcess(_) | Error::GuardLost => text,
        }
    }

    /// The stable name that clients, logs and documentation share.
    pub const fn code(&self) -> Code {
        match self {
            Error::NoProcess(_) | Error::GuardLost => Code::InternalError,
            _ => Code::ServerNotRunning,
        }
    }
}
