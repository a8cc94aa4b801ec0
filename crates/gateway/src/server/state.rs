//! What is known about a server at this moment.

use super::Origin;
use mcp::Peer;
use model::{Scope, ServerEntry, Status};
use serde::Serialize;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The changing part of a server.
#[derive(Debug)]
pub(super) struct State {
    pub(super) status: Status,
    pub(super) exit_code: Option<i32>,
    pub(super) last_error: Option<String>,
    /// The same for whoever runs the gateway, where more can be said.
    pub(super) reason: Option<String>,
    pub(super) pid: Option<u32>,
    pub(super) peer: Option<Peer>,
    pub(super) since: Option<(Instant, u64)>,
    pub(super) restarts: u64,
    pub(super) has_run: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            status: Status::Starting,
            exit_code: None,
            last_error: None,
            reason: None,
            pid: None,
            peer: None,
            since: None,
            restarts: 0,
            has_run: false,
        }
    }
}

/// A server as the admin API shows it: never its command, environment or address.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerView {
    /// Its name.
    pub name: String,
    /// Its state.
    pub status: Status,
    /// Where its definition stands.
    pub origin: Origin,
    /// Why it is not running, or what went wrong last.
    pub last_error: Option<String>,
    /// Whether somebody must sign in to it first: see `POST /api/servers/{name}/sign-in`.
    pub needs_sign_in: bool,
    /// Exit code of the child that crashed last.
    pub exit_code: Option<i32>,
    /// Process id of the child; a remote server has none.
    pub pid: Option<u32>,
    /// `legacy` or `modern`, once known.
    pub era: Option<&'static str>,
    /// `stdio`, `streamable-http` or `sse`, once known.
    pub transport: Option<&'static str>,
    /// The revision of MCP in use, once known.
    pub protocol_version: Option<String>,
    /// When the child became ready, in epoch milliseconds.
    pub started_at: Option<u64>,
    /// How often it was started again.
    pub restarts: u64,
    /// How many tools it has.
    pub tools: usize,
    /// Milliseconds for one call, where the definition says so.
    pub timeout: Option<u64>,
    /// Whether the gateway refuses to start without it, where the definition says so.
    pub required: Option<bool>,
    /// `shared`, or `client` when each client session has a process of its own.
    pub scope: Scope,
    /// How many clients have a process of their own now; `null` where all share one.
    pub clients: Option<usize>,
}

impl State {
    /// The child is ready.
    pub(super) fn running(&mut self, pid: Option<u32>, peer: Peer) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.status = Status::Running;
        self.pid = pid;
        self.peer = Some(peer);
        self.since = Some((Instant::now(), u64::try_from(now.as_millis()).unwrap_or(u64::MAX)));
        self.has_run = true;
        self.exit_code = None;
        (self.last_error, self.reason) = (None, None);
    }

    /// The child is gone, or is given up.
    pub(super) fn ended(&mut self, status: Status, exit_code: Option<i32>, why: Option<String>) {
        self.status = status;
        self.exit_code = exit_code;
        self.pid = None;
        self.since = None;
        if why.is_some() {
            (self.last_error, self.reason) = (why, None);
        }
    }

    pub(super) fn view(&self, entry: &ServerEntry, origin: Origin, tools: usize) -> ServerView {
        ServerView {
            name: entry.name.clone(),
            status: self.status,
            origin,
            last_error: self.last_error.clone(),
            needs_sign_in: false,
            exit_code: self.exit_code,
            pid: self.pid,
            era: self.peer.as_ref().map(|peer| peer.era.as_str()),
            transport: self.peer.as_ref().map(|peer| peer.transport.as_str()),
            protocol_version: self.peer.as_ref().map(|peer| peer.version.clone()),
            started_at: self.since.map(|(_, epoch_ms)| epoch_ms),
            restarts: self.restarts,
            tools,
            timeout: entry.timeout,
            required: entry.required,
            scope: entry.scope,
            clients: None,
        }
    }
}
