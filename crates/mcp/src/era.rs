//! The two eras of the protocol, and how the era of a server is found.

use crate::client::Client;
use crate::envelope::RpcError;
use crate::pending::{Gone, Outcome};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::time::Duration;

/// The era a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2024-11-05 to 2025-11-25: a handshake, then plain requests.
    Legacy,
    /// 2026-07-28: no handshake, every request carries its version and capabilities.
    Modern,
}

impl Era {
    /// The word in `/api/servers`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        }
    }

    /// The `_meta` members every request must carry, without braces; empty for a legacy server.
    pub const fn meta(self) -> &'static str {
        match self {
            Era::Legacy => "",
            Era::Modern => MODERN_META,
        }
    }

    /// The request that shows whether the server is still there.
    pub const fn ping(self) -> &'static str {
        match self {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        }
    }

    /// A `params` object with `members` (may be empty) and the era's `_meta`, for what is asked on behalf of all
    /// clients.
    pub fn params(self, members: &str) -> String {
        let separator = if members.is_empty() || self == Era::Legacy { "" } else { "," };
        match self {
            Era::Legacy => format!("{{{members}}}"),
            Era::Modern => format!("{{{members}{separator}\"_meta\":{{{SHARED_META}}}}}"),
        }
    }
}

/// The revision of the modern era.
pub const MODERN: &str = "2026-07-28";
/// The revisions of the legacy era, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What a modern server hears of the client, which can do this.
macro_rules! modern_meta {
    ($can:expr) => {
        concat!(
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientInfo":{"name":"lockgate","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#""},"io.modelcontextprotocol/clientCapabilities":{"#,
            $can,
            "}"
        )
    };
}

/// Servers of MCP Apps show their tools as such only to those who say that they know them; some client may.
macro_rules! apps {
    () => {
        r#""extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}"#
    };
}

const MODERN_META: &str = modern_meta!("");
const SHARED_META: &str = modern_meta!(apps!());

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Lines over the pipes of a child.
    Stdio,
    /// Streamable HTTP.
    Streamable,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

impl Transport {
    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Streamable => "streamable-http",
            Transport::Sse => "sse",
        }
    }
}

/// What the handshake told about a server.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The era it speaks.
    pub era: Era,
    /// The revision agreed on.
    pub version: String,
    /// How it is spoken to.
    pub transport: Transport,
    /// What it can do, as it announced it.
    pub capabilities: serde_json::Map<String, serde_json::Value>,
    /// What it says a client should know.
    pub instructions: Option<String>,
}

impl Peer {
    /// Whether it announced a capability.
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.contains_key(capability)
    }
}

/// What the gateway can do for a server: everything, because some client may be able to.
const OUR_CAPABILITIES: &str = concat!(
    r#"{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"#,
    apps!(),
    "}"
);

/// Why no handshake was possible.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The server closed its output or its input.
    #[error("the server closed the connection during the handshake")]
    Gone(#[from] Gone),
    /// The server refused this request.
    #[error("the server refused {0}: {1}")]
    Refused(&'static str, String),
    /// The server wants a revision that does not exist for us.
    #[error("the server speaks revision '{0}' of MCP, which is not known")]
    Revision(String),
    /// The reply has another shape.
    #[error("the server's reply to initialize is not valid")]
    Invalid,
    /// A remote server cannot be spoken to.
    #[error("{0}")]
    Remote(String),
}

/// Finds the era of a server and shakes hands. `probe` is how long `server/discover` may take before
/// `initialize` is tried beside it: whichever succeeds first holds, so a modern server may be slow to
/// start. `None` skips the question, for a server that does not survive it.
pub async fn handshake(client: &Client, probe: Option<Duration>) -> Result<Peer, HandshakeError> {
    let Some(limit) = probe else { return initialize(client).await };
    let params = Era::Modern.params("");
    let mut asked = client.request("server/discover", |_, out| out.extend_from_slice(params.as_bytes()))?;
    if let Ok(reply) = tokio::time::timeout(limit, &mut asked).await {
        return match modern(reply)? {
            Some(peer) => Ok(peer),
            None => initialize(client).await,
        };
    }
    let mut greeting = std::pin::pin!(initialize(client));
    tokio::select! {
        reply = &mut asked => match modern(reply)? {
            Some(peer) => Ok(peer),
            None => greeting.await,
        },
        greeted = &mut greeting => match greeted {
            Ok(peer) => Ok(peer),
            // Refused, perhaps because the late answer to the first question is on its way.
            Err(refused) => modern(asked.await)?.ok_or(refused),
        },
    }
}

fn modern(reply: Result<Outcome, Gone>) -> Result<Option<Peer>, Gone> {
    match reply? {
        Outcome::Result(result) => Ok(discovered(&result)),
        Outcome::Error(..) | Outcome::Invalid | Outcome::Failed(_) | Outcome::Unheard => Ok(None),
    }
}

async fn initialize(client: &Client) -> Result<Peer, HandshakeError> {
    let params = initialize_params();
    let reply = client.request("initialize", |_, out| out.extend_from_slice(params.as_bytes()))?.await?;
    let peer = agreed(&reply)?;
    client.notify("notifications/initialized", Some("{}"));
    Ok(peer)
}

/// The `params` of `initialize`.
pub(crate) fn initialize_params() -> String {
    format!(
        r#"{{"protocolVersion":"{}","capabilities":{OUR_CAPABILITIES},"clientInfo":{{"name":"{}","version":"{}"}}}}"#,
        LEGACY[0],
        model::PRODUCT,
        model::VERSION
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Introduction {
    #[serde(default)]
    protocol_version: String,
    #[serde(default)]
    supported_versions: Vec<String>,
    #[serde(default, deserialize_with = "abilities")]
    capabilities: serde_json::Map<String, serde_json::Value>,
    #[serde(default, deserialize_with = "readable")]
    instructions: Option<String>,
}

/// What of the abilities can be read: each for itself, since one may hold what we cannot read, such as a number that
/// is too large.
fn abilities<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<serde_json::Map<String, serde_json::Value>, D::Error> {
    let named = HashMap::<String, &'de RawValue>::deserialize(from)?;
    let read = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_else(|_| serde_json::json!({}));
    Ok(named.into_iter().map(|(name, raw)| (name, read(raw))).collect())
}

/// A text, or nothing where it is none, such as one with half a character.
fn readable<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let raw = <&'de RawValue>::deserialize(from)?;
    Ok(serde_json::from_str(raw.get()).ok().flatten())
}

impl Introduction {
    fn peer(self, era: Era, version: String) -> Peer {
        Peer {
            era,
            version,
            transport: Transport::Stdio,
            capabilities: self.capabilities,
            instructions: self.instructions,
        }
    }
}

/// A modern server, when the result of `server/discover` is that of one.
pub(crate) fn discovered(result: &RawValue) -> Option<Peer> {
    let found = serde_json::from_str::<Introduction>(result.get()).ok();
    let modern = found.filter(|found| found.supported_versions.iter().any(|version| version == MODERN));
    modern.map(|found| found.peer(Era::Modern, MODERN.to_owned()))
}

/// A legacy server, by its reply to `initialize`.
pub(crate) fn agreed(reply: &Outcome) -> Result<Peer, HandshakeError> {
    let result: &RawValue = match reply {
        Outcome::Result(result) => result,
        Outcome::Error(error, _) => {
            return Err(HandshakeError::Refused("initialize", RpcError::read(error).message));
        }
        Outcome::Invalid => return Err(HandshakeError::Invalid),
        Outcome::Failed(why) => return Err(HandshakeError::Remote(why.clone())),
        Outcome::Unheard => return Err(Gone.into()),
    };
    let found: Introduction = serde_json::from_str(result.get()).map_err(|_| HandshakeError::Invalid)?;
    let version = found.protocol_version.clone();
    match LEGACY.contains(&version.as_str()) {
        true => Ok(found.peer(Era::Legacy, version)),
        false => Err(HandshakeError::Revision(version)),
    }
}
