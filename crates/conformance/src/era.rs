//! Which era the server speaks, and how it refuses the other one. The SDK speaks both at once, so what a
//! server of one era would not know is refused here, before the SDK sees it.

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

/// Which clients the server serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Era {
    /// 2024-11-05 to 2025-11-25.
    Legacy,
    /// 2026-07-28.
    Modern,
    /// All of them.
    Dual,
}

/// An answer that leaves a message without effect.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The HTTP status; other transports have no use for it.
    pub(crate) status: u16,
    /// The whole JSON-RPC message.
    pub(crate) body: Value,
}

impl Era {
    /// The revisions it serves.
    pub(crate) fn versions(self) -> &'static [ProtocolVersion] {
        match self {
            Self::Legacy => ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25),
            Self::Modern => &[ProtocolVersion::V_2026_07_28],
            Self::Dual => ProtocolVersion::KNOWN_VERSIONS,
        }
    }

    /// The refusal of a message that belongs to the other era. `version` is the header
    /// `MCP-Protocol-Version`, where there are headers.
    pub(crate) fn refusal(self, version: Option<&str>, message: &Value) -> Option<Refusal> {
        let method = message["method"].as_str().unwrap_or_default();
        match self {
            Self::Legacy if version.is_some_and(is_modern) => Some(unsupported_version()),
            Self::Legacy if method == "server/discover" => Some(unknown_method(200, message)),
            Self::Modern if method == "initialize" => Some(unknown_method(404, message)),
            _ => None,
        }
    }
}

/// Revisions are dates, so they compare as text.
fn is_modern(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}

/// What servers built before the modern era say to its header.
fn unsupported_version() -> Refusal {
    let error = json!({"code": -32000, "message": "Bad Request: Unsupported protocol version"});
    Refusal { status: 400, body: json!({"jsonrpc": "2.0", "id": null, "error": error}) }
}

fn unknown_method(status: u16, message: &Value) -> Refusal {
    let error = json!({"code": -32601, "message": "Method not found"});
    Refusal { status, body: json!({"jsonrpc": "2.0", "id": message["id"], "error": error}) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_era_refuses_what_only_the_other_knows() {
        let check = |era: Era, version: Option<&str>, method: &str, expected: Option<(u16, i64)>| {
            let message = json!({"jsonrpc": "2.0", "id": 7, "method": method});
            let refused = era.refusal(version, &message);
            let found = refused.map(|r| (r.status, r.body["error"]["code"].as_i64().expect("a code")));
            assert_eq!(found, expected, "{era:?} {version:?} {method}");
        };
        check(Era::Legacy, None, "server/discover", Some((200, -32601)));
        check(Era::Legacy, Some("2026-07-28"), "tools/list", Some((400, -32000)));
        check(Era::Legacy, Some("2025-11-25"), "tools/list", None);
        check(Era::Modern, Some("2025-11-25"), "initialize", Some((404, -32601)));
        check(Era::Modern, Some("2026-07-28"), "tools/list", None);
        check(Era::Dual, Some("2026-07-28"), "server/discover", None);
        check(Era::Dual, None, "initialize", None);
    }
}
