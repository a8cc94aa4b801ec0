//! The record of one call, from its beginning to its end, or to its client's leaving.

use super::fold::Refusal;
use super::writer::Shared;
use crate::caller::Caller;
use crate::hooks::Trace;
use model::Code;
use model::access::Digest;
use serde::Serialize;
use std::time::Instant;

/// What an entry says besides who, when and what.
#[derive(Serialize)]
struct Body<'a> {
    arguments: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    hooks: Option<String>,
    method: &'a str,
    ms: u64,
    outcome: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    step: bool,
}

/// A call under way.
pub(crate) struct Record<'a>(Option<Begun<'a>>);

struct Begun<'a> {
    shared: &'a Shared,
    at: i64,
    began: Instant,
    who: &'a str,
    method: &'a str,
    /// In pieces.
    subject: [&'a str; 3],
    /// What tells whether arguments were these, and nothing else of them.
    digest: Digest,
    is_step: bool,
}

impl<'a> Record<'a> {
    /// Nothing is recorded.
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn new(
        shared: &'a Shared,
        caller: &'a Caller<'_>,
        method: &'a str,
        subject: [&'a str; 3],
        arguments: &str,
    ) -> Self {
        Self(Some(Begun {
            shared,
            at: crate::hooks::now(),
            began: Instant::now(),
            who: caller.id(),
            method,
            subject,
            digest: Digest::of(arguments.as_bytes()),
            is_step: caller.is_step(),
        }))
    }

    /// The call has come to its end.
    pub(crate) fn over(mut self, code: Option<Code>, hooks: &Trace) {
        if let Some(begun) = self.0.take() {
            match code {
                // Of calls that limits turn away there may be very many.
                Some(code @ (Code::RateLimited | Code::Overloaded | Code::CircuitOpen)) => {
                    begun.refused(code)
                }
                code => begun.end(code.map_or("OK", Code::name), hooks),
            }
        }
    }
}

/// Nobody waits for the call any more.
impl Drop for Record<'_> {
    fn drop(&mut self) {
        if let Some(begun) = self.0.take() {
            begun.end("CANCELLED", &Trace::default());
        }
    }
}

impl Begun<'_> {
    fn refused(self, code: Code) {
        let Self { who, method, .. } = self;
        let refusal = Refusal { kind: "call", who, source: None, method, code, status: None };
        self.shared.refuse(&refusal, || self.subject.concat());
    }

    fn end(self, outcome: &str, hooks: &Trace) {
        let body = Body {
            arguments: self.digest,
            hooks: (!hooks.is_empty()).then(|| hooks.to_string()),
            method: self.method,
            ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            outcome,
            step: self.is_step,
        };
        let body = serde_json::to_string(&body).expect("plain data");
        self.shared.add(self.at, "call", self.who, &self.subject, &body);
    }
}
