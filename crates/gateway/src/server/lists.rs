//! What a server offers: its four lists.

use mcp::{Client, Entry, Kind, ListError, Peer};

/// The lists of one server, as they were last given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists([Vec<Entry>; Kind::ALL.len()]);

impl Lists {
    /// Asks for tools, and for every other list that the server announced.
    pub(super) async fn fetch(client: &Client, peer: &Peer) -> Result<Self, ListError> {
        let mut lists = Self::default();
        for kind in Kind::ALL {
            if kind == Kind::Tools || peer.can(kind.capability()) {
                lists.0[kind as usize] = match mcp::list(client, peer.era, kind).await {
                    Ok(entries) => entries,
                    // Only the tools are vital.
                    Err(ListError::Refused(..) | ListError::Invalid(_)) if kind != Kind::Tools => Vec::new(),
                    Err(reason @ ListError::Endless(_)) if kind != Kind::Tools => {
                        tracing::warn!(server = client.name(), %reason, "a list is left out");
                        Vec::new()
                    }
                    Err(error) => return Err(error),
                };
            }
        }
        Ok(lists)
    }

    /// One of them.
    pub(crate) fn get(&self, kind: Kind) -> &[Entry] {
        &self.0[kind as usize]
    }

    /// The same with one of them replaced.
    pub(super) fn with(&self, kind: Kind, entries: Vec<Entry>) -> Self {
        let mut lists = self.clone();
        lists.0[kind as usize] = entries;
        lists
    }
}
