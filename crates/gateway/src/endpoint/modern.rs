//! Recognising a request of the modern era by its `_meta`, and what the revision demands of it.

use super::{Guest, message};
use mcp::{Body, MODERN, Message, members_at};
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
    key: Option<&'a str>,
}

#[derive(serde::Deserialize)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Claim<'a> {
    /// Reads it; `None` for what is no request or notification.
    pub fn read(message: &Message<'a>) -> Option<Self> {
        let Body::Method(method, params) = &message.body else { return None };
        let text = params.map_or("{}", RawValue::get);
        // Both are found in one pass over parameters that may be long.
        let [meta, key] =
            members_at(text, ["_meta", key_of(method).unwrap_or("_meta")]).map(|at| at.map(|at| &text[at]));
        let (meta, key) = (meta.unwrap_or("{}"), key.filter(|_| key_of(method).is_some()));
        let [version, capabilities, info] =
            members_at(meta, [VERSION, CAPABILITIES, INFO]).map(|at| at.map(|at| &meta[at]));
        let is_modern_method = matches!(&**method, "server/discover" | "subscriptions/listen");
        let id = message.id.unwrap_or(RawValue::NULL);
        Some(Self { id, is_modern_method, version, capabilities, info, key })
    }

    /// The revision that it names; only modern requests do.
    pub fn version(&self) -> Option<Cow<'a, str>> {
        serde_json::from_str(self.version?).map(|Word(text)| text).ok()
    }

    /// What it is about, where its method addresses something by a name.
    pub fn key(&self) -> Option<Cow<'a, str>> {
        serde_json::from_str(self.key?).map(|Word(text)| text).ok()
    }

    /// The client, if the request is modern and all that must be there is; the refusal if something is not.
    /// `Ok(None)` is a request of the legacy era.
    pub fn guest(&self) -> Result<Option<Guest>, Vec<u8>> {
        let lacks = |name: &str| {
            Err(message::error(self.id, -32602, &format!("Missing or invalid _meta {name}"), None))
        };
        let Some(requested) = self.version() else {
            // A version that is no text is a modern request all the same.
            return if self.is_modern_method || self.version.is_some() { lacks(VERSION) } else { Ok(None) };
        };
        if requested != MODERN {
            let data = json!({"supported": [MODERN], "requested": requested});
            return Err(message::error(self.id, -32022, "Unsupported protocol version", Some(&data)));
        }
        // It may be left out.
        if self.info.is_some_and(|text| !text.starts_with('{') && text != "null") {
            return lacks(INFO);
        }
        match self.capabilities.filter(|text| text.starts_with('{')) {
            Some(text) => Ok(Some(Guest::from_meta(text, self.info))),
            None => lacks(CAPABILITIES),
        }
    }
}

/// The member of the parameters that says what a request is about.
fn key_of(method: &str) -> Option<&'static str> {
    Some(match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return None,
    })
}
