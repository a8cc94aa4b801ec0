//! `tools/list` and its kin: pages of the catalogue, from ready text.

use super::{Asked, SERVER_INFO, message};
use crate::gateway::Gateway;
use mcp::{Era, Kind, member_at};
use serde_json::value::RawValue;

/// How long a modern client may keep a list. Changes are told to those who listen.
pub(super) const TTL_MS: u64 = 1000;

/// Hooks may show each client another list.
pub(super) const SCOPE: &str = "private";

/// What a cursor of ours begins with.
const CURSOR: &str = "page-";

impl Gateway {
    /// One page of a list.
    pub(super) fn page(&self, asked: &Asked<'_>, kind: Kind) -> Vec<u8> {
        let catalog = self.catalog();
        let found = page_number(asked.params).and_then(|number| catalog.page(kind, number));
        let Some((entries, next)) = found else {
            return message::error(asked.id, -32602, "Invalid cursor", None);
        };
        let era = asked.guest.era();
        let extra = match era {
            Era::Legacy => String::new(),
            Era::Modern => format!(r#","ttlMs":{TTL_MS},"cacheScope":"{SCOPE}","_meta":{{{SERVER_INFO}}}"#),
        };
        let cursor = next.map(|number| format!(r#","nextCursor":"{CURSOR}{number}""#)).unwrap_or_default();
        message::own(asked.id, &format!(r#""{}":[{entries}]{cursor}{extra}"#, kind.member()), era)
    }
}

/// 0 without a cursor; `None` for one that is not ours.
fn page_number(params: Option<&RawValue>) -> Option<usize> {
    let Some(params) = params else { return Some(0) };
    let Some(at) = member_at(params.get(), "cursor") else { return Some(0) };
    match &params.get()[at] {
        "null" => Some(0),
        text => serde_json::from_str::<String>(text).ok()?.strip_prefix(CURSOR)?.parse().ok(),
    }
}
