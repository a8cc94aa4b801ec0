//! Legacy sessions: the id is a sealed token that holds all that is known of the client, so any instance
//! with the same key can take the next request.

use super::{Refused, refused};
use crate::app::App;
use axum::http::{HeaderMap, StatusCode};
use gateway::Guest;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub(crate) const SESSION_ID: &str = "mcp-session-id";
const PURPOSE: &str = "mcp-session";

/// How many clients that said goodbye are remembered.
const LEFT_MAX: usize = 10_000;

/// The session id of a client.
pub(crate) fn seal(app: &App, guest: &Guest) -> String {
    app.seal().seal(PURPOSE, &serde_json::to_vec(guest).unwrap_or_default())
}

/// The client behind a session id. Those seen lately need not be opened again.
pub(crate) fn open(app: &App, id: &str) -> Option<Arc<Guest>> {
    if let Some(guest) = app.seen().get(id) {
        return Some(guest);
    }
    let guest: Arc<Guest> = serde_json::from_slice(&app.seal().open(PURPOSE, id)?).ok().map(Arc::new)?;
    if app.left().has(guest.number) {
        return None;
    }
    app.seen().add(id, guest.clone());
    Some(guest)
}

/// How many clients are known without opening their session id.
const SEEN_MAX: usize = 1000;

/// Clients seen lately, by session id. It only saves time: nothing is lost when it is emptied.
#[derive(Default)]
pub(crate) struct Seen {
    by_id: RwLock<HashMap<Box<str>, Arc<Guest>>>,
}

impl Seen {
    fn get(&self, id: &str) -> Option<Arc<Guest>> {
        self.by_id.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    fn add(&self, id: &str, guest: Arc<Guest>) {
        let mut all = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= SEEN_MAX {
            all.clear();
        }
        all.insert(id.into(), guest);
    }

    pub(crate) fn forget(&self, number: u64) {
        self.by_id.write().unwrap_or_else(PoisonError::into_inner).retain(|_, guest| guest.number != number);
    }
}

/// The client of a request: 400 without a session id, 404 with one that is not, or no longer, good.
pub(super) fn guest(app: &App, headers: &HeaderMap) -> Result<Arc<Guest>, Refused> {
    let Some(id) = headers.get(SESSION_ID) else {
        return Err(refused(
            StatusCode::BAD_REQUEST,
            -32600,
            "Missing Mcp-Session-Id; send initialize first",
        ));
    };
    let version = headers.get("mcp-protocol-version").map(|value| value.to_str().unwrap_or_default());
    if version.is_some_and(|version| !mcp::LEGACY.contains(&version)) {
        return Err(refused(StatusCode::BAD_REQUEST, -32600, "Unsupported MCP-Protocol-Version"));
    }
    id.to_str()
        .ok()
        .and_then(|id| open(app, id))
        .ok_or_else(|| refused(StatusCode::NOT_FOUND, -32001, "Session not found; send initialize again"))
}

/// Clients that said goodbye: their ids are refused from then on.
#[derive(Default)]
pub(crate) struct Left {
    all: Mutex<(HashSet<u64>, VecDeque<u64>)>,
}

impl Left {
    pub(crate) fn add(&self, number: u64) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.0.insert(number) {
            all.1.push_back(number);
        }
        if all.1.len() > LEFT_MAX
            && let Some(oldest) = all.1.pop_front()
        {
            all.0.remove(&oldest);
        }
    }

    fn has(&self, number: u64) -> bool {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).0.contains(&number)
    }
}
