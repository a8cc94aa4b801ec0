//! What the log says of a client's request: names and codes, never values.

use super::Asked;
use super::catalog::Target;
use crate::caller::Caller;
use crate::hooks::Trace;
use crate::sight::{Seen, Way};
use crate::waited::Footprint;
use model::Code;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A request as the log tells it.
pub struct Note {
    target: Option<Target>,
    /// The tool, where it is not a server's.
    own: Option<Box<str>>,
    is_call: bool,
    /// How it counts; `None` is a success.
    pub code: Option<Code>,
    /// The hooks that ran.
    pub hooks: Trace,
}

impl Note {
    pub(super) fn new(asked: &Asked<'_>, target: Target, code: Option<Code>, hooks: Trace) -> Self {
        Self { target: Some(target), own: None, is_call: asked.method == "tools/call", code, hooks }
    }

    /// A request that goes to no single server.
    pub(super) fn general(code: Option<Code>, hooks: Trace) -> Self {
        Self { target: None, own: None, is_call: false, code, hooks }
    }

    /// A call of a tool that is not a server's.
    pub(super) fn own(tool: &str, code: Option<Code>, hooks: Trace) -> Self {
        Self { target: None, own: Some(tool.into()), is_call: true, code, hooks }
    }

    /// The server it went to.
    pub fn server(&self) -> Option<&str> {
        self.target.as_ref().map(|target| target.server.name())
    }

    /// The tool that was called.
    pub fn tool(&self) -> Option<&str> {
        let called = self.target.as_ref().filter(|_| self.is_call).map(|target| &*target.own);
        called.or(self.own.as_deref())
    }

    /// One line about a call, for a transport that logs no requests of its own.
    pub fn log(&self, took: Duration) {
        tracing::info!(
            server = self.server(),
            tool = self.tool(),
            code = self.code.map(Code::name),
            hooks = (!self.hooks.is_empty()).then(|| tracing::field::display(&self.hooks)),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            "call"
        );
    }
}

/// Where the note of one request is left, once.
pub struct Notebook {
    note: OnceLock<Note>,
    /// The way it came in.
    pub(super) way: Way,
    /// When the request came.
    pub began: Instant,
    /// What it was for, where the client did not wait for its end.
    pub footprint: Footprint,
}

impl Notebook {
    /// For a request that came this way, then.
    pub fn new(way: Way, began: Instant) -> Self {
        Self { note: OnceLock::new(), way, began, footprint: Footprint::default() }
    }

    pub(super) fn set(&self, note: Note) {
        // A request has one note; of several rounds the first tells enough.
        let _ = self.note.set(note);
    }

    /// What was noted.
    pub fn note(&self) -> Option<&Note> {
        self.note.get()
    }

    /// What was noted, for a request of this caller.
    pub fn seen<'a>(&'a self, caller: Caller<'a>) -> Seen<'a> {
        let note = self.note();
        Seen {
            caller,
            server: note.and_then(Note::server),
            tool: note.and_then(Note::tool),
            code: note.and_then(|note| note.code),
            hooks: note.map(|note| &note.hooks),
        }
    }

    /// Logs a call that was noted.
    pub fn log(&self) {
        if let Some(note) = self.note() {
            note.log(self.began.elapsed());
        }
    }
}
