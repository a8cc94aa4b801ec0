//! Who is asked what a server wants to know while nothing is asked of it: the client whose own process it is, or the only
//! one that the gateway has.

use super::Server;
use crate::endpoint::Guest;
use mcp::{Client, Listener, Said, WeakClient};
use std::sync::Arc;
use std::time::Duration;

/// How many questions may wait for one client.
pub(crate) const QUESTIONS_MAX: usize = 64;

/// How long a question waits for a client without a stream.
pub(crate) const AWAY_MAX: Duration = Duration::from_secs(30);

/// The same for a process that may not be ready before it has its answer, and has not much longer to become it.
const STARTING_MAX: Duration = Duration::from_secs(5);

/// The number under which questions are taken; no client has it.
const NOBODY: u64 = 0;

/// Who asks outside of any request.
pub(crate) struct Voice<'a> {
    /// The name of the server.
    pub(crate) server: &'a str,
    /// The one client of it, where it has one.
    pub(crate) client: Option<&'a Guest>,
    /// How long it waits for a client without a stream.
    pub(crate) patience: Duration,
}

/// Clients with a session, as servers know them.
pub(crate) trait Audience: Send + Sync {
    /// Whether the client of that session listens to what concerns no request.
    fn listens(&self, session: u64) -> bool;

    /// Whether there can be a client for such a question: with a session it is the server's one client.
    fn has_one(&self, session: Option<u64>) -> bool;

    /// Passes on what a server asks outside of any request, or that it takes that back.
    fn ask(self: Arc<Self>, voice: &Voice<'_>, said: Said);

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
        let session = self.server.session();
        if !self.audience.has_one(session) {
            return;
        }
        let (listener, mut heard) = Listener::new(NOBODY, QUESTIONS_MAX);
        let Ok(mut place) = client.stand_by(listener) else { return };
        let (server, audience, from) = (self.server.clone(), self.audience.clone(), client.downgrade());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    Some(said) = heard.recv() => audience.clone().ask(&server.voice(), *said),
                    _ = &mut place => return audience.ended(session, &from),
                }
            }
        });
    }
}

impl Server {
    fn voice(&self) -> Voice<'_> {
        let patience = if self.connection().is_some() { AWAY_MAX } else { STARTING_MAX };
        Voice { server: self.name(), client: self.client.as_ref(), patience }
    }
}
