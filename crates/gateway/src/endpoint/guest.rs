//! A client of the MCP endpoint, as its handshake or its request shows it.

use mcp::{Era, LEGACY, MODERN};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Who asks. The same number is the same client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guest {
    /// Tells clients apart; random enough not to be met twice.
    pub number: u64,
    /// The revision it speaks.
    pub version: String,
    /// The name it gave itself.
    pub name: String,
    /// What it can do for a server.
    pub capabilities: Map<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Greeting {
    protocol_version: String,
    capabilities: Map<String, Value>,
    client_info: ClientInfo,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ClientInfo {
    name: String,
}

impl Guest {
    /// A legacy client from the parameters of its `initialize`. A revision that is not known becomes the
    /// newest one, which the client may refuse.
    pub fn from_initialize(params: &str) -> Self {
        let greeting: Greeting = serde_json::from_str(params).unwrap_or_default();
        let known = LEGACY.contains(&greeting.protocol_version.as_str());
        let version = if known { greeting.protocol_version } else { LEGACY[0].to_owned() };
        Self {
            number: fresh(),
            version,
            name: greeting.client_info.name,
            capabilities: greeting.capabilities,
        }
    }

    /// A modern client from the `_meta` of a request.
    pub(super) fn from_meta(capabilities: &str, info: Option<&str>) -> Self {
        let info: ClientInfo = info.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Self {
            number: fresh(),
            version: MODERN.to_owned(),
            name: info.name,
            capabilities: match capabilities {
                "{}" => Map::new(),
                _ => serde_json::from_str(capabilities).unwrap_or_default(),
            },
        }
    }

    /// A number that no other client of this gateway has.
    pub(super) fn fresh_number() -> u64 {
        fresh()
    }

    /// The era it speaks.
    pub fn era(&self) -> Era {
        if self.version == MODERN { Era::Modern } else { Era::Legacy }
    }

    /// The session that its requests share. A modern client has none: every request stands alone.
    pub fn session(&self) -> Option<u64> {
        (self.era() == Era::Legacy).then_some(self.number)
    }

    /// Whether it can be asked that by a server, and the capability this takes.
    pub(super) fn can_answer(&self, method: &str) -> Result<(), &'static str> {
        let capability = match method {
            "sampling/createMessage" => "sampling",
            "elicitation/create" => "elicitation",
            "roots/list" => "roots",
            _ => return Ok(()),
        };
        if self.capabilities.contains_key(capability) { Ok(()) } else { Err(capability) }
    }
}

/// A number that no other client of this gateway has, and that is hard to guess from another's.
fn fresh() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    static KEYS: std::sync::OnceLock<RandomState> = std::sync::OnceLock::new();
    KEYS.get_or_init(RandomState::new).hash_one(NEXT.fetch_add(1, Relaxed))
}
