//! What a server offers: its four lists.

use mcp::{Client, Entry, Kind, ListError, Peer};
use std::time::Duration;
use tokio::time::timeout;

/// How long each list but that of the tools may take at the start; a server that lacks them can be used.
const REST_MAX: Duration = Duration::from_secs(5);

/// The lists of one server, as they were last given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists([Vec<Entry>; Kind::ALL.len()]);

impl Lists {
    /// The tools alone, which are vital.
    pub(super) async fn tools(client: &Client, peer: &Peer) -> Result<Self, ListError> {
        let tools = mcp::list(client, peer.era, Kind::Tools).await?;
        Ok(Self::default().with(Kind::Tools, tools))
    }

    /// The same with every other list that the server announced. One that is refused, or does not end in its time, is
    /// left out.
    pub(super) async fn with_rest(mut self, client: &Client, peer: &Peer) -> Result<Self, ListError> {
        let fetch = async |kind: Kind| {
            if !peer.can(kind.capability()) {
                return Ok(Vec::new());
            }
            let reason = match timeout(REST_MAX, mcp::list(client, peer.era, kind)).await {
                Ok(Ok(entries)) => return Ok(entries),
                Ok(Err(gone @ ListError::Gone(_))) => return Err(gone),
                Ok(Err(ListError::Refused(..) | ListError::Invalid(_))) => return Ok(Vec::new()),
                Ok(Err(endless @ ListError::Endless(_))) => endless.to_string(),
                Err(_) => {
                    let seconds = REST_MAX.as_secs();
                    format!("the server's reply to {} was not whole within {seconds} seconds", kind.method())
                }
            };
            tracing::warn!(server = client.name(), reason, "a list is left out");
            Ok(Vec::new())
        };
        // All at once, so that none waits for another that does not come.
        let (prompts, resources, templates) =
            tokio::try_join!(fetch(Kind::Prompts), fetch(Kind::Resources), fetch(Kind::Templates))?;
        for (kind, entries) in
            [(Kind::Prompts, prompts), (Kind::Resources, resources), (Kind::Templates, templates)]
        {
            self.0[kind as usize] = entries;
        }
        Ok(self)
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
