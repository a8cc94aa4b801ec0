//! The four lists of a server: every page of each, every entry kept as it was written.

use crate::client::Client;
use crate::envelope::{RpcError, quote};
use crate::era::Era;
use crate::pending::{Gone, Outcome};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashSet;

/// More pages than this are a server that never ends its list.
const PAGES_MAX: usize = 1000;

/// A list that a server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `tools/list`.
    Tools,
    /// `prompts/list`.
    Prompts,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Tools, Kind::Prompts, Kind::Resources, Kind::Templates];

    /// The method that asks for it.
    pub const fn method(self) -> &'static str {
        match self {
            Kind::Tools => "tools/list",
            Kind::Prompts => "prompts/list",
            Kind::Resources => "resources/list",
            Kind::Templates => "resources/templates/list",
        }
    }

    /// The member of the result that holds it.
    pub const fn member(self) -> &'static str {
        match self {
            Kind::Tools => "tools",
            Kind::Prompts => "prompts",
            Kind::Resources => "resources",
            Kind::Templates => "resourceTemplates",
        }
    }

    /// The member of an entry that names it.
    pub const fn key(self) -> &'static str {
        match self {
            Kind::Tools | Kind::Prompts => "name",
            Kind::Resources => "uri",
            Kind::Templates => "uriTemplate",
        }
    }

    /// The capability that announces it.
    pub const fn capability(self) -> &'static str {
        match self {
            Kind::Tools => "tools",
            Kind::Prompts => "prompts",
            Kind::Resources | Kind::Templates => "resources",
        }
    }
}

/// One entry of a list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name or address, as the server gives it.
    pub key: String,
    /// The whole entry as it was written.
    pub raw: Box<RawValue>,
}

/// Why a list could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The connection ended.
    #[error("the server closed the connection while it was asked for its lists")]
    Gone(#[from] Gone),
    /// The server refused.
    #[error("the server refused {0}: {1}")]
    Refused(&'static str, String),
    /// The reply has another shape.
    #[error("the server's reply to {0} is not valid")]
    Invalid(&'static str),
    /// The list does not end.
    #[error("the server's reply to {0} has no end")]
    Endless(&'static str),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow, alias = "tools", alias = "prompts", alias = "resources", alias = "resourceTemplates")]
    entries: Vec<&'a RawValue>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// Asks for all pages. A server that does not know the method has an empty list. Of what is listed twice the first
/// counts: a name stands for one thing.
pub async fn list(client: &Client, era: Era, kind: Kind) -> Result<Vec<Entry>, ListError> {
    let method = kind.method();
    let mut entries = Vec::new();
    let mut known = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES_MAX {
        let params = era.params(&cursor.as_deref().map(cursor_member).unwrap_or_default());
        let request = client.request(method, |_, out| out.extend_from_slice(params.as_bytes()))?;
        let result = match request.await? {
            Outcome::Result(result) => result,
            Outcome::Invalid => return Err(ListError::Invalid(method)),
            Outcome::Failed(why) => return Err(ListError::Refused(method, why)),
            Outcome::Unheard => return Err(Gone.into()),
            Outcome::Error(error) => match RpcError::read(&error) {
                RpcError { code: -32601, .. } => return Ok(entries),
                other => return Err(ListError::Refused(method, other.message)),
            },
        };
        let page: Page<'_> = serde_json::from_str(result.get()).map_err(|_| ListError::Invalid(method))?;
        let named = page.entries.into_iter().filter_map(|raw| read(raw, kind));
        entries.extend(named.filter(|entry| known.insert(entry.key.clone())));
        match page.next_cursor {
            None if kind == Kind::Tools && era == Era::Modern => return Ok(client.learn(entries)),
            None => return Ok(entries),
            next if next == cursor => return Err(ListError::Endless(method)),
            next => cursor = next,
        }
    }
    Err(ListError::Endless(method))
}

fn read(raw: &RawValue, kind: Kind) -> Option<Entry> {
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(raw.get()).ok()?;
    match fields.get(kind.key()) {
        Some(serde_json::Value::String(key)) => Some(Entry { key: key.clone(), raw: raw.to_owned() }),
        _ => {
            tracing::warn!(list = kind.member(), "an entry without a name was left out of a list");
            None
        }
    }
}

fn cursor_member(cursor: &str) -> String {
    let mut member = br#""cursor":"#.to_vec();
    quote(cursor, &mut member);
    String::from_utf8_lossy(&member).into_owned()
}
