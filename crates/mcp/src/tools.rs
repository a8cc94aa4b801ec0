//! The tools of a server: every page of its list, each entry kept as it was written.

use crate::client::Client;
use crate::envelope::{RpcError, quote};
use crate::era::Era;
use crate::pending::{Gone, Outcome};
use serde::Deserialize;
use serde_json::value::RawValue;

/// More pages than this are a server that never ends its list.
const PAGES_MAX: usize = 1000;

/// One tool of a server.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The name as the server gives it.
    pub name: String,
    /// The whole entry as it was written.
    pub raw: Box<RawValue>,
}

/// Why the tools of a server could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The connection ended.
    #[error("the server closed the connection while its tools were listed")]
    Gone(#[from] Gone),
    /// The server refused.
    #[error("the server refused tools/list: {0}")]
    Refused(String),
    /// The reply has another shape.
    #[error("the server's reply to tools/list is not valid")]
    Invalid,
    /// The list does not end.
    #[error("the server's tool list has no end")]
    Endless,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Asks for all pages. A server that does not know the method has no tools.
pub async fn list_tools(client: &Client, era: Era) -> Result<Vec<Tool>, ListError> {
    let mut tools = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES_MAX {
        let params = era.params(&cursor.as_deref().map(cursor_member).unwrap_or_default());
        let request = client.request("tools/list", |_, out| out.extend_from_slice(params.as_bytes()))?;
        let result = match request.await? {
            Outcome::Result(result) => result,
            Outcome::Invalid => return Err(ListError::Invalid),
            Outcome::Error(error) => match RpcError::read(&error) {
                RpcError { code: -32601, .. } => return Ok(tools),
                other => return Err(ListError::Refused(other.message)),
            },
        };
        let page: Page<'_> = serde_json::from_str(result.get()).map_err(|_| ListError::Invalid)?;
        tools.extend(page.tools.into_iter().filter_map(read));
        match page.next_cursor {
            None => return Ok(tools),
            next if next == cursor => return Err(ListError::Endless),
            next => cursor = next,
        }
    }
    Err(ListError::Endless)
}

fn read(raw: &RawValue) -> Option<Tool> {
    match serde_json::from_str::<Named>(raw.get()) {
        Ok(Named { name }) => Some(Tool { name, raw: raw.to_owned() }),
        Err(_) => {
            tracing::warn!("a tool without a name was left out of the list");
            None
        }
    }
}

fn cursor_member(cursor: &str) -> String {
    let mut member = br#""cursor":"#.to_vec();
    quote(cursor, &mut member);
    String::from_utf8_lossy(&member).into_owned()
}
