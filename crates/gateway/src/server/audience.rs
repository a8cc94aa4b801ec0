//! Who is asked what a server wants to know while nothing is asked of it: the client whose own process it is, or the only
//! one that the gateway has.

use super::Server;
use mcp::{Client, Listener, Said, WeakClient};
use std::sync::Arc;

/// How many questions may wait for one client.
pub(crate) const QUESTIONS_MAX: usize = 64;

/// The number under which questions are taken; no client has it.
const NOBODY: u64 = 0;

/// Clients with a session, as servers know them.
pub(crate) trait Audience: Send + Sync {
    /// Whether the client of that session listens to what concerns no request.
    fn listens(&self, session: u64) -> bool;

    /// Whether there can be a client for such a question: with a session it is the server's one client.
    fn has_one(&self, session: Option<u64>) -> bool;

    /// Passes on what a server asks outside of any request, or that it takes that back. With a session it is the
    /// server's one client.
    fn ask(&self, server: &str, session: Option<u64>, said: Said);

    /// Takes back what a server asked outside of any request whose connection has ended.
    fn ended(&self, session: Option<u64>, from: &WeakClient);
}

/// Whom a server may ask.
pub(super) struct Owner {
    pub(super) server: Arc<Server>,
    pub(super) audience: Arc<dyn Audience>,
}

impl Owner {
    /// Passes on what belongs to no request, until the connection ends; where nobody can ever be asked, nothing.
    pub(super) fn hear(&self, client: &Client) {
        if !self.audience.has_one(self.server.session) {
            return;
        }
        let (listener, mut heard) = Listener::new(NOBODY, QUESTIONS_MAX);
        let Ok(mut place) = client.stand_by(listener) else { return };
        let (server, audience, from) = (self.server.clone(), self.audience.clone(), client.downgrade());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    Some(said) = heard.recv() => audience.ask(server.name(), server.session, *said),
                    _ = &mut place => return audience.ended(server.session, &from),
                }
            }
        });
    }
}
