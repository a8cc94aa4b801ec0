//! What the fixture remembers between messages.

use crate::switches::Switches;
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory shared by all threads.
#[derive(Default)]
pub(crate) struct State(Mutex<Memory>);

#[derive(Default)]
struct Memory {
    calls: u64,
    pings: u64,
    discovers: u64,
    cancelled: Vec<Value>,
    last: Value,
    grown: Vec<String>,
    listeners: Vec<Listener>,
    watched: Vec<String>,
    level: Option<String>,
}

/// A `subscriptions/listen` that is open.
#[derive(Clone)]
pub(crate) struct Listener {
    pub(crate) id: Value,
    /// Whether it hears of changed tools.
    pub(crate) tools: bool,
    /// The resources whose updates it hears of.
    pub(crate) uris: Vec<String>,
}

const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl State {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a call and gives the arguments of the one before.
    pub(crate) fn begin_call(&self, arguments: &Value) -> Value {
        let mut memory = self.memory();
        memory.calls += 1;
        std::mem::replace(&mut memory.last, arguments.clone())
    }

    /// The number of this ping, from 1.
    pub(crate) fn begin_ping(&self) -> u64 {
        let mut memory = self.memory();
        memory.pings += 1;
        memory.pings
    }

    /// The number of this `server/discover`, from 1.
    pub(crate) fn begin_discover(&self) -> u64 {
        let mut memory = self.memory();
        memory.discovers += 1;
        memory.discovers
    }

    pub(crate) fn cancel(&self, request: Value) {
        self.memory().cancelled.push(request);
    }

    pub(crate) fn grow(&self, tool: &str) {
        self.memory().grown.push(tool.to_owned());
    }

    pub(crate) fn grown(&self) -> Vec<String> {
        self.memory().grown.clone()
    }

    pub(crate) fn listen(&self, listener: Listener) {
        self.memory().listeners.push(listener);
    }

    pub(crate) fn unlisten(&self, request: &Value) {
        self.memory().listeners.retain(|listener| listener.id != *request);
    }

    /// The ids of those who listen in that way.
    pub(crate) fn listeners(&self, how: impl Fn(&Listener) -> bool) -> Vec<Value> {
        let memory = self.memory();
        memory.listeners.iter().filter(|listener| how(listener)).map(|listener| listener.id.clone()).collect()
    }

    pub(crate) fn watch(&self, uri: &str) {
        self.memory().watched.push(uri.to_owned());
    }

    /// Takes back every wish of a legacy client: it has one, however often it asks.
    pub(crate) fn unwatch(&self, uri: &str) {
        self.memory().watched.retain(|known| known != uri);
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        self.memory().watched.iter().any(|known| known == uri)
    }

    pub(crate) fn set_level(&self, level: &str) {
        self.memory().level = Some(level.to_owned());
    }

    /// Whether a message of that level is wanted.
    pub(crate) fn admits(&self, level: &str) -> bool {
        let rank = |word: &str| LEVELS.iter().position(|known| *known == word);
        let wanted = self.memory().level.as_deref().and_then(rank);
        rank(level) >= wanted
    }

    /// The answer of `stats`.
    pub(crate) fn stats(&self, before: &Value, switches: &Switches) -> Value {
        let memory = self.memory();
        let mut watched = memory.watched.clone();
        watched.extend(memory.listeners.iter().flat_map(|listener| listener.uris.clone()));
        watched.sort();
        let mut stats = json!({
            "calls": memory.calls,
            "cancelled": memory.cancelled,
            "last": before,
            "pid": std::process::id(),
        });
        if switches.logs || !switches.resources.is_empty() {
            stats["watched"] = watched.into();
            stats["level"] = json!(memory.level);
        }
        stats
    }
}
