//! One life of a server's child, as callers see it.

use crate::faults;
use mcp::{Client, Peer};
use model::{Fault, Status};
use tokio::sync::SetOnce;

/// A connection to a running child. When it ends, every call on it learns why.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) peer: Peer,
    pub(crate) ended: SetOnce<Ending>,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Abnormally; with the exit code when it is known.
    Crashed(Option<i32>),
    /// Abnormally: it no longer takes requests, though it lives.
    Deaf,
    /// On purpose, or with exit code 0: the word is what the server is now.
    Left(Status),
}

impl Connection {
    pub(crate) fn new(client: Client, peer: Peer) -> Self {
        Self { client, peer, ended: SetOnce::new() }
    }

    /// Records why, then fails the calls in flight, so that each of them can tell.
    pub(crate) fn end(&self, ending: Ending) {
        let _ = self.ended.set(ending);
        self.client.fail_all();
    }
}

impl Ending {
    /// What a caller is told.
    pub(crate) fn fault(self, server: &str, tool: &str) -> Fault {
        match self {
            Ending::Crashed(code) => faults::crashed(server, code),
            Ending::Deaf => faults::unsent(server, tool),
            Ending::Left(status) => faults::not_running(server, status),
        }
    }
}
