//! The five words for the state of a server.

use serde::{Deserialize, Serialize};

/// The state of a server, as `/health`, errors and the UI name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Status {
    /// First start in progress.
    Starting,
    /// Handshake done, tools listed.
    Running,
    /// A restart is waiting or in progress.
    Restarting,
    /// Ended with exit code 0, stopped on purpose, or has never run.
    Stopped,
    /// Ended abnormally.
    Crashed,
}

impl Status {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Status::Starting => "starting",
            Status::Running => "running",
            Status::Restarting => "restarting",
            Status::Stopped => "stopped",
            Status::Crashed => "crashed",
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
