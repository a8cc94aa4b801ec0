//! A client of the MCP endpoint, as its handshake or its request shows it.

use mcp::{Body, Era, LEGACY, MODERN, Message, member_at, members_at};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
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
    /// The version it gave itself.
    #[serde(default)]
    pub release: String,
    /// What it can do for a server.
    pub capabilities: Map<String, Value>,
}

impl Guest {
    /// A legacy client from the parameters of its `initialize`. A revision that is not known becomes the
    /// newest one, which the client may refuse. What cannot be read of it is as if it were not there.
    pub fn from_initialize(params: &str) -> Self {
        let members = members_at(params, ["protocolVersion", "capabilities", "clientInfo"]);
        let [version, capabilities, info] = members.map(|at| at.map(|at| &params[at]));
        let version: String = read(version);
        let version = if LEGACY.contains(&&*version) { version } else { LEGACY[0].to_owned() };
        let info = info.unwrap_or("{}");
        let [name, release] = members_at(info, ["name", "version"]).map(|at| read(at.map(|at| &info[at])));
        Self { number: fresh(), version, name, release, capabilities: read(capabilities) }
    }

    /// A legacy client from a message that is its `initialize`; nothing where it is none, or is refused.
    pub fn greeting(message: &Message<'_>) -> Option<Self> {
        let Body::Method(method, params) = &message.body else { return None };
        let greets = method == "initialize" && message.id.is_some() && super::malformed(message).is_none();
        greets.then(|| Self::from_initialize(params.map_or("{}", RawValue::get)))
    }

    /// A modern client from the `_meta` of a request.
    pub(super) fn from_meta(capabilities: &str, info: Option<&str>) -> Self {
        let info = info.unwrap_or("{}");
        Self {
            number: fresh(),
            version: MODERN.to_owned(),
            name: read(member_at(info, "name").map(|at| &info[at])),
            // Every request of its own says it.
            release: String::new(),
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

    /// Whether a server can ask it anything at all.
    pub(super) fn can_be_asked(&self) -> bool {
        ["sampling", "elicitation", "roots"].iter().any(|name| self.capabilities.contains_key(*name))
    }

    /// Whether it can be asked that by a server, and the capability this takes, with the part of it after a dot.
    pub(super) fn can_answer(&self, method: &str, params: &str) -> Result<(), &'static str> {
        let capability = match method {
            "sampling/createMessage" => "sampling",
            "elicitation/create" => return self.can_be_elicited(params),
            "roots/list" => "roots",
            _ => return Ok(()),
        };
        if self.capabilities.contains_key(capability) { Ok(()) } else { Err(capability) }
    }

    /// Forms and addresses are offered apart; who names neither offers forms.
    fn can_be_elicited(&self, params: &str) -> Result<(), &'static str> {
        let offered = self.capabilities.get("elicitation");
        let offers = |mode| offered.is_some_and(|modes| modes.get(mode).is_some());
        match member_at(params, "mode").map(|at| &params[at]) {
            Some(r#""url""#) if offers("url") => Ok(()),
            Some(r#""url""#) => Err("elicitation.url"),
            _ if offered.is_none() => Err("elicitation"),
            _ if offers("url") && !offers("form") => Err("elicitation.form"),
            _ => Ok(()),
        }
    }
}

/// Whether a modern client can be asked that at all.
pub(super) fn is_question(method: &str) -> bool {
    matches!(method, "sampling/createMessage" | "elicitation/create" | "roots/list")
}

/// A member, or what stands for one that is not there or cannot be read.
fn read<T: DeserializeOwned + Default>(text: Option<&str>) -> T {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// A number that no other client of this gateway has, and that is hard to guess from another's.
fn fresh() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    static KEYS: std::sync::OnceLock<RandomState> = std::sync::OnceLock::new();
    KEYS.get_or_init(RandomState::new).hash_one(NEXT.fetch_add(1, Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_asked_only_in_the_ways_that_it_offers() {
        #[track_caller]
        fn check(capabilities: &str, params: &str, expected: Result<(), &'static str>) {
            let guest = Guest::from_meta(capabilities, None);
            let found = guest.can_answer("elicitation/create", params);
            assert_eq!(found, expected, "{capabilities} {params}");
        }
        let (form, url) = (r#"{"mode":"form"}"#, r#"{"mode":"url"}"#);
        for capabilities in [r#"{"elicitation":{}}"#, r#"{"elicitation":{"form":{}}}"#] {
            check(capabilities, "{}", Ok(()));
            check(capabilities, form, Ok(()));
            check(capabilities, url, Err("elicitation.url"));
        }
        check(r#"{"elicitation":{"url":{}}}"#, url, Ok(()));
        check(r#"{"elicitation":{"url":{}}}"#, "{}", Err("elicitation.form"));
        check(r#"{"elicitation":{"url":{},"form":{}}}"#, form, Ok(()));
        check("{}", form, Err("elicitation"));
    }

    #[test]
    fn an_odd_field_of_a_handshake_takes_no_other_with_it() {
        #[track_caller]
        fn check(params: &str, version: &str, name: &str, capabilities: &str) {
            let guest = Guest::from_initialize(params);
            assert_eq!((&*guest.version, &*guest.name), (version, name), "{params}");
            assert_eq!(Value::Object(guest.capabilities).to_string(), capabilities, "{params}");
        }
        let old = "2024-11-05";
        check(r#"{"protocolVersion":"2024-11-05","capabilities":null}"#, old, "", "{}");
        check(r#"{"protocolVersion":"2024-11-05","clientInfo":null}"#, old, "", "{}");
        check(
            r#"{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},"clientInfo":{"name":5}}"#,
            old,
            "",
            r#"{"roots":{}}"#,
        );
        check(r#"{"protocolVersion":5,"clientInfo":{"name":"n"}}"#, LEGACY[0], "n", "{}");
        check("[]", LEGACY[0], "", "{}");
        check(r#"{"clientInfo":{"name":"n","version":5}}"#, LEGACY[0], "n", "{}");
        let guest = Guest::from_initialize(r#"{"clientInfo":{"name":5,"version":"9.9"}}"#);
        assert_eq!((&*guest.name, &*guest.release), ("", "9.9"));
    }
}
