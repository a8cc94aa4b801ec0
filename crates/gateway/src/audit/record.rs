//! The record of one call, from its beginning to its end, or to its client's leaving.

use super::fold::Refusal;
use super::writer::Shared;
use crate::caller::Caller;
use crate::hooks::Trace;
use crate::waited::Footprint;
use model::Code;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::AuditBody;

/// The outcome of a call that nobody waited for.
const CANCELLED: &str = "CANCELLED";

/// A call under way.
pub(crate) struct Record<'a>(Option<Begun<'a>>);

struct Begun<'a> {
    shared: &'a Arc<Shared>,
    at: i64,
    began: Instant,
    who: &'a str,
    method: &'a str,
    /// In pieces.
    subject: [&'a str; 3],
    arguments: &'a str,
    is_step: bool,
    footprint: Option<&'a Footprint>,
}

impl<'a> Record<'a> {
    /// Nothing is recorded.
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn new(
        shared: &'a Arc<Shared>,
        caller: &'a Caller<'_>,
        method: &'a str,
        subject: [&'a str; 3],
        arguments: &'a str,
        began: Instant,
    ) -> Self {
        Self(Some(Begun {
            shared,
            at: crate::hooks::now(),
            began,
            who: caller.id(),
            method,
            subject,
            arguments,
            is_step: caller.is_step(),
            footprint: caller.footprint(),
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
            let left = begun.left();
            let end = move |hooks: &Trace| left.begun().end(CANCELLED, hooks);
            match begun.footprint {
                Some(footprint) => footprint.record(end),
                None => end(&Trace::default()),
            }
        }
    }
}

/// A call that nobody waits for, until it is known which hooks ran.
struct Left {
    shared: Arc<Shared>,
    at: i64,
    took: Duration,
    who: String,
    method: String,
    subject: String,
    arguments: String,
    is_step: bool,
}

impl Left {
    fn begun(&self) -> Begun<'_> {
        let Self { shared, at, took, who, method, subject, arguments, is_step } = self;
        Begun {
            shared,
            at: *at,
            began: Instant::now().checked_sub(*took).unwrap_or_else(Instant::now),
            who,
            method,
            subject: [subject, "", ""],
            arguments,
            is_step: *is_step,
            footprint: None,
        }
    }
}

impl Begun<'_> {
    fn left(&self) -> Left {
        Left {
            shared: Arc::clone(self.shared),
            at: self.at,
            took: self.began.elapsed(),
            who: self.who.to_owned(),
            method: self.method.to_owned(),
            subject: self.subject.concat(),
            arguments: self.arguments.to_owned(),
            is_step: self.is_step,
        }
    }

    fn refused(self, code: Code) {
        let Self { who, method, .. } = self;
        let refusal = Refusal { kind: "call", who, source: None, method, code, status: None };
        self.shared.refuse(&refusal, || self.subject.concat());
    }

    fn end(self, outcome: &str, hooks: &Trace) {
        let hooks = (!hooks.is_empty()).then(|| serde_json::Value::from(hooks.to_string()).to_string());
        let ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.shared.add(self.at, "call", self.who, &self.subject, |body| {
            self.write(outcome, hooks.as_deref(), ms, body);
        });
    }

    /// What an entry says besides who, when and what, as a JSON object. Of the arguments there is what tells whether
    /// they were these. Methods and outcomes are words of our own.
    fn write(&self, outcome: &str, hooks: Option<&str>, ms: u64, body: &mut AuditBody<'_>) {
        body.push(r#"{"arguments":"sha256:"#);
        body.push_digest(self.arguments);
        body.push("\"");
        if let Some(hooks) = hooks {
            body.push(r#","hooks":"#);
            body.push(hooks);
        }
        for text in [r#","method":""#, self.method, r#"","ms":"#] {
            body.push(text);
        }
        body.push_number(ms);
        let step = if self.is_step { r#","step":true"# } else { "" };
        for text in [r#","outcome":""#, outcome, "\"", step, "}"] {
            body.push(text);
        }
    }
}
