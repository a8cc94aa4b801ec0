//! How loud each legacy client wants its log messages. A legacy server is told the loudest level that
//! anybody wants, and each client hears what it asked for; modern servers are told with every request.

use super::{Asked, message};
use crate::gateway::Gateway;
use mcp::{Era, member_at};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How severe a message is; the lowest is the loudest to want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level(usize);

const WORDS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What a client that did not say gets.
const USUAL: Level = Level(1);

/// How many clients are remembered; beyond that the usual level holds.
const CLIENTS_MAX: usize = 10_000;

impl Level {
    /// The level that a JSON text names.
    pub(super) fn read(text: &str) -> Option<Self> {
        let word: String = serde_json::from_str(text).ok()?;
        WORDS.iter().position(|known| *known == word).map(Self)
    }

    /// The level of a message, or of a wish.
    pub(super) fn of(params: &str) -> Option<Self> {
        Self::read(&params[member_at(params, "level")?])
    }

    fn word(self) -> &'static str {
        WORDS[self.0]
    }
}

/// Levels by client.
#[derive(Default)]
pub(super) struct Levels {
    by_guest: Mutex<HashMap<u64, Level>>,
}

impl Levels {
    fn set(&self, guest: u64, level: Level) {
        let mut all = self.lock();
        if all.len() < CLIENTS_MAX || all.contains_key(&guest) {
            all.insert(guest, level);
        }
    }

    /// The word for what a client wants.
    pub(super) fn get(&self, guest: u64) -> &'static str {
        self.lock().get(&guest).copied().unwrap_or(USUAL).word()
    }

    /// The word for what a client said that it wants.
    pub(super) fn said(&self, guest: u64) -> Option<&'static str> {
        self.lock().get(&guest).copied().map(Level::word)
    }

    /// Whether a client wants a log message. While nobody has said anything, the server decides.
    pub(super) fn admits(&self, guest: u64, params: &str) -> bool {
        let all = self.lock();
        let wanted = all.get(&guest).copied().unwrap_or(USUAL);
        all.is_empty() || Level::of(params).is_none_or(|level| level >= wanted)
    }

    /// Whether there was anything to forget.
    fn forget(&self, guest: u64) -> bool {
        self.lock().remove(&guest).is_some()
    }

    /// What a server must be told so that nobody misses anything.
    pub(super) fn loudest(&self) -> Option<&'static str> {
        self.lock().values().min().map(|level| level.word())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Level>> {
        self.by_guest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gateway {
    /// `logging/setLevel`: the reply waits until the servers that log have heard of it.
    pub(super) async fn set_level(&self, asked: &Asked<'_>) -> Vec<u8> {
        let params = asked.params.map_or("{}", RawValue::get);
        if member_at(params, "level").is_none() {
            return super::forward::missing(asked, "level");
        }
        let Some(level) = Level::of(params) else {
            return message::error(asked.id, -32602, "Invalid log level", None);
        };
        self.endpoint.levels.set(asked.guest.number, level);
        self.tell_level();
        for clients in self.registry().servers().iter().filter_map(|server| server.clients()) {
            clients.set_level(asked.guest.number, level.word());
        }
        let catalog = self.catalog_of(&asked.caller());
        let legacy = catalog.able("logging").filter(|server| {
            server.connection().is_some_and(|connection| connection.peer.era == Era::Legacy)
        });
        for server in legacy {
            if let Some(level) = self.endpoint.levels.loudest() {
                server.wishes().heard_level(level).await;
            }
        }
        message::own(asked.id, "", asked.guest.era())
    }

    /// A client that leaves wants nothing any more.
    pub(super) fn forget_level(&self, guest: u64) {
        if self.endpoint.levels.forget(guest) {
            self.tell_level();
        }
    }

    fn tell_level(&self) {
        let level = self.endpoint.levels.loudest();
        self.registry().servers().iter().for_each(|server| server.wishes().set_level(level));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loudest_wish_counts_for_servers_and_its_own_for_each_client() {
        let levels = Levels::default();
        let debug = r#"{"level":"debug","data":1}"#;
        assert!(levels.admits(1, debug) && levels.loudest().is_none());
        levels.set(1, Level(4));
        levels.set(2, Level(0));
        assert_eq!((levels.loudest(), levels.get(1), levels.get(3)), (Some("debug"), "error", "info"));
        assert!(levels.admits(2, debug) && !levels.admits(1, debug) && !levels.admits(3, debug));
        assert!(levels.admits(1, r#"{"level":"alert"}"#) && !levels.admits(1, r#"{"level":"warning"}"#));
        assert!(levels.admits(1, r#"{"level":"odd"}"#) && levels.admits(1, "{}"));
        assert!(levels.forget(2) && !levels.forget(2));
        assert_eq!(levels.loudest(), Some("error"));
    }
}
