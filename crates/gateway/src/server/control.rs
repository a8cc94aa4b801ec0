//! What keeps a server running: a child, or the connection to a remote one.

use mcp::{Client, Hold};
use process::Exit;
use std::time::Duration;

/// How long the exit status of a child may lag behind the end of its output.
pub(super) const EXIT_LAG: Duration = Duration::from_millis(300);

/// The hand on one life of a server. Dropping it ends that life.
pub(super) enum Control {
    /// A process of ours.
    Child {
        /// Its process id.
        pid: u32,
        /// Its guard.
        control: process::Control,
    },
    /// A connection to somewhere else.
    Remote {
        /// Closes the connection when it is dropped.
        _hold: Hold,
        /// The connection.
        client: Client,
    },
}

impl Control {
    /// The process id of a child.
    pub(super) fn pid(&self) -> Option<u32> {
        match self {
            Control::Child { pid, .. } => Some(*pid),
            Control::Remote { .. } => None,
        }
    }

    /// Waits for the end of the child. A remote server has none.
    pub(super) async fn exited(&self) -> Exit {
        match self {
            Control::Child { control, .. } => control.exited().await,
            Control::Remote { .. } => std::future::pending().await,
        }
    }

    /// How the child ended, when it ends about now.
    pub(super) async fn exiting(&self) -> Option<Exit> {
        match self {
            Control::Child { .. } => tokio::time::timeout(EXIT_LAG, self.exited()).await.ok(),
            Control::Remote { .. } => None,
        }
    }

    /// Ends it at once.
    pub(super) fn kill(&self) {
        match self {
            Control::Child { control, .. } => control.kill(),
            Control::Remote { client, .. } => client.close(),
        }
    }

    /// Ends it and waits for that; a child has `grace` to leave by itself.
    pub(super) async fn stop(&self, grace: Duration) {
        match self {
            Control::Child { control, .. } => _ = control.stop(grace).await,
            Control::Remote { client, .. } => {
                client.close();
                let _ = tokio::time::timeout(grace, client.left()).await;
            }
        }
    }
}
