//! What a graph may know of the tool that it calls.

use serde_json::value::RawValue;

/// A tool, with what its server says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its server, and where each client has a process of its own, the client.
    pub server: String,
    /// Its name there.
    pub name: String,
    /// Its `readOnlyHint`.
    pub read_only: bool,
    /// Its `idempotentHint`.
    pub idempotent: bool,
}

/// Where the tool of a call is found.
pub trait Tools: Send + Sync {
    /// The tool that a call with these parameters leads to, or with those of the request where none are
    /// given.
    fn find(&self, params: Option<&RawValue>) -> Option<Tool>;

    /// What a request with these parameters is for; nothing where parameters name nothing.
    fn named(&self, _params: &RawValue) -> Option<Named> {
        None
    }
}

/// What a request is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The server, where there is one.
    pub server: Option<String>,
    /// Its own name for what is asked of it: a tool, a resource or a prompt.
    pub own: Option<String>,
}

/// Nothing is known of any tool.
impl Tools for () {
    fn find(&self, _params: Option<&RawValue>) -> Option<Tool> {
        None
    }
}
