//! The two eras of the protocol, and how the era of a server is found.

use crate::client::Client;
use crate::envelope::RpcError;
use crate::pending::{Gone, Outcome};
use serde::Deserialize;
use serde_json::value::RawValue;
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

    /// A `params` object with `members` (may be empty) and the era's `_meta`.
    pub fn params(self, members: &str) -> String {
        let separator = if members.is_empty() || self == Era::Legacy { "" } else { "," };
        match self {
            Era::Legacy => format!("{{{members}}}"),
            Era::Modern => format!("{{{members}{separator}\"_meta\":{{{MODERN_META}}}}}"),
        }
    }
}

const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const MODERN_META: &str = concat!(
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"lockgate","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""},"io.modelcontextprotocol/clientCapabilities":{}"#
);

/// What the handshake told about a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The era it speaks.
    pub era: Era,
    /// The revision agreed on.
    pub version: String,
}

/// Why no handshake was possible.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The server closed its output or its input.
    #[error("the server closed the connection during the handshake")]
    Gone(#[from] Gone),
    /// The server refused `initialize`.
    #[error("the server refused initialize: {0}")]
    Refused(String),
    /// The server wants a revision that does not exist for us.
    #[error("the server speaks revision '{0}' of MCP, which is not known")]
    Revision(String),
    /// The reply has another shape.
    #[error("the server's reply to initialize is not valid")]
    Invalid,
}

/// Finds the era of a server and shakes hands. `probe` is how long `server/discover` may take before
/// the server counts as legacy; `None` skips it, for a server that does not survive the question.
pub async fn handshake(client: &Client, probe: Option<Duration>) -> Result<Peer, HandshakeError> {
    if let Some(limit) = probe
        && discover(client, limit).await?
    {
        return Ok(Peer { era: Era::Modern, version: MODERN.to_owned() });
    }
    let params = format!(
        r#"{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"{}","version":"{}"}}}}"#,
        LEGACY[0],
        model::PRODUCT,
        model::VERSION
    );
    let reply = client.request("initialize", |_, out| out.extend_from_slice(params.as_bytes()))?.await?;
    let version = agreed(&reply)?;
    client.notify("notifications/initialized", "{}");
    Ok(Peer { era: Era::Legacy, version })
}

async fn discover(client: &Client, limit: Duration) -> Result<bool, Gone> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Discovered {
        #[serde(default)]
        supported_versions: Vec<String>,
    }
    let params = Era::Modern.params("");
    let request = client.request("server/discover", |_, out| out.extend_from_slice(params.as_bytes()))?;
    match tokio::time::timeout(limit, request).await {
        Ok(Ok(Outcome::Result(result))) => Ok(serde_json::from_str::<Discovered>(result.get())
            .is_ok_and(|found| found.supported_versions.iter().any(|version| version == MODERN))),
        Ok(Err(gone)) => Err(gone),
        Ok(Ok(_)) | Err(_) => Ok(false),
    }
}

fn agreed(reply: &Outcome) -> Result<String, HandshakeError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialized {
        protocol_version: String,
    }
    let result: &RawValue = match reply {
        Outcome::Result(result) => result,
        Outcome::Error(error) => return Err(HandshakeError::Refused(RpcError::read(error).message)),
        Outcome::Invalid => return Err(HandshakeError::Invalid),
    };
    let version = serde_json::from_str::<Initialized>(result.get())
        .map_err(|_| HandshakeError::Invalid)?
        .protocol_version;
    match LEGACY.contains(&version.as_str()) {
        true => Ok(version),
        false => Err(HandshakeError::Revision(version)),
    }
}
