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

/// How many of the things that one request made are named.
const MADE_MAX: usize = 100;

/// What a request made, left in its response for the audit log; never sent.
#[derive(Clone, Debug)]
pub(crate) struct Made(pub(crate) Vec<String>);

impl Made {
    /// Reads it from the resource, or the list of those, that answers the request: they are reached by their ids, and
    /// those that have none by their names.
    pub(crate) fn in_answer(body: &[u8]) -> Self {
        #[derive(serde::Deserialize)]
        struct One {
            id: Option<String>,
            name: Option<String>,
        }
        let one = serde_json::from_slice::<One>(body).map(|one| vec![one]);
        let all = one.or_else(|_| serde_json::from_slice::<Vec<One>>(body)).unwrap_or_default();
        let mut names: Vec<String> = all.into_iter().filter_map(|one| one.id.or(one.name)).collect();
        let more = names.len().saturating_sub(MADE_MAX);
        names.truncate(MADE_MAX);
        names.extend((more > 0).then(|| format!("and {more} more")));
        Self(names)
    }
}

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

    /// Counts and logs the answer.
    pub(crate) fn close(&self, app: &App, response: &Response) {
        let extensions = response.extensions();
        let code = extensions.get::<RefusedWith>().map(|refused| refused.0);
        let hooks = self.hooks.or_else(|| extensions.get::<Trace>());
        Record { hooks, ..*self }.write(app, response.status(), code);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_things_that_were_made_the_first_hundred_are_named_and_the_rest_counted() {
        let made = |count: usize| {
            let all: Vec<_> = (0..count).map(|n| serde_json::json!({"id": format!("h{n}")})).collect();
            Made::in_answer(&serde_json::to_vec(&all).expect("JSON")).0
        };
        let hundred: Vec<String> = (0..100).map(|n| format!("h{n}")).collect();
        assert_eq!(made(100), hundred);
        assert_eq!(made(103), [&hundred[..], &["and 3 more".to_owned()]].concat());
    }
}
