//! Recognising a request of the modern era by its `_meta`, and what the revision demands of it.

use super::{Guest, message};
use mcp::{Body, MODERN, Message, member_at, members_at};
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const INFO: &str = "io.modelcontextprotocol/clientInfo";

/// What a request says of itself in its `_meta`, read once.
pub struct Claim<'a> {
    id: &'a RawValue,
    is_modern_method: bool,
    version: Option<&'a str>,
    capabilities: Option<&'a str>,
    info: Option<&'a str>,
}

impl<'a> Claim<'a> {
    /// Reads it; `None` for what is no request or notification.
    pub fn read(message: &Message<'a>) -> Option<Self> {
        let Body::Method(method, params) = &message.body else { return None };
        let text = params.map_or("{}", RawValue::get);
        let meta = member_at(text, "_meta").map_or("{}", |at| &text[at]);
        let [version, capabilities, info] =
            members_at(meta, [VERSION, CAPABILITIES, INFO]).map(|at| at.map(|at| &meta[at]));
        let is_modern_method = matches!(&**method, "server/discover" | "subscriptions/listen");
        let id = message.id.unwrap_or(RawValue::NULL);
        Some(Self { id, is_modern_method, version, capabilities, info })
    }

    /// The revision that it names; only modern requests do.
    pub fn version(&self) -> Option<Cow<'a, str>> {
        #[derive(serde::Deserialize)]
        struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
        Some(serde_json::from_str(self.version?).map(|Text(text)| text).unwrap_or_default())
    }

    /// The client, if the request is modern and all that must be there is; the refusal if something is not.
    /// `Ok(None)` is a request of the legacy era.
    pub fn guest(&self) -> Result<Option<Guest>, Vec<u8>> {
        let lacks = |name: &str| Err(message::error(self.id, -32602, &format!("Missing _meta {name}"), None));
        let Some(requested) = self.version() else {
            return if self.is_modern_method { lacks(VERSION) } else { Ok(None) };
        };
        if requested != MODERN {
            let data = json!({"supported": [MODERN], "requested": requested});
            return Err(message::error(self.id, -32022, "Unsupported protocol version", Some(&data)));
        }
        match self.capabilities.filter(|text| text.starts_with('{')) {
            Some(text) => Ok(Some(Guest::from_meta(text, self.info))),
            None => lacks(CAPABILITIES),
        }
    }
}
