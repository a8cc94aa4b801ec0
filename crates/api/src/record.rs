//! One log line and one count per request (spec 1.15).

use crate::app::App;
use axum::response::Response;
use hyper::Method;
use model::Code;
use std::time::Instant;

/// The code of a refusal, left in its response for the log; never sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedWith(pub(crate) Code);

/// What the log says of a request: names and codes, never values.
pub(crate) struct Record<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) began: Instant,
}

impl Record<'_> {
    /// Counts and logs the answer.
    pub(crate) fn close(&self, app: &App, response: &Response) {
        let status = response.status().as_u16();
        app.http().record(status);
        tracing::info!(
            method = self.method.as_str(),
            path = self.path,
            status,
            server = self.server,
            tool = self.tool,
            code = response.extensions().get::<RefusedWith>().map(|refused| refused.0.name()),
            duration_us = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX),
            "request"
        );
    }
}
