//! The bus: short messages between the instances that share a store. Nothing is kept; who does not listen misses
//! what is said.

use crate::{Backend, Error};
use std::sync::Arc;
use tokio::sync::broadcast::{self, error::RecvError};

/// The most bytes of one message.
pub const MESSAGE_MAX: usize = 7000;

/// How many messages a slow listener may lag behind before it loses some.
pub(crate) const LAG_MAX: usize = 1024;

/// Messages to all instances. Several processes on one SQLite file do not hear each other: they are few, and find
/// what changed in the file itself.
pub struct Bus<'a>(pub(crate) &'a Backend);

impl Bus<'_> {
    /// Says something to everybody who listens, the speaker included. More than [`MESSAGE_MAX`] bytes is
    /// [`Error::Long`].
    pub async fn publish(&self, text: &str) -> Result<(), Error> {
        if text.len() > MESSAGE_MAX {
            return Err(Error::Long { bytes: text.len(), most: MESSAGE_MAX });
        }
        match self.0 {
            Backend::Memory(memory) => memory.bus.say(text),
            Backend::Sqlite(sqlite) => sqlite.bus.say(text),
            Backend::Postgres(postgres) => postgres.say(text).await?,
            Backend::Redis(redis) => redis.say(text).await?,
        }
        Ok(())
    }

    /// Listens from now on.
    pub fn subscribe(&self) -> Heard {
        match self.0 {
            Backend::Memory(memory) => memory.bus.listen(),
            Backend::Sqlite(sqlite) => sqlite.bus.listen(),
            Backend::Postgres(postgres) => postgres.hear(),
            Backend::Redis(redis) => redis.hear(),
        }
    }
}

/// What a listener gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Somebody said this.
    Said(Arc<str>),
    /// Something may have been said that did not arrive: the connection was lost for a while, or this listener lagged
    /// far behind.
    Missed,
}

/// What is said on the bus.
pub struct Heard(broadcast::Receiver<Word>);

impl Heard {
    /// The next message; what was said while this could not be heard is left out. Nothing once the store is gone.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        loop {
            if let Word::Said(text) = self.next_word().await? {
                return Some(text);
            }
        }
    }

    /// The same, for whoever must know that something was left out.
    pub async fn next_word(&mut self) -> Option<Word> {
        match self.0.recv().await {
            Ok(word) => Some(word),
            Err(RecvError::Lagged(_)) => Some(Word::Missed),
            Err(RecvError::Closed) => None,
        }
    }
}

/// The part of a bus that is inside one process.
pub(crate) struct Local(broadcast::Sender<Word>);

impl Default for Local {
    fn default() -> Self {
        Self(broadcast::channel(LAG_MAX).0)
    }
}

impl Local {
    pub(crate) fn say(&self, text: &str) {
        // Nobody listening is fine.
        let _ = self.0.send(Word::Said(text.into()));
    }

    /// Tells everybody who listens that something may not have arrived.
    pub(crate) fn miss(&self) {
        let _ = self.0.send(Word::Missed);
    }

    pub(crate) fn listen(&self) -> Heard {
        Heard(self.0.subscribe())
    }
}
