//! The four lists of a server: every page of each, every entry kept as it was written.

use crate::client::Client;
use crate::envelope::{RpcError, quote};
use crate::era::Era;
use crate::pending::{Gone, Outcome};
use crate::splice::member_at;
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

/// One page of a list. Everything else in it is none of our business.
struct Page<'a> {
    entries: Vec<&'a RawValue>,
    next_cursor: Option<String>,
}

impl<'a> Page<'a> {
    fn read(text: &'a str, kind: Kind) -> Option<Self> {
        let entries = serde_json::from_str(&text[member_at(text, kind.member())?]).ok()?;
        let next = member_at(text, "nextCursor").map(|at| serde_json::from_str::<Option<String>>(&text[at]));
        // Some say with an empty one that there is no other page.
        let next_cursor = next.transpose().ok()?.flatten().filter(|cursor| !cursor.is_empty());
        Some(Self { entries, next_cursor })
    }
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
            Outcome::Error(error, status) => match RpcError::read(&error) {
                RpcError { code: -32601, .. } => return Ok(entries),
                other => return Err(ListError::Refused(method, other.with_status(status))),
            },
        };
        let page = Page::read(result.get(), kind).ok_or(ListError::Invalid(method))?;
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
    // Only the name is read: what else stands there need not be anything that we could read.
    let key = member_at(raw.get(), kind.key()).and_then(|at| serde_json::from_str(&raw.get()[at]).ok());
    match key {
        Some(key) => Some(Entry { key, raw: raw.to_owned() }),
        None => {
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
