//! What the sandbox needs from the gateway.

use std::sync::Arc;

/// What scripts may ask of the gateway. The answers must not block: a script waits for them.
pub trait Host: Send + Sync + 'static {
    /// Whether this token is one of the gateway's keys.
    fn is_key(&self, token: &str) -> bool;

    /// The JSON text of `{id, name, type, status, enabled}` of a server, or nothing.
    fn server_info(&self, id: &str) -> Option<String>;
}

/// How a [`Sandbox`](crate::Sandbox) works.
pub struct Options {
    /// Starts the workers. Its binary calls [`worker::enter`](crate::worker::enter) early in `main`.
    pub launcher: process::Launcher,
    /// How many workers are kept ready, besides one spare.
    pub workers: usize,
    /// Answers what scripts ask.
    pub host: Arc<dyn Host>,
}
