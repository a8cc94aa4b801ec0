//! What the fixture remembers between messages.

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
    subscriptions: Vec<Value>,
}

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

    pub(crate) fn subscribe(&self, request: Value) {
        self.memory().subscriptions.push(request);
    }

    pub(crate) fn subscriptions(&self) -> Vec<Value> {
        self.memory().subscriptions.clone()
    }

    /// The answer of `stats`.
    pub(crate) fn stats(&self, before: &Value) -> Value {
        let memory = self.memory();
        json!({
            "calls": memory.calls,
            "cancelled": memory.cancelled,
            "last": before,
            "pid": std::process::id(),
        })
    }
}
