//! Legacy sessions: the id is a sealed token that holds all that is known of the client, so any instance
//! with the same key can take the next request.

use super::{Refused, refused};
use crate::app::App;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use gateway::{Guest, Pass};
use model::access::Digest;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub(crate) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PURPOSE: &str = "mcp-session";

/// The longest id: every request carries it, and clients and proxies refuse long headers.
pub(super) const ID_MAX: usize = 8192;

/// How many clients that said goodbye are remembered.
const LEFT_MAX: usize = 10_000;

/// The session id of a client.
pub(crate) fn seal(app: &App, pass: Option<&Pass>, guest: &Guest) -> String {
    app.seal().seal(&purpose(pass), &serde_json::to_vec(guest).unwrap_or_default())
}

/// A session belongs to the key with which it began: with another one its id is worth nothing.
fn purpose(pass: Option<&Pass>) -> Cow<'static, str> {
    match pass {
        None => PURPOSE.into(),
        Some(pass) => format!("{PURPOSE} {}", pass.digest().hex()).into(),
    }
}

/// The client behind a session id. Those seen lately need not be opened again.
pub(crate) fn open(app: &App, pass: Option<&Pass>, id: &str) -> Option<Arc<Guest>> {
    let key = pass.map(|pass| *pass.digest());
    if let Some(guest) = app.seen().get(id, key) {
        return Some(guest);
    }
    let guest: Arc<Guest> =
        serde_json::from_slice(&app.seal().open(&purpose(pass), id)?).ok().map(Arc::new)?;
    if app.left().has(guest.number) {
        return None;
    }
    app.seen().add(id, key, guest.clone());
    Some(guest)
}

/// How many clients are known without opening their session id.
const SEEN_MAX: usize = 1000;

/// A client, and the key that its session is bound to.
type Bound = (Option<Digest>, Arc<Guest>);

/// Clients seen lately, by session id. It only saves time: nothing is lost when it is emptied.
#[derive(Default)]
pub(crate) struct Seen {
    by_id: RwLock<HashMap<Box<str>, Bound>>,
}

impl Seen {
    fn get(&self, id: &str, key: Option<Digest>) -> Option<Arc<Guest>> {
        let all = self.by_id.read().unwrap_or_else(PoisonError::into_inner);
        all.get(id).filter(|(of, _)| *of == key).map(|(_, guest)| guest.clone())
    }

    fn add(&self, id: &str, key: Option<Digest>, guest: Arc<Guest>) {
        let mut all = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= SEEN_MAX {
            all.clear();
        }
        all.insert(id.into(), (key, guest));
    }

    pub(crate) fn forget(&self, number: u64) {
        self.by_id
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|_, (_, guest)| guest.number != number);
    }
}

/// The client of a request: 400 without a session id, 404 with one that is not, or no longer, good.
pub(super) fn guest(app: &App, pass: Option<&Pass>, headers: &HeaderMap) -> Result<Arc<Guest>, Refused> {
    let Some(id) = headers.get(&SESSION_ID) else {
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
        .and_then(|id| open(app, pass, id))
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
