//! One log line and one count per request (spec 1.15).

use crate::app::App;
use axum::http::StatusCode;
use axum::response::Response;
use gateway::Trace;
use hyper::Method;
use model::Code;
use std::time::Instant;

/// The code of a refusal, left in its response for the log; never sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedWith(pub(crate) Code);

/// Left in a response whose request is, or will be, logged by whoever works on it; never sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logged;

/// What the log says of a request: names and codes, never values.
pub(crate) struct Record<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: Option<&'a str>,
    /// The hooks that ran.
    pub(crate) hooks: Option<&'a Trace>,
    pub(crate) began: Instant,
}

impl<'a> Record<'a> {
    /// A request of which no more is known yet.
    pub(crate) fn new(method: &'a Method, path: &'a str, began: Instant) -> Self {
        Self { method, path, server: None, tool: None, hooks: None, began }
    }

    /// Counts and logs the answer, unless somebody else does.
    pub(crate) fn close(&self, app: &App, response: &Response) {
        if response.extensions().get::<Logged>().is_none() {
            let extensions = response.extensions();
            let code = extensions.get::<RefusedWith>().map(|refused| refused.0);
            let hooks = self.hooks.or_else(|| extensions.get::<Trace>());
            Record { hooks, ..*self }.write(app, response.status(), code);
        }
    }

    /// Counts and logs an answer of that status.
    pub(crate) fn write(&self, app: &App, status: StatusCode, code: Option<Code>) {
        let status = status.as_u16();
        app.http().record(status);
        tracing::info!(
            method = self.method.as_str(),
            path = self.path,
            status,
            server = self.server,
            tool = self.tool,
            code = code.map(Code::name),
            hooks = self.hooks.filter(|hooks| !hooks.is_empty()).map(tracing::field::display),
            duration_us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX),
            "request"
        );
    }
}
